"""Tables of texts for translators: what is written is read again, and what is no such table is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from collector.errors import DeniableError
from collector.exchange.texts_table import TableRow, read_text_table, text_table

LANGUAGES = ["en", "de", "fr"]
ROWS = [
    ("place", "en", "de", "fr"),
    ("/title", "Student wellbeing", "Wohlbefinden", ""),
    ("/study/consent", 'You agree.\n\nYou may stop; any time, "now".', "", "=d'accord"),
]


def saved(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_what_is_written_is_read_again(suffix: str, tmp_path: Path) -> None:
    path = saved(tmp_path, f"texts{suffix}", text_table(ROWS, suffix))
    found = read_text_table(path, LANGUAGES)
    assert [(each.place, *each.texts.values()) for each in found] == ROWS[1:]


def test_no_cell_is_a_formula_to_a_spreadsheet(tmp_path: Path) -> None:
    assert b"'=d'accord" in text_table(ROWS, ".csv")
    sheet = load_workbook(saved(tmp_path, "texts.xlsx", text_table(ROWS, ".xlsx"))).active
    assert sheet["D3"].data_type == "s"


@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_columns_may_be_left_out_and_be_in_another_order_and_rows_empty(separator: str, tmp_path: Path) -> None:
    lines = [("fr", "place", "en"), ("Bien", "/title", "Well"), ("", "", "")]
    path = saved(tmp_path, "texts.csv", "\r\n".join(separator.join(each) for each in lines))
    assert read_text_table(path, LANGUAGES) == [TableRow("line 2", "/title", {"fr": "Bien", "en": "Well"})]


def test_rows_of_a_sheet_may_be_shorter_than_its_heading(tmp_path: Path) -> None:
    book = Workbook()
    for row in (["place", "en", "de", "fr"], ["/title", "Well"], ["/study/who", "We", "Wir"]):
        book.active.append(row)
    book.active["Z9"].number_format = "0.00"
    book.save(tmp_path / "texts.xlsx")
    found = read_text_table(tmp_path / "texts.xlsx", LANGUAGES)
    assert [each.texts["de"] for each in found] == ["", "Wir"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "",
            (
                'its first row does not name the columns "place" and "en"; translate a table '
                "that was exported from this survey"
            ),
        ),
        ("place,de\n/title,Gut\n", 'its first row does not name the columns "place" and "en"'),
        ("place,en,it\n", 'its column "it" is no language of the survey; add the language to the survey first'),
        ("place,en,de,de\n", 'it has two columns "de"; keep one of the two columns'),
        ("place,en,de\n/a,A,B\n/a,A,C\n", "line 3: /a is there twice, first in line 2; keep one of the two rows"),
        ("place,en,de\n/a,A\n", "line 2: it has 2 cells, and the first row 3; save the table"),
        (
            "place,en,de\n,A,B\n",
            (
                "line 2: the row contains a text, but its first column is empty; "
                "translate a table that was exported from this survey"
            ),
        ),
        ('place,en,de\n/a,"A,B\n', "the table is not valid CSV (unexpected end of data); save the table"),
    ],
)
def test_what_is_no_table_of_texts_is_refused_in_one_line(text: str, said: str, tmp_path: Path) -> None:
    path = saved(tmp_path, "texts.csv", text)
    with pytest.raises(DeniableError) as caught:
        read_text_table(path, LANGUAGES)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_cell_of_a_sheet_that_holds_no_text_is_refused(tmp_path: Path) -> None:
    book = Workbook()
    for row in (["place", "en", "de"], ["/title", "Well", 5]):
        book.active.append(row)
    book.save(tmp_path / "texts.xlsx")
    with pytest.raises(DeniableError, match=r"cell C2 \(a number\): "):
        read_text_table(tmp_path / "texts.xlsx", LANGUAGES)
