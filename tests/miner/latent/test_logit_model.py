"""The latent mode under the uniform channel: what was not asked, tables of the class, the chains, the whole."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from benchmarks.exact_table import transition_of
from channels import uniform_odds
from collector.channel.channel import channel
from collector.channel.value_channel import value_transition
from collector.coding.coding import Coding, block_coding, plain_coding
from collector.survey.question import Question
from collector.survey.sampling import Sampling
from collector.survey.survey import Group, Survey
from collector.survey.text import Text
from latent_cases import em_step, random_mixture, yes_no_survey
from miner.arrays import Floats
from miner.behind.patterns import Layout, Patterns
from miner.latent.class_tables import class_tables
from miner.latent.logit.chains import RowSource
from miner.latent.logit.logit import Logit, LogitParameters, frame_of
from miner.latent.logit_model import fit_conditional, independent_replacements, latent_copies
from miner.latent.mixture.mixture import Mixture
from miner.responses.responses import NOT_ASKED, Responses
from miner.simulation.simulation import simulate


def question(name: str, coding: Coding) -> Question:
    values = len(coding.draws)
    words = tuple(f"v{value}" for value in range(values))
    return Question(name, Text.of(en=name), "choice", words, (Fraction(1, values),) * values, coding, sensitive=True)


def sampled_survey(kinds: tuple[int, ...], ask: int, odds: str) -> Survey:
    """All questions in one group, the last of them always asked."""
    questions = tuple(question(f"q{number}", plain_coding(each)) for number, each in enumerate(kinds))
    names = tuple(each.name for each in questions)
    groups = (Group("all", uniform_odds(Fraction(odds)), names),)
    return Survey(
        "sampled", Text.of(en="s"), ("en",), questions, groups, names[-1], sampling=Sampling(ask, (names[-1],))
    )


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
    questions = question("many", coding), question("two", plain_coding(2))
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


def expected_rows(survey: Survey, truth: tuple[int, ...], scale: int) -> list[tuple[int, ...]]:
    """What respondents with this truth send, each response as often as its exact chance times `scale`."""
    per_question = []
    for each, value in zip(survey.questions, truth, strict=True):
        group = survey.group_of(each.name)
        assert group is not None
        seen = value_transition(each.coding, group.channel)
        per_question.append([(code, seen[code][value]) for code in sorted(seen)])
    rows = []
    for sent in product(*per_question):
        times = prod(chance for _, chance in sent) * scale
        assert times == int(times)
        rows += [tuple(code for code, _ in sent)] * int(times)
    return rows


def test_tables_come_to_the_truth_where_every_question_has_its_own_coin() -> None:
    questions = question("many", block_coding("subsets", 4, 2)), question("class", plain_coding(2))
    coin = channel("uniform", Fraction(1, 2))
    groups = tuple(Group(f"g_{each.name}", coin, (each.name,)) for each in questions)
    survey = Survey("own", Text.of(en="s"), ("en",), questions, groups, "class")
    rows = expected_rows(survey, (0, 1), 48) + expected_rows(survey, (3, 0), 48)

    found = class_tables(Responses(survey, np.array(rows, np.int16)), 1)

    wanted = np.zeros((4, 2))
    wanted[0, 1] = wanted[3, 0] = 0.5
    np.testing.assert_allclose(found[:4], wanted, atol=0.02)  # EM comes slowly to the edge
    assert np.isnan(found[4:]).all()  # the class's own


def test_tables_come_to_the_truth_where_one_coin_serves_what_is_asked() -> None:
    survey = sampled_survey((2, 3, 2), 2, "6")
    # odds 6: of 2 x 2 states truth 3/5, of 3 x 2 states 1/2; the truth is (1, 2, 0)
    first = [(1, -1, 0)] * 7 + [(x, -1, y) for x in range(2) for y in range(2) if (x, y) != (1, 0)]
    second = [(-1, 2, 0)] * 7 + [(-1, x, y) for x in range(3) for y in range(2) if (x, y) != (2, 0)]

    found = class_tables(Responses(survey, np.array(first + second, np.int16)), 2)

    np.testing.assert_allclose(found[:5], [[0, 0], [1, 0], [0, 0], [0, 0], [1, 0]], atol=0.02)


def test_a_table_is_where_the_likelihood_no_longer_rises() -> None:
    """The exact chance of what was sent, over the exact transition of both questions, is flat in every free share."""
    survey = sampled_survey((2, 3, 2), 2, "6")
    rng = np.random.default_rng(11)
    rows = [(-1, x, y) for x in range(3) for y in range(2) for _ in range(int(rng.integers(30, 50)))]

    table = class_tables(Responses(survey, np.array(rows, np.int16)), 2)[2:5]

    codings = [each.coding for each in survey.questions[1:]]
    matrix = np.array(transition_of(survey.channel_at(survey.groups[0], ["q1", "q2"]), codings), float)
    sent = np.bincount([x * 2 + y for _, x, y in rows], minlength=6)
    slopes = matrix @ (sent / (table.ravel() @ matrix)) / len(rows)
    assert (table > 0.01).all()
    np.testing.assert_allclose(slopes, 1, atol=1e-6)


def test_where_nobody_was_asked_both_there_is_no_table() -> None:
    survey = sampled_survey((2, 3, 2), 2, "6")
    asked_first = Responses(survey, np.array([(0, -1, 1), (1, -1, 0), (1, -1, 1)], np.int16))

    found = class_tables(asked_first, 2)

    assert found[:2].sum() == pytest.approx(1)
    assert np.isnan(found[2:]).all()


def some_logit(survey: Survey, target: int, rng: np.random.Generator) -> Logit:
    frame, pairs = frame_of(survey, target)
    classes = len(survey.questions[target].values)
    effects = LogitParameters(
        rng.normal(size=classes), rng.normal(size=(frame.places[-1], classes)), rng.normal(size=(pairs, classes))
    )
    return Logit(frame, effects)


def posterior_of(survey: Survey, mixture: Mixture, logit: Logit, response: tuple[int, ...]) -> Floats:
    """Exactly P(all answers | response), by the transition matrix of the two questions asked, the class the last."""
    matrix = transition_of(
        survey.channel_at(survey.groups[0], ["q1", "q2"]), [each.coding for each in survey.questions[1:]]
    )
    states = list(product(range(3), range(2)))
    chances = [
        float(sum(mixture.weights * mixture.tables[0][x] * mixture.tables[1][y]))
        * logit.probabilities(np.array([[x, y, 0]], np.int16))[0, c]
        * float(matrix[states.index((y, c))][states.index(response[1:])])
        for x, y, c in product(range(2), range(3), range(2))
    ]
    return np.reshape(chances, (2, 3, 2)) / sum(chances)


@pytest.mark.statistical
def test_chains_come_to_the_posterior_of_mixture_and_logit() -> None:
    """Seeded. The distance is about 0.02 by chance; above 0.05 once in more than 10^6."""
    rng = np.random.default_rng(6)
    survey = sampled_survey((2, 3, 2), 2, "4")
    mixture, logit = random_mixture(survey, 2, rng), some_logit(survey, 2, rng)
    patterns = Patterns.of(Responses(survey, np.array([(-1, 1, 0)], np.int16)))
    wanted = posterior_of(survey, mixture, logit, (-1, 1, 0))

    chains = RowSource.of(mixture, patterns, logit.frame).started(np.zeros(6000, np.intp), rng)
    for _ in range(30):
        values = chains.moved(np.arange(6000), logit, rng)

    found = np.zeros((2, 3))
    np.add.at(found, (values[:, 0], values[:, 1]), 1 / 6000)
    assert np.abs(found - wanted.sum(axis=2)).sum() / 2 < 0.05
    informed = logit.probabilities(values) * chains.rows.evidence
    given = wanted / wanted.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(informed / informed.sum(axis=1, keepdims=True), given[values[:, 0], values[:, 1]])


@pytest.mark.statistical
def test_an_interaction_that_no_table_shows_is_found() -> None:
    """Seeded. The class is the parity of two answers, nine times in ten; single questions are right on half."""
    rng = np.random.default_rng(7)
    survey = sampled_survey((2, 2, 2, 2, 2), 4, "50")
    truth = rng.integers(0, 2, (6000, 5)).astype(np.int16)
    truth[:, 4] = (truth[:, 0] ^ truth[:, 1]) ^ (rng.random(6000) < 0.1)

    model = fit_conditional(simulate(survey, truth, rng), "q4", rng)

    rows = np.array(list(product(range(2), repeat=5)), np.int16)
    right = model.logit.probabilities(rows)[np.arange(32), rows[:, 0] ^ rows[:, 1]]
    assert right.mean() > 0.75


def test_copies_weigh_one_for_each_response_and_come_again_with_the_seed() -> None:
    survey = sampled_survey((2, 3, 2), 2, "5")
    generator = np.random.default_rng(8)
    truth = np.stack([generator.integers(0, kinds, 60) for kinds in (2, 3, 2)], axis=1).astype(np.int16)
    responses = simulate(survey, truth, generator)

    copies, again = (latent_copies(responses, "q2", np.random.default_rng(9)) for _ in range(2))

    np.testing.assert_allclose(np.bincount(copies.origin, copies.weights), 1)
    assert (np.diff(copies.origin) >= 0).all()
    np.testing.assert_array_equal(copies.values, again.values)
    np.testing.assert_array_equal(copies.weights, again.weights)


def test_copies_are_rows_behind_the_responses_and_their_class_is_what_the_logit_gives() -> None:
    rng = np.random.default_rng(10)
    survey = sampled_survey((2, 2, 2, 2), 4, "5000000")
    truth = rng.integers(0, 2, (1000, 4)).astype(np.int16)

    model = fit_conditional(simulate(survey, truth, rng), "q3", rng)
    copies = model.copies(rng)

    np.testing.assert_array_equal(copies.values[:, :3], truth[copies.origin, :3])
    shares = model.logit.probabilities(copies.values)[np.arange(len(copies.values)), copies.values[:, 3]]
    np.testing.assert_allclose(copies.weights, shares / 20)


def test_other_channels_keep_the_mixture_alone() -> None:
    assert independent_replacements(yes_no_survey(3, 3, "2/3", "uniform"))
    assert not independent_replacements(yes_no_survey(3, 3, "2/3"))


def test_the_truth_of_a_coin_follows_what_it_serves() -> None:
    survey = sampled_survey((2, 3, 2), 2, "6")
    responses = Responses(survey, np.array([[1, -1, 0], [-1, 2, 0]], np.int16))

    np.testing.assert_allclose(Layout(survey).truths(responses)[:, 0], [6 / 10, 6 / 12])
