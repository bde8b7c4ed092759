"""Cells in other ways of writing, and rows below the header that hold no answers."""

from __future__ import annotations

import pytest

from collector.table.cell_words import are_yes_no, day_of, heading_rows, yes_or_no

ANSWERS = [["2026-05-03 10:01", "3", "bus"], ["2026-05-04 10:02", "7", "car"], ["2026-05-04 11:00", "", "car"]] * 3


@pytest.mark.parametrize(
    ("rows", "number"),
    [
        ([], 0),
        (ANSWERS, 0),
        ([["Response", "Response", "Response"], *ANSWERS], 1),
        ([["Date", "How many?", "By?"], ['{"ImportId":"a"}', '{"ImportId":"b"}', '{"ImportId":"c"}'], *ANSWERS], 2),
        ([["2026-05-03 10:00", "many", "bus"], *ANSWERS], 0),
        ([["", "many", "bus"], *ANSWERS], 0),
        ([["", "Open-Ended Response", "Response"], *ANSWERS], 1),
        ([["Response", "Response"], *ANSWERS], 0),
        ([[str(row), str(row)] for row in range(9)], 0),
        ([["about 30", "bus"], *([str(row), "bus"] for row in range(9))], 0),
    ],
)
def test_a_row_is_a_heading_where_columns_of_numbers_and_times_have_texts(rows: list[list[str]], number: int) -> None:
    assert heading_rows(rows) == number


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("1996-07-16", "1996-07-16"),
        ("1996-07-16 00:00:00", "1996-07-16"),
        ("1996-07-16T00:00:00.000", "1996-07-16"),
        ("1996-07-16 10:00", None),
        ("1996-02-30", None),
        ("16.7.1996", None),
    ],
)
def test_a_day_is_written_year_first(cell: str, day: str | None) -> None:
    assert day_of(cell) == day


def test_yes_and_no_are_words_of_one_language() -> None:
    assert (yes_or_no("TRUE"), yes_or_no("Nein"), yes_or_no("maybe")) == ("yes", "no", None)
    assert are_yes_no(["S\u00ed", "NO"])
    assert not are_yes_no(["ja", "no"])
