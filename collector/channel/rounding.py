"""Exact fractions that keep an epsilon: always rounded towards more privacy.

e^epsilon is irrational. It is bounded from below by a partial sum of its series, all of whose terms are positive, so
that what is compared with it never exceeds it.
"""

from fractions import Fraction
from functools import lru_cache
from math import floor

from collector.coding.coding import WORD
from collector.errors import SurveyError

FINEST_TERM = Fraction(1, 2**96)
LARGEST_EPSILON = 100
PARTS = 10**9  # of a truth probability: nine decimals, below 2^32
FINEST_ODDS = 10**6


@lru_cache(maxsize=256)
def exp_below(epsilon: Fraction) -> Fraction:
    """A fraction of at most e^epsilon, and less than 2^-90 below it.

    Args:
        epsilon: From 0 to 100.
    """
    total = term = Fraction(1)
    number = 0
    while number <= epsilon or term > FINEST_TERM:
        number += 1
        term = term * epsilon / number
        total += term
    return total


def check_epsilon(epsilon: Fraction, place: str) -> None:
    """Refuse what is no epsilon that a design could keep.

    Args:
        epsilon: To be checked.
        place: Where it stands, for the message.

    Raises:
        SurveyError: If it is not.
    """
    if not 0 < epsilon <= LARGEST_EPSILON:
        raise SurveyError(place, f"it is not above 0 and at most {LARGEST_EPSILON}", "give a number such as 2")


def truth_below(epsilon: Fraction, sharpness: Fraction) -> Fraction:
    """The largest truth probability with nine decimals that keeps an epsilon: ratio 1 + sharpness theta / (1 - theta).

    Args:
        epsilon: Epsilon of the group.
        sharpness: The product of its codings'.

    Raises:
        SurveyError: If it would be 0.
    """
    odds = exp_below(epsilon) - 1
    truth = Fraction(floor(odds / (odds + sharpness) * PARTS), PARTS)
    if truth == 0:
        raise SurveyError("epsilon", "it is too small: the responses would say nothing at all", "give a larger one")
    return truth


def odds_below(epsilon: Fraction, states: int, own: int = 1) -> Fraction:
    """The largest odds with up to six decimals, e^epsilon - 1 rounded down, whose coin one word can draw.

    Args:
        epsilon: Epsilon of the group.
        states: How many combinations of answers there are to the questions that may be asked, at most.
        own: Divisor of `states` where values share codes: states / own is then the largest denominator.

    Raises:
        SurveyError: If there are none.
    """
    exact, parts = exp_below(epsilon) - 1, FINEST_ODDS
    while parts > 1 and (exact * own + states) * parts > WORD:
        parts //= 10
    odds = Fraction(floor(exact * parts), parts)
    if odds == 0 or odds * own + states > WORD:
        raise SurveyError("epsilon", "no coin of one word keeps it", "ask fewer questions, or give another epsilon")
    return odds
