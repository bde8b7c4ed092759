"""Slopes of the likelihood at rows behind responses: exact where every row is gone through."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from benchmarks.exact_table import transition_of
from channels import uniform_odds
from collector.channel.channel import channel
from collector.coding.coding import Coding, block_coding, plain_coding
from collector.survey.question import Question
from collector.survey.sampling import Sampling
from collector.survey.survey import Group, Survey
from collector.survey.text import Text
from latent_cases import random_mixture
from miner.arrays import Floats
from miner.behind.patterns import Patterns
from miner.latent.logit.chains import RowSource
from miner.latent.logit.logit import Logit, LogitParameters, frame_of
from miner.latent.logit.slopes import summed_slopes
from miner.latent.mixture.mixture import Mixture
from miner.responses.responses import NOT_ASKED, Responses, Values


def question(name: str, coding: Coding, *, sensitive: bool) -> Question:
    count = len(coding.draws)
    words = tuple(f"v{value}" for value in range(count))
    return Question(name, Text.of(en=name), "choice", words, (Fraction(1, count),) * count, coding, sensitive=sensitive)


def survey_of(groups: tuple[tuple[str, ...], ...], codings: dict[str, Coding], *, sampled: bool = False) -> Survey:
    """Each group of the uniform channel with a coin of its own; sampled: the class and one other are asked."""
    grouped = {name for names in groups for name in names}
    questions = tuple(question(name, coding, sensitive=name in grouped) for name, coding in codings.items())
    coin = uniform_odds(Fraction(5)) if sampled else channel("uniform", Fraction(2, 5))
    made = tuple(Group(f"g_{names[0]}", coin, names) for names in groups)
    target = questions[-1].name
    sampling = Sampling(2, (target,)) if sampled else None
    return Survey("slopes", Text.of(en="s"), ("en",), questions, made, target, sampling=sampling)


PLAIN = {"a": plain_coding(2), "b": plain_coding(3), "class": plain_coding(3)}
SHARED = {"a": block_coding("subsets", 4, 2), "b": plain_coding(2), "class": plain_coding(2)}
CASES = {
    "each its own coin": (survey_of((("a",), ("b",), ("class",)), PLAIN), [(0, 1, 2), (1, 2, 0)]),
    "codes that are shared": (survey_of((("a",), ("b",), ("class",)), SHARED), [(0, 1, 1), (5, 0, 0)]),
    "a class of shared codes": (
        survey_of((("b",), ("class",), ("a",)), {"b": plain_coding(3), "a": plain_coding(2), "class": SHARED["a"]}),
        [(2, 0, 3), (0, 1, 1)],
    ),
    "one coin for all": (survey_of((("a", "b", "class"),), PLAIN), [(0, 1, 2), (1, 0, 0)]),
    "one coin for all, codes that are shared": (survey_of((("a", "b", "class"),), SHARED), [(3, 1, 0), (1, 0, 1)]),
    "one coin for the answers": (survey_of((("a", "b"), ("class",)), PLAIN), [(0, 1, 2), (1, 2, 0)]),
    "one coin for the class and an answer": (survey_of((("a",), ("b", "class")), PLAIN), [(0, 1, 2), (1, 2, 1)]),
    "nothing disguised but the class": (survey_of((("class",),), PLAIN), [(0, 1, 2), (1, 2, 1)]),
    "some not asked": (survey_of((("a", "b", "class"),), PLAIN, sampled=True), [(0, NOT_ASKED, 2), (NOT_ASKED, 2, 0)]),
}


@cache  # the slopes ask for each of them at every place
def sent_given(survey: Survey, row: tuple[int, ...], response: tuple[int, ...]) -> float:
    """P(response | answers), by the exact transition matrix of what was asked of each group."""
    names = [each.name for each in survey.questions]
    grouped = {name for group in survey.groups for name in group.questions}
    whole = 1.0
    for column, name in enumerate(names):
        if name not in grouped:
            whole *= float(row[column] == response[column])
    for group in survey.groups:
        columns = [names.index(name) for name in group.questions if response[names.index(name)] != NOT_ASKED]
        codings = [survey.questions[column].coding for column in columns]
        states = list(product(*(coding.codes for coding in codings)))
        found = transition_of(survey.channel_at(group, [names[column] for column in columns]), codings)
        sent = states.index(tuple(response[column] for column in columns))
        draws = [coding.draw_probabilities(row[column]) for coding, column in zip(codings, columns, strict=True)]
        whole *= sum(
            float(np.prod([float(draw.get(code, 0)) for draw, code in zip(draws, state, strict=True)]))
            * float(found[number][sent])
            for number, state in enumerate(states)
        )
    return whole


def joint(survey: Survey, mixture: Mixture, logit: Logit, response: tuple[int, ...]) -> tuple[Values, Floats]:
    """Every row of the other answers, the class 0, and P(row, response) as mixture and logit have it."""
    kinds = [len(each.values) for each in survey.questions]
    rows = np.array(list(product(*(range(kind) for kind in kinds[:-1]), [0])), np.int16)
    shares = logit.probabilities(rows)
    chances = []
    for row, share in zip(rows.tolist(), shares, strict=True):
        own = np.prod([mixture.tables[column][value] for column, value in enumerate(row[:-1])], axis=0)
        told = [sent_given(survey, (*row[:-1], cls), response) for cls in range(kinds[-1])]
        chances.append(float(own @ mixture.weights) * float(share @ told))
    return rows, np.array(chances)


@pytest.mark.parametrize("case", CASES)
def test_the_mean_over_rows_behind_a_response_is_the_slope_of_its_likelihood(case: str) -> None:
    """By differences of the logarithm of its exact chance, every row gone through."""
    survey, responses = CASES[case]
    rng = np.random.default_rng(5)
    mixture, (frame, pairs) = random_mixture(survey, 2, rng), frame_of(survey, 2)
    classes = len(survey.questions[2].values)
    main, pair = rng.normal(size=(frame.places[-1], classes)), rng.normal(size=(pairs, classes))
    logit = Logit(frame, LogitParameters(rng.normal(size=classes), main, pair))
    for response in responses:
        source = RowSource.of(mixture, Patterns.of(Responses(survey, np.array([response], np.int16))), frame)
        rows, chances = joint(survey, mixture, logit, response)
        sent = source.sent.take(np.zeros(1, np.intp))

        found = [summed_slopes(row[np.newaxis], sent, source.tables, logit.effects, frame) for row in rows]

        for number, effects in enumerate((main, pair)):
            mean = sum(float(c) * each[number] for c, each in zip(chances, found, strict=True)) / chances.sum()
            for place in np.ndindex(effects.shape):
                before = effects[place]
                effects[place] = before + 1e-5
                above = np.log(joint(survey, mixture, logit, response)[1].sum())
                effects[place] = before - 1e-5
                difference = (above - np.log(joint(survey, mixture, logit, response)[1].sum())) / 2e-5
                effects[place] = before
                assert mean[place] == pytest.approx(difference, abs=1e-8)


def test_rows_are_added_up_and_left_as_they_are() -> None:
    survey, responses = CASES["each its own coin"]
    rng = np.random.default_rng(6)
    mixture, (frame, pairs) = random_mixture(survey, 2, rng), frame_of(survey, 2)
    effects = LogitParameters(np.zeros(3), rng.normal(size=(8, 3)), rng.normal(size=(pairs, 3)))
    source = RowSource.of(mixture, Patterns.of(Responses(survey, np.array(responses, np.int16))), frame)
    rows = np.array([[0, 2, -1], [1, 0, -1]], np.int16)

    both = summed_slopes(rows, source.sent, source.tables, effects, frame)

    single = [
        summed_slopes(rows[[i]], source.sent.take(np.array([i])), source.tables, effects, frame) for i in range(2)
    ]
    for whole, one, other in zip(both, *single, strict=True):
        np.testing.assert_allclose(whole, one + other)
    np.testing.assert_array_equal(rows, [[0, 2, -1], [1, 0, -1]])


@pytest.mark.statistical
def test_an_answer_summed_over_has_far_less_noise_than_one_drawn() -> None:
    """Seeded. Truth of one in ten: the deviation of the slopes is some tenth of that of slopes at drawn rows."""
    rng = np.random.default_rng(7)
    survey = survey_of((("a",), ("b",), ("class",)), PLAIN)
    coin = channel("uniform", Fraction(1, 10))
    groups = tuple(Group(group.name, coin, group.questions) for group in survey.groups)
    survey = Survey("noise", Text.of(en="s"), ("en",), survey.questions, groups, "class")
    mixture, (frame, pairs) = random_mixture(survey, 1, rng), frame_of(survey, 2)
    effects = LogitParameters(np.zeros(3), rng.normal(size=(8, 3)), np.zeros((pairs, 3)))
    logit = Logit(frame, effects)
    sent = np.stack([rng.integers(0, kind, 500) for kind in (2, 3, 3)], axis=1).astype(np.int16)
    source = RowSource.of(mixture, Patterns.of(Responses(survey, sent)), frame)
    chains, every = source.started(np.arange(500), rng), np.arange(500)
    summed, drawn = [], []
    for _ in range(100):
        rows = chains.moved(every, logit, rng)
        summed.append(chains.slopes(every, logit).main[:5])
        shares = logit.probabilities(rows)
        joint = shares * chains.rows.evidence
        left = joint / joint.sum(axis=1, keepdims=True) - shares
        by_value = np.zeros((5, 3))
        for column, first in ((0, 0), (1, 2)):
            np.add.at(by_value, first + rows[:, column], left)
        drawn.append(by_value)

    # what all values of a question have in common is the intercept's
    spread = [float(np.std(np.diff(np.array(each)[:, 2:], axis=1), axis=0).mean()) for each in (summed, drawn)]

    np.testing.assert_allclose(
        np.mean(summed, axis=0), np.mean(drawn, axis=0), atol=5 * np.std(drawn, axis=0).max() / 10
    )
    assert spread[0] < spread[1] / 4
