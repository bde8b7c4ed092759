"""Files with words of their own, read by what `--recode` says that they stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from collector.errors import ResponseError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.table.recoding import read_recoding
from collector.table.table import ResponseTable, read_table

FILE = """
name = "s"
title = "S"
languages = ["en"]
questions = [
  { name = "used", label = "Used?", kind = "yes_no", group = "a" },
  { name = "sex", label = "Sex?", kind = "choice", values = ["man", "woman, or other"], sensitive = false },
  { name = "pay", label = "Pay?", kind = "number", cuts = [400, 800], group = "b" },
]
[groups]
a = { truth = "3/4" }
b = { truth = "3/4", channel = "uniform" }
"""
PAIRS = '0=no,1=yes,1=man,"2=woman, or other",7=<400,9=>=800,NA='
ROWS = [(0, 0, 0), (1, 1, 2)]


def read(folder: Path, name: str, text: str, pairs: str, survey: Survey | None = None) -> ResponseTable:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    design = survey or parse_survey(FILE)
    return read_table(design, path, recoding=read_recoding(design, pairs))


def test_a_pair_applies_to_every_question_that_has_its_value(tmp_path: Path) -> None:
    assert read(tmp_path, "a.csv", "used,sex,pay\n1,1,7\n0,2,9\n", PAIRS).rows == ROWS


def test_words_that_are_values_of_the_survey_need_no_pair(tmp_path: Path) -> None:
    text = 'used;sex;pay\n1;man;"<400"\nno;2; 9 \n'
    assert read(tmp_path, "a.csv", text, PAIRS).rows == ROWS


def test_rows_with_a_word_for_no_answer_are_left_out_and_counted(tmp_path: Path) -> None:
    text = "used,sex,pay\n1,1,7\nNA,1,7\n0,NA,NA\n0,2,9\n"
    table = read(tmp_path, "a.csv", text, PAIRS)
    assert (table.rows, table.left_out) == (ROWS, 2)
    empty = read(tmp_path, "a.csv", text.replace("NA", ""), PAIRS.replace("NA=", "="))
    assert (empty.rows, empty.left_out) == (ROWS, 2)


def test_json_lines_may_have_numbers_booleans_and_null(tmp_path: Path) -> None:
    text = '{"used": true, "sex": 1, "pay": 7}\n{"used": null, "sex": 1, "pay": 7}\n{"used": 0, "sex": 2, "pay": 9}\n'
    table = read(tmp_path, "a.jsonl", text, f"{PAIRS},true=yes,=")
    assert (table.rows, table.left_out) == (ROWS, 1)


def test_both_words_of_a_question_may_change_places(tmp_path: Path) -> None:
    assert read(tmp_path, "a.csv", "used,sex,pay\nno,1,7\nyes,2,9\n", f"{PAIRS},no=yes,yes=no").rows == ROWS


def test_a_word_for_no_answer_is_a_question_not_asked_in_a_split_questionnaire(tmp_path: Path) -> None:
    survey = parse_survey(
        FILE.split("[groups]", maxsplit=1)[0].replace('"b"', '"a"')
        + '[groups]\na = { odds = 3, channel = "uniform" }\n[sampling]\nask = 2\nalways = ["sex"]\n'
    )
    rows = read(tmp_path, "a.csv", "used,sex,pay\n1,1,NA\nNA,2,9\n", PAIRS, survey).rows
    assert rows == [(0, 0, None), (None, 1, 2)]
    lines = '{"used": 1, "sex": 1, "pay": null}\n{"used": "NA", "sex": 2, "pay": 9}\n'
    assert read(tmp_path, "a.jsonl", lines, PAIRS, survey).rows == rows


@pytest.mark.parametrize("place", ["a.csv", "a.jsonl"])
def test_an_unknown_word_is_refused_with_its_line_also_below_rows_left_out(place: str, tmp_path: Path) -> None:
    text = "used,sex,pay\nNA,1,7\n3,1,7\n"
    line = 3
    if place == "a.jsonl":
        text, line = '{"used": "NA", "sex": 1, "pay": 7}\n{"used": 3, "sex": 1, "pay": 7}\n', 2
    problem = f'line {line}, column "used": it is not one of .* use one of: yes, no; or give --recode'
    with pytest.raises(ResponseError, match=problem):
        read(tmp_path, place, text, PAIRS)


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ("0=no,1", '--recode: "1" has no = in it; write it like "0=no,1=yes,NA="'),
        ("1=ja", '--recode: no question has the value "ja"; write a value that the survey file lists'),
        ("1=yes,1=no", '--recode: "1" stands for two values of question "used"; give each word of the file one value'),
        ("1=yes,1=", '--recode: "1" stands for two values of question "used"; give each word of the file one value'),
        ('"1=yes', '--recode: the pairs of old and new values cannot be read; write it like "0=no,1=yes,NA="'),
        ("", '--recode: the pairs of old and new values cannot be read; write it like "0=no,1=yes,NA="'),
    ],
)
def test_pairs_that_cannot_be_meant_are_refused(pairs: str, problem: str) -> None:
    with pytest.raises(ResponseError) as raised:
        read_recoding(parse_survey(FILE), pairs)
    assert str(raised.value) == problem
