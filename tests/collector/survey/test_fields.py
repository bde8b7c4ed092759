"""Tables that somebody else wrote: every key accounted for, every type checked."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest

from collector.errors import SurveyError
from collector.survey.fields import Fields


def test_what_is_taken_is_returned_and_nothing_is_left() -> None:
    fields = Fields({"name": "a", "values": ["x", "y"], "cuts": [1, Decimal("2.5")], "minimum": 0.0}, "survey")
    assert fields.take("name", str) == "a"
    assert fields.take_list("values", str) == ["x", "y"]
    assert fields.take_numbers("cuts") == [1, 2.5]
    assert fields.take_number("minimum") == 0
    fields.finish()


def test_what_is_absent_or_null_is_none_where_it_may_be() -> None:
    fields = Fields({"unit": None}, "survey")
    assert fields.take_optional("unit", str) is None
    assert fields.take_optional("group", str) is None
    assert fields.take_number("minimum") is None


def test_whole_numbers_stay_whole_however_they_are_written() -> None:
    taken = Fields({"cuts": [400, 400.0, Decimal("400.0")]}, "survey").take_numbers("cuts")
    assert [type(number) for number in taken] == [int, int, int]


def test_tables_are_placed_by_name_or_by_number() -> None:
    tables = [{"name": "year"}, {}, {"name": 3}, {"name": "x" * 99}]
    places = [table.place for table in Fields({"questions": tables}, "survey").tables("questions")]
    number = "survey, questions number"
    assert places == ['question "year"', f"{number} 2", f"{number} 3", f"{number} 4"]


def test_an_exact_fraction_is_read_in_lowest_terms() -> None:
    assert Fields({}, "design").fraction_pair([3, 4]) == Fraction(3, 4)


WRONG: dict[str, tuple[Callable[[Fields], object], str]] = {
    "a missing key": (lambda f: f.take("title", str), 'survey: "title" is missing; add it: text'),
    "a missing key of any type": (
        lambda f: f.take_any("truth", 'such as "3/4"'),
        'survey: "truth" is missing; add it, such as "3/4"',
    ),
    "text for a number": (
        lambda f: f.take("name", int),
        "survey, name: it is not a whole number; write a whole number",
    ),
    "a boolean for a number": (
        lambda f: f.take("flag", int),
        "survey, flag: it is not a whole number; write a whole number",
    ),
    "a number for a boolean": (
        lambda f: f.take("one", bool),
        "survey, one: it is not true or false; write true or false",
    ),
    "a number in a list of text": (
        lambda f: f.take_list("mixed", str),
        "survey, mixed: it is not text; write text",
    ),
    "a boolean as a measure": (
        lambda f: f.take_number("flag"),
        "survey, flag: the value is not a number; write a number",
    ),
    "NaN as a measure": (lambda f: f.take_number("nan"), "survey, nan: the value is not a number; write a number"),
    "a decimal NaN as a measure": (
        lambda f: f.take_number("dnan"),
        "survey, dnan: the value is not a number; write a number",
    ),
    "infinity as a measure": (
        lambda f: f.take_number("inf"),
        "survey, inf: the number is larger than 2^53; choose a larger unit",
    ),
    "a number of 400 digits": (
        lambda f: f.take_number("huge"),
        "survey, huge: the number is larger than 2^53; choose a larger unit",
    ),
    "three numbers for a pair": (
        lambda f: f.integer_pair([1, 2, 3]),
        "survey: a pair is not made of two whole numbers; publish the survey file again",
    ),
    "a fraction that can be reduced": (
        lambda f: f.fraction_pair([2, 4]),
        "survey: a fraction is not in lowest terms; publish the survey file again",
    ),
    "a fraction over nought": (
        lambda f: f.fraction_pair([1, 0]),
        "survey: a fraction is not in lowest terms; publish the survey file again",
    ),
    "a key nobody took": (
        lambda f: (f.take("flag", bool), f.take_number("one"), f.finish()),
        'survey: the key "name" is unknown; remove it, or use one of: flag, one',
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_told_in_one_line(kind: str) -> None:
    read, line = WRONG[kind]
    table = {"name": "a", "flag": True, "one": 1, "mixed": ["a", 1], "nan": float("nan"), "dnan": Decimal("nan")}
    fields = Fields(table | {"inf": Decimal("inf"), "huge": 10**400}, "survey")
    with pytest.raises(SurveyError) as raised:
        read(fields)
    assert str(raised.value) == line


@pytest.mark.parametrize("table", [None, [], "text", 3])
def test_what_is_no_table_is_refused(table: object) -> None:
    with pytest.raises(SurveyError, match="not a table"):
        Fields(table, "survey")
