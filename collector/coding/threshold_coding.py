"""Threshold codings of a scale: each code says on which side of a threshold the answer is; trends get little noise.

A scale of k values has k - 1 thresholds, between neighbours. A code is a threshold and a side of it; a value has the
code of its own side at each, k - 1 of all 2 (k - 1). One is drawn, and under the uniform channel it is the truth's with
probability theta: binary randomized response (Warner 1965) to "above this?", the threshold drawn at random. Nothing
else depends on the answer, however many values there are, so that at small epsilon a response carries several times as
much of what rises along the scale as in a coding that treats all values alike. What it costs: shares of single values
are differences between thresholds, and vary more (docs/guarantee.md section 10).
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from collector.errors import SurveyError

THRESHOLDS = "thresholds"  # the coding's name
FEWEST_VALUES = 3


def threshold_blocks(values: int) -> tuple[list[tuple[int, ...]], int]:
    """Codes of each value's side of each threshold of a scale; and the number of codes.

    Code 2t stands for the values up to the t-th, counted from 0, and 2t + 1 for those above it.

    Raises:
        SurveyError: If there are fewer than three values.
    """
    if values < FEWEST_VALUES:
        raise SurveyError("coding", "a scale of two values has one threshold, which is the answer", "drop it")
    thresholds = range(values - 1)
    return [tuple(2 * each + (value > each) for each in thresholds) for value in range(values)], 2 * (values - 1)


def is_threshold_coding(blocks: Sequence[frozenset[int]], codes: int) -> bool:
    """Whether these are the codes of each value of a scale, all of them as `threshold_blocks` numbers them."""
    if len(blocks) < FEWEST_VALUES:
        return False
    expected, count = threshold_blocks(len(blocks))
    return codes == count and list(blocks) == [frozenset(each) for each in expected]


def threshold_reading(values: int) -> dict[int, tuple[Fraction, ...]]:
    """Inverse weights of each code: signed weights of the values, adding up to 1, unbiased over a value's codes.

    The share of the values up to a threshold counts 1/2 where another threshold was drawn, else 1/2 plus or minus
    (k - 1)/2; that of a value is the difference between two such. No other reading has a smaller mean square where
    both sides of every threshold are equally likely.
    """
    reading = {}
    ends = [Fraction(place in {0, values - 1}, 2) for place in range(values)]
    for threshold, above in product(range(values - 1), (False, True)):
        row, step = list(ends), Fraction(values - 1, -2 if above else 2)
        row[threshold] += step
        row[threshold + 1] -= step
        reading[2 * threshold + above] = tuple(row)
    return reading
