"""One code of two answers, read as fitted to frequencies: unbiased over every code, and the least variable."""

from __future__ import annotations

import numpy as np
import pytest

from collector.pair_coding import PairCoding
from miner.fitted_pairs import MOST_STEPS, FittedPair, can_be_fitted
from miner.pair_codes import PairCodes
from miner.pair_sets import affine_sums, subset_sums
from miner.weights import Floats

TRUTH = 0.55
CODINGS = {
    "masks": PairCoding(6, "subsets", 6, 2),
    "masks of more": PairCoding(8, "subsets", 8, 4),
    "maps": PairCoding(7, "affine", 7, 3),
    "maps, with points that stand for nothing": PairCoding(8, "affine", 11, 3),
}


@pytest.fixture(params=list(CODINGS))
def coding(request: pytest.FixtureRequest) -> PairCoding:
    return CODINGS[request.param]


def counts_of(fitted: FittedPair, coding: PairCoding) -> Floats:
    """What every code counts for every combination, shape (codes, K)."""
    codes = every_code(coding)
    return np.stack([fitted.counted(codes, np.array([each])) for each in range(coding.combinations)], axis=1)


def every_code(coding: PairCoding) -> PairCodes:
    """A response of each code."""
    codes = np.array(list(coding.codes), np.int64)
    sizes = (1, coding.combinations)
    return PairCodes(coding, (0, 1), sizes, np.arange(len(codes)), codes[:, 0], codes[:, 1])


def transition(coding: PairCoding) -> Floats:
    """P(code | combination), shape (codes, K), by the definition of the channel."""
    has = np.array([[coding.has(code, each) for each in range(coding.combinations)] for code in coding.codes], float)
    return np.asarray(TRUTH * has / has.sum(axis=0) + (1 - TRUTH) / len(has))


def some_frequencies(coding: PairCoding, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).dirichlet(np.full(coding.combinations, 0.4))


@pytest.mark.parametrize("seed", range(3))
def test_it_is_unbiased_for_every_combination_whatever_frequencies_it_was_fitted_to(
    coding: PairCoding, seed: int
) -> None:
    counts = counts_of(FittedPair(coding, TRUTH, some_frequencies(coding, seed)), coding)
    assert transition(coding).T @ counts == pytest.approx(np.eye(coding.combinations), abs=1e-12)
    assert counts.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_no_other_unbiased_reading_varies_less_at_its_frequencies(coding: PairCoding) -> None:
    frequencies, chances = some_frequencies(coding), transition(coding)
    fitted = FittedPair(coding, TRUTH, frequencies)
    counts, seen = counts_of(fitted, coding), chances @ frequencies
    assert seen @ counts**2 - frequencies**2 == pytest.approx(fitted.variances, abs=1e-12)
    others = np.linalg.svd(chances.T)[2][coding.combinations :]
    assert len(others) > 0
    assert (others * seen) @ counts == pytest.approx(0, abs=1e-12)  # hence their squares only add
    published = sum(coding.variance(each, 1 / coding.combinations, TRUTH) for each in frequencies.tolist())
    assert fitted.variances.sum() < published


def test_no_code_counts_more_or_less_than_its_range(coding: PairCoding) -> None:
    fitted = FittedPair(coding, TRUTH, some_frequencies(coding))
    for event in (*np.arange(coding.combinations)[:, None], np.array([1, 4]), np.arange(coding.combinations)):
        counts = fitted.counted(every_code(coding), event)
        low, high = fitted.range(event)
        assert low <= counts.min() + 1e-12
        assert high >= counts.max() - 1e-12
        if coding.scheme == "subsets":
            assert (low, high) == pytest.approx((counts.min(), counts.max()))


def test_the_compiled_sums_are_over_every_code(coding: PairCoding) -> None:
    amounts = np.random.default_rng(2).random(coding.combinations + 1) + 0.1
    has = np.array([[coding.has(code, each) for each in range(coding.combinations)] for code in coding.codes], float)
    points = np.column_stack([has, np.ones(len(has))])
    sums = affine_sums if coding.scheme == "affine" else subset_sums
    expected = points.T @ (points / (points @ amounts)[:, None])
    assert sums(coding.points, coding.size, amounts) == pytest.approx(expected)


def test_plain_codes_and_sums_that_would_take_long_are_left_as_published() -> None:
    assert not can_be_fitted(PairCoding(6, "plain", 6, 1))
    assert can_be_fitted(PairCoding(294, "affine", 307, 83))
    large = PairCoding(672, "affine", 673, 182)
    assert large.count * large.size**2 > MOST_STEPS
    assert not can_be_fitted(large)
