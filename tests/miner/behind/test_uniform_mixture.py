"""A mixture under the uniform channel: one coin for what is asked, shared codes, what was not asked."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from benchmarks.exact_table import transition_of
from collector.channel.channel import channel
from collector.channel.value_channel import value_transition
from collector.coding.coding import block_coding, plain_coding
from collector.survey.survey import Group, Survey
from collector.survey.text import Text
from latent_cases import coded_question, em_step, random_mixture, sampled_survey
from miner.behind.mixture.mixture import Mixture
from miner.behind.patterns import Layout, Patterns
from miner.responses.responses import NOT_ASKED, Responses
from miner.simulation.simulation import simulate


def chance(survey: Survey, mixture: Mixture, response: tuple[int, ...]) -> float:
    """P(response) of a survey of one group, by the exact transition matrix of what was asked."""
    asked = [column for column, code in enumerate(response) if code != NOT_ASKED]
    codings = [survey.questions[column].coding for column in asked]
    names = [survey.questions[column].name for column in asked]
    matrix = transition_of(survey.channel_at(survey.groups[0], names), codings)
    states = list(product(*(coding.codes for coding in codings)))
    sent = states.index(tuple(response[column] for column in asked))
    whole = 0.0
    for z, weight in enumerate(mixture.weights):
        for row, truth in enumerate(states):
            own = np.prod([mixture.tables[column][code, z] for column, code in zip(asked, truth, strict=True)])
            whole += float(weight * own) * float(matrix[row][sent])
    return whole


def test_the_likelihood_of_what_was_asked_is_that_of_the_exact_transition() -> None:
    survey = sampled_survey((2, 3, 2), 2, "5")
    mixture = random_mixture(survey, 3, np.random.default_rng(1))
    rows = [(*pair, code) for code in range(2) for pair in [(0, -1), (1, -1), (-1, 0), (-1, 1), (-1, 2)]]

    found = np.exp(mixture.log_likelihood_of(Patterns.of(Responses(survey, np.array(rows, np.int16)))))

    np.testing.assert_allclose(found, [chance(survey, mixture, row) for row in rows], rtol=1e-10)
    np.testing.assert_allclose(found.sum(), 2, rtol=1e-10)  # once for either draw of the questions


def test_the_likelihood_through_a_block_coding_is_that_of_its_transition() -> None:
    coding = block_coding("subsets", 4, 2)
    channels = (channel("uniform", Fraction(1, 2)), channel("uniform", Fraction(2, 3)))
    questions = coded_question("many", coding), coded_question("two", plain_coding(2))
    groups = tuple(Group(f"g_{each.name}", one, (each.name,)) for each, one in zip(questions, channels, strict=True))
    survey = Survey("blocks", Text.of(en="s"), ("en",), questions, groups, "two")
    mixture = random_mixture(survey, 2, np.random.default_rng(2))
    rows = np.array(list(product(coding.codes, range(2))), np.int16)
    seen = [value_transition(each.coding, one) for each, one in zip(questions, channels, strict=True)]

    found = np.exp(mixture.log_likelihood_of(Patterns.of(Responses(survey, rows))))

    tables = [
        np.array([[float(chance) for chance in each[code]] for code in sorted(each)]) @ table
        for each, table in zip(seen, mixture.tables, strict=True)
    ]
    wanted = [float(tables[0][one] * tables[1][other] @ mixture.weights) for one, other in rows]
    np.testing.assert_allclose(found, wanted, rtol=1e-10)
    assert sum(wanted) == pytest.approx(1)


def test_em_climbs_with_what_was_not_asked_and_with_shared_codes() -> None:
    survey = sampled_survey((2, 3, 2), 2, "5")
    rng = np.random.default_rng(3)
    truth = np.stack([rng.integers(0, kinds, 400) for kinds in (2, 3, 2)], axis=1).astype(np.int16)
    patterns = Patterns.of(simulate(survey, truth, rng))
    mixture, prior, before = random_mixture(survey, 2, rng), np.full(7, 0.1), -np.inf
    for _ in range(20):
        mixture, objective = em_step(mixture, patterns, prior)
        assert objective >= before
        before = objective


def test_the_truth_of_a_coin_follows_what_it_serves() -> None:
    survey = sampled_survey((2, 3, 2), 2, "6")
    responses = Responses(survey, np.array([[1, -1, 0], [-1, 2, 0]], np.int16))

    np.testing.assert_allclose(Layout(survey).truths(responses)[:, 0], [6 / 10, 6 / 12])
