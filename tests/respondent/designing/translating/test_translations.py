"""Translations as a table: each text in each language, written to a file, taken back, and undone."""

from __future__ import annotations

import csv
from base64 import b64encode
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from collector.errors import DeniableError
from collector.exchange.texts_table import text_table
from owner.link import Link
from respondent.designing.app import create_app
from respondent.designing.document import SurveyDocument
from respondent.designing.edits import values_of
from respondent.designing.operations import edited
from respondent.designing.translating.table import Originals, read_table, rows_of, table_of, translations

OURS = {"Origin": "http://localhost"}
SURVEY = """# A comment that stays.
name = "two"
title = { en = "Two", de = "Zwei" }
languages = ["en", "de"]

[study]
who = { en = "We" }

[[questions]]
name = "year"
label = { en = "Which year?", de = "Welches Jahr?" }
kind = "scale"
values = ["first", "2"]
sensitive = false

[questions.words]
en = { first = "First", 2 = "Second" }

[[questions]]
name = "fear"
label = "What do you fear?"
kind = "multiple"
options = { dogs = { en = "Dogs", de = "Hunde" }, cats = { en = "Cats" } }
group = "fear"

[groups]
fear = { truth = "3/4" }
"""
NAMES = [
    "/title",
    "/study/who",
    "/questions/year/label",
    "/questions/year/words/first",
    "/questions/year/words/2",
    "/questions/fear/label",
    "/questions/fear/options/dogs",
    "/questions/fear/options/cats",
]


class Translated:
    """The place to design, as the page has it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_text(SURVEY, "utf-8")
        link = Link()
        self.client: FlaskClient = create_app(SurveyDocument(path), link).test_client()
        self.inside = self.client.get(f"/open/{link.once}").headers["Location"]

    def state(self) -> dict[str, Any]:
        """The present state."""
        found: dict[str, Any] = self.client.get(f"{self.inside}state").get_json()
        return found

    def post(self, address: str, status: int = 200, **body: object) -> dict[str, Any]:
        """Post something of the present version."""
        sent = {"version": self.state()["version"], **body}
        answer = self.client.post(f"{self.inside}{address}", json=sent, headers=OURS)
        assert answer.status_code == status, answer.get_json()
        found: dict[str, Any] = answer.get_json()
        return found

    def text(self, path: list[str | int], language: str, words: str) -> dict[str, Any]:
        """Write a text in one language."""
        return self.post("edit", edits=[{"op": "text", "path": path, "language": language, "value": words}])

    def changed(self) -> dict[str, list[str]]:
        """The texts whose translation is older than their original."""
        return {row["name"]: row["changed"] for row in self.state()["translations"] if row["changed"]}

    def take(self, rows: list[tuple[str, ...]], status: int = 200, *, apply: bool) -> dict[str, Any]:
        """Import a table."""
        content = b64encode(text_table(rows, ".csv")).decode()
        return self.post("translated", status, name="texts.csv", content=content, apply=apply)


@pytest.fixture
def translated(tmp_path: Path) -> Translated:
    return Translated(tmp_path / "two.toml")


def test_every_text_is_a_row_with_what_is_missing(translated: Translated) -> None:
    rows = translated.state()["translations"]
    assert [row["name"] for row in rows] == NAMES
    missing = {row["name"]: row["missing"] for row in rows if row["missing"]}
    assert missing == {
        "/study/who": ["de"],
        "/questions/year/words/first": ["de"],  # that of 2 has no letters
        "/questions/fear/label": ["de"],
        "/questions/fear/options/cats": ["de"],
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("words", ["Neu", ""])
def test_a_text_is_written_in_one_language_and_all_others_stay(name: str, words: str) -> None:
    before = rows_of(values_of(SURVEY))
    row = before[NAMES.index(name)]
    edit = {"op": "text", "path": list(row.text.place), "language": "de", "value": words}
    after = edited(SURVEY, [edit])
    assert after.startswith("# A comment that stays.")
    found = {each.name: each.texts for each in rows_of(values_of(after))}
    assert found[name]["de"] == words
    others = {each.name: dict(each.texts) for each in before}
    if row.text.is_word and words:  # a language names every value, or none
        sister = next(each for each in NAMES if "words" in each and each != name)
        others[sister]["de"] = sister.rpartition("/")[2]
    others[name]["de"] = words
    assert found == others


def test_a_translation_is_marked_once_its_original_has_changed_until_it_is_confirmed_or_written_anew(
    translated: Translated,
) -> None:
    assert translated.changed() == {}
    translated.text(["title"], "en", "Two of them")
    translated.text(["questions", 0, "label"], "en", "In which year?")
    assert translated.changed() == {"/title": ["de"], "/questions/year/label": ["de"]}
    translated.post("edit", edits=[{"op": "move", "path": ["questions", 0], "to": 1}])
    assert translated.changed() == {"/title": ["de"], "/questions/year/label": ["de"]}, "it follows its question"
    translated.text(["title"], "de", "Zwei davon")
    translated.post("confirm", name="/questions/year/label", language="de")
    assert translated.changed() == {}
    translated.post("undo")
    assert translated.changed() == {"/title": ["de"]}
    for _ in range(3):
        translated.post("undo")
    assert translated.state()["document"]["title"] == {"en": "Two", "de": "Zwei"}
    assert "/title" not in translated.changed(), "the original is what it was"


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_a_table_that_goes_out_comes_back_and_changes_nothing(suffix: str, translated: Translated) -> None:
    answer = translated.client.get(f"{translated.inside}texts{suffix}")
    assert (answer.status_code, f"two_texts{suffix}" in answer.headers["Content-Disposition"]) == (200, True)
    values = values_of(SURVEY)
    assert read_table(values, f"texts{suffix}", answer.data).changes == []
    if suffix == ".csv":
        rows = list(csv.reader(StringIO(answer.data.decode("utf-8-sig"))))
        assert [row[0] for row in rows] == ["place", *NAMES]
        assert answer.data == table_of(values, suffix)


def test_a_table_says_what_it_changes_before_it_does_and_is_undone_in_one_step(translated: Translated) -> None:
    table = [
        ("place", "en", "de"),
        ("/study/who", "We", "Wir"),
        ("/title", "Two", ""),
        ("/questions/fear/options/cats", "Cats", "Katzen"),
        ("/questions/year/label", "Another original", "Anderes"),
        ("/questions/gone/label", "Gone", "Weg"),
    ]
    found = translated.take(table, apply=False)
    assert [(each["name"], each["before"], each["after"]) for each in found["changes"]] == [
        ("/study/who", "", "Wir"),
        ("/questions/fear/options/cats", "", "Katzen"),
    ]
    assert found["notes"] == [
        "Left out: /questions/gone/label is no text of this survey.",
        "Left out: /questions/year/label has another original by now.",
    ]
    assert translated.path.read_text("utf-8") == SURVEY, "nothing changes before it is wanted"
    translated.take(table, apply=True)
    document = translated.state()["document"]
    assert document["study"]["who"] == {"en": "We", "de": "Wir"}
    assert document["title"] == {"en": "Two", "de": "Zwei"}, "an empty cell changes nothing"
    translated.post("undo")
    assert translated.path.read_text("utf-8") == SURVEY


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("texts.ods", b"", "texts.ods: the table is neither CSV nor XLSX; save the table as CSV or XLSX"),
        ("texts.xlsx", b"no zip", "texts.xlsx: "),
        ("texts.csv", b"\xff\xfe", "texts.csv: line 1: it is not UTF-8 text"),
        ("texts.csv", b"place,en,de\n/other,A,B\n", "texts.csv: none of the rows belongs to a text of this survey"),
        ("../texts.csv", b"place,en,it\n", 'texts.csv: its column "it" is no language of the survey'),
    ],
)
def test_what_does_not_fit_is_refused_with_one_line_that_names_the_file(name: str, content: bytes, said: str) -> None:
    with pytest.raises(DeniableError) as caught:
        read_table(values_of(SURVEY), name, content)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)
    assert "tmp" not in str(caught.value)


def test_a_refused_table_changes_nothing(translated: Translated) -> None:
    refused = translated.take(
        [("place", "en", "de"), ("/title", "Two", "Zwo"), ("/title", "Two", "Zwei!")], 400, apply=True
    )
    assert refused["problem"].startswith("texts.csv: line 3: /title ")
    assert translated.path.read_text("utf-8") == SURVEY


def test_a_survey_of_one_language_has_no_table_on_the_page() -> None:
    one = values_of(edited(SURVEY, [{"op": "languages", "path": ["languages"], "value": ["en"]}]))
    assert [each.name for each in rows_of(one)] == NAMES
    assert translations(one, Originals()) == []
    assert len(translations(values_of(SURVEY), Originals())) == len(NAMES)
