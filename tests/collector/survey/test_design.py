"""The published design: out as canonical JSON and back, the same; and nothing in it trusted."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings

from collector.errors import SurveyError
from collector.survey.design import survey_from_design, survey_from_json
from collector.survey.survey import Survey
from made_up_surveys import MadeUp, made_up_surveys


@given(made_up_surveys())
@settings(max_examples=200)
def test_any_survey_file_comes_back_from_its_canonical_json_the_same(made_up: MadeUp) -> None:
    survey = made_up.survey
    back = survey_from_json(survey.canonical)
    assert back == survey
    assert back.canonical == survey.canonical
    assert back.fingerprint == survey.fingerprint


def test_canonical_json_is_sorted_and_tight_and_its_hash_is_the_fingerprint(wellbeing: Survey) -> None:
    expected = json.dumps(json.loads(wellbeing.canonical), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert wellbeing.canonical == expected
    assert wellbeing.fingerprint == sha256(wellbeing.canonical.encode()).hexdigest()


def test_the_canonical_json_keeps_letters_of_every_script_as_they_are(wellbeing: Survey) -> None:
    design = copy.deepcopy(wellbeing.design) | {"title": {"en": "Bien-être des étudiants, 学生"}}
    assert "学生" in survey_from_design(design).canonical


def test_anything_changed_makes_another_fingerprint(wellbeing: Survey) -> None:
    changed = copy.deepcopy(wellbeing.design)
    changed["groups"][0]["truth"] = [3, 4]
    assert survey_from_design(changed).fingerprint != wellbeing.fingerprint


Change = Callable[[dict[str, Any]], object]


def question(key: str, value: object, number: int = 1) -> Change:
    return lambda design: design["questions"][number].update({key: value})


def coding(key: str, value: object) -> Change:
    return lambda design: design["questions"][1]["coding"].update({key: value})


def group(key: str, value: object) -> Change:
    return lambda design: design["groups"][0].update({key: value})


MALFORMED: dict[str, tuple[Change, str]] = {
    "another format": (lambda d: d.update(format=2), "design, format: this version of Deniable cannot read the design"),
    "format as text": (lambda d: d.update(format="1"), "design, format: it is not a whole number"),
    "no name": (lambda d: d.pop("name"), 'design: "name" is missing'),
    "an unknown key": (lambda d: d.update(extra=1), 'design: the key "extra" is unknown'),
    "questions no list": (lambda d: d.update(questions={}), "design, questions: it is not a list"),
    "a question no table": (lambda d: d.update(questions=[3]), "design, questions number 1: the entry is not a table"),
    "an unknown key of a question": (question("extra", 1), 'question "cannabis": the key "extra" is unknown'),
    "yes and no renamed": (
        question("values", ["oui", "non"]),
        'question "cannabis", values: the values are not yes and no',
    ),
    "a prior in floating point": (question("prior", [0.2, 0.8]), 'question "cannabis", prior: it is not a list'),
    "a prior not in lowest terms": (question("prior", [[2, 10], [4, 5]]), 'question "cannabis": a fraction is not in'),
    "a prior that adds up to 9/10": (question("prior", [[1, 10], [4, 5]]), "the frequencies add up to 0.9, not to 1"),
    "cuts that do not fit": (
        question("cuts", [1, 2, 3], 3),
        'question "income", cuts: the cuts do not fit the values',
    ),
    "a coding with an unknown key": (coding("extra", 1), 'question "cannabis", coding: the key "extra" is unknown'),
    "complements swapped": (
        coding("complements", [0, 1]),
        'question "cannabis", coding: a complement does not flip all bits',
    ),
    "complements dropped": (
        coding("complements", None),
        'question "cannabis", coding: a complement does not flip all bits',
    ),
    "a code for two values": (
        coding("draws", [[[0, 1]], [[0, 1]]]),
        'question "cannabis", coding: a code stands for two values',
    ),
    "a draw of three numbers": (coding("draws", [[[0, 1, 1]], [[1, 1]]]), "a pair is not made of two whole numbers"),
    "too few draws": (coding("draws", [[[0, 1]]]), 'question "cannabis", coding: a value has no code'),
    "a value without draws": (
        question("values", ["a", "b", "c", "d"], 2),
        "prior: the prior does not name each value exactly once",
    ),
    "plain under complement": (
        lambda d: d["questions"][1].update(coding=d["questions"][0]["coding"]),
        'question "cannabis", coding: the coding does not have a code for each value',
    ),
    "no longer sensitive": (
        question("sensitive", value=False),
        'question "cannabis": the question is not sensitive, but it belongs to a group',
    ),
    "sensitive, in no group": (
        question("sensitive", value=True, number=0),
        'question "year": the question is sensitive, but it belongs to no group',
    ),
    "truth at one half": (
        group("truth", [1, 2]),
        'group "substances", truth: with a truth probability of 1/2 the responses say nothing about the answers',
    ),
    "another channel": (group("channel", "laplace"), 'group "substances", channel: there is no such channel'),
    "uniform with paired codes": (
        group("channel", "uniform"),
        "the coding balanced cannot be used with the uniform channel",
    ),
    "a group without questions": (
        group("questions", []),
        'group "substances": the group has no question',
    ),
    "a group with a stranger": (
        group("questions", ["cannabis", "x"]),
        'group "substances": a question is in several groups, or in none',
    ),
    "a question in two groups": (
        group("questions", ["debt"]),
        'group "debts": a question is in several groups, or in none',
    ),
    "out of survey order": (
        group("questions", ["drinking", "cannabis"]),
        'group "substances": its questions are not in survey order',
    ),
    "two groups of one name": (group("name", "money"), "groups: two groups have the same name"),
    "a target that is no question": (lambda d: d.update(target="x"), "mining, target: no question has this name"),
    "a lone surrogate": (
        lambda d: d.update(title={"en": "\ud800"}),
        "title: the text has U+D800 (without a name), which cannot be displayed",
    ),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_design_that_was_tampered_with_is_refused(kind: str, wellbeing: Survey) -> None:
    change, line = MALFORMED[kind]
    design = copy.deepcopy(wellbeing.design)
    change(design)
    with pytest.raises(SurveyError) as raised:
        survey_from_design(design)
    assert line in str(raised.value)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"format": ' + "9" * 5000 + "}"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(SurveyError) as raised:
        survey_from_json(text)
    assert raised.value.place == "design"
    assert "not JSON" in raised.value.problem


@pytest.mark.parametrize("text", ["[]", "null", "3", '"text"'])
def test_what_is_no_table_is_refused(text: str) -> None:
    with pytest.raises(SurveyError, match="not a table"):
        survey_from_json(text)
