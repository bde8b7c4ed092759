"""Codings: the balanced one is optimal, Szucs's follows the paper, and both keep every value apart."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from channels import complement
from collector.coding.anonymity import anonymity_bound, binary_entropy, pair_anonymity
from collector.coding.coding import (
    WORD,
    Coding,
    balanced_coding,
    plain_coding,
    szucs_coding,
)
from collector.disclosure.accounting import code_distribution
from collector.errors import SurveyError
from collector.survey.question import Question
from collector.survey.text import Text
from exact_tables import binary_anonymity

HALF = Fraction(1, 2)
priors = st.lists(st.integers(1, 60), min_size=2, max_size=12).map(
    lambda weights: tuple(Fraction(weight, sum(weights)) for weight in weights)
)
truths = st.fractions(0, 1, max_denominator=50).filter(lambda theta: theta != HALF)


def shares(*weights: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def anonymity(prior: tuple[Fraction, ...], coding: Coding, truth: Fraction) -> float:
    """By the general definition, from the joint distribution of value and code sent."""
    values = tuple(f"v{index}" for index in range(len(prior)))
    return binary_anonymity(Question("q", Text.of(en="Q"), "choice", values, prior, coding), complement(truth))


def random_prior(draw: random.Random, values: int) -> tuple[Fraction, ...]:
    """As often with one value above one half as without."""
    weights = [draw.randint(1, 1000) for _ in range(values)]
    if draw.random() < 0.5:
        weights[draw.randrange(values)] += sum(weights)
    return shares(*weights)


# The balanced coding


def test_the_balanced_coding_reaches_the_bound_on_1000_random_priors() -> None:
    draw = random.Random(20131)  # noqa: S311 - a seeded test, not a coin
    worst = 0.0
    for number in range(1000):
        prior = random_prior(draw, 2 + number % 11)
        truth = Fraction(draw.choice([0, *range(1, 25), *range(26, 51)]), 50)
        top = max(prior)
        bound = binary_entropy(truth) if top <= HALF else pair_anonymity(top, truth)
        worst = max(worst, abs(anonymity(prior, balanced_coding(prior), truth) - bound))
    assert worst < 1e-9


@given(priors)
def test_every_value_has_a_partner_that_is_another_value(prior: tuple[Fraction, ...]) -> None:
    coding = balanced_coding(prior)
    for code in coding.codes:
        value, partner = coding.value_of(code), coding.value_of(coding.complement(code))
        assert value is not None
        assert partner is not None
        assert value != partner


@given(priors)
def test_codes_and_their_complements_are_equally_frequent_unless_one_value_holds_over_half(
    prior: tuple[Fraction, ...],
) -> None:
    coding = balanced_coding(prior)
    chance = code_distribution(coding, prior)
    assert sum(chance.values()) == 1
    if max(prior) <= HALF:
        assert all(chance[code] == chance[coding.complement(code)] for code in coding.codes)
    else:
        top = prior.index(max(prior))
        odds = {chance[code] / chance[coding.complement(code)] for code in coding.codes_of(top)}
        assert odds == {prior[top] / (1 - prior[top])}


@given(priors)
def test_a_value_is_drawn_as_often_as_its_prior_says(prior: tuple[Fraction, ...]) -> None:
    coding = balanced_coding(prior)
    for value in range(len(prior)):
        draws = coding.draw_probabilities(value)
        assert sum(draws.values()) == 1
        assert tuple(draws) == coding.codes_of(value)
        assert {coding.value_of(code) for code in draws} == {value}


@given(priors)
def test_the_balanced_coding_has_at_most_two_codes_per_value(prior: tuple[Fraction, ...]) -> None:
    assert len(balanced_coding(prior).codes) <= 2 * len(prior)


def test_two_values_have_the_codes_0_and_1_whatever_their_prior() -> None:
    for prior in (shares(1, 1), shares(1, 4), shares(9, 1)):
        assert balanced_coding(prior).draws in {(((0, 1),), ((1, 1),)), (((1, 1),), ((0, 1),))}


def test_three_values_of_the_example_share_out_as_published() -> None:
    coding = balanced_coding((Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)))
    assert coding.codes == (0, 1, 2, 3)
    assert coding.complements == (3, 2, 1, 0)
    assert [len(draws) for draws in coding.draws] == [2, 1, 1]
    assert sorted(weight for _, weight in coding.draws[0]) == [2, 3]


@cache
def best_anonymity(units: tuple[int, ...], total: int, truth: Fraction) -> float:
    """The most any coding can reach whose pairs hold whole units of probability: an exhaustive search.

    A pair of codes holds `first` units of one value and `second` of another; both codes may belong to one value, or
    one code to none, and then the pair keeps nothing unknown.
    """
    left = next((value for value, unit in enumerate(units) if unit), None)
    if left is None:
        return 0.0
    best = 0.0
    for first in range(1, units[left] + 1):
        rest = list(units)
        rest[left] -= first
        best = max(best, best_anonymity(tuple(rest), total, truth))
        for other in range(left + 1, len(units)):
            for second in range(1, units[other] + 1):
                after = rest.copy()
                after[other] -= second
                gain = (first + second) / total * pair_anonymity(Fraction(first, first + second), truth)
                best = max(best, gain + best_anonymity(tuple(after), total, truth))
    return best


@pytest.mark.parametrize("truth", [Fraction(3, 5), Fraction(4, 5), Fraction(1, 10)])
@pytest.mark.parametrize(("values", "total"), [(2, 12), (3, 12), (4, 10), (5, 8)])
def test_an_exhaustive_search_finds_nothing_better(values: int, total: int, truth: Fraction) -> None:
    for units in combinations_with_replacement(range(1, total), values):
        if sum(units) != total:
            continue
        prior = shares(*units)
        found, ours = best_anonymity(units, total, truth), anonymity(prior, balanced_coding(prior), truth)
        assert found <= ours + 1e-12
        if max(prior) <= HALF:
            assert found == pytest.approx(ours, abs=1e-12)


def randomised_anonymity(masses: NDArray[np.float64], truth: float) -> float:
    """H(value | response) where pair (i, j) of codes holds masses[i, j] of value i and masses[j, i] of value j.

    The pair (i, i) has both codes for one value, and keeps nothing unknown.
    """
    own, partner = masses, masses.T
    joint = np.array([truth * own, (1 - truth) * partner])
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.nan_to_num(joint * np.log2(joint.sum(axis=0) / joint))
    np.fill_diagonal(bits[0], 0)
    np.fill_diagonal(bits[1], 0)
    return float(bits.sum())


def best_found(prior: Sequence[Fraction], truth: float, starts: int, seed: int) -> float:
    """The best randomised coding that an optimiser finds: each value's mass spread over partners by a softmax."""
    k, rng = len(prior), np.random.default_rng(seed)
    mass = np.array([float(share) for share in prior])

    def loss(logits: NDArray[np.float64]) -> float:
        spread = np.exp(logits.reshape(k, k) - logits.reshape(k, k).max(axis=1, keepdims=True))
        return -randomised_anonymity(mass[:, None] * spread / spread.sum(axis=1, keepdims=True), truth)

    return max(-minimize(loss, rng.normal(0, 2, k * k), method="L-BFGS-B").fun for _ in range(starts))


@pytest.mark.parametrize(
    ("weights", "truth"),
    [
        ((5, 3, 2), Fraction(4, 5)),
        ((4, 3, 3), Fraction(3, 5)),
        ((7, 2, 1), Fraction(3, 4)),
        ((4, 3, 2, 1), Fraction(4, 5)),
        ((6, 2, 1, 1), Fraction(1, 5)),
        ((3, 3, 2, 1, 1), Fraction(2, 3)),
    ],
)
def test_an_optimiser_over_randomised_codings_finds_nothing_better(weights: tuple[int, ...], truth: Fraction) -> None:
    prior = shares(*weights)
    ours = anonymity(prior, balanced_coding(prior), truth)
    found = best_found(prior, float(truth), starts=5, seed=7)
    assert found <= ours + 1e-9
    assert found >= ours - 1e-3, "the optimiser did not get near the optimum, so it shows nothing"


@given(priors, truths)
def test_the_bound_is_never_above_the_prior_entropy_nor_the_coin(prior: tuple[Fraction, ...], truth: Fraction) -> None:
    bound = anonymity_bound(prior, truth)
    assert bound <= binary_entropy(truth) + 1e-12
    assert bound <= sum(float(share) * -log2(share) for share in prior) + 1e-12
    assert max(prior) > HALF or bound == pytest.approx(binary_entropy(truth), abs=1e-12)


# Szucs's coding


@pytest.mark.parametrize(("share", "bits"), [(Fraction(1, 2), 1.0), (Fraction(4, 5), 0.722)])
def test_figure_1_of_the_paper_at_truth_one_half(share: Fraction, bits: float) -> None:
    assert pair_anonymity(share, HALF) == pytest.approx(bits, abs=5e-4)


def test_neighbours_by_frequency_are_complements() -> None:
    prior = shares(10, 40, 20, 30)
    coding = szucs_coding(prior)
    (low,), (most,), (third,), (second,) = (coding.codes_of(value) for value in range(4))
    assert coding.complement(most) == second
    assert coding.complement(third) == low
    assert coding.codes == (0, 1, 2, 3)


@given(priors)
def test_szucs_coding_follows_the_papers_rule(prior: tuple[Fraction, ...]) -> None:
    coding = szucs_coding(prior)
    ranked = sorted(range(len(prior)), key=lambda value: -prior[value])
    alone = [value for value in ranked if coding.value_of(coding.complement(coding.codes_of(value)[0])) is None]
    assert max(coding.codes) == 2 ** ceil(log2(len(prior))) - 1
    assert all(draws == ((draws[0][0], 1),) for draws in coding.draws), "one code per value"
    if len(ranked) % 2 == 0:
        assert alone == []
        paired = ranked
    else:
        assert alone == [ranked[-1]]
        paired = [value for value in ranked if value not in alone]
    for first, second in zip(paired[::2], paired[1::2], strict=True):
        assert coding.complement(coding.codes_of(first)[0]) == coding.codes_of(second)[0]


@given(priors.filter(lambda prior: len(prior) % 2), truths)
def test_odd_szucs_coding_leaves_alone_whichever_end_keeps_more_unknown_and_that_is_the_least_frequent(
    prior: tuple[Fraction, ...], truth: Fraction
) -> None:
    ranked = sorted(prior, reverse=True)

    def kept(paired: Sequence[Fraction]) -> float:
        return sum(
            float(first + second) * pair_anonymity(first / (first + second), truth)
            for first, second in zip(paired[::2], paired[1::2], strict=True)
        )

    without_last, without_first = kept(ranked[:-1]), kept(ranked[1:])
    ours = anonymity(prior, szucs_coding(prior), truth)
    assert ours == pytest.approx(max(without_last, without_first), abs=1e-9)
    assert without_last >= without_first - 1e-12, "docs/guarantee.md says so"


@pytest.mark.parametrize("prior", [shares(6, 3, 1), shares(34, 33, 33), shares(98, 1, 1)])
def test_the_value_left_alone_in_three_is_certain(prior: tuple[Fraction, ...]) -> None:
    coding = szucs_coding(prior)
    (alone,) = coding.codes_of(2)
    assert coding.value_of(coding.complement(alone)) is None
    paired = float(prior[0] + prior[1]) * pair_anonymity(prior[0] / (prior[0] + prior[1]), Fraction(4, 5))
    assert anonymity(prior, coding, Fraction(4, 5)) == pytest.approx(paired, abs=1e-12)


@given(priors, truths)
def test_szucs_coding_never_beats_the_balanced_one(prior: tuple[Fraction, ...], truth: Fraction) -> None:
    szucs = anonymity(prior, szucs_coding(prior), truth)
    assert szucs <= anonymity(prior, balanced_coding(prior), truth) + 1e-9


# Plain codings, and what no coding may be


def test_a_plain_coding_numbers_the_values_and_has_no_complement() -> None:
    coding = plain_coding(3)
    assert coding.codes == (0, 1, 2)
    assert [coding.value_of(code) for code in coding.codes] == [0, 1, 2]
    with pytest.raises(ValueError, match="no complement"):
        coding.complement(0)


def test_replacements_that_are_all_as_likely_are_not_published() -> None:
    assert plain_coding(3, shares(1, 1, 1)) == plain_coding(3)
    assert plain_coding(2, shares(2, 4)).replacement == (1, 2)


def test_a_code_that_is_none_has_no_complement() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        balanced_coding(shares(1, 1)).complement(2)


def test_a_prior_too_fine_for_one_word_is_refused() -> None:
    fine = Fraction(1, WORD + 15)
    with pytest.raises(SurveyError) as raised:
        balanced_coding((fine, HALF - fine, HALF))
    assert raised.value.place == "prior"
    assert "1/2^32" in raised.value.problem


PAIR = (((0, 1),), ((1, 1),))
CONTRADICTIONS: dict[
    str, tuple[str, tuple[int, ...], tuple[int, ...] | None, tuple[tuple[tuple[int, int], ...], ...]]
] = {
    "not ascending": ("balanced", (1, 0), (0, 1), PAIR),
    "not ascending non-negative integers": ("plain", (-1, 0), None, (((-1, 1),), ((0, 1),))),
    "a code is larger than": ("balanced", (0, 2**15 * 2 - 1), (2**15 * 2 - 1, 0), (((0, 1),), ((2**16 - 1, 1),))),
    "a value has a code that is not among the codes": ("balanced", (), (), PAIR),
    "a value has no code": ("balanced", (0, 1), (1, 0), (((0, 1),), ())),
    "a code stands for two values": ("balanced", (0, 1), (1, 0), (((0, 1),), ((0, 1),))),
    "not among the codes": ("balanced", (0, 1), (1, 0), (((0, 1),), ((2, 1),))),
    "a weight is not positive": ("balanced", (0, 1), (1, 0), (((0, 0),), ((1, 1),))),
    "more than 2\\^32": ("balanced", (0, 1), (1, 0), (((0, WORD + 1),), ((1, 1),))),
    "numbers its values from 0": ("plain", (0, 1), None, (((1, 1),), ((0, 1),))),
    "a plain coding numbers": ("plain", (0, 1), (1, 0), PAIR),
    "the scheme is not": ("other", (0, 1), (1, 0), PAIR),
    "does not flip all bits": ("balanced", (0, 1), (0, 1), PAIR),
    "a complement does not flip": ("szucs", (0, 2), (2, 0), (((0, 1),), ((2, 1),))),
}


@pytest.mark.parametrize("problem", CONTRADICTIONS)
def test_a_coding_that_contradicts_itself_is_refused(problem: str) -> None:
    remedy = "publish the survey file again instead of editing the design"
    with pytest.raises(SurveyError, match=f"^coding: .*{problem}.*; {remedy}$"):
        Coding(*CONTRADICTIONS[problem])


@pytest.mark.parametrize("cuts", range(2, 7))
def test_threshold_bits_would_show_which_responses_are_complements(cuts: int) -> None:
    """Why numbers are not coded by one bit per cut point: only the two ends have a complement that is an answer."""
    answers = {tuple(bit < interval for bit in range(cuts)) for interval in range(cuts + 1)}
    complements = {tuple(not bit for bit in answer) for answer in answers}
    assert len(answers & complements) == 2
    intervals = balanced_coding(shares(*[1] * (cuts + 1)))
    assert all(intervals.value_of(intervals.complement(code)) is not None for code in intervals.codes)


def test_a_value_of_just_half_the_prior_keeps_the_codes_that_published_designs_gave_it() -> None:
    assert balanced_coding(shares(1, 1)).draws == (((0, 1),), ((1, 1),))
    assert balanced_coding(shares(2, 1, 1)).draws == (((0, 1), (1, 1)), ((2, 1),), ((3, 1),))


def test_weights_of_a_replacement_may_need_a_whole_word_and_no_more() -> None:
    assert plain_coding(2, (Fraction(1, WORD), Fraction(WORD - 1, WORD))).replacement == (1, WORD - 1)
    with pytest.raises(SurveyError, match="multiples of 1/2"):
        plain_coding(2, (Fraction(1, WORD + 1), Fraction(WORD, WORD + 1)))


def test_entropy_is_nought_at_its_ends() -> None:
    assert (binary_entropy(0), binary_entropy(1), binary_entropy(HALF)) == (0, 0, 1)
