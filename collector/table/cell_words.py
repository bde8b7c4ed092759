"""Recognition of cells of a table that mean yes, no, no answer or a day, and of rows of headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from collector.characters import compared
from collector.survey.question import SKIPPED, YES_NO

MISSING = frozenset(
    {"", "?", ".", "-", "--", "\u2013", "\u2014", "<NA>", "#N/A", "#NA", "#NV", SKIPPED}
    | {"NA", "N/A", "n/a", "N/a", "n.a.", "N.A.", "NaN", "nan", "NULL", "Null", "null"}
)
"""Cells that stand for no answer, unless they are values of the question."""
PAIRS = tuple(
    tuple(compared(pair).split())
    for pair in (
        *("yes no", "true false", "ja nein", "wahr falsch", "ja nee", "oui non", "vrai faux", "s\u00ed no", "si no"),
        *("s\u00ec no", "verdadero falso", "vero falso", "sim n\u00e3o", "verdadeiro falso", "tak nie"),
        *("\u0434\u0430 \u043d\u0435\u0442", "evet hay\u0131r", "\u0646\u0639\u0645 \u0644\u0627"),
    )
)
"""Words for yes and no in some languages, and Excel's words for TRUE and FALSE."""
MEANT = {word: meant for pair in PAIRS for word, meant in zip(pair, YES_NO, strict=True)}
TICK = ";"  # separator of options that are ticked together
DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})([T ]00:00(:00(\.0+)?)?)?")
STAMP = re.compile(r"[0-9]{1,4}([-/. ])[0-9]{1,2}\1[0-9]{1,4},?[T ]+[0-9]{1,2}:[0-9]{2}.*")
NUMBER = re.compile(r"[-+]?[0-9]+([.,][0-9]+)*%?")
ANSWERS = re.compile(r"(open-ended )?response|antwort|r\u00e9ponse( ouverte)?|respuesta( abierta)?", re.IGNORECASE)
"""Headings that SurveyMonkey writes below the header."""
IMPORT_ID = "ImportId"  # word in the third row of a table from Qualtrics
MOST_HEADINGS = 3  # largest number of rows of headings
FEWEST_BELOW = 3  # smallest number of cells from which the content of a column is inferred


def yes_or_no(cell: str) -> str | None:
    """Return ``yes`` or ``no`` if a cell means yes or no in a language of `PAIRS`, otherwise None."""
    return MEANT.get(cell.casefold())


def are_yes_no(cells: Iterable[str]) -> bool:
    """Return whether all cells are words for yes or no in one language."""
    words = {cell.casefold() for cell in cells}
    return any(words <= set(pair) for pair in PAIRS)


def day_of(cell: str) -> str | None:
    """Return the day in a cell in ISO 8601 format, or None."""
    found = DAY.fullmatch(cell)
    if found is None:
        return None
    try:
        return date.fromisoformat(found[1]).isoformat()
    except ValueError:
        return None


def heading_rows(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows below the header that also hold headings, such as wordings or types of answers.

    Files of Qualtrics and SurveyMonkey are recognised by their headings. A row of another file holds headings if it has
    texts in at least two columns that otherwise hold numbers, days or times.

    Args:
        rows: First rows below the header, with cells without surrounding spaces.
    """
    for number, row in enumerate(rows[:MOST_HEADINGS], start=1):
        if sum(IMPORT_ID in cell for cell in row) * 2 > len(row):
            return number
    if not rows:
        return 0
    first, below = (rows[0], rows[1:])
    if any(len(row) != len(first) for row in below):
        return 0
    measured = texts = 0
    for place, cell in enumerate(first):
        cells = [row[place] for row in below if row[place] not in MISSING]
        if len(cells) >= FEWEST_BELOW and all(map(_is_measured, cells)):
            measured += 1
            if _is_measured(cell):
                return 0
            texts += cell not in MISSING
    said = any(ANSWERS.fullmatch(cell) for cell in first)
    return int(measured >= len(YES_NO) and (said or texts == measured))


def _is_measured(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell) or DAY.fullmatch(cell) or STAMP.fullmatch(cell))
