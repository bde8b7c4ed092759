"""The draft of a question from a column of a table, with kind, values, cut points and frequencies."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from collector.drafting.doubts import days_in_disguise
from collector.survey.question import CODE_MARK, MOST_VALUES, SKIPPED, YES_NO, interval_labels
from collector.survey_file.naming import LONGEST_STEM, item_names
from collector.table.cell_words import MISSING, TICK, are_yes_no, day_of, yes_or_no
from collector.table.plain_table import Column, number_text

MOST_SHARES = 20  # largest number of values for which frequencies are proposed
MOST_OPTIONS = 12
YEARS_APART, MONTHS_APART = 3 * 365, 3 * 30
"""Days between the first and the last cut point from which years or months are used."""
FEW_NUMBERS = 10  # largest number of different numbers that become a scale
FEW_TEXTS = 10  # largest number of different texts that become values, however rare each is
NUMBERING = re.compile(r"(.*_)?(id|ids|uuid|rownames|index|row|nr|no)|unnamed_0|x1")
BEFORE = re.compile(r"<|\u2264|(less|under|below|up to|fewer|before)\b", re.IGNORECASE)
BEHIND = re.compile(r">|\u2265|(more|over|above|after|at least)\b", re.IGNORECASE)
BEGINS = re.compile(
    r"(?:[<>=\u2264\u2265 ]|(?:less|under|below|up to|fewer|before|more|over|above|after|at least|than)\b)*"
)
FIRST_NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")


def is_numbering(column: Column, *, first: bool) -> bool:
    """Return whether a column identifies the rows, such as the columns ``rownames`` and ``id``, or 1, 2, 3, ..."""
    cells, different = column.cells, len(set(column.cells))
    if different <= FEW_TEXTS:
        return False
    if first and cells[0] in {"0", "1"} and list(cells) == [str(int(cells[0]) + row) for row in range(len(cells))]:
        return True
    return (not column.heading or bool(NUMBERING.fullmatch(column.name))) and 2 * different > len(cells)


def reason_unasked(column: Column, *, first: bool) -> str:
    """Return the reason why a column does not become a question."""
    counts = Counter(cell for cell in column.cells if cell not in MISSING)
    if is_numbering(column, first=first):
        return "it numbers or names the rows"
    if len(counts) <= 1:
        return "all its answers are the same"
    if all(map(day_of, counts)):
        return "at least three in four of its days are the earliest day"
    if len(counts) > FEW_TEXTS and 2 * len(counts) > counts.total():
        return "hardly any text occurs twice, as with names and free text"
    if len(counts) > MOST_VALUES:
        return f"it has {len(counts):,} different texts, and a question has at most {MOST_VALUES} values"
    return f'some of its texts have several lines or begin with "{CODE_MARK}"'


def drafted_question(cells: Sequence[str], name: str, *, with_prior: bool) -> dict[str, object] | None:
    """Return the keys of a question for the answers in a column, with the key ``kind`` first.

    Args:
        cells: Cells of the column.
        name: Name of the question, which the names of its options leave room for.
        with_prior: Whether to propose frequencies.

    Returns:
        The keys of the question, or None if the column has only one value, too many values, or free text.
    """
    counts = Counter(cell for cell in cells if cell not in MISSING)
    kind: dict[str, object] | None = None
    if not counts:
        return None
    if all(number_text(cell) == cell for cell in counts):
        kind = _scale(counts) if 1 < len(counts) <= FEW_NUMBERS else _number(counts)
    elif are_yes_no(counts):
        kind = {"kind": "yes_no"}
    elif all(map(day_of, counts)):
        kind = _date(counts)
    elif (options := ticked_options(counts, name)) is not None:
        return {"kind": "multiple", "options": options} | (
            _shares_ticked(options, counts, len(cells)) if with_prior else {}
        )
    elif 1 < len(counts) <= MOST_VALUES and not _is_free_text(counts):
        kind = _texts(counts)
    if kind is None or not with_prior:
        return kind
    return kind | _prior(kind, counts, len(cells) - counts.total())


def _is_free_text(counts: Counter[str]) -> bool:
    often = len(counts) <= FEW_TEXTS or 2 * len(counts) <= counts.total()
    return not often or any(cell.startswith(CODE_MARK) or "\n" in cell for cell in counts)


def _texts(counts: Counter[str]) -> dict[str, object]:
    """Return a scale if each text begins with a different number, as in ``1-2`` or ``over 50``, else a choice."""
    spans = days_in_disguise(counts)
    places = {cell: (Decimal(spans[cell][0]), 0) if cell in spans else _place(cell) for cell in counts}
    found = [place for place in places.values() if place is not None]
    if len(found) < len(places) or len(set(found)) < len(found) or len(found) <= len(YES_NO):
        return {"kind": "choice", "values": sorted(counts)}
    return {"kind": "scale", "values": sorted(counts, key=lambda cell: places[cell] or (Decimal(0), 0))}


def _place(cell: str) -> tuple[Decimal, int] | None:
    """Return the number in a text such as ``over 50``, with -1 for below, 0 for at or 1 for above the number."""
    begins = BEGINS.match(cell)
    number = FIRST_NUMBER.match(cell, begins.end() if begins else 0)
    if number is None:
        return None
    return Decimal(number[0].replace(",", "")), bool(BEHIND.match(cell)) - bool(BEFORE.match(cell))


def _prior(kind: Mapping[str, object], counts: Counter[str], missing: int) -> dict[str, object]:
    """Return frequencies of values in hundredths that add up to 1, or no frequencies if there are many values."""
    values, cuts = kind.get("values", list(YES_NO)), kind.get("cuts")
    if kind["kind"] == "yes_no":
        answers: Counter[str] = Counter()
        for cell, number in counts.items():
            answers[yes_or_no(cell) or cell] += number
        counts = answers
    elif kind["kind"] == "date" and isinstance(cuts, list):
        values = list(interval_labels(tuple(cut.isoformat() for cut in cuts)))
        within: Counter[str] = Counter()
        for cell, number in counts.items():
            within[values[bisect_right(cuts, date.fromisoformat(str(day_of(cell))))]] += number
        counts = within
    elif isinstance(cuts, list):
        values = list(interval_labels(tuple(int(cut) if cut == int(cut) else float(cut) for cut in cuts)))
        falls = Counter({values[bisect_right(cuts, Decimal(cell))]: 0 for cell in counts})
        for cell, number in counts.items():
            falls[values[bisect_right(cuts, Decimal(cell))]] += number
        counts = falls
    if not isinstance(values, list) or len(values) > MOST_SHARES:
        return {}
    if missing:
        values, counts = [*values, SKIPPED], counts + Counter({SKIPPED: missing})
    total = counts.total()
    shares = {value: max(1, round(100 * counts[value] / total)) for value in values}
    largest = max(shares, key=lambda value: shares[value])
    shares[largest] += 100 - sum(shares.values())
    return {"prior": {value: Decimal(share) / 100 for value, share in shares.items()}} if shares[largest] > 0 else {}


def quartile_cuts(cells: Sequence[str]) -> list[Decimal]:
    """Return cut points near the quartiles of a column of numbers, or an empty list for other columns."""
    counts = Counter(cell for cell in cells if cell not in MISSING)
    found = _number(counts) if counts and all(number_text(cell) == cell for cell in counts) else None
    cuts = (found or {}).get("cuts")
    return cuts if isinstance(cuts, list) else []


def ticked_options(counts: Counter[str], question: str) -> dict[str, str] | None:
    """Return the texts of the options, by name, if the cells of a column join options by semicolons, or None.

    A column with more than `MOST_OPTIONS` options, or with options that are rarely ticked, does not count.
    """
    joined = [cell for cell in counts if TICK in cell]
    parts = Counter(part.strip() for cell in counts.elements() for part in cell.split(TICK) if part.strip())
    if not joined or not 1 < len(parts) <= MOST_OPTIONS or any(part.startswith(CODE_MARK) for part in parts):
        return None
    if any(len(set(each)) < len(each) for each in ([part.strip() for part in cell.split(TICK)] for cell in joined)):
        return None
    if 2 * len(parts) > parts.total():
        return None
    texts = sorted(parts)
    return dict(zip(item_names(texts, question.ljust(LONGEST_STEM)), texts, strict=True))


def _shares_ticked(options: Mapping[str, str], counts: Counter[str], rows: int) -> dict[str, object]:
    """Return the share of people who tick each option, in whole hundredths from 0.01 to 0.99."""
    ticked = Counter(
        part.strip() for cell, number in counts.items() for part in cell.split(TICK) for _ in range(number)
    )
    shares = {name: round(100 * ticked[text] / rows) for name, text in options.items()}
    return {"prior": {name: Decimal(min(99, max(1, share))) / 100 for name, share in shares.items()}}


def _date(counts: Counter[str]) -> dict[str, object] | None:
    """Return a date question with cut points near the quartiles, or None.

    If the days in a column are far apart, cut points are first days of years or months.
    """
    days = sorted(date.fromisoformat(str(day_of(cell))) for cell in counts.elements())
    quartiles = [days[len(days) * quarter // 4] for quarter in (1, 2, 3)]
    apart = (quartiles[-1] - quartiles[0]).days
    first = {"month": 1, "day": 1} if apart >= YEARS_APART else {"day": 1} if apart >= MONTHS_APART else {}
    rounded = [day.replace(**first) for day in quartiles]
    cuts = sorted({cut if cut > days[0] else day for cut, day in zip(rounded, quartiles, strict=True)} - {days[0]})
    return {"kind": "date", "cuts": cuts} if cuts else None


def _scale(counts: Counter[str]) -> dict[str, object]:
    return {"kind": "scale", "values": sorted(counts, key=Decimal)}


def _number(counts: Counter[str]) -> dict[str, object] | None:
    """Return a number question with cut points near the quartiles, or None.

    If three quarters of the people have the smallest number, the cut points are near the quartiles of the other
    numbers.
    """
    numbers = sorted(Decimal(cell) for cell in counts.elements())
    cuts = _quartiles(numbers) or _quartiles([each for each in numbers if each > numbers[0]], numbers[0])
    whole = {"whole": True} if all(number % 1 == 0 for number in numbers) else {}
    return {"kind": "number", "cuts": cuts, **whole} if cuts else None


def _quartiles(numbers: list[Decimal], least: Decimal | None = None) -> list[Decimal]:
    quartiles = [numbers[len(numbers) * quarter // 4] for quarter in (1, 2, 3)] if numbers else []
    least = numbers[0] if least is None and numbers else least
    cuts = []
    for exact in quartiles:
        rounded = _rounded(exact, quartiles[-1] - quartiles[0])
        cuts.append(rounded if least is not None and least < rounded <= numbers[-1] else exact)
    return sorted({cut for cut in cuts if least is not None and cut > least})


def _rounded(number: Decimal, spread: Decimal) -> Decimal:
    """Return a number rounded to two digits (1234 becomes 1200), or to more digits if the numbers are close."""
    if not number:
        return number
    place = number.adjusted() - 1
    while spread and Decimal(1).scaleb(place) > spread / 4:
        place -= 1
    return number.quantize(Decimal(1).scaleb(place)).normalize() + 0
