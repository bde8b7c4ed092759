"""Read arrays of finite numbers and exact fractions from the learnt state in a model file."""

import re
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.errors import ModelError
from collector.survey.fields import Fields

AGAIN = "make the model again"
LARGEST = 1e100  # largest number that is read; sums and squares of such numbers are finite
EXACT = re.compile(r"[0-9]{1,2000}(/[0-9]{1,2000})?")  # a fraction as Python writes it; exponents could fill memory


def numbers(given: Fields, key: str, shape: tuple[int | None, ...], kind: Any = np.float64) -> NDArray[Any]:  # noqa: ANN401 - a numpy type
    """Return the array of numbers under a key of a table.

    Args:
        given: Table that holds the array.
        key: Name of the array in the table.
        shape: Lengths of the array, with None for any length.
        kind: Type of the array's numbers.

    Raises:
        DeniableError: If the key is missing, or its value is not an array of finite numbers with the given shape.
    """
    return numbers_of(given.take(key, list), given.within(key), shape, kind)


def numbers_of(value: list[Any], place: str, shape: tuple[int | None, ...], kind: Any = np.float64) -> NDArray[Any]:  # noqa: ANN401 - a numpy type
    """Return a list from JSON as an array of numbers.

    Raises:
        ModelError: If the list is not an array of finite numbers with the given shape.
    """
    try:
        found = np.array(value)
    except ValueError:  # lists of several lengths
        found = np.array(None)
    if not value:  # JSON does not say how long the rows would be
        found = np.zeros((0, *(each or 0 for each in shape[1:])), kind)
    whole = np.issubdtype(kind, np.integer)
    fits = len(found.shape) == len(shape) and all(
        want in {None, size} for want, size in zip(shape, found.shape, strict=True)
    )
    if not fits or found.dtype.kind not in ("iu" if whole else "iuf") or not _within(found, kind):
        lengths = " x ".join("n" if each is None else str(each) for each in shape)
        raise ModelError(
            place, f"the model does not have {lengths} {'whole' if whole else 'finite'} numbers here", AGAIN
        )
    return found.astype(kind)


def _within(found: NDArray[Any], kind: Any) -> bool:  # noqa: ANN401 - a numpy type
    """Return whether numbers are so small that their sums and squares are finite in a given type."""
    ends = np.iinfo(kind) if np.issubdtype(kind, np.integer) else np.finfo(kind)
    largest = min(LARGEST, ends.max.item() if isinstance(ends.max, np.generic) else ends.max)
    return not found.size or bool(found.min() >= -largest and found.max() <= largest)  # NaN is neither


def exact_fraction(text: str) -> Fraction:
    """Return a fraction of at least 0 from its text.

    Raises:
        ValueError: If the text is not a fraction of at least 0.
    """
    if not isinstance(text, str) or not EXACT.fullmatch(text):
        raise ValueError
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ValueError from None
