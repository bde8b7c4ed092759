"""Disguised responses as CSV and JSON lines: the same out and in, and every mistake told by line and column."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.database.batch import AT_ONCE, batch_from
from collector.errors import InputError, ResponseError
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.table.csv_cells import escaped, unescaped
from collector.table.table import WRITERS, format_of, read_table, write_table
from counted_calls import calls_of
from made_up_surveys import surveys_with_rows
from small_surveys import HEAD

HEADER = "year,cannabis,drinking,income,debt,distress"
GOOD = f"{HEADER}\nfirst,no,weekly,800..1500,yes,no\nfourth,yes,#0,<400,no,yes\n"
ROWS = [(0, 1, 3, 2, 0, 1), (3, 0, 0, 0, 1, 0)]
NAME_ALL = f"name the columns: {HEADER}"


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_csv_holds_values_in_words_and_codes_where_codes_share_a_value(wellbeing: Survey) -> None:
    text = "".join(write_table(wellbeing, [batch_from(wellbeing, ROWS)], "csv"))
    assert text == GOOD.replace("\n", ",no\n").replace(",no", ",_simulated", 1)


def test_json_lines_hold_the_same(wellbeing: Survey) -> None:
    first = '{"year": "first", "cannabis": "no", "drinking": "weekly", "income": "800..1500", "debt": "yes", '
    text = "".join(write_table(wellbeing, [batch_from(wellbeing, ROWS)], "jsonl"))
    assert text.splitlines()[0] == first + '"distress": "no", "_simulated": "no"}'


@pytest.mark.parametrize("form", WRITERS)
def test_export_import_export_is_identical(form: str, wellbeing: Survey, tmp_path: Path) -> None:
    path = written(tmp_path / f"a.{form}", "".join(write_table(wellbeing, [batch_from(wellbeing, ROWS)], form)))
    rows = read_table(wellbeing, path).rows
    assert rows == ROWS
    assert "".join(write_table(wellbeing, [batch_from(wellbeing, rows)], form)) == path.read_text(encoding="utf-8")


@given(surveys_with_rows())
@settings(max_examples=60)
def test_export_import_export_is_identical_for_any_survey(case: tuple[Survey, list[tuple[int | None, ...]]]) -> None:
    survey, rows = case
    with tempfile.TemporaryDirectory() as folder:
        for form in WRITERS:
            path = written(Path(folder) / f"a.{form}", "".join(write_table(survey, [batch_from(survey, rows)], form)))
            assert read_table(survey, path).rows == rows


def of_values(*values: str) -> Survey:
    question = (
        f'[[questions]]\nname = "a"\nlabel = "A?"\nkind = "choice"\nsensitive = false\nvalues = {json.dumps(values)}'
    )
    return parse_survey(f'name = "s"\ntitle = "S"\nlanguages = ["en"]\n{question}')


RUN = ["=1+1", "+7 days", "-1+cmd|' /C calc'!A0", "@SUM(1)", "'=1+1", "''@a"]
LEFT = ["-5", "+3", "-2.5e3", "'tis", "a=b", "#1"]


@pytest.mark.parametrize("value", RUN)
def test_a_value_that_a_spreadsheet_would_run_is_escaped_and_comes_back(value: str, tmp_path: Path) -> None:
    survey = of_values(value, "-5", "=other")
    rows: list[tuple[int | None, ...]] = [(0,), (1,)]
    text = "".join(write_table(survey, [batch_from(survey, rows)], "csv"))
    assert text.splitlines() == ["a,_simulated", f"'{value},no", "-5,no"]
    assert read_table(survey, written(tmp_path / "a.csv", text)).rows == rows


def test_a_formula_that_was_not_escaped_is_read_as_it_stands(tmp_path: Path) -> None:
    survey = of_values("=1+1", "no")
    assert read_table(survey, written(tmp_path / "a.csv", "a\n=1+1\n")).rows == [(0,)]


@pytest.mark.parametrize("cell", LEFT)
def test_a_number_or_plain_text_is_not_escaped(cell: str) -> None:
    assert escaped(cell) == unescaped(cell) == cell


@given(st.text("'=+-@\t\r1a", max_size=6))
def test_escaping_is_undone_and_leaves_nothing_to_run(cell: str) -> None:
    assert unescaped(escaped(cell)) == cell
    assert escaped(cell)[:1] not in {"=", "@", "\t", "\r"}


ACCEPTED: dict[str, Callable[[str], str]] = {
    "a byte order mark": lambda text: "\ufeff" + text,
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "no line end at the end": lambda text: text.removesuffix("\n"),
    "quoted cells": lambda text: text.replace("first", '"first"').replace("year", '"year"'),
    "a code for a value that has only that one": lambda text: text.replace("weekly", "#3"),
    "semicolons, as Excel saves where a comma stands before decimals": lambda text: text.replace(",", ";"),
    "tabs": lambda text: text.replace(",", "\t"),
    "columns in another order": lambda text: "\n".join(
        ",".join(reversed(line.split(","))) for line in text.splitlines()
    ),
}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_what_says_the_same_is_read_the_same(kind: str, wellbeing: Survey, tmp_path: Path) -> None:
    assert read_table(wellbeing, written(tmp_path / "a.csv", ACCEPTED[kind](GOOD))).rows == ROWS


def test_a_table_is_read_in_the_encoding_that_is_given(tmp_path: Path) -> None:
    survey = of_values("Größe", "Ärger")
    path = written(tmp_path / "a.csv", "a\r\nGröße\r\nÄrger\r\n".encode("cp1252"))
    assert read_table(survey, path, "cp1252").rows == [(0,), (1,)]
    with pytest.raises(InputError, match="line 2: it is not UTF-8 text"):
        read_table(survey, path)
    with pytest.raises(InputError, match=r'--encoding: .* "cp9999"'):
        read_table(survey, path, "cp9999")


@pytest.mark.parametrize(("form", "text"), [("csv", f"{HEADER}\n"), ("jsonl", "")])
def test_a_table_without_responses_is_a_table(form: str, text: str, wellbeing: Survey, tmp_path: Path) -> None:
    assert read_table(wellbeing, written(tmp_path / f"a.{form}", text)).rows == []


CELLS = "write one cell for each question, in quotation marks if it contains a comma"
QUOTES = "check its quotation marks; one that belongs to a value is written twice"
YES_NO = "use one of: yes, no"
EMPTY = f'the cell is empty; {YES_NO}; or leave out such rows with --recode "="'
DRINKING = "use one of: #0, #1, monthly, weekly"
YEAR = "use one of: first, second, third, fourth"
INCOME = "use one of: <400, 400..800, 800..1500, >=1500"
RAW = f"a raw number is no disguised value; write the value that was sent; {INCOME}"
AMBIGUOUS = f"its value has several codes, so that it is ambiguous; write the code that was sent; {DRINKING}"
STRANGE = f"the column is not named after a question; {NAME_ALL}"
NO_WORD = "it is not one of the question's values or codes"
RECODE = "or give --recode the words of the file"
TWICE = "the column is there twice; remove one of the two columns"
MALFORMED: dict[str, tuple[str, str, str]] = {
    "an empty file": (GOOD, "", f"line 1: the file has no header line; {NAME_ALL}"),
    "an empty first line": (HEADER, f"\n{HEADER}", f"line 1: the file has no header line; {NAME_ALL}"),
    "no header": (f"{HEADER}\n", "", f"line 1, column 1: {STRANGE}"),
    "a column missing": (",distress", "", f'line 1, column "distress": the column is missing; {NAME_ALL}'),
    "a column twice": ("debt,distress", "debt,debt", f'line 1, column "debt": {TWICE}'),
    "a column too many": ("distress\n", "distress,age\n", f"line 1, column 7: {STRANGE}"),
    "a column misspelt": ("cannabis", "canabis", f"line 1, column 2: {STRANGE}"),
    "a column in capitals": ("year", "Year", f"line 1, column 1: {STRANGE}"),
    "a padded column": (",debt", ", debt", f"line 1, column 5: {STRANGE}"),
    "bars": (
        GOOD,
        GOOD.replace(",", "|"),
        "line 1: neither commas, semicolons nor tabs separate the columns; save the file with commas",
    ),
    "a cell too few": ("yes,no\nf", "yes\nf", f"line 2: it has 5 cells, not 6; {CELLS}"),
    "a cell too many": ("no,yes\n", "no,yes,no\n", f"line 3: it has 7 cells, not 6; {CELLS}"),
    "a wrong cell below": ("no\nfourth", "no\n\n,,,,,\n6", f'line 5, column "year": {NO_WORD}; {YEAR}; {RECODE}'),
    "an empty cell": ("first,no", "first,", f'line 2, column "cannabis": {EMPTY}'),
    "a value that is none": ("first,no", "first,maybe", f'line 2, column "cannabis": {NO_WORD}; {YES_NO}; {RECODE}'),
    "a value of another": ("fourth,yes", "fourth,first", f'line 3, column "cannabis": {NO_WORD}; {YES_NO}; {RECODE}'),
    "a value in capitals": ("first,no", "first,No", f'line 2, column "cannabis": {NO_WORD}; {YES_NO}; {RECODE}'),
    "a padded value": ("first,no", "first, no", f'line 2, column "cannabis": {NO_WORD}; {YES_NO}; {RECODE}'),
    "a bare code": ("first,no", "first,1", f'line 2, column "cannabis": {NO_WORD}; {YES_NO}; {RECODE}'),
    "a code that is none": ("#0", "#4", f'line 3, column "drinking": {NO_WORD}; {DRINKING}; {RECODE}'),
    "a code with a leading nought": ("#0", "#00", f'line 3, column "drinking": {NO_WORD}; {DRINKING}; {RECODE}'),
    "a code without a number": ("#0", "#", f'line 3, column "drinking": {NO_WORD}; {DRINKING}; {RECODE}'),
    "a value with several codes": ("#0", "never", f'line 3, column "drinking": {AMBIGUOUS}'),
    "a raw number": ("<400", "350", f'line 3, column "income": {RAW}'),
    "a raw number in scientific writing": ("<400", "3.5e2", f'line 3, column "income": {RAW}'),
    "an interval that is none": ("<400", "<500", f'line 3, column "income": {NO_WORD}; {INCOME}; {RECODE}'),
    "a quotation mark left open": ("fourth,yes", '"fourth,yes', f"line 3: the file is not CSV; {QUOTES}"),
    "a quotation mark inside": ("fourth,yes", '"four"th,yes', f"line 3: the file is not CSV; {QUOTES}"),
    "a cell over two lines": ("first,no", '"fir\nst",no', f'line 2, column "year": {NO_WORD}; {YEAR}; {RECODE}'),
    "a nought byte": ("first,no", "first,n\x00o", f'line 2, column "cannabis": {NO_WORD}; {YES_NO}; {RECODE}'),
}  # fmt: skip


def test_blank_rows_blank_columns_and_blanks_behind_a_value_as_excel_writes_them_are_taken(
    wellbeing: Survey, tmp_path: Path
) -> None:
    header, *rows = GOOD.splitlines()
    padded = [f"{header},,", *(f"{row} ,, " for row in rows), "", ",,,,,,,", ""]
    assert read_table(wellbeing, written(tmp_path / "a.csv", "\n".join(padded))).rows == ROWS


AGES = """
[[questions]]
name = "age"
label = "Age"
kind = "number"
minimum = 0
maximum = 120
cuts = [18, 40.5]
sensitive = false

[[questions]]
name = "since"
label = "Since"
kind = "date"
cuts = [2010-01-01, 2020-01-01]
sensitive = false
"""


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_number_or_a_day_that_is_sent_as_it_is_is_put_into_its_interval(form: str, tmp_path: Path) -> None:
    survey = parse_survey(f"{HEAD}{AGES}")
    cells = [
        ("17", "2009-12-31"),
        ("18", "2010-01-01"),
        ("40,5", "2020-05-05"),
        ("3.9e1", "<2010-01-01"),
        ("<18", "2010-01-01"),
    ]
    if form == "csv":
        text = "\n".join(["age;since", *(f"{age};{day}" for age, day in cells)])
    else:
        ages = ["17", "18", '"40,5"', "39.0", '"<18"']
        text = "\n".join(f'{{"age": {age}, "since": "{day}"}}' for age, (_, day) in zip(ages, cells, strict=True))
    assert read_table(survey, written(tmp_path / f"a.{form}", text)).rows == [(0, 0), (1, 1), (2, 2), (1, 0), (0, 1)]
    for outside in ("-1", "121"):
        with pytest.raises(ResponseError, match='line 2, column "age": '):
            read_table(survey, written(tmp_path / "b.csv", f"age,since\n{outside},2010-01-01\n"))


def test_at_least_20_kinds_of_malformed_csv_are_tried() -> None:
    assert len(MALFORMED) >= 20


@pytest.fixture(scope="module")
def filled(wellbeing: Survey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with one response, which no failed import may change."""
    with Store(tmp_path_factory.mktemp("store") / "a.db", create=True) as store:
        store.publish(wellbeing)
        store.add(wellbeing, ROWS[:1])
        yield store


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_csv_is_told_in_one_line_and_changes_nothing(
    kind: str, filled: Store, wellbeing: Survey, tmp_path: Path
) -> None:
    good, bad, line = MALFORMED[kind]
    assert GOOD.count(good) == 1
    path = written(tmp_path / "a.csv", GOOD.replace(good, bad))
    with pytest.raises(ResponseError) as raised:
        filled.add(wellbeing, read_table(wellbeing, path).rows)
    assert str(raised.value) == f"{path}: {line}"
    assert filled.rows(wellbeing) == ROWS[:1]


OBJECT = '{"year": "first", "cannabis": "no", "drinking": "weekly", "income": "<400", "debt": "yes", "distress": "no"}'
ONE = "write one object on each line, and nothing else"
ENTRIES = "remove one of the two entries"
MISSING = "the value is missing; give every question a value"
NO_NAME = "a name is not the name of a question; use these names only: year, cannabis, drinking, income, debt, distress"
MALFORMED_JSON: dict[str, tuple[str, str, str]] = {
    "not JSON": (OBJECT, "year,cannabis", f"line 2: the line is not JSON; {ONE}"),
    "an empty line": (OBJECT, "", f"line 2: the line is not JSON; {ONE}"),
    "two objects": (OBJECT, f"{OBJECT} {OBJECT}", f"line 2: the line is not JSON; {ONE}"),
    "deep nesting": (OBJECT, "[" * 100_000, f"line 2: the line is not JSON; {ONE}"),
    "a number of 5,000 digits": ('"no"', "9" * 5000, f"line 2: the line is not JSON; {ONE}"),
    "a list": (OBJECT, "[]", 'line 2: the line is not a JSON object; write an object such as {"question": "value"}'),
    "null": (OBJECT, "null", 'line 2: the line is not a JSON object; write an object such as {"question": "value"}'),
    "a name twice": ('"debt": "yes"', '"debt": "yes", "debt": "no"', f"line 2: a name occurs twice; {ENTRIES}"),
    "a stranger": ('"debt": "yes"', '"debt": "yes", "x": "no"', f"line 2: {NO_NAME}"),
    "a question missing": ('"debt": "yes", ', "", f'line 2, column "debt": {MISSING}'),
    "null for a value": ('"yes"', "null", f'line 2, column "debt": {EMPTY}'),
    "true for yes": ('"yes"', "true", f'line 2, column "debt": it is not text; {YES_NO}'),
    "a code as a number": ('"yes"', "0", f'line 2, column "debt": {NO_WORD}; {YES_NO}; {RECODE}'),
    "an object for a value": ('"yes"', "{}", f'line 2, column "debt": it is not text; {YES_NO}'),
    "a value that is none": ('"yes"', '"ja"', f'line 2, column "debt": {NO_WORD}; {YES_NO}; {RECODE}'),
    "a raw number": ('"<400"', "350", f'line 2, column "income": {RAW}'),
    "a raw number as text": ('"<400"', '"350"', f'line 2, column "income": {RAW}'),
}  # fmt: skip


@pytest.mark.parametrize("kind", MALFORMED_JSON)
def test_malformed_json_lines_are_told_in_one_line(kind: str, wellbeing: Survey, tmp_path: Path) -> None:
    good, bad, line = MALFORMED_JSON[kind]
    path = written(tmp_path / "a.jsonl", f"{OBJECT}\n{OBJECT.replace(good, bad, 1)}\n{OBJECT}\n")
    with pytest.raises(ResponseError) as raised:
        read_table(wellbeing, path)
    assert str(raised.value) == f"{path}: {line}"


def test_line_separators_inside_json_text_do_not_count_as_lines(wellbeing: Survey, tmp_path: Path) -> None:
    second = OBJECT.replace("first", "a\u2028b")
    path = written(tmp_path / "a.jsonl", f"{OBJECT}\n{second}\n")
    with pytest.raises(ResponseError, match='line 2, column "year"'):
        read_table(wellbeing, path)


def test_a_byte_that_is_not_utf_8_is_told_with_its_line(wellbeing: Survey, tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", GOOD.encode().replace(b"fourth", b"fourth\xe9"))
    with pytest.raises(InputError) as raised:
        read_table(wellbeing, path)
    assert str(raised.value).startswith(f"{path}: line 3: it is not UTF-8 text")


def test_a_file_that_is_not_there_is_told(wellbeing: Survey, tmp_path: Path) -> None:
    path = tmp_path / "none.csv"
    with pytest.raises(InputError) as raised:
        read_table(wellbeing, path)
    assert str(raised.value).startswith(f"{path}: it cannot be read (No such file or directory)")


@pytest.mark.parametrize("name", ["a.xlsx", "a", "csv", "a.csv.gz"])
def test_a_file_of_another_kind_is_told(name: str) -> None:
    with pytest.raises(ResponseError) as raised:
        format_of(Path(name))
    assert str(raised.value).startswith(f"{name}: the file name ends neither")


def test_the_suffix_may_be_in_capitals() -> None:
    assert format_of(Path("A.CSV")) == "csv"


@pytest.mark.parametrize("line", [2, AT_ONCE + 1, AT_ONCE + 2, 2 * AT_ONCE + 1, 3 * AT_ONCE])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_first_line_that_is_wrong_is_named_wherever_it_stands(
    line: int, end: str, wellbeing: Survey, tmp_path: Path
) -> None:
    lines = [HEADER, *[GOOD.splitlines()[1]] * (3 * AT_ONCE)]
    for wrong, found in (("first,no", "first,maybe"), ("weekly", "never")):
        lines[line - 1] = lines[line - 1].replace(wrong, found)
    lines[line:] = [*lines[line:-1], '"']  # what is no CSV comes later
    with pytest.raises(ResponseError) as raised:
        read_table(wellbeing, written(tmp_path / "a.csv", end.join(lines)))
    assert str(raised.value).startswith(f'{tmp_path / "a.csv"}: line {line}, column "cannabis": ')


@pytest.mark.parametrize("line", [2, AT_ONCE + 1, AT_ONCE + 2, 3 * AT_ONCE])
def test_a_quotation_mark_left_open_is_named_by_its_line(line: int, wellbeing: Survey, tmp_path: Path) -> None:
    lines = [HEADER, *[GOOD.splitlines()[1]] * (3 * AT_ONCE)]
    lines[line - 1] = f'"{lines[line - 1]}'
    with pytest.raises(ResponseError, match=f"line {line}: "):
        read_table(wellbeing, written(tmp_path / "a.csv", "\n".join(lines)))


def test_no_message_repeats_what_stands_in_the_file(wellbeing: Survey, tmp_path: Path) -> None:
    answer = "heroin"
    texts = [answer, f"{HEADER},{answer}\n", GOOD.replace("weekly", answer), GOOD.replace("first,no", f"{answer},no")]
    for text in texts:
        with pytest.raises(ResponseError) as raised:
            read_table(wellbeing, written(tmp_path / "a.csv", text))
        assert answer not in str(raised.value)


def test_an_imported_row_takes_few_calls(wellbeing: Survey, tmp_path: Path) -> None:
    rows = ROWS * 5000
    path = written(tmp_path / "a.csv", "".join(write_table(wellbeing, [batch_from(wellbeing, rows)], "csv")))
    with Store(tmp_path / "a.db", create=True) as store:
        store.publish(wellbeing)
        assert calls_of(lambda: store.add(wellbeing, read_table(wellbeing, path).rows)) < 20 * 10_000
        assert store.count(wellbeing) == 10_000


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "punycode", "undefined", "ascii"])
def test_an_encoding_that_the_file_does_not_have_is_one_line(encoding: str, wellbeing: Survey, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"(?i)not {encoding} text"):
        read_table(wellbeing, written(tmp_path / "a.csv", "year\nfirst\u00fc\n".encode()), encoding)
