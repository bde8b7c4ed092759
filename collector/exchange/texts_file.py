"""Reading and writing of a translator's file (PO or XLSX)."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from collector.characters import shown
from collector.errors import SurveyError
from collector.survey_file.text_file import check_file, check_spreadsheet, text_of

PO_LINE = re.compile(r'(?:(?P<key>msgctxt|msgid|msgstr)\s+)?(?P<text>"(?:[^"\\]|\\.)*")\s*')
PO_LANGUAGE = re.compile(r"^Language:[ \t]*([\w-]+)", re.MULTILINE)
COLUMNS = ("place", "text", "translation")
MOST_ROWS = 100_000  # largest number of rows of a sheet
MOST_EMPTY_ROWS = 60  # consecutive empty rows after which a sheet ends, as in XLSForms
MOST_NAMED = 20
NO_TEXTS = {"f": "a formula", "e": "an error", "n": "a number", "b": "TRUE or FALSE", "d": "a date"}
"""Contents of a cell other than text, by openpyxl's letter."""


@dataclass(frozen=True)
class Entry:
    """A text to translate.

    Attributes:
        place: Path of the text in the design, without spaces.
        text: Text in the survey's first language.
        translation: Text in the other language, or an empty text.
    """

    place: str
    text: str
    translation: str

    @property
    def spelled(self) -> "Entry":
        """This entry with its texts in the spelling of survey files (see `collector.characters`)."""
        return Entry(self.place, shown(self.text), shown(self.translation))


class _Row(NamedTuple):
    line: str
    entry: Entry


def read_texts(path: Path, language: str) -> dict[str, Entry]:
    """Return the texts of a translator's file, by the path of the text in the design.

    Args:
        path: Path of the file.
        language: Language of the translations. A PO file that names another language is refused.

    Raises:
        InputError: If the file cannot be read as text.
        SurveyError: If the file does not have the form that `write_texts` writes, a cell does not hold text, or a text
            is translated twice.
    """
    rows = _xlsx_rows(path) if path.suffix.lower() == ".xlsx" else _po_rows(text_of(path, "a PO file"), path, language)
    found: dict[str, _Row] = {}
    for row in rows:
        place = row.entry.place
        if place in found:
            problem = f"{place} is translated twice, first in {found[place].line}"
            raise SurveyError(f"{path}: {row.line}", problem, "keep one of the two translations")
        if place:
            found[place] = row
    return {place: row.entry.spelled for place, row in found.items()}


def _xlsx_rows(path: Path) -> Iterator[_Row]:
    rows = sheet_rows(path, len(COLUMNS))
    if not rows or tuple(cell.value for cell in rows[0]) != COLUMNS:
        raise SurveyError(
            str(path),
            f"the columns of the table are not {', '.join(COLUMNS)}",
            "translate a file that collector texts export wrote",
        )
    for line, texts in texts_below(path, rows):
        yield _Row(line, Entry(*texts))


def sheet_rows(path: Path, width: int) -> list[tuple[Any, ...]]:
    """Return the rows of a spreadsheet, without empty rows, as cells of openpyxl.

    Args:
        path: Path of the file.
        width: Number of columns to read.

    Raises:
        InputError: If the file cannot be read.
        SurveyError: If the file is not a spreadsheet, or has too many rows.
    """
    check_file(path, "an XLSX file")
    try:
        check_spreadsheet(path)
    except SurveyError as error:
        raise error.within(str(path)) from None
    try:
        rows = list(_filled_rows(path, width))
    except Exception:  # noqa: BLE001 - openpyxl raises many
        raise SurveyError(str(path), "the file is not a spreadsheet", "save the file as XLSX") from None
    if len(rows) > MOST_ROWS:
        raise SurveyError(
            str(path), f"it has more than {MOST_ROWS:,} rows", "translate a file that collector texts export wrote"
        )
    return rows


def texts_below(path: Path, rows: list[tuple[Any, ...]]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each row below the heading of a spreadsheet, and the texts in the row.

    Raises:
        SurveyError: If a cell does not hold text.
    """
    _check_cells(path, (cell for row in rows[1:] for cell in row if cell.value is not None))
    for row in rows[1:]:
        line = next(f"row {cell.row}" for cell in row if cell.value is not None)
        yield line, ["" if cell.value is None else cell.value for cell in row]


def _filled_rows(path: Path, width: int) -> Iterator[tuple[Any, ...]]:
    """Yield the first cells of each row of a spreadsheet, without loading distant rows and columns."""
    from openpyxl import load_workbook  # noqa: PLC0415 - an extra

    book = load_workbook(path, read_only=True)
    try:
        empty = 0
        for row in book.active.iter_rows(max_col=width, max_row=MOST_ROWS + 1):
            filled = any(cell.value is not None for cell in row)
            empty = 0 if filled else empty + 1
            if filled:
                yield row
            elif empty > MOST_EMPTY_ROWS:
                return
    finally:
        book.close()


def _check_cells(path: Path, cells: Iterable[Any]) -> None:
    """Refuse numbers and days in cells, because a spreadsheet may show them in another way than it stores them."""
    no_texts = (cell for cell in cells if cell.data_type != "s")
    wrong = [f"{cell.coordinate} ({NO_TEXTS.get(cell.data_type, 'no text')})" for cell in no_texts]
    if wrong:
        more = f" and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
        named = ", ".join(islice(wrong, MOST_NAMED)) + more
        problem = "it does not hold text" if len(wrong) == 1 else "they do not hold text"
        remedy = "format the column as text, and write the text there"
        raise SurveyError(f"{path}: cell{'s' if len(wrong) > 1 else ''} {named}", problem, remedy)


def _po_rows(text: str, path: Path, language: str) -> Iterator[_Row]:
    entry: dict[str, str] = {}
    lines: dict[str, int] = {}  # of the keys of the entry
    key, guessed = "", [False, False]  # whether this entry is, and the next: a comment stands above what it is of
    for number, line in enumerate([*text.splitlines(), 'msgctxt ""'], start=1):
        guessed[1] |= line.startswith("#,") and "fuzzy" in line
        if not line.strip() or line.startswith("#"):
            continue
        found = PO_LINE.fullmatch(line.strip())
        try:
            piece = None if found is None else json.loads(found["text"])
        except ValueError:
            piece = None
        if found is None or piece is None or not (found["key"] or key):
            raise SurveyError(f"{path}: line {number}", "the file is not a valid PO file", "save the file as PO again")
        if found["key"] == "msgctxt" or (found["key"] == "msgid" and "msgid" in entry):
            if entry:
                yield _po_row(entry, lines, path, language, guessed=guessed[0])
            entry, lines, guessed = {}, {}, [guessed[1], False]
        elif found["key"] in lines:
            problem = f"the text is translated twice, first in line {lines[found['key']]}"
            raise SurveyError(f"{path}: line {number}", problem, "keep one of the two translations")
        if found["key"]:
            key = found["key"]
            lines[key] = number
        entry[key] = entry.get(key, "") + piece


def _po_row(entry: dict[str, str], lines: dict[str, int], path: Path, language: str, *, guessed: bool) -> _Row:
    """Return an entry of a PO file, or check the language of the file if the entry is the header."""
    place, text, translation = (entry.get(key, "") for key in ("msgctxt", "msgid", "msgstr"))
    said = None if place or text else PO_LANGUAGE.search(translation)
    if said and not _is_same(said[1], language):
        problem = f'it says that its language is "{said[1]}", and --language says "{language}"'
        raise SurveyError(
            str(path), problem, "give the file for this language, or name the file's language with --language"
        )
    return _Row(f"line {min(lines.values())}", Entry(place, text, "" if guessed else translation))


def _is_same(one: str, other: str) -> bool:
    """Return whether two language tags, such as pt_BR and pt-BR, name one language."""
    first, second = (tag.replace("_", "-").lower().split("-") for tag in (one, other))
    return all(a == b for a, b in zip(first, second, strict=False))
