"""Combinations of ticked options as values of one question: ``words+net``, and ``none`` where nothing is ticked."""

from collections.abc import Sequence
from itertools import combinations
from math import comb

PLUS = "+"  # between options that are ticked together
NOTHING = "none"


def counts_allowed(
    options: int, least: int | None, most: int | None, *, none: bool, skippable: bool
) -> tuple[int, ...]:
    """Numbers of options that a person who answers may tick, ascending.

    Args:
        options: How many there are.
        least: How many must be ticked; None where nothing is said.
        most: How many may be; None likewise.
        none: Whether a box stands for none of them.
        skippable: Whether nothing ticked is no answer.
    """
    fewest = max(least or 0, int(none or skippable))
    return (*((0,) if none else ()), *range(fewest, (options if most is None else most) + 1))


def how_many(options: int, counts: Sequence[int]) -> int:
    """The number of combinations of so many options."""
    return sum(comb(options, count) for count in counts)


def combined(options: Sequence[str], counts: Sequence[int]) -> tuple[str, ...]:
    """Every combination of so many options, the smallest first, options in their order."""
    return tuple(PLUS.join(each) or NOTHING for count in counts for each in combinations(options, count))


def holding(values: Sequence[str], option: str) -> tuple[str, ...]:
    """The values whose combination holds an option."""
    return tuple(value for value in values if option in value.split(PLUS))
