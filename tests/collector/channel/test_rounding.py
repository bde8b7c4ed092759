"""Rounding: what is published never exceeds its epsilon, proved with fractions, and falls short by next to nothing."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.channel.rounding import exp_below, odds_below, truth_below
from collector.coding.coding import WORD
from collector.errors import SurveyError

epsilons = st.fractions(Fraction(1, 1000), 20, max_denominator=1000)


def exact_exp(epsilon: Fraction) -> Fraction:
    """e^epsilon to 60 digits, by the decimal library."""
    with localcontext() as context:
        context.prec = 80
        return Fraction((Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp())


@given(st.fractions(0, 100, max_denominator=1000))
def test_the_bound_is_below_e_to_the_epsilon_and_close_to_it(epsilon: Fraction) -> None:
    bound = exp_below(epsilon)
    assert bound <= exact_exp(epsilon) * (1 + Fraction(1, 10**75))
    assert exact_exp(epsilon) - bound < Fraction(1, 2**90) + exact_exp(epsilon) / 10**75


@given(epsilons, st.integers(2, 1000))
def test_a_truth_probability_keeps_its_epsilon_and_nine_decimals(epsilon: Fraction, states: int) -> None:
    try:
        truth = truth_below(epsilon, Fraction(states))
    except SurveyError:
        assert exact_exp(epsilon) - 1 < Fraction(states + 1, 10**9)
        return
    assert 10**9 % truth.denominator == 0
    assert truth.denominator <= WORD
    assert 1 + truth / (1 - truth) * states <= exact_exp(epsilon)
    more = truth + Fraction(1, 10**9)
    assert more >= 1 or 1 + more / (1 - more) * states > exact_exp(epsilon)


@given(epsilons, st.integers(2, 10**6))
def test_odds_keep_their_epsilon_and_one_word(epsilon: Fraction, states: int) -> None:
    odds = odds_below(epsilon, states)
    assert 1 + odds <= exact_exp(epsilon)
    assert odds.numerator + odds.denominator * states <= WORD
    assert exact_exp(epsilon) - 1 - odds <= max(Fraction(1, 10**6), (exact_exp(epsilon) + states) * 10 / WORD)


@pytest.mark.parametrize(("epsilon", "states"), [(Fraction(23), 2), (Fraction(1), 2**32), (Fraction(1, 10**10), 8)])
def test_an_epsilon_that_no_coin_keeps_is_refused(epsilon: Fraction, states: int) -> None:
    with pytest.raises(SurveyError, match=r"2\^32"):
        odds_below(epsilon, states)
