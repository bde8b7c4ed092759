"""Helpers for tests of the mixture, the latent mode and the audit: a tiny survey, and enumeration by brute force."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.exact_table import transition_of
from channels import uniform_odds
from collector.coding.coding import Coding, plain_coding
from collector.survey.question import Question
from collector.survey.sampling import Sampling
from collector.survey.survey import Group, Survey
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey
from every_draw import sent_by, truths
from miner.behind.mixture.em import Evidence
from miner.behind.mixture.em import em_step as compiled_step
from miner.behind.mixture.mixture import Mixture
from miner.behind.patterns import Layout, Patterns

TINY = """
name = "tiny"
title = "Every kind of disguise"
languages = ["en"]
[[questions]]
name = "colour"
label = "?"
kind = "choice"
values = ["red", "green", "blue"]
group = "paired"
[[questions]]
name = "shown"
label = "?"
kind = "yes_no"
sensitive = false
[[questions]]
name = "flag"
label = "?"
kind = "yes_no"
prior = { yes = 0.3, no = 0.7 }
group = "paired"
[[questions]]
name = "size"
label = "?"
kind = "scale"
values = ["s", "m", "l"]
group = "even"
[[questions]]
name = "sign"
label = "?"
kind = "yes_no"
group = "even"
[groups]
paired = { truth = "3/5" }
even = { truth = "2/3", channel = "uniform" }
"""


def tiny_survey() -> Survey:
    """A complement group with a question of several codes per value, a uniform group, an undisguised question."""
    return parse_survey(TINY)


def yes_no_survey(questions: int, groups: int, truth: str, channel: str = "complement") -> Survey:
    """Yes/no questions q0, q1, ... dealt to groups in turn."""
    asked = "".join(
        f'[[questions]]\nname = "q{number}"\nlabel = "?"\nkind = "yes_no"\ngroup = "g{number % groups}"\n'
        for number in range(questions)
    )
    dealt = "".join(f'g{number} = {{ truth = "{truth}", channel = "{channel}" }}\n' for number in range(groups))
    return parse_survey(f'name = "dealt"\ntitle = "?"\nlanguages = ["en"]\n{asked}[groups]\n{dealt}')


def random_mixture(survey: Survey, classes: int, rng: np.random.Generator) -> Mixture:
    """Weights and tables drawn at random."""
    values = int(Layout(survey).places[-1])
    return Mixture.normalised(survey, rng.random(classes) + 0.2, rng.gamma(1.0, size=(values, classes)) + 0.02)


def every_response(survey: Survey) -> NDArray[np.int16]:
    """All responses there can be."""
    return np.array(list(product(*(question.codes for question in survey.questions))), dtype=np.int16)


def joint(mixture: Mixture, response: NDArray[np.int16]) -> dict[tuple[int, ...], float]:
    """P(true values, this response) of every truth, by brute force over classes, codes and published channels."""
    survey = mixture.survey
    sent = {question.name: int(code) for question, code in zip(survey.questions, response, strict=True)}
    chances = {}
    for truth in product(*(range(len(question.values)) for question in survey.questions)):
        values = {question.name: value for question, value in zip(survey.questions, truth, strict=True)}
        channel = np.prod([_sent_chance(survey, group, values, sent) for group in survey.groups])
        shown = all(values[each.name] == sent[each.name] for each in survey.questions if not each.sensitive)
        tables = [table[value] for table, value in zip(mixture.tables, truth, strict=True)]
        chances[truth] = float(mixture.weights @ np.prod(tables, axis=0)) * float(channel) * shown
    return chances


def everything_sent(mixture: Mixture) -> dict[tuple[int, ...], dict[tuple[int, ...], float]]:
    """P(true values, response) of every response to a split questionnaire and every truth, over all draws and coins."""
    survey = mixture.survey
    found: dict[tuple[int, ...], dict[tuple[int, ...], float]] = {}
    for truth in truths(survey):
        tables = [table[value] for table, value in zip(mixture.tables, truth, strict=True)]
        share = float(mixture.weights @ np.prod(tables, axis=0))
        draws = list(sent_by(survey, truth))
        for _, sent in draws:
            for row, chance in sent.items():
                found.setdefault(row, {})[truth] = share * float(chance) / len(draws)
    return found


@cache
def _transition(group: Group, survey: Survey) -> tuple[list[tuple[int, ...]], list[list[float]]]:
    codings = [question.coding for question in survey.members(group)]
    matrix = [[float(chance) for chance in row] for row in transition_of(group.channel, codings)]
    return list(product(*(coding.codes for coding in codings))), matrix


def _sent_chance(survey: Survey, group: Group, values: dict[str, int], sent: dict[str, int]) -> float:
    """P(codes sent | values) in one group: a sum over the codes drawn, of the channel's exact transition."""
    states, matrix = _transition(group, survey)
    column = states.index(tuple(sent[name] for name in group.questions))
    draws = [question.coding.draw_probabilities(values[question.name]) for question in survey.members(group)]
    return sum(
        float(
            np.prod([float(draw[code]) for draw, code in zip(draws, codes, strict=True)])
            * matrix[states.index(codes)][column]
        )
        for codes in product(*draws)
    )


def em_step(mixture: Mixture, patterns: Patterns, prior: NDArray[np.float64]) -> tuple[Mixture, float]:
    """The mixture after one step of EM, and the objective before it."""
    weights, table, objective = compiled_step(mixture.weights, mixture.table, Evidence.of(patterns, prior))
    return Mixture(mixture.survey, weights, table), objective


def coded_question(name: str, coding: Coding, *, sensitive: bool = True) -> Question:
    """A question of this coding."""
    values = len(coding.draws)
    words = tuple(f"v{value}" for value in range(values))
    return Question(
        name, Text.of(en=name), "choice", words, (Fraction(1, values),) * values, coding, sensitive=sensitive
    )


def sampled_survey(kinds: tuple[int, ...], ask: int, odds: str) -> Survey:
    """All questions in one group, the last of them always asked."""
    questions = tuple(coded_question(f"q{number}", plain_coding(each)) for number, each in enumerate(kinds))
    names = tuple(each.name for each in questions)
    groups = (Group("all", uniform_odds(Fraction(odds)), names),)
    return Survey(
        "sampled", Text.of(en="s"), ("en",), questions, groups, names[-1], sampling=Sampling(ask, (names[-1],))
    )
