"""Threshold codings of a scale, whose codes state on which side of a threshold the answer lies.

A scale of k values has k - 1 thresholds, each between two neighbouring values. Each code stands for one side of one
threshold, so a threshold coding has 2 (k - 1) codes. Each value has one code for each threshold, and the browser draws
one of these codes at random. In effect, a response is a binary randomized response (Warner 1965) to the question "is
your answer above this threshold?" for a random threshold.

At a small epsilon, a threshold coding gives several times as much information about a trend as a coding that treats all
values alike. Threshold codings give less precise estimates of the shares of single values (docs/guarantee.md, section
10).
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from collector.errors import SurveyError

THRESHOLDS = "thresholds"  # name of the coding
FEWEST_VALUES = 3


def threshold_blocks(values: int) -> tuple[list[tuple[int, ...]], int]:
    """Return the codes of each value (one code for each threshold of the scale), and the number of codes.

    Thresholds and values are counted from 0. Code 2t stands for the values 0 to t, and code 2t + 1 for all higher
    values.

    Raises:
        SurveyError: If there are fewer than three values.
    """
    if values < FEWEST_VALUES:
        raise SurveyError(
            "coding",
            "a scale of two values needs no coding by thresholds: its only threshold is the answer",
            "remove the coding",
        )
    thresholds = range(values - 1)
    return [tuple(2 * each + (value > each) for each in thresholds) for value in range(values)], 2 * (values - 1)


def is_threshold_coding(blocks: Sequence[frozenset[int]], codes: int) -> bool:
    """Return whether the codes of the values equal the result of `threshold_blocks`."""
    if len(blocks) < FEWEST_VALUES:
        return False
    expected, count = threshold_blocks(len(blocks))
    return codes == count and list(blocks) == [frozenset(each) for each in expected]


def threshold_reading(values: int) -> dict[int, tuple[Fraction, ...]]:
    """Return the inverse weights of each code, which are signed weights of the values that add up to 1.

    The weights of all values up to one threshold add up to 1/2 for a code of any other threshold. For a code of the
    threshold itself, the weights add up to 1/2 plus or minus (k - 1)/2, depending on the code's side. If answers are
    equally likely on both sides of every threshold, no other unbiased weights have a smaller mean square.
    """
    reading = {}
    ends = [Fraction(place in {0, values - 1}, 2) for place in range(values)]
    for threshold, above in product(range(values - 1), (False, True)):
        row, step = list(ends), Fraction(values - 1, -2 if above else 2)
        row[threshold] += step
        row[threshold + 1] -= step
        reading[2 * threshold + above] = tuple(row)
    return reading
