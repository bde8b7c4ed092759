"""Cut points are proposed where a form says between what answers lie, and that is said."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.exchange.surveyjs import from_surveyjs
from collector.forms.cuts import PROPOSED, day_cuts, number_cuts
from collector.survey_file.survey_file import parse_survey
from collector.xlsform.form import import_form
from spreadsheet_forms import sheets
from spreadsheets import save_form


@pytest.mark.parametrize(
    ("low", "high", "whole", "cuts"),
    [
        ("0", "120", True, "25 50 75 100"),
        ("18", "99", True, "40 60 80"),
        ("1", "5", True, "2 3 4 5"),
        ("0", "1", True, "1"),
        ("0", "1", False, "0.2 0.4 0.6 0.8"),
        ("0", "1000000", True, "200000 400000 600000 800000"),
        ("-10", "40", True, "0 10 20 30"),
        ("3", "3", True, ""),
        ("0", "9007199254740993", True, ""),
    ],
)
def test_numbers_are_cut_into_a_few_equal_classes_between_round_numbers(
    low: str, high: str, cuts: str, *, whole: bool
) -> None:
    assert " ".join(map(str, number_cuts(Decimal(low), Decimal(high), whole=whole))) == cuts


@pytest.mark.parametrize(
    ("low", "high", "cuts"),
    [
        ("2000-01-01", "2030-01-01", "2005-01-01 2010-01-01 2015-01-01 2020-01-01 2025-01-01"),
        ("2024-01-01", "2024-12-31", "2024-04-01 2024-07-01 2024-10-01"),
        ("2024-03-05", "2024-03-25", "2024-03-12 2024-03-19"),
        ("2024-03-05", "2024-03-05", ""),
    ],
)
def test_days_are_cut_at_firsts_of_years_or_months(low: str, high: str, cuts: str) -> None:
    found = day_cuts(date.fromisoformat(low), date.fromisoformat(high))
    assert " ".join(map(str, found)) == cuts


DAYS = st.dates(date(1900, 1, 1), date(2100, 1, 1))


@given(
    low=st.decimals(-(10**9), 10**9, places=3),
    width=st.decimals(0, 10**9, places=3),
    whole=st.booleans(),
    one=DAYS,
    other=DAYS,
)
def test_cut_points_ascend_between_the_least_and_the_greatest_and_are_few(
    low: Decimal, width: Decimal, *, whole: bool, one: date, other: date
) -> None:
    numbers = number_cuts(low, low + width, whole=whole)
    assert all(low < cut <= low + width for cut in numbers)
    days = day_cuts(min(one, other), max(one, other))
    assert all(min(one, other) < cut <= max(one, other) for cut in days)
    for cuts in (numbers, days):
        assert sorted(set(cuts)) == list(cuts)  # type: ignore[type-var]
        assert len(cuts) <= 11


@pytest.mark.parametrize(
    ("cells", "minimum", "maximum", "cuts"),
    [
        ("integer | x | X? | constraint = . >= 0 and . <= 120", 0, 120, (25, 50, 75, 100)),
        ("integer | x | X? | constraint = (.>17 and .<100)", 18, 99, (40, 60, 80)),
        ("integer | x | X? | constraint = (. >= 0 and . <= 120) or . = 999", None, None, (25, 50, 75, 100)),
        ("decimal | x | X? | constraint = . > 0 and . < 1", None, None, (0.2, 0.4, 0.6, 0.8)),
        ("range | x | X? | parameters = start=0 end=100", 0, 100, (20, 40, 60, 80)),
        ("integer | x | X? | constraint = . >= 0 and . <= 120 | rr::cuts = 18", 0, 120, (18,)),
    ],
)
def test_the_constraint_of_a_number_says_its_bounds_and_proposes_its_cut_points(
    tmp_path: Path, cells: str, minimum: float | None, maximum: float | None, cuts: tuple[float, ...]
) -> None:
    found = import_form(save_form(tmp_path / "form.xlsx", sheets("f", cells)))
    (question,) = found.survey.questions
    assert (question.minimum, question.maximum, question.cuts) == (minimum, maximum, cuts)
    said = f"{PROPOSED}: x {' '.join(map(str, cuts))}"
    assert (said in found.notes) == ("rr::cuts" not in cells)
    assert len(found.left_out) == (minimum is None)


def test_a_date_between_two_days_is_cut_and_a_number_without_an_end_is_left_out(tmp_path: Path) -> None:
    rows = "date | d | D? | constraint = . >= date('2000-01-01') and . <= date('2030-01-01')\n"
    rows += "integer | n | N? | constraint = . >= 0\ninteger | m | M? | constraint = . >= 0 and . <= ${n} + 1"
    found = import_form(save_form(tmp_path / "form.xlsx", sheets("f", rows)))
    assert [screen.cuts[0] for screen in found.survey.screens] == ["2005-01-01"]
    (line,) = found.left_out
    assert line.startswith("sheet survey, rows 3, 4, column rr::cuts: ")
    assert "constraint" in line


def test_numbers_of_surveyjs_are_cut_between_their_least_and_greatest() -> None:
    limits = {"type": "numeric", "minValue": 0, "maxValue": 120}
    elements = [
        {"type": "text", "name": "age", "inputType": "number", "validators": [limits]},
        {"type": "slider", "name": "part"},
        {"type": "text", "name": "share", "inputType": "number", "min": 0, "max": 1, "step": 0.1},
        {"type": "text", "name": "day", "inputType": "date", "min": "2024-01-01", "max": "2024-12-31"},
        {"type": "text", "name": "rooms", "inputType": "number"},
    ]
    found = from_surveyjs(json.dumps({"elements": elements}), "form.json")
    survey = parse_survey(found.content.decode())
    assert {question.name: question.cuts for question in survey.questions} == {
        "age": (25, 50, 75, 100),
        "part": (20, 40, 60, 80),
        "share": (0.2, 0.4, 0.6, 0.8),
        "day": (),
    }
    assert [screen.cuts for screen in survey.screens] == [("2024-04-01", "2024-07-01", "2024-10-01")]
    (line,) = [note for note in found.notes if note.startswith(PROPOSED)]
    assert line.endswith(
        "age 25 50 75 100, part 20 40 60 80, share 0.2 0.4 0.6 0.8, day 2024-04-01 2024-07-01 2024-10-01"
    )
    assert [line.split(":")[0] for line in found.left_out] == ['element "rooms"']
