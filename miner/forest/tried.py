"""Compute the number of tests that a forest tries at each node (``max_features`` in scikit-learn)."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from math import isqrt
from numbers import Integral
from typing import Any

from collector.errors import QueryError

SHARES: Mapping[str, Callable[[int], int]] = {"sqrt": isqrt, "log2": lambda tests: tests.bit_length() - 1}


def tests_tried(asked: Any, tests: int) -> int:  # noqa: ANN401 - checked here
    """Return the number of tests to try at a node, at least 1.

    Args:
        asked: A whole number of at least 1, a share above 0 and at most 1, ``"sqrt"``, ``"log2"``, or None for
            ``"sqrt"``.
        tests: Number of all tests of the forest.

    Raises:
        QueryError: If `asked` has another value.
    """
    asked = "sqrt" if asked is None else asked
    if isinstance(asked, str) and asked in SHARES:
        return max(1, SHARES[asked](tests))
    if not isinstance(asked, bool) and isinstance(asked, Integral) and int(asked) >= 1:
        return int(asked)
    if isinstance(asked, float) and 0 < asked <= 1:
        return max(1, int(asked * tests))
    raise QueryError(
        "max_features", "the value is not a number of tests", 'give 1 or more, a share such as 0.3, "sqrt" or "log2"'
    )


def read_max_features(text: str) -> int | float | str:
    """Convert text to a value of ``max_features``: a whole number, a decimal, or else the text itself."""
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    return text
