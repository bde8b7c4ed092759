"""One line per error: place, problem, remedy."""

from __future__ import annotations

import pytest

from collector.errors import (
    BudgetError,
    DeniableError,
    ModelError,
    OutputError,
    QueryError,
    ResponseError,
    StoreError,
    SurveyError,
)

CHILDREN = [BudgetError, ModelError, OutputError, QueryError, ResponseError, StoreError, SurveyError]


def test_an_error_reads_place_problem_remedy() -> None:
    assert str(SurveyError("name", "it is missing", "add it")) == "name: it is missing; add it"


@pytest.mark.parametrize("kind", CHILDREN)
def test_told_from_further_out_an_error_keeps_its_kind_and_parts(kind: type[DeniableError]) -> None:
    outer = kind("title", "it is empty", "write one").within("a.toml")
    assert (type(outer), outer.place, outer.problem, outer.remedy) == (
        kind,
        "a.toml: title",
        "it is empty",
        "write one",
    )


def test_a_hostile_name_cannot_break_the_line_or_steer_a_terminal() -> None:
    line = str(SurveyError('question "a\nb\x1b[2J\u2028c\u202e"', "problem", "remedy"))
    assert line.isprintable()
    assert len(line.splitlines()) == 1
