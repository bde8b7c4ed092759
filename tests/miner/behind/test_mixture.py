"""The mixture behind the responses: its likelihood against brute force, its EM, its search."""

from __future__ import annotations

from itertools import islice, permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from latent_cases import em_step, every_response, joint, random_mixture, tiny_survey, yes_no_survey
from miner.behind.mixture.fit import climbed, complemented_table, grown_mixtures, oriented, prior_of, turns_of
from miner.behind.mixture.mixture import Mixture, pooled
from miner.behind.mixture.model import LatentModel, fit_latent, synthetic
from miner.behind.patterns import Layout, Patterns
from miner.responses.distinct import distinct_rows
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate


def drawn(mixture: Mixture, count: int, rng: np.random.Generator) -> Responses:
    """Disguised responses of people drawn from a mixture."""
    return simulate(mixture.survey, synthetic(LatentModel((mixture,), np.zeros(1)), count, rng), rng)


def test_the_likelihood_equals_the_sum_over_all_truths_and_coins() -> None:
    mixture = random_mixture(tiny_survey(), 3, np.random.default_rng(1))
    codes = every_response(mixture.survey)
    expected = [sum(joint(mixture, response).values()) for response in codes]

    logs = mixture.log_likelihood_of(Patterns.of(Responses(mixture.survey, codes)))

    np.testing.assert_allclose(np.exp(logs), expected, rtol=1e-12)
    assert np.exp(logs).sum() == pytest.approx(1, abs=1e-12)


def test_class_and_coin_posteriors_follow_bayes() -> None:
    mixture = random_mixture(tiny_survey(), 2, np.random.default_rng(2))
    codes = every_response(mixture.survey)[::5]
    posterior = mixture.posterior(Patterns.of(Responses(mixture.survey, codes)))

    alone = [
        sum(joint(Mixture(mixture.survey, np.ones(1), mixture.table[:, [z]]), response).values())
        for response in codes
        for z in range(2)
    ]
    classes = mixture.weights * np.reshape(alone, (-1, 2))
    np.testing.assert_allclose(posterior.classes, classes / classes.sum(axis=1, keepdims=True), rtol=1e-10)

    # the coin of the complement group said truth exactly where the true colour is the one that the code sent stands for
    for row, response in enumerate(codes):
        colour = mixture.survey.questions[0].coding.value_of(int(response[0]))
        chances = joint(mixture, response)
        kept = sum(chance for truth, chance in chances.items() if truth[0] == colour)
        assert posterior.truths()[row, 0] == pytest.approx(kept / sum(chances.values()), abs=1e-10)


def test_em_never_lowers_the_objective() -> None:
    rng = np.random.default_rng(3)
    survey = tiny_survey()
    patterns = Patterns.of(drawn(random_mixture(survey, 3, rng), 500, rng))
    for prior in (np.zeros(12), np.full(12, 0.3)):
        mixture, objectives = random_mixture(survey, 4, rng), []
        for _ in range(60):
            mixture, objective = em_step(mixture, patterns, prior)
            objectives.append(objective)

        assert np.diff(objectives).min() > -1e-8
        assert objectives[-1] > objectives[0] + 10
        assert objective <= mixture.objective(patterns, prior) + 1e-8


def test_acceleration_climbs_as_high_as_plain_em() -> None:
    rng = np.random.default_rng(4)
    survey = yes_no_survey(6, 6, "3/5")  # every question its own group: EM alone is slow
    patterns = Patterns.of(drawn(random_mixture(survey, 2, rng), 3000, rng))
    start, prior = random_mixture(survey, 2, rng), np.full(12, 0.5)
    plain = start
    for _ in range(300):
        plain, _ = em_step(plain, patterns, prior)

    fast = climbed(start, patterns, prior)

    assert fast.objective(patterns, prior) > plain.objective(patterns, prior) - 0.5


def test_at_theta_one_it_is_a_plain_mixture() -> None:
    rng = np.random.default_rng(5)
    mixture = random_mixture(yes_no_survey(4, 2, "1"), 3, rng)
    responses = drawn(mixture, 50, rng)
    factors = [table[column] for table, column in zip(mixture.tables, responses.codes.T, strict=True)]

    logs = mixture.log_likelihood_of(Patterns.of(responses))

    # codes of a yes/no question are its values here: the coding of an even prior numbers them
    np.testing.assert_allclose(np.exp(logs), np.prod(factors, axis=0) @ mixture.weights, rtol=1e-12)
    assert mixture.posterior(Patterns.of(responses)).truths().min() > 1 - 1e-12


def test_a_two_valued_question_is_disguised_alike_by_both_channels() -> None:
    rng = np.random.default_rng(6)
    even, paired = yes_no_survey(3, 3, "1/2", "uniform"), yes_no_survey(3, 3, "3/4")
    mixture = random_mixture(even, 2, rng)
    codes = every_response(even)

    uniform = mixture.log_likelihood_of(Patterns.of(Responses(even, codes)))
    other = Patterns.of(Responses(paired, codes))
    complement = Mixture(paired, mixture.weights, mixture.table).log_likelihood_of(other)

    np.testing.assert_allclose(uniform, complement, rtol=1e-12)


def test_theta_zero_reads_the_complement() -> None:
    rng = np.random.default_rng(7)
    never, always = yes_no_survey(4, 1, "0"), yes_no_survey(4, 1, "1")
    mixture = random_mixture(never, 2, rng)
    codes = every_response(never)

    lied = mixture.log_likelihood_of(Patterns.of(Responses(never, codes)))
    told = Mixture(always, mixture.weights, mixture.table).log_likelihood_of(Patterns.of(Responses(always, 1 - codes)))

    np.testing.assert_allclose(lied, told, rtol=1e-12)


def test_a_thousand_questions_in_sixty_groups_neither_underflow_nor_take_long() -> None:
    rng = np.random.default_rng(8)
    mixture = random_mixture(yes_no_survey(1000, 60, "4/5"), 2, rng)
    responses = Responses(mixture.survey, rng.integers(0, 2, (20, 1000)).astype(np.int16))

    logs = mixture.log_likelihood_of(Patterns.of(responses))

    assert np.isfinite(logs).all()
    assert logs.max() < -100


def test_rows_with_more_states_than_an_integer_holds_are_told_apart() -> None:
    rng = np.random.default_rng(9)
    rows = rng.integers(0, 2, (40, 200)).astype(np.int16)
    rows[20:] = rows[:20]

    first, inverse = distinct_rows(rows)

    assert len(first) == 20
    np.testing.assert_array_equal(rows[first][inverse], rows)


@pytest.mark.parametrize("classes", [(0,), (0, 2), (0, 1, 2)])
def test_the_gain_of_complementing_a_cell_in_some_classes_is_exact(classes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(10)
    mixture = random_mixture(yes_no_survey(6, 2, "2/3"), 3, rng)
    patterns = Patterns.of(drawn(mixture, 300, rng))
    other = Mixture(mixture.survey, mixture.weights, complemented_in(mixture, 1, classes))

    (turn,) = (each for each in turns_of(mixture, patterns) if (each.cell, each.classes) == (1, classes))

    expected = other.log_likelihood_of(patterns).sum() - mixture.log_likelihood_of(patterns).sum()
    assert turn.gain == pytest.approx(expected, abs=1e-8)
    np.testing.assert_allclose(turn.of(mixture, patterns.layout).table, other.table, atol=1e-12)


def complemented_in(mixture: Mixture, cell: int, classes: tuple[int, ...]) -> NDArray[np.float64]:
    """The table of yes/no questions with a cell complemented in some classes."""
    table = mixture.table.copy()
    for column in Layout(mixture.survey).cells[cell].columns:
        table[2 * column : 2 * column + 2, classes] = table[2 * column : 2 * column + 2, classes][::-1]
    return table


def test_complementing_twice_gives_the_table_back_where_values_have_one_code() -> None:
    mixture = random_mixture(yes_no_survey(3, 1, "2/3"), 2, np.random.default_rng(11))
    layout = Layout(mixture.survey)

    once = Mixture(mixture.survey, mixture.weights, complemented_table(mixture, layout))

    np.testing.assert_allclose(complemented_table(once, layout), mixture.table, atol=1e-12)
    np.testing.assert_allclose(once.table[0], mixture.table[1], atol=1e-12)


@pytest.mark.statistical
def test_a_class_taken_for_its_complement_is_turned_round() -> None:
    """Seeded; 40 of 40 other seeds passed, the worst at 0.47."""
    rng = np.random.default_rng(12)
    mixture = random_mixture(yes_no_survey(12, 2, "3/5"), 2, rng)
    patterns = Patterns.of(drawn(mixture, 3000, rng))
    wrong = complemented_in(mixture, 0, (1,))
    prior = np.full(24, 0.5)

    mended = oriented(climbed(Mixture(mixture.survey, mixture.weights, wrong), patterns, prior), patterns, prior)

    assert np.abs(mended.table - mixture.table).mean() < np.abs(wrong - mixture.table).mean() / 2


def even_population(rng: np.random.Generator) -> Mixture:
    """Four classes that answer nine questions in three groups; each question has margins of about one half."""
    yes = rng.choice([0.1, 0.9], (9, 2))
    yes = rng.permuted(np.hstack([yes, 1 - yes]), axis=1)
    return Mixture(yes_no_survey(9, 3, "3/5"), np.full(4, 0.25), np.stack([yes, 1 - yes], axis=1).reshape(18, 4))


def shortfall(seed: int) -> float:
    """By how many nats the mixture chosen is less likely than what EM reaches from the truth."""
    rng = np.random.default_rng(seed)
    truth = even_population(rng)
    responses = drawn(truth, 5000, rng)
    patterns = Patterns.of(responses)
    best = climbed(truth, patterns, prior_of(patterns)).log_likelihood_of(patterns).sum()
    return float(best - max(each.log_likelihood_of(patterns).sum() for each in fit_latent(responses, rng).mixtures))


@pytest.mark.statistical
@pytest.mark.parametrize("seed", [5, 11, 14])
def test_a_fit_reaches_the_maximum_of_the_truth(seed: int) -> None:
    """Seeded; without turns these ended 20 to 96 nats below. Of 24 seeds one does, with a class too few."""
    assert shortfall(seed) < 2


def recovery_error(seed: int) -> float:
    """The largest error of a table when two distinct classes are fitted to 6,000 of their own responses."""
    rng = np.random.default_rng(seed)
    survey = yes_no_survey(12, 3, "7/10")
    high = rng.uniform(0.6, 0.95, 12)
    table = np.stack([np.where(np.arange(12) % 2 == side, high, 1 - high) for side in (0, 1)], axis=1)
    truth = Mixture(survey, np.array([0.3, 0.7]), np.stack([table, 1 - table], axis=1).reshape(24, 2))
    fitted = next(islice(grown_mixtures(drawn(truth, 6000, rng), rng), 1, None))
    return float(min(np.abs(fitted.table[:, list(order)] - truth.table).max() for order in permutations(range(2))))


@pytest.mark.statistical
def test_parameters_are_recovered() -> None:
    """Seeded; of 40 other seeds none exceeded 0.08."""
    assert recovery_error(13) < 0.1


def test_the_same_seed_grows_the_same_mixture() -> None:
    rng = np.random.default_rng(14)
    responses = drawn(random_mixture(tiny_survey(), 3, rng), 200, rng)

    one, other = (next(islice(grown_mixtures(responses, np.random.default_rng(1)), 3, None)) for _ in range(2))

    np.testing.assert_array_equal(one.table, other.table)
    np.testing.assert_array_equal(one.weights, other.weights)


def test_a_pool_gives_every_response_the_mean_of_its_probabilities() -> None:
    rng, survey = np.random.default_rng(1), yes_no_survey(4, 4, "1/2", "uniform")
    mixtures = tuple(random_mixture(survey, classes, rng) for classes in (1, 2, 4))
    patterns = Patterns.of(simulate(survey, rng.integers(0, 2, (30, 4)).astype(np.int16), rng))

    found = pooled(mixtures)

    wanted = np.mean([np.exp(each.log_likelihood_of(patterns)) for each in mixtures], axis=0)
    np.testing.assert_allclose(np.exp(found.log_likelihood_of(patterns)), wanted)
    assert found.classes == 7
    assert found.weights.sum() == pytest.approx(1)
