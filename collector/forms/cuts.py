"""Choice of cut points for a number or a date with known bounds: a few classes of equal width with round limits."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import count, takewhile
from typing import Any, TypeVar

from collector.survey.fields import LARGEST_NUMBER

CLASSES = 5
"""The preferred number of classes. Fewer are less informative, and more need more respondents."""
SIZES = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5))
MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200)
DAYS = (1, 2, 7, 14)
YEAR = 12
ALL = "between the least and the greatest answer that the form allows"
PROPOSED = f"cut points are proposed, in equal classes {ALL}: compare them with what you want to know"
MEASURED = "cut points are quartiles of the table: they tell of the people in it, and are made public"
Bound = TypeVar("Bound", Decimal, date)


def number_cuts(low: Decimal, high: Decimal, *, whole: bool = True) -> list[Decimal]:
    """Return cut points between two numbers, or an empty list if the numbers are too close.

    Args:
        low: Smallest allowed answer.
        high: Largest allowed answer.
        whole: Whether all answers are whole numbers.
    """
    end = high + whole
    if not -LARGEST_NUMBER <= low < high <= LARGEST_NUMBER:
        return []
    first = (end - low).adjusted() - 1
    sizes = [size.scaleb(power) for power in (first, first + 1) for size in SIZES]
    sizes = [size for size in sizes if not whole or size == int(size)]
    best = _best([[size * each for each in range(int(low // size), int(end // size) + 2)] for size in sizes], low, end)
    return [Decimal(f"{cut.normalize():f}") for cut in best if low < cut <= high]


def day_cuts(low: date, high: date) -> list[date]:
    """Return cut points between two days: first days of years or months, or any days if both days are close."""
    months = range(low.year * YEAR + low.month - 1, high.year * YEAR + high.month)
    steps = [[date(each // YEAR, each % YEAR + 1, 1) for each in months if not each % step] for step in MONTHS]
    days = (high - low).days
    steps += [
        [low + timedelta(days=each) for each in takewhile(lambda each: each <= days, count(step, step))]
        for step in DAYS
        if days < YEAR * step
    ]
    return [cut for cut in _best(steps, low, high) if low < cut <= high]


def proposed(bounds: Mapping[str, Any], *, whole: bool = True) -> list[Any]:
    """Return cut points between the ``minimum`` and the ``maximum`` of a question, if both exist."""
    low, high = bounds.get("minimum"), bounds.get("maximum")
    if isinstance(low, date) and isinstance(high, date):
        return day_cuts(low, high)
    return number_cuts(low, high, whole=whole) if isinstance(low, Decimal) and isinstance(high, Decimal) else []


def within(cuts: Sequence[Decimal], bounds: Mapping[str, Any]) -> list[Decimal]:
    """Return those cut points that lie between the ``minimum`` and the ``maximum`` of a question."""
    low, high = bounds.get("minimum"), bounds.get("maximum")
    return [cut for cut in cuts if (low is None or low < cut) and (high is None or cut <= high)]


def _best(candidates: Sequence[Sequence[Bound]], low: Bound, end: Bound) -> Sequence[Bound]:
    """Return the cut points whose number of classes is nearest to `CLASSES`.

    The first and the last class of the returned cut points are at least half as wide as the other classes.
    """

    def inner(cuts: Sequence[Bound]) -> list[Bound]:
        half = (cuts[1] - cuts[0]) / 2 if len(cuts) > 1 else (end - low) / 2
        return [cut for cut in cuts if cut - low >= half and end - cut >= half]

    found = [cuts for each in candidates if (cuts := inner(each))]
    return min(found, key=lambda cuts: (abs(len(cuts) + 1 - CLASSES), len(cuts)), default=[])
