"""Readings of shared codes fitted to frequencies: unbiased whatever these are, and the least variable at them."""

from __future__ import annotations

import numpy as np
import pytest

from collector.coding.coding import Coding, block_coding
from miner.arrays import Floats
from miner.weights.fitted_inverse import FittedReading
from miner.weights.fitted_inverse import likely_frequencies as frequencies_of_sums

CODINGS = {
    "subsets": block_coding("subsets", 6, 2),
    "projective": block_coding("projective", 5, 2),
    "all of a projective plane": block_coding("projective", 7, 2),
    "cyclotomic": block_coding("cyclotomic", 7, 7, 3),
    "cyclotomic, with elements that stand for nothing": block_coding("cyclotomic", 6, 9, 4),
    "thresholds": block_coding("thresholds", 5),
}


@pytest.fixture(params=list(CODINGS))
def coding(request: pytest.FixtureRequest) -> Coding:
    return CODINGS[request.param]


def some_frequencies(coding: Coding, seed: int, *, rare: float = 0.3) -> Floats:
    return np.random.default_rng(seed).dirichlet(np.full(len(coding.draws), rare))


def transition(coding: Coding, truth: float) -> Floats:
    """P(code | value), shape (codes, values), by the definition of the channel."""
    chances = np.zeros((len(coding.codes), len(coding.draws)))
    for place, code in enumerate(coding.codes):
        for value in range(len(coding.draws)):
            own = float(coding.draw_probabilities(value).get(code, 0))
            chances[place, value] = truth * own + (1 - truth) * float(coding.replacement_probabilities[code])
    return chances


def counted(coding: Coding, reading: Floats, truth: float) -> Floats:
    """What each code counts for each value, the replacements' mean taken off."""
    own = reading[list(coding.codes)]
    chances = np.array([float(coding.replacement_probabilities[code]) for code in coding.codes])
    return (own - (1 - truth) * (chances @ own)) / truth


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("truth", [0.2, 0.7, 1.0])
def test_it_is_unbiased_for_every_value_whatever_frequencies_and_theta_it_was_fitted_to(
    coding: Coding, truth: float, seed: int
) -> None:
    reading = FittedReading(coding, 0.5, some_frequencies(coding, seed)).reading
    means = transition(coding, truth).T @ counted(coding, reading, truth)
    assert means == pytest.approx(np.eye(len(coding.draws)), abs=1e-12)
    assert reading[list(coding.codes)].sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_no_other_unbiased_reading_varies_less_at_its_frequencies(coding: Coding) -> None:
    """Any other differs by something that no value makes likelier: by a vector that the transition takes to 0."""
    truth, frequencies = 0.6, some_frequencies(coding, 1)
    chances, fitted = transition(coding, truth), FittedReading(coding, truth, frequencies)
    found, seen = counted(coding, fitted.reading, truth), transition(coding, truth) @ frequencies
    assert seen @ found**2 - frequencies**2 == pytest.approx(fitted.variances, abs=1e-12)
    others = np.linalg.svd(chances.T)[2][len(coding.draws) :]
    assert (others.size > 0) == (len(coding.codes) > len(coding.draws))
    assert (others * seen) @ found == pytest.approx(0, abs=1e-12)  # hence their squares only add


def test_it_varies_less_than_the_published_one_where_answers_are_uneven_and_is_it_where_they_are_even() -> None:
    coding, truth = CODINGS["subsets"], 0.6
    published = np.array([[float(each) for each in coding.reading[code]] for code in coding.codes])
    even = FittedReading(coding, truth, np.full(6, 1 / 6)).reading
    assert even[list(coding.codes)] == pytest.approx(published, abs=1e-12)
    frequencies = np.array([0.9, 0.02, 0.02, 0.02, 0.02, 0.02])
    seen = transition(coding, truth) @ frequencies
    least = FittedReading(coding, truth, frequencies).variances.sum()
    assert least < 0.8 * (seen @ counted(coding, published, truth) ** 2 - frequencies**2).sum()


def likely_frequencies(terms: Floats, counts: Floats) -> Floats:
    """From what each response counts for each value, shape (values, responses)."""
    return frequencies_of_sums(np.stack([terms @ counts, terms**2 @ counts], axis=1), float(counts.sum()))


def terms_of(frequencies: Floats, people: int, deviation: float) -> Floats:
    """Terms of responses: indicators of values with noise that adds up to 0."""
    rng = np.random.default_rng(3)
    noise = rng.normal(0, deviation, (len(frequencies), people))
    values = np.eye(len(frequencies))[rng.choice(len(frequencies), people, p=frequencies)].T
    return np.asarray(values + noise - noise.mean(axis=0))


def test_many_people_tell_frequencies_and_a_few_hardly_any() -> None:
    frequencies, even = np.array([0.7, 0.2, 0.05, 0.05]), np.full(4, 1 / 4)
    many = likely_frequencies(terms_of(frequencies, 100_000, 1.0), np.ones(100_000))
    assert many == pytest.approx(frequencies, abs=0.015)
    few = likely_frequencies(terms_of(frequencies, 20, 5.0), np.ones(20))
    assert abs(few - even).max() < abs(terms_of(frequencies, 20, 5.0).mean(axis=1) - even).max() / 2
    assert likely_frequencies(terms_of(frequencies, 1, 1.0), np.ones(1)) == pytest.approx(even)


def test_shares_whose_spread_is_no_more_than_noise_are_taken_for_even_ones() -> None:
    noise = np.random.default_rng(5).normal(0, 1, (4, 100))
    balanced = np.concatenate([np.roll(noise - noise.mean(axis=0), turn, axis=0) for turn in range(4)], axis=1) + 1 / 4
    tilted = balanced + np.array([[0.01], [0.01], [-0.01], [-0.01]])
    assert likely_frequencies(tilted, np.ones(400)) == pytest.approx(np.full(4, 1 / 4), abs=1e-12)


def test_frequencies_are_above_0_add_up_to_1_and_count_people() -> None:
    terms = terms_of(np.array([0.97, 0.01, 0.02]), 50, 0.3)
    found = likely_frequencies(terms, np.ones(50))
    assert found.min() > 0
    assert found.sum() == pytest.approx(1)
    assert likely_frequencies(terms, np.full(50, 2.0)) == pytest.approx(
        likely_frequencies(np.hstack([terms, terms]), np.ones(100))
    )
