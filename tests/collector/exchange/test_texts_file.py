"""The files of translators: cells that hold no text, far cells, other languages and double translations are refused."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from openpyxl import Workbook

from collector.cli import main
from collector.errors import SurveyError
from collector.exchange.texts_file import Entry, read_texts

Cells = dict[str, object]
HEADINGS: Cells = {"A1": "place", "B1": "text", "C1": "translation"}
TITLE: Cells = {"A2": "/title", "B2": "Student wellbeing", "C2": "Wohlbefinden"}
HEAD = 'msgid ""\nmsgstr ""\n"Language: {}\\n"\n'
PO = 'msgctxt "/title"\nmsgid "Student wellbeing"\nmsgstr "Wohlbefinden"\n'


def saved(path: Path, cells: Cells) -> Path:
    book = Workbook()
    for place, value in (HEADINGS | TITLE | cells).items():
        book.active[place] = value
    book.save(path)
    return path


def imported(root: Path, texts: Path, language: str) -> Result:
    source, output = root / "examples" / "wellbeing.toml", texts.with_suffix(".toml")
    arguments = ["texts", "import", str(source), str(texts), "--language", language, "-o", str(output)]
    return CliRunner().invoke(main, arguments)


def test_a_cell_far_away_costs_neither_time_nor_memory(tmp_path: Path) -> None:
    path = tmp_path / "far.xlsx"
    book = Workbook()
    for place, value in (HEADINGS | TITLE).items():
        book.active[place] = value
    book.active["XFD20000"].number_format = "0.00"
    book.save(path)
    tracemalloc.start()
    found = read_texts(path, "de")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == {"/title": Entry("/title", "Student wellbeing", "Wohlbefinden")}
    assert peak < 20 * 10**6


def test_a_sheet_of_too_many_rows_is_refused_in_one_line(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collector.exchange.texts_file.MOST_ROWS", 5)
    path = saved(tmp_path / "long.xlsx", {f"A{row}": f"/{row}" for row in range(3, 8)})
    result = imported(root, path, "de")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{path}: it has more than 5 rows")


@pytest.mark.parametrize(
    ("value", "what"),
    [("=1+1", "a formula"), ("#REF!", "an error"), (42, "a number"), (True, "TRUE or FALSE")],
)
def test_a_cell_that_holds_no_text_is_refused_and_named(value: object, what: str, root: Path, tmp_path: Path) -> None:
    path = saved(tmp_path / "texts.xlsx", {"C2": value})
    result = imported(root, path, "de")
    assert (result.exit_code, path.with_suffix(".toml").exists()) == (2, False)
    remedy = "format the column as text, and write the text there"
    assert result.stderr == f"{path}: cell C2 ({what}): it does not hold text; {remedy}\n"


def test_all_cells_that_hold_no_text_are_named_at_once(tmp_path: Path) -> None:
    cells: Cells = {"C2": 1, "A3": "/study/who", "B3": "We", "C3": False}
    with pytest.raises(SurveyError, match=r"cells C2 \(a number\), C3 \(TRUE or FALSE\): "):
        read_texts(saved(tmp_path / "texts.xlsx", cells), "de")


def test_a_po_file_of_another_language_is_refused(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "texts.po"
    path.write_text(f"{HEAD.format('de')}\n{PO}", encoding="utf-8")
    result = imported(root, path, "ar")
    problem = 'it says that its language is "de", and --language says "ar"'
    remedy = "give the file for this language, or name the file's language with --language"
    assert (result.exit_code, result.stderr) == (2, f"{path}: {problem}; {remedy}\n")


@pytest.mark.parametrize(("said", "language"), [("pt_BR", "pt-BR"), ("de_DE", "de"), ("de", "de"), ("", "de")])
def test_a_po_file_names_its_language_in_its_own_way(said: str, language: str, tmp_path: Path) -> None:
    path = tmp_path / "texts.po"
    path.write_text(f"{HEAD.format(said)}\n{PO}", encoding="utf-8")
    assert read_texts(path, language)["/title"].translation == "Wohlbefinden"
    path.write_text(f"{HEAD.format('pt_PT')}\n{PO}", encoding="utf-8")
    with pytest.raises(SurveyError, match='its language is "pt_PT"'):
        read_texts(path, language)


def test_the_first_language_is_never_translated_into(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "texts.po"
    path.write_text(PO, encoding="utf-8")
    result = imported(root, path, "en")
    assert (result.exit_code, path.with_suffix(".toml").exists()) == (2, False)
    assert result.stderr.startswith('--language: "en" ')


def test_two_translations_of_one_text_are_refused_and_both_are_named(tmp_path: Path) -> None:
    path = tmp_path / "texts.po"
    path.write_text(f"{PO}\n{PO.replace('Wohl', 'Schlecht')}", encoding="utf-8")
    problem = "/title is translated twice, first in line 1; keep one of the two translations"
    with pytest.raises(SurveyError, match=f"line 5: {problem}"):
        read_texts(path, "de")
    path.write_text(f'{PO}msgstr "Schlechtbefinden"\n', encoding="utf-8")
    with pytest.raises(SurveyError, match=r"line 4: .* line 3; "):
        read_texts(path, "de")
    table = saved(tmp_path / "texts.xlsx", {"A4": "/title", "B4": "Student wellbeing", "C4": "Schlechtbefinden"})
    with pytest.raises(SurveyError, match=r"row 4: /title .* row 2; "):
        read_texts(table, "de")
