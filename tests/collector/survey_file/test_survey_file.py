"""Survey files: what a researcher writes is compiled exactly, and every mistake is told in one line."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from collector.errors import InputError, SurveyError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey, read_survey_file

GOOD = """
name = "pilot"
title = "A pilot"
languages = ["en"]

[[questions]]
name = "drug"
label = "Have you used it?"
kind = "yes_no"
prior = { yes = 0.2, no = 0.8 }
group = "drugs"

[[questions]]
name = "mood"
label = "How are you?"
kind = "scale"
values = ["low", "fair", "high"]
group = "moods"

[[questions]]
name = "income"
label = "Income?"
kind = "number"
unit = "EUR"
minimum = 0
cuts = [400, 800]
sensitive = false

[groups]
drugs = { truth = "3/4" }
moods = { truth = "2/3", channel = "uniform" }

[mining]
target = "drug"
"""


def test_the_example_compiles_as_written(wellbeing: Survey) -> None:
    assert [question.name for question in wellbeing.questions] == [
        "year", "cannabis", "drinking", "income", "debt", "distress",
    ]  # fmt: skip
    assert [(group.name, group.channel.name, str(group.channel.truth([]))) for group in wellbeing.groups] == [
        ("substances", "complement", "4/5"),
        ("money", "uniform", "2/3"),
        ("debts", "complement", "4/5"),
        ("health", "complement", "4/5"),
    ]
    assert wellbeing.target == "distress"


def test_decimals_are_read_as_they_are_written() -> None:
    assert parse_survey(GOOD).question("drug").prior == (Fraction(1, 5), Fraction(4, 5))


def test_a_prior_that_is_absent_is_uniform() -> None:
    assert parse_survey(GOOD).question("mood").prior == (Fraction(1, 3),) * 3


@pytest.mark.parametrize("written", ['"3/4"', '"0.75"', "0.75", "75e-2", '"7.5e-1"', '"12/16"'])
def test_a_truth_may_be_written_in_several_ways(written: str) -> None:
    survey = parse_survey(GOOD.replace('"3/4"', written))
    assert survey.groups[0].channel.truth([]) == Fraction(3, 4)
    assert survey.fingerprint == parse_survey(GOOD).fingerprint


@pytest.mark.parametrize("written", ["1", "0", '"1"'])
def test_a_truth_of_0_or_1_is_read_for_check_to_refuse(written: str) -> None:
    assert parse_survey(GOOD.replace('"3/4"', written)).groups[0].channel.truth([]) in {0, 1}


def test_a_survey_in_which_nothing_is_disguised_needs_no_groups() -> None:
    open_file = GOOD.split("[groups]", maxsplit=1)[0].replace('group = "drugs"', "sensitive = false")
    assert parse_survey(open_file.replace('group = "moods"', "sensitive = false")).groups == ()


@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_a_file_is_read_with_or_without_a_byte_order_mark(mark: str, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(mark + GOOD.replace("\n", "\r\n"), encoding="utf-8", newline="")
    assert read_survey_file(path) == read_survey_file(str(path)) == parse_survey(GOOD)


MALFORMED = json.loads(
    (Path(__file__).resolve().parents[2] / "vectors" / "malformed_surveys.json").read_text(encoding="utf-8")
)
TOO_MUCH = (
    "survey: a number is too long, or lists are nested too deep; shorten the number, or use fewer levels of brackets"
)
MALFORMED += [
    {"kind": "a number of 5,000 digits", "good": "[400, 800]", "bad": f"[{'9' * 5000}]", "error": TOO_MUCH},
    {"kind": "lists nested 10,000 deep", "good": '["en"]', "bad": "[" * 10_000, "error": TOO_MUCH},
]
TOML_SAYS = re.compile(
    r"(?<=the survey file is not valid TOML \().*(?=\); correct)"
)  # in words that differ between versions of Python


def test_at_least_30_kinds_of_malformed_files_are_tried() -> None:
    assert len(MALFORMED) >= 30


@pytest.mark.parametrize("case", MALFORMED, ids=lambda case: case["kind"])
def test_a_malformed_file_is_told_in_one_line(case: dict[str, str], tmp_path: Path) -> None:
    assert GOOD.count(case["good"]) == 1
    path = tmp_path / "bad.toml"
    path.write_text(GOOD.replace(case["good"], case["bad"]), encoding="utf-8")
    with pytest.raises(SurveyError) as raised:
        read_survey_file(path)
    assert TOML_SAYS.sub("...", raised.value.lines[0]) == f"{path}: {case['error']}"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    with pytest.raises(InputError) as raised:
        read_survey_file(path)
    assert str(raised.value).startswith(f"{path}: it cannot be read (No such file or directory)")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a folder"):
        read_survey_file(tmp_path)


def test_a_file_in_another_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(GOOD.replace("A pilot", "Bien-être").encode("latin-1"))
    with pytest.raises(InputError) as raised:
        read_survey_file(path)
    assert str(raised.value).startswith(f"{path}: line 3: it is not UTF-8")


def complaint(text: str) -> str:
    """What is said of a text; empty if it is a survey."""
    try:
        parse_survey(text)
    except SurveyError as error:
        return str(error)
    return ""


@given(st.text())
@example("")
def test_any_text_is_a_survey_or_an_error_in_one_line(text: str) -> None:
    assert len(complaint(text).splitlines()) <= 1


@given(st.data())
def test_any_small_change_to_a_file_is_a_survey_or_an_error_in_one_line(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(GOOD)))
    end = data.draw(st.integers(start, min(len(GOOD), start + 20)))
    inserted = data.draw(
        st.sampled_from(["", '"', "[", "]", "=", "0", "nan", "#", "\n", "{", ",", "true", "\x00", "1e99"])
    )
    assert len(complaint(GOOD[:start] + inserted + GOOD[end:]).splitlines()) <= 1
