"""Doubts about the meaning of cells in a table, which a person has to settle."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from math import ceil, floor

from collector.conditions.language import written_one_of
from collector.survey.question import NOT_APPLICABLE
from collector.table.cell_words import MISSING
from collector.table.plain_table import Column, number_text

SERIAL = re.compile(r"[34][0-9]{4}|5[0-4][0-9]{3}")  # days from 1982 to 2050 in the numbers of Excel
DAY_ZERO = date(1899, 12, 30)  # day 0 of Excel
RANGE = re.compile(r"[0-9][0-9,.]*\s*(-|\u2013|\u2014|to|bis|\u00e0|a)\s*[0-9][0-9,.]*\s*\S*")
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905
ALSO = {"m\u00e4r": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12, "avr": 4, "ao\u00fb": 8, "ago": 8, "ene": 1, "dic": 12}
MONTH = {month: number for number, month in enumerate(MONTHS, start=1)} | ALSO
DAY_AND_MONTH = re.compile(r"([0-9]{1,2})[-. ]{1,2}([^\W\d]{3})[^\W\d]*\.?")
MONTH_AND_DAY = re.compile(r"([^\W\d]{3})[^\W\d]*\.?[- ]([0-9]{1,2})")
BORN = re.compile(r"(.*_)?(date|day|born|birth|birthday|dob|datum|geburtsdatum|fecha|naissance)(_.*)?")
FAR_CODES = ("77", "88", "97", "98", "99", "777", "888", "997", "998", "999", "7777", "8888", "9997", "9998", "9999")
BELOW_ZERO = ("-1", "-2", "-3", "-7", "-8", "-9", "-66", "-77", "-88", "-96", "-97", "-98", "-99", "-999", "-9999")
GAP = Decimal(10)  # smallest distance of a code for no answer from usual numbers, or a tenth of the largest number
MOST_NAMED = 8
FEWEST_APART = 3  # smallest number of rows on each side of a condition


def range_behind(cell: str) -> tuple[int, int] | None:
    """Return the range, such as 1 to 5, that Excel may have misread as the day in a cell, or None."""
    if SERIAL.fullmatch(cell):
        day = DAY_ZERO + timedelta(days=int(cell))
        return min(day.month, day.day), max(day.month, day.day)
    for pattern, month_at, day_at in ((DAY_AND_MONTH, 2, 1), (MONTH_AND_DAY, 1, 2)):
        found = pattern.fullmatch(cell)
        if found and found[month_at].casefold() in MONTH:
            month, number = MONTH[found[month_at].casefold()], int(found[day_at])
            return min(month, number), max(month, number)
    return None


def days_in_disguise(counts: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the days in a column that Excel probably made from ranges, and the ranges."""
    found = {cell: span for cell in counts if (span := range_behind(cell)) is not None}
    if 0 < len(found) < len(counts) and all(RANGE.match(cell) or _begins(cell) for cell in counts.keys() - found):
        return found
    return found if found and not any(map(SERIAL.fullmatch, found)) and len(found) == len(counts) else {}


def _begins(cell: str) -> bool:
    """Return whether a text may be the last range of a scale, such as ``500+`` or ``over 500``."""
    return any(each.isdigit() for each in cell) and number_text(cell) is None


def doubts(column: Column) -> Iterator[str]:
    """Yield doubts about the cells of a column, each with a remedy."""
    counts = Counter(cell for cell in column.cells if cell not in MISSING)
    spans = days_in_disguise(counts)
    if spans:
        named = ", ".join(
            f'"{cell}" ({counts[cell]} cells) was {spans[cell][0]}-{spans[cell][1]}'
            for cell in sorted(spans, key=lambda each: spans[each])[:MOST_NAMED]
        )
        yield f"Excel may have taken ranges for days: probably {named}; correct the table, then draft again"
    elif counts and all(map(SERIAL.fullmatch, counts)) and BORN.fullmatch(column.name):
        yield "its numbers may be days as Excel counts them; if so, format them as 2026-12-31, then draft again"
    if parts := _parts_with_commas(counts):
        problem = f"commas join {', '.join(parts)}, as if they were ticked together"
        yield f"{problem}; if so, write semicolons in place of these commas, then draft again"
    numbers = {cell: number for cell, number in counts.items() if number_text(cell) == cell}
    if numbers and len(numbers) == len(counts):
        codes = far_codes(numbers)
        if codes:
            named = ", ".join(f"{code} ({numbers[code]} cells)" for code in codes)
            apart = "below" if all(code.startswith("-") for code in codes) else "far from"
            problem = f"{named} may stand for no answer or do not know, {apart} all other numbers"
            yield f"{problem}; if so, empty these cells in the table, then draft again"


def _parts_with_commas(counts: Mapping[str, int]) -> list[str]:
    """Return the texts that are joined by commas in some cells and stand alone in other cells."""
    joined = [cell.split(", ") for cell in counts if ", " in cell]
    parts = {part for cell in joined for part in cell}
    alone = {cell for cell in counts if ", " not in cell}
    return sorted(parts | alone) if joined and len(parts & alone) > 1 and len(parts | alone) <= MOST_NAMED else []


def far_codes(numbers: Mapping[str, int]) -> list[str]:
    """Return the cells, such as 99 or -1, that are probably codes for no answer, sorted.

    A number is probably a code if it is far above all answers, or is negative while no answer is.
    """
    usual = [Decimal(cell) for cell in numbers if cell not in {*FAR_CODES, *BELOW_ZERO}]
    if not usual:
        return []
    least, most = min(usual), max(usual)
    far = [cell for cell in FAR_CODES if cell in numbers and Decimal(cell) - most >= max(GAP, most / 10)]
    below = [cell for cell in BELOW_ZERO if cell in numbers] if least >= 0 else []
    return sorted([*far, *below], key=Decimal)


def missing_numbers(values: Sequence[str]) -> str | None:
    """Return the whole numbers that are missing between the smallest and the largest number, as text, or None."""
    numbers = sorted(map(Decimal, values))
    pairs = ((floor(low) + 1, ceil(high) - 1) for low, high in pairwise(numbers))
    gaps = [
        ", ".join(map(str, range(first, last + 1))) if last - first <= 1 else f"{first} to {last}"
        for first, last in pairs
        if first <= last
    ]
    if len(gaps) > MOST_NAMED:
        gaps = [*gaps[:MOST_NAMED], f"other whole numbers up to {values[-1]}"]
    return ", ".join(gaps) or None


def empty_where(column: Column, before: Sequence[tuple[Column, Mapping[str, str]]]) -> str | None:
    """Return a doubt about who was asked, if a column is empty exactly for some answers in an earlier column.

    Args:
        column: Column with empty cells.
        before: Earlier columns, with the value in the draft for every text of a column.
    """
    missing = [cell in MISSING or cell == NOT_APPLICABLE for cell in column.cells]
    if not FEWEST_APART <= sum(missing) <= len(missing) - FEWEST_APART:
        return None
    for other, values in before:
        pairs = {(values.get(cell), gone) for cell, gone in zip(other.cells, missing, strict=True)}
        asked = [value for value in dict.fromkeys(values.values()) if (value, False) in pairs]
        if None in {value for value, _ in pairs} or len({value for value, _ in pairs}) < len(pairs):
            continue
        condition = written_one_of(other.name, asked)
        return (
            f"it is empty or {NOT_APPLICABLE} exactly where {other.name} is not {' or '.join(asked)}; if only "
            f"these people were asked, say ask_if = '{condition}', and drop optional, the prior and the value "
            f"{NOT_APPLICABLE}"
        )
    return None
