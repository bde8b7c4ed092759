"""One text has one spelling at every door, and texts that look alike are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from collector.characters import cleaned, compared, look, looking_alike, same, shown
from collector.cli import main
from collector.conditions.meaning import Subject, conditions_in
from collector.errors import QueryError, ResponseError, SurveyError
from collector.exchange.checked import checked
from collector.exchange.surveyjs import from_surveyjs
from collector.exchange.texts import entries, with_translation
from collector.exchange.texts_file import read_texts
from collector.survey.text import check_text
from collector.survey_file.survey_file import compiled, parse_survey
from collector.table.table import read_table

APART = "cafe\u0301"  # an accent of its own
CAFE = "caf\u00e9"
SURVEY = """name = "drinks"
title = "Drinks"
languages = ["{language}"]

[[questions]]
name = "drink"
label = "{label}"
kind = "choice"
values = ["{one}", "{other}"]
prior = {{ "{one}" = 0.5, "{other}" = 0.5 }}
group = "drink"

[groups]
drink = {{ truth = "1/2", channel = "uniform" }}
"""


def drinks(one: str = CAFE, other: str = "green tea", label: str = "Which?", language: str = "en") -> str:
    return SURVEY.format(one=one, other=other, label=label, language=language)


def test_a_survey_file_is_read_in_one_spelling() -> None:
    assert parse_survey(drinks(APART)).fingerprint == parse_survey(drinks(CAFE)).fingerprint
    assert parse_survey(drinks(APART)).question("drink").values == (CAFE, "green tea")


def test_the_fingerprint_of_a_survey_in_that_spelling_stays() -> None:
    """Measured before texts had one spelling."""
    assert parse_survey(drinks("th\u00e9\u00a0noir", CAFE)).fingerprint.startswith(FINGERPRINT)


FINGERPRINT = "522d8d13c666a615"


@pytest.mark.parametrize("character", ["\u200b", "\ufeff", "\u00ad", "\u200f"])
def test_an_invisible_character_is_dropped_from_a_value_and_named(character: str) -> None:
    found = compiled(drinks(f"ca{character}fe"))
    assert found.survey.question("drink").values == ("cafe", "green tea")
    remarks = [lint for lint in checked(found).lints if "invisible" in lint.problem]
    assert {lint.place for lint in remarks} == {'question "drink", values', 'question "drink", prior'}
    assert f"U+{ord(character):04X}" in remarks[0].problem


@pytest.mark.parametrize("character", ["\u200b", "\ufeff", "\u00ad", "\u200f", "\u200e", "\u061c", "\u2067", "\u3000"])
def test_it_is_kept_in_a_text_that_people_read(character: str) -> None:
    label = f"\u0646\u0639\u0645{character}\u0644\u0627"
    assert parse_survey(drinks(label=label, language="ar")).question("drink").label["ar"] == label


def test_a_mark_that_turns_the_order_of_a_text_is_dropped_and_named() -> None:
    found = compiled(drinks(label="not \u202eseY"))
    assert found.survey.question("drink").label["en"] == "not seY"
    assert found.dropped == (('question "drink", label', "\u202e"),)


@pytest.mark.parametrize("mark", "\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
def test_a_mark_that_turns_the_direction_of_a_text_is_kept_and_warned_of(mark: str) -> None:
    lints = checked(compiled(drinks(label=f"one {mark}two"))).lints
    (found,) = (each for each in lints if "turn the direction" in each.problem)
    assert (found.severity, found.place) == ("warn", 'language "en"')
    assert "/questions/drink/label" in found.problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\u200b", "the text is empty"),
        (" a", "the text begins or ends with a space"),
        ("a\u2028b", r"the text has U\+2028 \(line separator\), which cannot be displayed"),
    ],
)
def test_a_text_that_cannot_be_shown_is_refused_for_one_reason(text: str, problem: str) -> None:
    with pytest.raises(SurveyError, match=problem):
        check_text(text, "label")


def test_a_key_that_is_there_in_two_spellings_is_refused() -> None:
    with pytest.raises(SurveyError, match="different Unicode characters"):
        cleaned({"prior": {APART: 1, CAFE: 2}}, ())


def test_names_of_picture_files_stay_as_they_are_on_the_disk() -> None:
    document, dropped = cleaned({"picture": f"{APART}.png"}, {"label"}, {"picture"})
    assert document == {"picture": f"{APART}.png"}
    assert dropped == []


@pytest.mark.parametrize("written", [APART, CAFE, f"{APART}\u200b"])
def test_a_condition_finds_a_value_in_any_spelling(written: str) -> None:
    def subject(_: object) -> Subject:
        return Subject("drink", (CAFE, "green tea"))

    assert conditions_in(f"drink = {written}", "ask_if", subject) == (("drink", (CAFE,)),)
    assert conditions_in("drink = green\u00a0tea", "ask_if", subject) == (("drink", ("green tea",)),)


def test_a_condition_with_a_letter_of_another_alphabet_is_told_which() -> None:
    def subject(_: object) -> Subject:
        return Subject("sure", ("no", "yes"))

    with pytest.raises(SurveyError, match=r"U\+043E \(cyrillic small letter o\)"):
        conditions_in("sure = n\u043e", "ask_if", subject)


def test_python_finds_a_value_in_any_spelling() -> None:
    question = parse_survey(drinks()).question("drink")
    assert question.value_index(APART) == 0
    assert question.value_index("green\u00a0tea") == 1
    with pytest.raises(QueryError):
        question.value_index("gr\u0435en tea")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_disguised_responses_come_in_in_any_spelling(tmp_path: Path, suffix: str) -> None:
    survey, path = parse_survey(drinks()), tmp_path / f"responses{suffix}"
    words = [APART, CAFE, "green\u00a0tea", "green\u200b tea"]
    lines = ["drink", *words] if suffix == ".csv" else [json.dumps({"drink": word}) for word in words]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    assert read_table(survey, path).rows == [(0,), (0,), (1,), (1,)]


def test_a_cell_that_looks_like_a_value_is_refused_as_such_and_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "responses.csv"
    path.write_text("drink\ngr\u0435en tea\n", encoding="utf-8")
    with pytest.raises(ResponseError, match="other characters") as error:
        read_table(parse_survey(drinks()), path)
    assert "\u0435" not in str(error.value)


def test_a_surveyjs_form_comes_in_in_one_spelling() -> None:
    choices = [{"value": "ca\u200bfe\u0301", "text": "Cafe\u0301"}, {"value": "tea", "text": "Tea"}]
    form = {"title": "Drinks", "elements": [{"type": "radiogroup", "name": "drink", "title": "?a", "choices": choices}]}
    found = from_surveyjs(json.dumps(form), "form.json")
    assert parse_survey(found.content.decode()).question("drink").values == (CAFE, "tea")
    assert any("U+200B" in note for note in found.notes)


def test_translations_come_in_in_one_spelling(tmp_path: Path) -> None:
    survey, path = parse_survey(drinks(label=CAFE)), tmp_path / "texts.po"
    place = next(each.place for each in entries(survey, "fr") if each.text == CAFE)
    path.write_text(f'msgctxt "{place}"\nmsgid "{APART}"\nmsgstr "Le {APART}"\n', encoding="utf-8")
    again = parse_survey(with_translation(survey, "fr", read_texts(path, "fr")).content.decode())
    assert again.question("drink").label["fr"] == f"Le {CAFE}"


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("no", "n\u043e", "U+043E (cyrillic small letter o)"),
        ("green tea", "green\u00a0tea", "U+00A0 (no-break space)"),
        ("1-5", "1\u20135", "U+2013 (en dash)"),
        ("Yes", "yes", "capitals or spaces"),
    ],
)
def test_check_names_values_that_look_alike(tmp_path: Path, one: str, other: str, differs: str) -> None:
    path = tmp_path / "drinks.toml"
    path.write_text(drinks(one, other), encoding="utf-8")
    result = CliRunner().invoke(main, ["check", str(path)])
    assert f'"{one}" and "{other}" look alike' in result.output
    assert differs in result.output


def test_check_names_answers_that_read_alike(tmp_path: Path) -> None:
    path, words = tmp_path / "drinks.toml", '[questions.words.en]\na = "Tea"\nb = "T\u0435a"\n\n[groups]'
    path.write_text(drinks("a", "b").replace("[groups]", words), encoding="utf-8")
    assert '"Tea" and "T\u0435a" look alike' in CliRunner().invoke(main, ["check", str(path)]).output


def test_values_that_differ_to_the_eye_are_not_named() -> None:
    assert looking_alike(["e", "\u00e9", "l", "1", "I", "O", "0", "never", "\u043d\u0435\u0442"]) == []
    assert looking_alike(["\u06cc", "\u064a"]) == [("\u06cc", "\u064a")], "yeh on a Persian keyboard, and an Arabic one"
    assert look("\uff21\u0301") == look("\u00c1")


def test_what_two_values_could_be_is_neither() -> None:
    assert same("green\u2009tea", ["green tea", "green\u00a0tea"]) is None
    assert (compared("\u200fa"), shown("\u200fa")) == ("a", "\u200fa")
    persian = "\u0645\u06cc\u200c\u0631\u0648\u0645"
    assert compared(persian) == persian, "it is spelt with a joiner"
