"""Combinations of ticked options as values of one question, such as ``words+net``, or ``none`` if nothing is ticked."""

from collections.abc import Sequence
from itertools import combinations
from math import comb

PLUS = "+"  # separator of options that are ticked together
NOTHING = "none"


def counts_allowed(
    options: int, least: int | None, most: int | None, *, none: bool, skippable: bool
) -> tuple[int, ...]:
    """Return, ascending, how many options a person who answers may tick.

    Args:
        options: Number of options.
        least: Smallest number of options to tick, or None if it is not set.
        most: Largest number of options to tick, or None if it is not set.
        none: Whether there is a box "none of the options".
        skippable: Whether ticking nothing means no answer.
    """
    fewest = max(least or 0, int(none or skippable))
    return (*((0,) if none else ()), *range(fewest, (options if most is None else most) + 1))


def how_many(options: int, counts: Sequence[int]) -> int:
    """Return the number of combinations with an allowed number of ticked options."""
    return sum(comb(options, count) for count in counts)


def combined(options: Sequence[str], counts: Sequence[int]) -> tuple[str, ...]:
    """Return every combination of ticked options with an allowed number of options, the smallest first."""
    return tuple(PLUS.join(each) or NOTHING for count in counts for each in combinations(options, count))


def holding(values: Sequence[str], option: str) -> tuple[str, ...]:
    """Return the values (combinations of options) that contain an option."""
    return tuple(value for value in values if option in value.split(PLUS))
