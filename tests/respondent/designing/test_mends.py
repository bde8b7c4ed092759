"""Mends do what a lint's remedy says, show the difference in the file, and leave the lint gone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from respondent.designing.document import SurveyDocument
from respondent.designing.edits import values_of
from respondent.designing.mends import difference, label_of
from respondent.designing.operations import edited
from respondent.designing.places import Places
from respondent.designing.state import state_of
from respondent.designing.values import EditError

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
PEOPLE = 300
Edits = list[dict[str, Any]]


def setting(path: list[str | int], value: object) -> dict[str, Any]:
    return {"op": "set", "path": path, "value": value}


HEALTH, DEBTS = ["groups", "health", "truth"], ["groups", "debts", "truth"]
ONE_DRAWN = setting(["sampling"], {"ask": 1, "always": []})
CASES: dict[str, tuple[str, Edits, str, str]] = {
    "own groups": ("wellbeing", [], "give each question its own group", '+group = "drinking"'),
    "certain truth": ("wellbeing", [setting(HEALTH, "1")], "move it away", '+health = { truth = "3/4" }'),
    "lower truth": ("wellbeing", [setting(DEBTS, "99/100")], "move the truth", "+debts = { truth ="),
    "lower epsilon": ("wellbeing_split", [], "lower the epsilon", "+epsilon = "),
    "last day": ("wellbeing", [setting(["study", "until"], "2020-01-01")], "write a later day", "-until = 2020-01-01"),
    "ask more": ("wellbeing", [ONE_DRAWN], "ask 2 or more", "+ask = 2"),
    "target": ("wellbeing", [setting(["sampling"], {"ask": 3, "always": []})], "add it to always", "+always = ["),
    "too near one half": ("wellbeing", [setting(DEBTS, "51/100")], "people for", "+debts = { truth ="),
}


def document_of(folder: Path, name: str, edits: Edits) -> SurveyDocument:
    path = folder / f"{name}.toml"
    path.write_text(edited((EXAMPLES / path.name).read_text(encoding="utf-8"), edits), encoding="utf-8")
    return SurveyDocument(path)


@pytest.mark.parametrize("case", CASES)
def test_a_mend_does_what_the_remedy_says(case: str, tmp_path: Path) -> None:
    name, edits, remedy, line = CASES[case]
    document = document_of(tmp_path, name, edits)
    before = state_of(document, PEOPLE)
    lint = next(each for each in before["lints"] if remedy in each["remedy"] and each["mend"])
    text = document.mended(lint["mend"]["id"], PEOPLE)
    assert f"\n{line}" in difference(document.text, text, "file")
    document.replace(document.version, text)
    after = state_of(document, PEOPLE)
    assert after["survey"] is not None
    assert (lint["place"], lint["problem"]) not in [(each["place"], each["problem"]) for each in after["lints"]]
    with pytest.raises(EditError, match="the remark"):
        document.mended(lint["mend"]["id"], PEOPLE)


def test_where_the_remedy_leaves_it_open_there_is_no_mend(tmp_path: Path) -> None:
    lints = state_of(document_of(tmp_path, "wellbeing", []), PEOPLE)["lints"]
    assert [each["mend"] for each in lints if each["severity"] == "note"] == [None] * 2
    assert all(each["path"][0] in {"groups", "questions"} for each in lints if '"' in each["place"])


@pytest.mark.parametrize(
    ("edits", "place", "path"),
    [
        ([setting(["questions", 3, "cuts"], [])], 'question "income"', ["questions", 3]),
        ([setting(["questions", 1, "prior"], {"yes": 2})], 'question "cannabis", prior', ["questions", 1, "prior"]),
        ([setting(["study", "minutes"], -1)], "study, minutes", ["study", "minutes"]),
        ([setting(["questions", 2, "name"], 3)], "survey, questions number 3, name", ["questions", 2, "name"]),
        ([setting(["mining", "target"], "nobody")], "mining, target", ["mining", "target"]),
        ([setting(["groups", "debts", "truth"], "x")], 'group "debts", truth', ["groups", "debts", "truth"]),
        ([setting(["colour"], "red")], "survey", []),
    ],
)
def test_problems_say_where_in_the_file_they_are(edits: Edits, place: str, path: list[Any], tmp_path: Path) -> None:
    (problem,) = state_of(document_of(tmp_path, "wellbeing", edits), PEOPLE)["problems"]
    assert problem["place"].startswith(place)
    assert problem["path"][: len(path)] == path


def test_places_of_questions_that_come_from_a_table_lead_to_that() -> None:
    values = {"questions": [{"name": "a"}, {"name": "team", "kind": "grid"}], "groups": {}}
    places = Places(values)
    assert places.path_of('question "team_trust", prior') == ("questions", 1, "prior")
    assert places.path_of('group "none"') == ()
    assert places.path_of("whole response") == ()


def test_the_text_of_an_option_is_found_in_the_table_of_its_question() -> None:
    values = {"questions": [{"name": "fear", "options": {"dogs": {"en": "Dogs"}}}]}
    assert Places(values).path_of('question "fear_dogs", label') == ("questions", 0, "options", "dogs")
    assert Places(values).path_of('question "fear_cats", label') == ("questions", 0, "label")
    assert Places(values).path_of('question "fear", label') == ("questions", 0, "label")


def test_the_truth_of_every_group_is_lowered_until_a_whole_response_tells_less(tmp_path: Path) -> None:
    groups = {"substances": {"truth": "9/10", "channel": "uniform"}, "money": {"truth": "9/10", "channel": "uniform"}}
    groups |= {"debts": {"truth": "19/20"}, "health": {"truth": "3/5"}}
    document = document_of(tmp_path, "wellbeing", [setting(["groups"], groups)])
    (lint,) = (each for each in state_of(document, PEOPLE)["lints"] if each["place"] == "whole response")
    assert lint["mend"]["label"].startswith("Ask less")
    after = values_of(document.mended(lint["mend"]["id"], PEOPLE))["groups"]
    assert Fraction(after["debts"]["truth"]) < Fraction(19, 20)
    assert after["health"] == groups["health"]  # it was lower already
    document.replace(document.version, document.mended(lint["mend"]["id"], PEOPLE))
    assert all(each["place"] != "whole response" for each in state_of(document, PEOPLE)["lints"])


def test_a_remark_on_the_whole_response_asks_less_of_each_person_first(tmp_path: Path) -> None:
    names = [f"q{at}" for at in range(1, 14)]
    asked = "".join(
        f'[[questions]]\nname = "{each}"\nlabel = "?"\nkind = "yes_no"\ngroup = "{each}"\n' for each in names
    )
    groups = "".join(f'{each} = {{ truth = "23/25" }}\n' for each in names)
    head = 'name = "many"\ntitle = "Many"\nlanguages = ["en"]\n'
    text = f'{head}\n{asked}\n[groups]\n{groups}\n[mining]\ntarget = "q1"\n'
    document = document_of(tmp_path, "wellbeing", [])
    document.replace(document.version, text)
    (lint,) = (each for each in state_of(document, PEOPLE)["lints"] if each["place"] == "whole response")
    assert "13 disguised questions" in lint["words"]
    assert "add up to" in lint["problem"]
    after = document.mended(lint["mend"]["id"], PEOPLE)
    assert values_of(after)["sampling"] == {"always": ["q1"], "ask": 3}
    assert label_of(text, after, tmp_path) == "Ask each person 3 of the 13 questions"
    document.replace(document.version, after)
    assert all(each["place"] != "whole response" for each in state_of(document, PEOPLE)["lints"])
