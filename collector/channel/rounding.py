"""Exact truth probabilities and odds that keep an epsilon, rounded towards more privacy.

The irrational number e^epsilon is replaced by a rational lower bound, a partial sum of the exponential series.
"""

from fractions import Fraction
from functools import lru_cache
from math import floor

from collector.coding.coding import WORD
from collector.errors import SurveyError

FINEST_TERM = Fraction(1, 2**96)
LARGEST_EPSILON = 100
PARTS = 10**9  # denominator of a truth probability: nine decimals, below 2^32
FINEST_ODDS = 10**6


@lru_cache(maxsize=256)
def exp_below(epsilon: Fraction) -> Fraction:
    """Return a fraction that is at most e^epsilon and above e^epsilon - 2^-90.

    Args:
        epsilon: Number from 0 to 100.
    """
    total = term = Fraction(1)
    number = 0
    while number <= epsilon or term > FINEST_TERM:
        number += 1
        term = term * epsilon / number
        total += term
    return total


def check_epsilon(epsilon: Fraction, place: str) -> None:
    """Check that a number is allowed as the epsilon of a design.

    Args:
        epsilon: Number to check.
        place: Place of the number, for the error.

    Raises:
        SurveyError: If the epsilon is not above 0, or is above 100.
    """
    if not 0 < epsilon <= LARGEST_EPSILON:
        raise SurveyError(place, f"it is not above 0 and at most {LARGEST_EPSILON}", "give a number such as 2")


def truth_below(epsilon: Fraction, sharpness: Fraction) -> Fraction:
    """Return the largest truth probability theta with nine decimals that keeps an epsilon.

    An epsilon is kept if the likelihood ratio 1 + sharpness theta / (1 - theta) is at most e^epsilon.

    Args:
        epsilon: Epsilon of the group.
        sharpness: Product of the sharpness of the group's codings.

    Raises:
        SurveyError: If the largest theta with nine decimals is 0.
    """
    odds = exp_below(epsilon) - 1
    truth = Fraction(floor(odds / (odds + sharpness) * PARTS), PARTS)
    if truth == 0:
        raise SurveyError(
            "epsilon",
            "the epsilon is too small: the responses would say nothing about the answers",
            "give a larger epsilon",
        )
    return truth


def odds_below(epsilon: Fraction, states: int, own: int = 1) -> Fraction:
    """Return the largest odds with up to six decimals that keep an epsilon and need at most 32 random bits.

    The largest odds that keep an epsilon are e^epsilon - 1, rounded down.

    Args:
        epsilon: Epsilon of the group.
        states: Largest number of combinations of answers to the questions that a person may be asked.
        own: Divisor of `states` if codes stand for several values.

    Raises:
        SurveyError: If no odds keep the epsilon.
    """
    exact, parts = exp_below(epsilon) - 1, FINEST_ODDS
    while parts > 1 and (exact * own + states) * parts > WORD:
        parts //= 10
    odds = Fraction(floor(exact * parts), parts)
    if odds == 0 or odds * own + states > WORD:
        raise SurveyError(
            "epsilon",
            "no truth probability with a denominator up to 2^32 keeps this epsilon",
            "ask fewer questions, or choose another epsilon",
        )
    return odds
