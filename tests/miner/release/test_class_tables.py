"""Class tables come back from a model file as they were written, and from nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from collector.errors import DeniableError
from miner.release.parts.class_tables import read_tables
from small_surveys import mixed_survey

SURVEY = mixed_survey()
TARGET = SURVEY.questions[-1].name
CLASSES = len(SURVEY.questions[-1].values)
WRITTEN: dict[str, list[Any]] = {
    "first": list(range(CLASSES)),
    "rest": [[[number] * CLASSES for number in range(len(each.values))] for each in SURVEY.questions[:-1]],
}


def test_what_was_written_is_read() -> None:
    first, rest = read_tables(WRITTEN, ("first", "rest"), SURVEY, TARGET)
    assert first.tolist() == WRITTEN["first"]
    assert [each.tolist() for each in rest] == WRITTEN["rest"]
    assert {each.dtype for each in (first, *rest)} == {np.dtype(np.int64)}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"first": "many"}, "it is not a list"),
        ({"rest": 3}, "it is not a list"),
        ({"rest": [[[2**70] * CLASSES], *WRITTEN["rest"][1:]]}, "the model does not have . x . whole numbers"),
        ({"first": [1]}, "the model does not have . whole numbers"),
        ({"rest": []}, "the tables of the release do not fit the survey"),
        ({"rest": WRITTEN["rest"][::-1]}, "the model does not have . x . whole numbers"),
    ],
)
def test_anything_else_is_refused(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(DeniableError, match=problem):
        read_tables({**WRITTEN, **changes}, ("first", "rest"), SURVEY, TARGET)


def test_tables_that_are_not_there_are_refused() -> None:
    with pytest.raises(DeniableError, match='"rest" is missing'):
        read_tables({}, ("first", "rest"), SURVEY, TARGET)
