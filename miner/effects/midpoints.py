"""Midpoints of the intervals of a number question, with which its answers count in means and as predictors."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats

FEWEST_CUTS = 2  # smallest number of cuts from which the width of an open interval can be guessed


def number_ends(
    cuts: Sequence[float], minimum: float | None, maximum: float | None, *, whole: bool
) -> tuple[tuple[float | None, ...], float]:
    """Return the ends of a number question's intervals, and by how much its largest number is below an upper end.

    Of whole numbers, the interval from a to b holds a, a + 1, ..., b - 1, also the last one, whose end is one above the
    maximum.

    Returns:
        Ends in ascending order, with None for an open end; and 1 for whole numbers, otherwise 0.
    """
    step = 1.0 if whole else 0.0
    return (minimum, *cuts, None if maximum is None else maximum + step), step


def midpoints(
    name: str, values: Sequence[str], ends: Sequence[float | None], remedy: str, *, step: float = 0.0
) -> tuple[Floats, str]:
    """Return the midpoint of each interval of a number question, and a sentence about the midpoints.

    Args:
        name: Name of the question.
        values: Intervals in words, followed by any values that are not numbers.
        ends: Ends of the intervals, ascending, with None for an open end.
        remedy: Remedy for the error message.
        step: By how much the largest number of an interval is below its upper end: 1 for whole numbers, otherwise 0.

    Raises:
        QueryError: If the width of an open interval cannot be guessed.
    """
    low, high, cuts = ends[0], ends[-1], [end for end in ends[1:-1] if end is not None]
    if (low is None or high is None) and len(cuts) < FEWEST_CUTS:
        raise QueryError(
            f'question "{name}"', "a number with one cut has only open intervals, which have no midpoints", remedy
        )
    widths = np.diff(cuts)
    closed = (cuts[0] - widths[0] if low is None else low, *cuts, cuts[-1] + widths[-1] if high is None else high)
    middles = np.array([(one + other - step) / 2 for one, other in pairwise(closed)])
    listed = ", ".join(f"{each:g}" for each in middles)
    of = "the whole numbers in its intervals" if step else "its intervals"
    remark = f'"{name}" counts by the midpoints of {of}: {listed}'
    guessed = [f'"{values[place]}"' for place, end in ((0, low), (len(cuts), high)) if end is None]
    if guessed:
        remark += f"; {' and '.join(guessed)} {'are' if len(guessed) > 1 else 'is'} taken to be as wide as the next"
    return middles, remark
