"""Files of simulated responses say so in every line, or are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from collector.database.batch import batch_from
from collector.errors import ResponseError
from collector.store.simulated import MARK, NOT_SIMULATED, Coins
from collector.survey.survey import Survey
from collector.table.table import ResponseTable, read_table, write_table
from store_rows import OTHER, ROW

REAL = "year,cannabis,drinking,income,debt,distress\n"
HEADER = f"{REAL.strip()},{MARK}\n"
LINE = "first,no,weekly,800..1500,yes,no"


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("coins", [None, *Coins])
def test_a_file_comes_back_with_its_mark(form: str, coins: Coins | None, wellbeing: Survey, tmp_path: Path) -> None:
    path = tmp_path / f"a.{form}"
    batch = batch_from(wellbeing, [ROW, OTHER])
    path.write_text("".join(write_table(wellbeing, [batch], form, coins)), encoding="utf-8")
    assert read_table(wellbeing, path) == ResponseTable(wellbeing, batch, coins, marked=True)
    assert path.read_text(encoding="utf-8").count(MARK) == (1 if form == "csv" else 2)
    assert path.read_text(encoding="utf-8").count(f"{coins or NOT_SIMULATED}") >= 2


def test_a_file_without_a_mark_is_read_as_one_that_may_hold_true_answers(wellbeing: Survey, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{REAL}{LINE}\n", encoding="utf-8")
    read = read_table(wellbeing, tmp_path / "a.csv")
    assert (read.simulated, read.marked, len(read.rows)) == (None, False, 1)


WRONG = {
    "another word": (f"{HEADER}{LINE},yes\n", f'line 2, column "{MARK}": it is none of no, seeded and unseeded'),
    "nothing": (f"{HEADER}{LINE},\n", f'line 2, column "{MARK}": it is none of no, seeded and unseeded'),
    "one and another": (
        f"{HEADER}{LINE},seeded\n{LINE},unseeded\n",
        f'line 3, column "{MARK}": the mark differs from the lines above',
    ),
    "the column twice": (
        f"{HEADER.strip()},{MARK}\n{LINE},seeded,seeded\n",
        f'line 1, column "{MARK}": the column is there twice',
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_mark_that_is_none_is_told(what: str, wellbeing: Survey, tmp_path: Path) -> None:
    text, line = WRONG[what]
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ResponseError) as raised:
        read_table(wellbeing, tmp_path / "a.csv")
    assert line in str(raised.value)


@pytest.mark.parametrize("mark", [True, 1, ["seeded"], {}, "Seeded"])
def test_a_mark_of_another_type_is_told(mark: object, wellbeing: Survey, tmp_path: Path) -> None:
    cells = dict(zip(REAL.strip().split(","), LINE.split(","), strict=True))
    (tmp_path / "a.jsonl").write_text(json.dumps(cells | {MARK: mark}) + "\n", encoding="utf-8")
    with pytest.raises(ResponseError, match="no, seeded and unseeded"):
        read_table(wellbeing, tmp_path / "a.jsonl")


def test_lines_with_and_without_a_mark_are_no_file(wellbeing: Survey, tmp_path: Path) -> None:
    cells = dict(zip(REAL.strip().split(","), LINE.split(","), strict=True))
    lines = [json.dumps(each) + "\n" for each in (cells | {MARK: "seeded"}, cells)]
    for number, text in enumerate(("".join(lines), "".join(reversed(lines)))):
        (tmp_path / f"{number}.jsonl").write_text(text, encoding="utf-8")
        with pytest.raises(ResponseError, match=r"line 2, .*differs from the lines above"):
            read_table(wellbeing, tmp_path / f"{number}.jsonl")
