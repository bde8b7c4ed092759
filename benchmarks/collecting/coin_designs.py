"""The designs whose coins are audited in a browser, and the epsilon of each by enumeration of all that may be sent."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import product

from benchmarks.exact_table import Codes, states, transition_of
from collector.coding.coding import Coding
from collector.survey.group import Group
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey

ONE_QUESTION = "[{ name = 'a', label = 'A', kind = 'yes_no', group = 'g' }]"
THREE_VALUES = "[{ name = 'a', label = 'A', kind = 'choice', values = ['x', 'y', 'z'], group = 'g' }]"
FORCED = "[{ name = 'a', label = 'A', kind = 'yes_no', group = 'g', replacement = { yes = '3/4', no = '1/4' } }]"
SEVEN_VALUES = """[{ name = 'a', label = 'A', kind = 'choice', group = 'g', coding = 'projective-2', \
values = ['t', 'u', 'v', 'w', 'x', 'y', 'z'] }]"""
FOUR_VALUES = """[{ name = 'a', label = 'A', kind = 'choice', group = 'g', coding = 'subsets-2', \
values = ['w', 'x', 'y', 'z'] }]"""
FIVE_ON_A_SCALE = """[{ name = 'a', label = 'A', kind = 'scale', group = 'g', coding = 'trend', \
values = ['1', '2', '3', '4', '5'] }]"""
TWO_QUESTIONS = """[
  { name = "a", label = "A", kind = "choice", values = ["x", "y", "z"], group = "g" },
  { name = "b", label = "B", kind = "yes_no", group = "g" },
]"""
FOUR_QUESTIONS = """[
  { name = "a", label = "A", kind = "choice", values = ["x", "y", "z"], group = "g" },
  { name = "b", label = "B", kind = "yes_no", group = "g" },
  { name = "c", label = "C", kind = "yes_no", group = "g" },
  { name = "d", label = "D", kind = "yes_no", group = "h" },
]"""
FIVE_QUESTIONS = """[
  { name = "a", label = "A", kind = "choice", values = ["x", "y", "z"], group = "g" },
  { name = "b", label = "B", kind = "yes_no", group = "g" },
  { name = "c", label = "C", kind = "yes_no", group = "g" },
  { name = "d", label = "D", kind = "yes_no", group = "g" },
  { name = "e", label = "E", kind = "choice", values = ["v", "w", "x", "y"], group = "g" },
]"""
ODD_QUESTIONS = """[
  { name = "a", label = "A", kind = "choice", values = ["w", "x", "y", "z"], group = "f", coding = "subsets-2" },
  { name = "b", label = "B", kind = "yes_no", group = "g", replacement = { yes = "2/3", no = "1/3" } },
  { name = "c", label = "C", kind = "yes_no", group = "h" },
]"""
SHARED_CODES = """[
  { name = "a", label = "A", kind = "choice", group = "g", coding = "cyclotomic-5-2", \
values = ["v", "w", "x", "y", "z"] },
  { name = "b", label = "B", kind = "yes_no", group = "g" },
  { name = "c", label = "C", kind = "yes_no", group = "g" },
]"""
PLANNED_QUESTIONS = FIVE_QUESTIONS.replace(', group = "g"', "")
COMPLEMENT, UNIFORM = (
    "groups = {{ g = {{ truth = '{}' }} }}",
    "groups = {{ g = {{ truth = '{}', channel = 'uniform' }} }}",
)
SPLIT = """groups = { g = { odds = "7/2" }, h = { truth = "3/5" } }
sampling = { ask = 3, always = ["d"] }"""
ONE_COIN = """groups = { g = { epsilon = "3/2" } }
sampling = { ask = 2 }"""
SHARED_SPLIT = """groups = { g = { odds = "9" } }
sampling = { ask = 2 }"""
ODD_SPLIT = """groups.f = { truth = "1/2", channel = "uniform" }
groups.g = { truth = "2/5", channel = "uniform" }
groups.h = { truth = "4/5" }
sampling = { ask = 2 }"""
PLANNED = """privacy = { epsilon = 3 }
sampling = { ask = 3, always = ["b"] }"""
PLANNED_OWN = """privacy = { epsilon = 3, coins = "own" }
sampling = { ask = 3, always = ["b"] }"""
DESIGNS = {
    "complement, one question, 3/4": (ONE_QUESTION, COMPLEMENT.format("3/4")),
    "complement, one question, 1/5": (ONE_QUESTION, COMPLEMENT.format("1/5")),
    "uniform, one question of two, 1/3": (ONE_QUESTION, UNIFORM.format("1/3")),
    "uniform, one question of three, 2/3": (THREE_VALUES, UNIFORM.format("2/3")),
    "uniform, two questions, 3/5": (TWO_QUESTIONS, UNIFORM.format("3/5")),
    "forced response, three to one, 1/2": (FORCED, UNIFORM.format("1/2")),
    "projective-2, seven values, 1/2": (SEVEN_VALUES, UNIFORM.format("1/2")),
    "subsets-2, four values, 3/5": (FOUR_VALUES, UNIFORM.format("3/5")),
    "thresholds, five values on a scale, epsilon 1": (FIVE_ON_A_SCALE, "groups = { g = { epsilon = 1 } }"),
    "uniform, three questions, codes shared by values, 3/5": (SHARED_CODES, UNIFORM.format("3/5")),
    "split, two of three asked, codes shared by values, odds 9": (SHARED_CODES, SHARED_SPLIT),
    "split, three of four asked, odds 7/2": (FOUR_QUESTIONS, SPLIT),
    "split, two of five asked, one coin of epsilon 3/2": (FIVE_QUESTIONS, ONE_COIN),
    "split, two of three asked, subsets, forced, complement": (ODD_QUESTIONS, ODD_SPLIT),
    "split, three of five asked, planned for epsilon 3": (PLANNED_QUESTIONS, PLANNED),
    "split, three of five asked, own coins for epsilon 3": (PLANNED_QUESTIONS, PLANNED_OWN),
}
"""Questions and groups of each."""


def survey_of(name: str) -> Survey:
    """The survey of a design."""
    questions, groups = DESIGNS[name]
    return parse_survey(f'name = "coins"\ntitle = "Coins"\nlanguages = ["en"]\nquestions = {questions}\n{groups}\n')


def design_epsilon(survey: Survey) -> float:
    """The largest log ratio of two chances of one response, over all pairs of answers and all draws of questions."""
    names = [question.name for question in survey.questions]
    draws = [tuple(names)] if survey.sampling is None else survey.sampling.draws(names)
    return max(sum(_group_epsilon(survey, group, asked) for group in survey.groups) for asked in draws)


def _group_epsilon(survey: Survey, group: Group, asked: Collection[str]) -> float:
    """By enumeration of all values and all codes of a group's questions that are asked."""
    members = [question for question in survey.members(group) if question.name in asked]
    if not members:
        return 0.0
    channel = survey.channel_at(group, asked)
    codings = [question.coding for question in members]
    sent = dict(zip(states(codings), transition_of(channel, codings), strict=True))
    rows = [_sent_for(values, codings, sent) for values in product(*(range(len(each.draws)) for each in codings))]
    return max(math.log(one / other) for column in zip(*rows, strict=True) for one, other in product(column, repeat=2))


def _sent_for(
    values: Sequence[int], codings: Sequence[Coding], sent: Mapping[Codes, Sequence[Fraction]]
) -> list[Fraction]:
    """The chance of each state being sent, over the draws of the codes of these values and the coin."""
    draws = product(*(coding.draw_probabilities(value).items() for coding, value in zip(codings, values, strict=True)))
    row = [Fraction(0)] * len(sent)
    for drawn in draws:
        chance = math.prod((each for _, each in drawn), start=Fraction(1))
        row = [old + chance * new for old, new in zip(row, sent[tuple(code for code, _ in drawn)], strict=True)]
    return row
