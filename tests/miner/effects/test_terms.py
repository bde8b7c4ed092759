"""Values on a scale: which effects go together, and that it helps to know."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import block_diag  # type: ignore[import-untyped] # it has no types

from collector.channel.channel import channel
from collector.coding.coding import plain_coding
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from collector.survey.text import Text
from miner.arrays import Floats
from miner.effects.terms import Term, Terms, centred, root_covariance
from miner.learners.logit import LogitClassifier
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate


def question(kind: str, count: int, name: str = "q") -> Question:
    words = ("yes", "no") if kind == "yes_no" else tuple(f"v{value}" for value in range(count))
    return Question(name, Text.of(en=name), kind, words, (Fraction(1, count),) * count, plain_coding(count))


def survey_of(*questions: Question, truth: str = "1/2") -> Survey:
    """Each question with a coin of its own; the class is the second."""
    coin = channel("uniform", Fraction(truth))
    groups = tuple(Group(f"g_{each.name}", coin, (each.name,)) for each in questions)
    return Survey("scales", Text.of(en="s"), ("en",), questions, groups, questions[1].name)


def covariance(count: int) -> Floats:
    one = root_covariance(question("scale", count))
    return np.asarray(one @ one.T)


@pytest.mark.parametrize(("kind", "count"), [("choice", 5), ("yes_no", 2), ("scale", 2)])
def test_without_order_and_of_two_values_effects_are_independent(kind: str, count: int) -> None:
    np.testing.assert_array_equal(root_covariance(question(kind, count)), np.eye(count))


def test_values_beside_a_scale_have_effects_of_their_own() -> None:
    words = ("v0", "v1", "v2", "prefer_not_to_say", "no_answer")
    beside = Question("q", Text.of(en="q"), "scale", words, (Fraction(1, 5),) * 5, plain_coding(5))
    np.testing.assert_array_equal(root_covariance(beside), block_diag(root_covariance(question("scale", 3)), np.eye(2)))


def test_of_three_values_the_slope_goes_nine_times_as_far_as_the_bend() -> None:
    """By hand: the path's Laplacian has eigenvalues 0, 1 and 3, of (1, 1, 1), (1, 0, -1) and (1, -2, 1)."""
    found = covariance(3)

    for mode, variance in (([1, 1, 1], 1), ([1, 0, -1], 9 / 5), ([1, -2, 1], 1 / 5)):
        np.testing.assert_allclose(found @ mode, np.multiply(variance, mode), atol=1e-12)


@pytest.mark.parametrize("count", [3, 4, 7, 40, 256])
def test_effects_on_a_scale_vary_as_much_as_without_and_neighbours_are_most_alike(count: int) -> None:
    found = covariance(count)

    assert np.trace(found) == pytest.approx(count)
    for nearer, further in pairwise(found[0]):
        assert nearer > further


SURVEY = survey_of(
    question("scale", 3, "a"), question("yes_no", 2, "b"), question("choice", 2, "c"), question("scale", 4, "d")
)
SHARES = np.array([0.2, 0.3, 0.5, 0.1, 0.9, 0.6, 0.4, 0.25, 0.25, 0.1, 0.4])


def roots() -> list[Floats]:
    """Of the four questions."""
    places = [0, 3, 5, 7, 11]
    return [
        centred(root_covariance(each), SHARES[slice(*places[column : column + 2])])
        for column, each in enumerate(SURVEY.questions)
    ]


def terms(*which: Term) -> Terms:
    """Of these questions; the population's shares of values are `SHARES`."""
    return Terms(SURVEY, which, tuple(np.split(SHARES, [3, 5, 7])))


def test_effects_have_mean_nothing_over_the_answers_of_the_population() -> None:
    free = np.random.default_rng(1).normal(size=(3 + 12, 2))
    found = terms((0,), (0, 3)).roots @ free
    single, pair = found[:3], found[3:].reshape(3, 4, 2)
    np.testing.assert_allclose(SHARES[:3] @ single, 0, atol=1e-12)
    np.testing.assert_allclose(np.einsum("uvy,u->vy", pair, SHARES[:3]), 0, atol=1e-12)
    np.testing.assert_allclose(np.einsum("uvy,v->uy", pair, SHARES[7:]), 0, atol=1e-12)
    assert np.abs(single).max() > 0.1
    assert np.abs(pair).max() > 0.1


def test_effects_of_pairs_have_the_product_of_both_covariances() -> None:
    whole = terms((0,), (2,), (0, 2), (2, 3)).roots.toarray()
    one, _, two, three = roots()
    np.testing.assert_allclose(whole, block_diag(one, two, np.kron(one, two), np.kron(two, three)), atol=1e-12)


@pytest.mark.statistical
def test_a_share_that_rises_along_a_scale_is_found_more_exactly_than_without_order() -> None:
    """Seeded. Errors came as .033 to .059 on the scale and .063 to .103 without."""
    rng = np.random.default_rng(3)
    wanted = np.linspace(0.2, 0.8, 8)
    scaled = survey_of(question("scale", 8, "a"), question("yes_no", 2, "b"), truth="1/2")
    plain = replace(scaled, questions=(question("choice", 8, "a"), scaled.questions[1]))
    rows = np.column_stack([np.arange(8), np.zeros(8)]).astype(np.int16)
    errors: dict[str, list[float]] = {"scale": [], "choice": []}
    for _ in range(6):
        values = rng.integers(0, 8, 2000)
        truth = np.column_stack([values, rng.random(2000) < wanted[values]]).astype(np.int16)
        sent = simulate(scaled, truth, rng)
        for survey in (scaled, plain):
            model = LogitClassifier(survey, "b", random_state=4).fit(Responses(survey, sent.codes).frame)
            gaps = np.abs(model.probabilities(rows)[:, 1] - wanted)
            errors[survey.questions[0].kind].append(float(gaps.mean()))

    assert np.mean(errors["scale"]) < 0.7 * np.mean(errors["choice"])
