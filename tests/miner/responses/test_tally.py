"""Tallies: the same counts however the responses are cut, ordered and merged."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.database.batch import ABSENT, FIRST
from collector.survey.survey import Row, Survey
from made_up_surveys import surveys_with_rows
from miner.responses import tally as tallies
from miner.responses.tally import Tally
from small_surveys import plain_survey


def numbers_of(rows: list[Row], columns: list[int]) -> list[Any]:
    every = [[ABSENT if code is None else code + FIRST for code in row] for row in rows]
    return [np.array([row[column] for row in every], np.uint16) for column in columns]


def told(tally: Tally) -> list[tuple[tuple[int, ...], int]]:
    numbers, counts = tally.counts()
    return list(zip(zip(*(each.tolist() for each in numbers), strict=True), counts.tolist(), strict=True))


@pytest.mark.parametrize(("dense", "pending"), [(20, 2**23), (0, 2**23), (0, 2)])
@given(case=surveys_with_rows(), data=st.data())
@settings(max_examples=20)
def test_parts_in_any_order_count_as_the_whole_does(
    dense: int, pending: int, case: tuple[Survey, list[Row]], data: st.DataObject
) -> None:
    survey, rows = case
    columns = data.draw(st.permutations(range(len(survey.questions))))
    columns = columns[: data.draw(st.integers(1, len(columns)))]
    rows = [row for row in rows for _ in range(data.draw(st.integers(1, 3)))]
    counted = Counter(tuple(each) for each in zip(*(n.tolist() for n in numbers_of(rows, columns)), strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallies, "DENSE", dense)
        patch.setattr(tallies, "PENDING", pending)
        patch.setattr(tallies, "CACHED", 2)
        parts = [Tally(survey, columns) for _ in range(3)]
        for row in data.draw(st.permutations(rows)):
            parts[data.draw(st.integers(0, 2))].add(numbers_of([row], columns))
        whole = Tally(survey, columns)
        for part in parts:
            whole.merge(part)
        together = Tally(survey, columns)
        together.add(numbers_of(rows, columns))
        assert told(whole) == told(together) == sorted(counted.items())
        every = Tally(survey, range(len(survey.questions)))
        every.add(numbers_of(rows, list(every.packing.columns)))
        assert told(every.narrowed(columns)) == told(together)


def test_codes_of_more_than_64_bits_are_counted_too() -> None:
    survey = plain_survey(150)
    generator = np.random.default_rng(1)
    rows = [tuple(row) for row in generator.integers(0, 2, (40, 150)).tolist()] * 2
    tally = Tally(survey, range(150))
    tally.add(numbers_of(rows, list(range(150))))
    assert tally.packing.words == 3
    assert told(tally) == sorted((tuple(code + FIRST for code in row), 2) for row in rows[:40])
