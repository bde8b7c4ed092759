"""Texts for translators: out as PO and XLSX, back with the coded design as it was, and what lacks is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from babel.messages.pofile import read_po
from click.testing import CliRunner

from collector.cli import main
from collector.errors import SurveyError
from collector.exchange.remarks import untranslated
from collector.exchange.texts import entries, with_translation, write_texts
from collector.exchange.texts_file import Entry, read_texts
from collector.survey.design import survey_from_design
from collector.survey.revision import changed_wording, coded_part
from collector.survey.survey import Survey
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from collector.wording.wording import unit_of
from kind_surveys import EVERY_KIND


@pytest.fixture(params=["wellbeing", "bilingual", "kinds"])
def survey(request: pytest.FixtureRequest) -> Survey:
    if request.param == "kinds":
        return parse_survey(EVERY_KIND)
    found: Survey = request.getfixturevalue(request.param)
    return found


def translated(survey: Survey) -> dict[str, Entry]:
    return {each.place: replace(each, translation=f"[{each.text}]") for each in entries(survey, "de")}


@pytest.mark.parametrize("suffix", [".po", ".xlsx"])
def test_what_is_translated_comes_back_and_the_coded_design_stays(suffix: str, survey: Survey, tmp_path: Path) -> None:
    path = tmp_path / f"texts{suffix}"
    path.write_bytes(write_texts(survey, "de", suffix).content)
    assert read_texts(path, "de") == {each.place: each for each in entries(survey, "de")}
    again = parse_survey(with_translation(survey, "de", translated(survey)).content.decode())
    assert again.languages == (*survey.languages, "de")
    assert coded_part(again) == coded_part(survey)
    assert all(each.translation == f"[{each.text}]" for each in entries(again, "de"))
    path.write_bytes(write_texts(again, "de", suffix).content)
    assert {each.translation for each in read_texts(path, "de").values()} == {
        f"[{each.text}]" for each in entries(again, "de")
    }


def test_a_po_file_is_one_that_other_programs_read(bilingual: Survey, tmp_path: Path) -> None:
    path = tmp_path / "texts.po"
    path.write_bytes(write_texts(bilingual, "ar", ".po").content)
    with path.open("rb") as stream:
        catalogue = read_po(stream, locale="ar")
    found = {(message.context, message.id, message.string) for message in catalogue if message.id}
    assert found == {(each.place, each.text, each.translation) for each in entries(bilingual, "ar")}


def test_every_text_has_a_place_of_its_own(survey: Survey) -> None:
    places = [each.place for each in entries(survey, "de")]
    assert len(set(places)) == len(places) > len(survey.questions)


def test_what_is_missing_or_has_changed_is_named_and_reads_as_in_the_first_language(wellbeing: Survey) -> None:
    found = translated(wellbeing)
    del found["/title"]
    found["/study/who"] = replace(found["/study/who"], text="Somebody else")
    converted = with_translation(wellbeing, "de", found)
    missing, changed = converted.notes
    assert missing == "no translation: /title"
    assert changed.endswith(": /study/who")
    again = parse_survey(converted.content.decode())
    assert again.title == Text.of(en="Student wellbeing", de="Student wellbeing")
    note, bare = untranslated(again)
    assert note.problem.startswith("2 texts ")
    assert note.problem.endswith(": /title, /study/who")
    assert bare.problem.endswith(": /questions/year, /questions/drinking")


def test_check_lists_what_is_not_translated(root: Path, tmp_path: Path) -> None:
    text = (root / "examples" / "wellbeing_two_languages.toml").read_text(encoding="utf-8")
    path = tmp_path / "survey.toml"
    path.write_text(text, encoding="utf-8")
    assert "texts read as in" not in CliRunner().invoke(main, ["check", str(path)]).stdout
    path.write_text(text.replace('ar = "رفاه الطلاب"', 'ar = "Student wellbeing"'), encoding="utf-8")
    found = CliRunner().invoke(main, ["check", str(path)]).stdout
    assert 'note: language "ar": 1 texts ' in found
    assert ": /title;" in found


WARDS = """
name = "wards"
title = { en = "Wards", de = "Stationen" }
languages = ["en", "de"]
groups = { a = { truth = "3/4" }, b = { truth = "3/4" }, c = { truth = "3/4" } }

[[questions]]
name = "ward"
label = { en = "Which ward?", de = "Welche Station?" }
kind = "choice"
values = ["icu", "er"]
decline = true
group = "a"
words.en = { icu = "Intensive care", er = "Emergency" }

[[questions]]
name = "shifts"
label = { en = "How long are your shifts?", de = "Wie lang sind Ihre Schichten?" }
kind = "number"
cuts = [6, 12]
unit = "hours"
group = "b"

[[questions]]
name = "pay"
label = { en = "Pay?", de = "Lohn?" }
kind = "number"
cuts = [2000]
unit = "EUR"
group = "c"
"""


def test_a_language_without_words_for_values_shows_those_of_the_first_and_check_names_what_is_missing() -> None:
    survey = parse_survey(WARDS)
    shown = survey.question("ward").shown
    assert [text["de"] for text in shown] == ["Intensive care", "Emergency", "prefer_not_to_say"]
    (note,) = untranslated(survey)
    assert note.problem.startswith("3 texts ")
    assert note.problem.endswith(": /questions/ward/words, /questions/shifts/unit"), (
        "the page translates that one declines, and EUR is EUR"
    )
    words = 'de = { icu = "Intensivstation", er = "Notaufnahme" }'
    whole = WARDS.replace("words.en", f"words.{words}\nwords.en")
    assert untranslated(parse_survey(whole.replace('"hours"', '{ en = "hours", de = "Stunden" }'))) == []


def test_a_unit_is_translated_goes_out_and_back_and_its_translation_is_a_revision() -> None:
    survey = parse_survey(WARDS)
    found = {each.place: each for each in entries(survey, "de")}
    assert found["/questions/shifts/unit"].text == "hours"
    found["/questions/shifts/unit"] = replace(found["/questions/shifts/unit"], translation="Stunden")
    again = parse_survey(with_translation(survey, "de", found).content.decode())
    assert [unit_of(again, again.question("shifts"), language) for language in ("en", "de")] == ["hours", "Stunden"]
    assert unit_of(again, again.question("pay"), "de") == "EUR"
    assert survey_from_design(json.loads(again.canonical)) == again
    assert parse_survey(survey_text(again, "Again.")) == again
    assert coded_part(again) == coded_part(survey)
    assert 'question "shifts", unit' in changed_wording(survey, again)
    other = parse_survey(WARDS.replace('"hours"', '{ en = "days", de = "Stunden" }'))
    assert coded_part(other) != coded_part(survey), "another unit is another question"


@pytest.mark.parametrize(
    ("unit", "wrong"),
    [
        ("1", "unit: the value is not text"),
        ('{ en = "hours" }', "it is not in"),
        ('{ en = "", de = "h" }', "empty"),
    ],
)
def test_a_unit_is_text_in_each_language(unit: str, wrong: str) -> None:
    with pytest.raises(SurveyError, match=wrong):
        parse_survey(WARDS.replace('"hours"', unit))


@pytest.mark.parametrize("text", ["msgid", 'msgid "a', 'hello "x"', '"x"', 'msgid "\\q"'])
def test_what_is_no_po_file_is_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "texts.po"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SurveyError, match="line 1: "):
        read_texts(path, "de")


def test_the_command_goes_out_and_back(root: Path, tmp_path: Path) -> None:
    source, po, out = root / "examples" / "wellbeing.toml", tmp_path / "de.po", tmp_path / "out.toml"

    def run(*arguments: object) -> int:
        return CliRunner().invoke(main, ["texts", *map(str, arguments)]).exit_code

    assert run("export", source, po, "--language", "de") == 0
    assert run("import", source, po, "--language", "de", "-o", out) == 0
    assert out.exists()
    assert run("import", source, po, "--language", "de") == 2
    assert run("export", source, tmp_path / "de.txt", "--language", "de") == 2
    assert run("export", source, po, "--language", "en") == 2


def test_a_spreadsheet_that_would_fill_the_memory_is_refused_before_it_is_unpacked(root: Path, tmp_path: Path) -> None:
    source, bomb, out = root / "examples" / "wellbeing.toml", tmp_path / "de.xlsx", tmp_path / "out.toml"
    with ZipFile(bomb, "w", ZIP_DEFLATED) as parts, parts.open("xl/worksheets/sheet1.xml", "w") as cell:
        for _ in range(100):
            cell.write(b"a" * 10**6)
    found = CliRunner().invoke(main, ["texts", "import", str(source), str(bomb), "--language", "de", "-o", str(out)])
    assert (found.exit_code, out.exists()) == (2, False)
    assert f"{bomb}: file: unpacked" in found.stderr


def test_the_scale_of_a_grid_is_translated_once() -> None:
    survey = parse_survey(EVERY_KIND)
    places = [each.place for each in entries(survey, "de") if "/words/" in each.place]
    assert places == [f"/questions/climate_fair/words/{number}" for number in range(3)]
    again = parse_survey(with_translation(survey, "de", translated(survey)).content.decode())
    assert [text["de"] for text in again.question("climate_voice").shown] == ["[Not at all]", "[Partly]", "[Fully]"]
    few = {place: each for place, each in translated(survey).items() if place != places[1]}
    assert with_translation(survey, "de", few).notes == (f"no translation: {places[1]}",)


def test_a_translation_that_a_program_guessed_is_none_until_somebody_looked(wellbeing: Survey, tmp_path: Path) -> None:
    path = tmp_path / "texts.po"
    lines = write_texts(wellbeing, "de", ".po").content.decode().replace('msgstr ""', 'msgstr "x"').splitlines()
    where = lines.index('msgctxt "/title"')
    path.write_text("\n".join([*lines[:where], "#, fuzzy", *lines[where:]]))
    found = read_texts(path, "de")
    assert [place for place, each in found.items() if not each.translation] == ["/title"]


@pytest.mark.parametrize("places", [[], ["/nothing/of/this/survey"]])
def test_a_file_without_a_text_of_the_survey_is_refused(places: list[str], wellbeing: Survey) -> None:
    found = {place: Entry(place, "Student wellbeing", "Etwas") for place in places}
    with pytest.raises(SurveyError, match="texts: none of the texts"):
        with_translation(wellbeing, "de", found)
