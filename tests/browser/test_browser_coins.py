"""The coins, exactly over every word of small spaces, and by the thousand from the browser's own secure randomness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import lcm

import pytest
from playwright.sync_api import Page
from scipy.stats import chisquare

from benchmarks.exact_table import transition_of
from browser_fixtures import in_browser
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from one_respondent import code_answers, disguise

# Exact enumeration: every word of a small space, each as likely as the others.

TINY = """
name = "tiny"
title = "Small enough to enumerate"
languages = ["en"]
questions = [
  {{ name = "a", label = "A", kind = "choice", values = ["x", "y", "z"], group = "g"{prior_a} }},
  {{ name = "b", label = "B", kind = "yes_no", group = "g" }},
]
groups = {{ g = {{ truth = "{truth}", channel = "{channel}" }} }}
"""
TINY_SURVEYS = {
    "complement": TINY.format(truth="2/3", channel="complement", prior_a=", prior = { x = 0.5, y = 0.25, z = 0.25 }"),
    "complement below one half": TINY.format(truth="1/6", channel="complement", prior_a=""),
    "uniform": TINY.format(truth="2/3", channel="uniform", prior_a=""),
    "uniform below one half": TINY.format(truth="1/3", channel="uniform", prior_a=""),
}


def word_lists(survey: Survey) -> list[list[int]]:
    """Every list of three words, the most that an answer takes, below a number that all bounds divide."""
    (group,) = survey.groups
    bounds = [group.channel.truth([]).denominator]
    for question in survey.questions:
        bounds += [sum(weight for _, weight in draws) for draws in question.coding.draws]
        bounds += [len(question.codes)] if group.channel.name == "uniform" else []
    return [list(words) for words in product(range(lcm(*bounds)), repeat=3)]


def exact_chances(survey: Survey, values: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
    """P(sent | values) from the channel's own transition matrix and the published draws."""
    (group,) = survey.groups
    codings = [question.coding for question in survey.questions]
    every = list(product(*(coding.codes for coding in codings)))
    transition = transition_of(group.channel, codings)
    chances = dict.fromkeys(every, Fraction(0))
    for start, row in zip(every, transition, strict=True):
        coded = Fraction(1)
        for coding, value, code in zip(codings, values, start, strict=True):
            coded *= coding.draw_probabilities(value).get(code, Fraction(0))
        for sent, chance in zip(every, row, strict=True):
            chances[sent] += coded * chance
    return {sent: chance for sent, chance in chances.items() if chance}


def shares(sent: Sequence[tuple[int, ...]]) -> dict[tuple[int, ...], Fraction]:
    return {codes: Fraction(count, len(sent)) for codes, count in Counter(sent).items()}


@pytest.mark.parametrize("text", TINY_SURVEYS.values(), ids=TINY_SURVEYS)
def test_over_all_words_python_sends_exactly_what_the_channel_says(text: str) -> None:
    survey = parse_survey(text)
    for values in product(range(3), range(2)):
        answers = {q.name: q.values[value] for q, value in zip(survey.questions, values, strict=True)}
        sent = []
        for words in word_lists(survey):
            source = iter(words).__next__
            sent.append(disguise(survey, code_answers(survey, answers, source), source))
        assert shares(sent) == exact_chances(survey, values)


@pytest.mark.browser
@pytest.mark.parametrize("text", TINY_SURVEYS.values(), ids=TINY_SURVEYS)
def test_over_all_words_the_browser_sends_exactly_what_the_channel_says(text: str, modules: Page) -> None:
    survey = parse_survey(text)
    for values in product(range(3), range(2)):
        answers = {q.name: q.values[value] for q, value in zip(survey.questions, values, strict=True)}
        found = in_browser(
            modules,
            """
          const survey = argument.design;
          return argument.lists.map((list) => {
            const { words } = scripted(list);
            const { a, b } = disguise.disguise(survey, coding.codeAnswers(survey, argument.answers, words), words);
            return [a, b];
          });""",
            {"design": survey.design, "answers": answers, "lists": word_lists(survey)},
        )
        assert shares([tuple(codes) for codes in found]) == exact_chances(survey, values)


# The system's randomness, as the page uses it.

COINS = 100_000
CHANCE_OF_FAILING = 1e-6  # of each statistical test below, if the coins are what they should be


@pytest.mark.browser
@pytest.mark.statistical
@pytest.mark.parametrize("bound", [2, 5, 2**31 + 1])
def test_100000_coins_of_the_browser_are_uniform(bound: int, modules: Page) -> None:
    cells = min(bound, 16)
    found = in_browser(
        modules,
        """
      const words = () => crypto.getRandomValues(new Uint32Array(1))[0];
      const counts = new Array(argument.cells).fill(0);
      for (let coin = 0; coin < argument.coins; coin += 1) {
        counts[Math.floor((coins.draw(argument.bound, words) * argument.cells) / argument.bound)] += 1;
      }
      return counts;""",
        {"bound": bound, "cells": cells, "coins": COINS},
    )
    assert chisquare(found).pvalue > CHANCE_OF_FAILING


@pytest.mark.browser
@pytest.mark.statistical
@pytest.mark.parametrize("name", ["complement", "uniform"])
def test_100000_responses_of_the_browser_follow_the_channel(name: str, modules: Page) -> None:
    survey = parse_survey(TINY_SURVEYS[name])
    chances = exact_chances(survey, (0, 1))
    found = in_browser(
        modules,
        """
      const words = () => crypto.getRandomValues(new Uint32Array(1))[0];
      const survey = argument.design;
      const counts = {};
      for (let person = 0; person < argument.people; person += 1) {
        const { a, b } = disguise.disguise(survey, coding.codeAnswers(survey, { a: "x", b: "no" }, words), words);
        counts[`${a} ${b}`] = (counts[`${a} ${b}`] ?? 0) + 1;
      }
      return counts;""",
        {"design": survey.design, "people": COINS},
    )
    counts = {tuple(map(int, codes.split())): count for codes, count in found.items()}
    assert set(counts) == set(chances)
    expected = [float(chances[codes] * COINS) for codes in counts]
    assert chisquare(list(counts.values()), expected).pvalue > CHANCE_OF_FAILING
