"""Tables of true answers: read by whole columns as they are read cell by cell, whatever their form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.errors import ResponseError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.table.plain_table import AS_IT_STANDS, Reading
from miner.responses import answers
from miner.responses.answers import read_answers, read_values, value_blocks
from miner.responses.responses import Values, value_indices

TEXT = """
name = "s"
title = "S"
languages = ["en"]
[[questions]]
name = "income"
label = "?"
kind = "number"
minimum = 0
maximum = 5000
cuts = [0.5, 400, 1500]
decline = true
sensitive = false
[[questions]]
name = "times"
label = "?"
kind = "choice"
values = ["1", "2", "2.5", "1000"]
optional = true
sensitive = false
[[questions]]
name = "debt"
label = "?"
kind = "yes_no"
sensitive = false
"""
SURVEY = parse_survey(TEXT)
STRICT = parse_survey(TEXT.replace("decline = true\n", ""))
INCOMES = [
    "0",
    "0.5",
    ".49",
    "399.99",
    "400",
    "+1500.0",
    "5e2",
    "<0.5",
    "400..1500",
    "prefer_not_to_say",
    "007",
    "5000",
]
EVEN = {
    "numbers": "income,times,debt\n0,1,yes\n1499.99,2.0,no\n400,2.5,no\n",
    "padded cells": "income, times ,debt\n 0,1 , yes\n500, 2 ,no\n",
    "semicolons and decimal commas": "income;times;debt\n0,5;1;yes\n3,5;2,5;no\n",
    "tabs and thousands": "income\ttimes\tdebt\n1,200\t1,000\tyes\n3\t2\tno\n",
    "intervals among numbers": "income,times,debt\n<0.5,1,yes\n300,2,no\n",
    "missing and declined": "income,times,debt\nprefer_not_to_say,,yes\n1,NA,no\n",
    "more columns, in another order": "id,debt,times,income\n1,yes,1,3\n2,no,2,4\n",
    "quoted cells": '"income","times","debt"\n"1,200","1","yes"\n3,2,no\n',
    "no rows": "income,times,debt\n",
    "line ends of Windows": "income,times,debt\r\n0,1,yes\r\n",
    "a byte order mark": "\ufeffincome,times,debt\n0,1,yes\n",
}
OTHER = {
    "empty columns at the end": "income,times,debt,,\n0,1,yes,,\n",
    "an empty line at the end": "income,times,debt\n0,1,yes\n\n",
    "an empty row at the end": "income,times,debt\n0,1,yes\n,,\n",
    "an empty line before": "\nincome,times,debt\n0,1,yes\n",
    "names of rows": "income\ttimes\tdebt\n1\t0\t1\tyes\n2\t3\t2\tno\n",
    "spaces": "income times debt\n0 1 yes\n3 2 no\n",
}
WRONG = {
    "a number with a comma among words": 'income,times,debt\n"1,200",1,yes\nprefer_not_to_say,2,no\n007,2,no\n',
    "no answer": "income,times,debt\n0,1,yes\n0,3,yes\n",
    "none at all": "income,times,debt\n0,1,yes\n0,1,\n",
    "too little": "income,times,debt\n0,1,yes\n-1,1,yes\n",
    "too much": "income,times,debt\n0,1,yes\n5001,1,yes\n",
    "a column too few": "income,times\n0,1\n",
    "a cell too few": "income,times,debt\n0,1\n",
    "a row and no header": "0,1,yes\n0,1,yes\n0,1,yes\n",
    "a heading twice": "income,times,debt,debt\n0,1,yes,no\n",
    "a quotation mark left open": 'income,times,debt\n0,1,"yes\n',
}


def cell_by_cell(path: Path, reading: Reading = AS_IT_STANDS, survey: Survey = SURVEY) -> Values:
    """Read the values by way of a frame of every cell."""
    frame = read_answers(path, reading, survey)
    try:
        return value_indices(survey, frame)
    except ResponseError as error:
        raise error.within(str(path)) from None


def written(folder: Path, text: str) -> Path:
    path = folder / "a.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("form", EVEN)
def test_a_table_is_read_by_columns_as_cell_by_cell(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, EVEN[form])
    expected = cell_by_cell(path)
    monkeypatch.setattr(answers, "read_answers", None)  # it is not called
    found = read_values(SURVEY, path)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("form", OTHER)
def test_a_table_of_another_form_is_read_too(form: str, tmp_path: Path) -> None:
    path = written(tmp_path, OTHER[form])
    np.testing.assert_array_equal(read_values(SURVEY, path), cell_by_cell(path))


@pytest.mark.parametrize("kind", WRONG)
def test_a_table_that_is_wrong_is_told_as_ever(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, WRONG[kind])
    with pytest.raises(ResponseError) as expected:
        cell_by_cell(path, survey=STRICT)
    with pytest.raises(ResponseError) as raised:
        value_blocks(STRICT, path)  # before the first block
    assert str(raised.value) == str(expected.value)
    assert str(raised.value).startswith(str(path))


def test_headings_may_be_given_with_an_encoding(tmp_path: Path) -> None:
    path, reading = tmp_path / "a.csv", Reading(("income", "times", "debt"), "utf-16")
    path.write_text("0,1,yes\n0,1,yes\n500,2,no\n", encoding="utf-16")
    np.testing.assert_array_equal(read_values(SURVEY, path, reading), cell_by_cell(path, reading))


@given(st.lists(st.tuples(st.sampled_from(INCOMES), st.sampled_from(["1", "2", "2.50", "1e3", "?"]), st.just("no"))))
@settings(max_examples=60)
def test_any_table_is_read_as_cell_by_cell(
    tmp_path_factory: pytest.TempPathFactory, rows: Sequence[tuple[str, ...]]
) -> None:
    path = written(tmp_path_factory.mktemp("a"), "\n".join(map(",".join, [("income", "times", "debt"), *rows])) + "\n")
    np.testing.assert_array_equal(read_values(SURVEY, path), cell_by_cell(path))


def test_blocks_hold_every_row_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "income,times,debt\n" + "0,1,yes\n500,2,no\n3,1000,yes\n" * 50)
    monkeypatch.setattr(answers, "ROWS", 40)
    blocks = list(value_blocks(SURVEY, path))
    assert [len(block) for block in blocks] == [40, 40, 40, 30]
    np.testing.assert_array_equal(np.concatenate(blocks), cell_by_cell(path))


def test_more_different_numbers_than_are_remembered_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "REMEMBERED", 10)
    numbers = [
        *map(str, range(900)),
        " 7 ",
        "<0.5",
        *(f"{number}.{number}" for number in range(900)),
        "prefer_not_to_say",
    ]
    path = written(tmp_path, "income,times,debt\n" + "".join(f"{number},1,yes\n" for number in numbers))
    np.testing.assert_array_equal(read_values(SURVEY, path), cell_by_cell(path))


def test_numbers_that_are_too_large_are_told_behind_many_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "REMEMBERED", 10)
    path = written(tmp_path, "income,times,debt\n" + "".join(f"{number},1,yes\n" for number in range(4990, 6000)))
    with pytest.raises(ResponseError, match='row 12, column "income": '):
        read_values(STRICT, path)


def test_a_survey_answered_by_nobody_has_no_values(tmp_path: Path, wellbeing: Survey) -> None:
    path = written(tmp_path, ",".join(question.name for question in wellbeing.questions) + "\n")
    assert read_values(wellbeing, path).shape == (0, len(wellbeing.questions))
