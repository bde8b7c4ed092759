"""A table of plain answers is read as it was published."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from collector.errors import DeniableError
from collector.table.plain_table import AS_IT_STANDS, Reading, number_text, read_plain_table

TEXTS = {
    "commas": ("t.csv", 'a,b\n1,"x, y"\n2,z\n'),
    "semicolons": ("t.csv", "a;b\n1;x, y\n2;z\n"),
    "tabs": ("t.tsv", "a\tb\n1\tx, y\n2\tz\n"),
    "bars": ("t.txt", "a|b\n1|x, y\n2|z\n"),
    "spaces": ("t.txt", '"a"   "b"\n1 "x, y"\n  2  z  \n'),
    "a trailing comma": ("t.csv", 'a,b,\n1,"x, y",\n2,z,\n'),
    "a comma behind some rows": ("t.csv", 'a,b\n1,"x, y",\n2,z\n'),
    "a comma behind the header": ("t.csv", 'a,b,\n1,"x, y"\n2,z\n'),
    "empty lines at the end": ("t.csv", 'a,b\n1,"x, y"\n2,z\n,\n\n'),
    "an odd suffix": ("t.train", 'a,b\n1.0,"x, y"\n2.0,z\n'),
}


def cells(path: Path, reading: Reading = AS_IT_STANDS) -> dict[str, list[str]]:
    return {column.name: list(column.cells) for column in read_plain_table(path, reading)}


@pytest.mark.parametrize("which", TEXTS)
def test_tables_that_hold_the_same_are_read_alike(which: str, tmp_path: Path) -> None:
    name, text = TEXTS[which]
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert cells(tmp_path / name) == {"a": ["1", "2"], "b": ["x, y", "z"]}


def test_rows_of_one_cell_more_than_the_header_begin_with_their_names(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text('"a" "b"\n"1" 5 x\n"2" 6 y\n', encoding="utf-8")
    assert cells(tmp_path / "t.txt") == {"rownames": ["1", "2"], "a": ["5", "6"], "b": ["x", "y"]}


def test_comments_and_full_stops_of_c45_are_no_answers(tmp_path: Path) -> None:
    (tmp_path / "t.test").write_text("|1x3 Cross validator\n1, <=50K.\n2, >50K.\n\n", encoding="utf-8")
    assert cells(tmp_path / "t.test", Reading(("a", "b"))) == {"a": ["1", "2"], "b": ["<=50K", ">50K"]}


def test_a_packed_table_is_read_as_what_is_in_it_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(b"|comment\n1, x.\n2, y.\n")
    (tmp_path / "t.data.gz").write_bytes(packed)
    assert cells(tmp_path / "t.data.gz", Reading(("a", "b"))) == {"a": ["1", "2"], "b": ["x", "y"]}
    for damaged in (packed[:-9], b"a,b\n1,2\n", packed[:12] + b"\xff" * 20):
        (tmp_path / "t.data.gz").write_bytes(damaged)
        with pytest.raises(DeniableError, match=r"damaged"):
            read_plain_table(tmp_path / "t.data.gz", Reading(("a", "b")))


def test_repeated_headings_are_numbered_and_names_that_fit_stay(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,a,A,a_2,a_b_\n1,2,3,4,5\n", encoding="utf-8")
    assert list(cells(tmp_path / "t.csv")) == ["a", "a_3", "a_4", "a_2", "a_b_"]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig", "cp1252"])
def test_other_encodings_are_read_where_they_are_named(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Stra\u00dfe,b\nS\u00fcd,1\n", encoding=encoding)
    assert cells(tmp_path / "t.csv", Reading(encoding=encoding)) == {"strasse": ["S\u00fcd"], "b": ["1"]}


def test_an_encoding_that_is_wrong_or_unknown_is_refused_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\nS\u00fcd,1\n", encoding="latin-1")
    with pytest.raises(DeniableError, match="line 2: it is not UTF-8"):
        read_plain_table(tmp_path / "t.csv")
    for wrong in ("klingon", "base64"):
        with pytest.raises(DeniableError, match=rf'--encoding: .* "{wrong}"'):
            read_plain_table(tmp_path / "t.csv", Reading(encoding=wrong))


@pytest.mark.parametrize(
    ("cell", "separator", "number"),
    [
        ("32.0", ",", "32"),
        ("+1e3", ",", "1000"),
        ("1,234.50", ",", "1234.5"),
        ("1,5", ";", "1.5"),
        ("1.234,50", ";", "1234.5"),
        ("1.234", ";", "1.234"),
        ("1.234,50", ",", None),
        ("-0.0", ",", "0"),
        (".5", "\t", "0.5"),
        ("-0.045469999999999997", ",", "-0.045469999999999997"),  # as programs write a double
        ("0.0000012345678901234567", ",", "0.0000012345678901234567"),
        ("1,5", ",", None),
        ("007", ",", None),
        ("nan", ",", None),
        ("1_000", ",", None),
    ],
)
def test_equal_numbers_become_equal_texts(cell: str, separator: str, number: str | None) -> None:
    assert number_text(cell, separator) == number


def test_a_column_with_texts_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b\n1,50;1,50\n2;x\n?;3.0\n", encoding="utf-8")
    assert cells(tmp_path / "t.csv") == {"a": ["1.5", "2", "?"], "b": ["1,50", "x", "3.0"]}
