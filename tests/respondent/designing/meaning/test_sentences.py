"""Sentences on privacy are computed from the design, and say what its exact figures say."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, prod, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from collector.disclosure.privacy import SurveyPrivacy
from collector.planning.expectations import value_plans
from collector.planning.shuffled import central_privacy, factor
from collector.survey.survey import Survey
from collector.survey_file.survey_file import compiled, parse_survey
from respondent.designing.meaning.sentences import (
    doubled,
    for_readers,
    meaning_of,
    share_words,
    times,
    together,
    words_of,
)

FILE = """
name = "small"
title = "Small"
languages = ["en"]

[[questions]]
name = "drinking"
label = "How often?"
kind = "scale"
values = ["never", "monthly", "weekly"]
prior = { never = 0.5, monthly = 0.3, weekly = 0.2 }
group = "drinking"

[[questions]]
name = "debt"
label = "Any debt?"
kind = "yes_no"
prior = { yes = 0.2, no = 0.8 }
GROUP

[groups]
drinking = { truth = "1/2", channel = "uniform" }
REST
"""


def privacy_of(group: str = 'group = "debts"', rest: str = 'debts = { truth = "4/5" }') -> SurveyPrivacy:
    """What a survey of two questions discloses; the second is disguised so."""
    text = FILE.replace("GROUP", group).replace("REST", rest)
    return SurveyPrivacy(compiled(text, Path()).survey)


def said_of(privacy: SurveyPrivacy, name: str, respondents: int = 1000) -> dict[str, Any]:
    """The sentences on a question."""
    found = privacy.question(name)
    values = [each.as_json for each in value_plans(privacy.survey, found.question, respondents)]
    return meaning_of(found, words_of(privacy, found), values, respondents)


def test_the_belief_is_that_of_bayes_for_the_rarest_answer() -> None:
    said = said_of(privacy_of(), "debt")
    after = Fraction(1, 5) * Fraction(4, 5) / (Fraction(1, 5) * Fraction(4, 5) + Fraction(4, 5) * Fraction(1, 5))
    assert after == Fraction(1, 2)
    assert said["belief"] == "If 1 in 5 would say “Yes”: of those whose “Yes” arrives, at most 1 in 2 meant it."


def test_the_cost_is_that_of_the_dearest_answer() -> None:
    yes = Fraction(1, 5) * Fraction(4, 5) + Fraction(4, 5) * Fraction(1, 5)  # the chance that Yes is sent
    variance = yes * (1 - yes) / Fraction(3, 5) ** 2
    times = float(variance / (Fraction(1, 5) * Fraction(4, 5)))
    points = 100 * 1.959964 * sqrt(variance / 2000)
    said = said_of(privacy_of(), "debt", 2000)
    need = f"You need {times:.1f} times as many people as without disguise"
    assert said["cost"] == f"{need}: 2,000 give ± {points:.1f} points (95 % interval)."


def test_the_cost_of_a_question_that_is_not_asked_of_everybody_is_that_of_a_share_among_those_asked() -> None:
    group = 'ask_if = "drinking = weekly"\nunasked = "sent"\ngroup = "debts"'
    said = said_of(privacy_of(group, 'debts = { truth = "4/5", channel = "uniform" }'), "debt", 2000)
    asked, yes, truth = 0.2, 0.2, 0.8
    by_code = np.full((3, 3), (1 - truth) / 3) + truth * np.eye(3)  # P(code | yes, no, not asked)
    shares = np.array([asked * yes, asked * (1 - yes), 1 - asked])
    weights = np.linalg.inv(by_code).T @ np.array([1 - yes, -yes, 0.0])
    points = 100 * 1.959964 * sqrt(shares @ by_code @ weights**2 / 2000) / asked
    assert f"2,000 give ± {points:.1f} points" in said["cost"]
    assert said["cost"].endswith("for shares among those asked, which are expected to be 400.")
    plain = said_of(privacy_of('ask_if = "drinking = weekly"\nsensitive = false', ""), "debt", 2000)
    assert "are expected to be 400" in plain["cost"]


@pytest.mark.parametrize("channel", ["complement", "uniform"])
def test_the_card_of_a_follower_names_the_odds_of_those_who_are_asked(channel: str) -> None:
    group = 'ask_if = "drinking = never"\ngroup = "debts"'  # nobody is as rare as those who are not asked
    said = said_of(privacy_of(group, f'debts = {{ truth = "4/5", channel = "{channel}" }}'), "debt")
    right = {"complement": 80, "uniform": 90}[channel]
    assert said["card"].startswith(
        f"The respondent's page says that chance changes the answer of {100 - right} in 100 people who are asked"
    )


def test_the_odds_of_the_card_and_the_truth_probability_are_one_thing() -> None:
    assert said_of(privacy_of(), "debt")["card"] == (
        "The respondent's page says that chance changes the answer of 20 in 100 people before it is sent. The other 80 "
        "are the truth probability, 4/5. This protects all 100: nobody who has only the responses can know which 80 "
        "they are, so an answer that arrives is no proof."
    )
    other = privacy_of(rest='debts = { truth = "3/4", channel = "uniform" }')
    assert said_of(other, "debt")["card"] == (
        "The respondent's page says that chance changes the answer of 12 in 100 people before it is sent. The other 88 "
        "are the truth probability 3/4 in other words: 75 have their answer sent because the random draw says so, and "
        "13 because the answer drawn in its place is the same. This protects all 100: nobody who has only the "
        "responses can know which 88 they are, so an answer that arrives is no proof."
    )


def test_where_another_answer_with_its_coin_tells_more_no_value_is_said_to_arrive() -> None:
    screens = 'group = "debts"\nask_if = "drinking = weekly"\nunasked = "sent"'
    belief = said_of(privacy_of(screens), "drinking")["belief"]
    assert "whose “weekly” arrives, at most " in belief
    assert "The answer to debt depends on it: who also reads it can be right for " in belief
    assert "together" not in said_of(privacy_of(), "drinking")["belief"]


def test_the_belief_with_another_answer_of_the_group_is_that_of_all_answers_and_draws_counted_out() -> None:
    survey = _shared()
    drinking, _ = survey.questions
    joint: dict[tuple[int, ...], list[Fraction]] = {}
    for is_true, answers in product((True, False), product(range(3), range(2))):
        chance = Fraction(4, 5) if is_true else Fraction(1, 5)
        draws = []
        for each, value in zip(survey.questions, answers, strict=True):
            chance *= each.prior[value]
            draws.append(each.coding.draw_probabilities(value).items())
        for drawn in product(*draws):
            sent = [each.coding.complement(code) for each, (code, _) in zip(survey.questions, drawn, strict=True)]
            arrives = tuple(code for code, _ in drawn) if is_true else tuple(sent)
            here = joint.setdefault(arrives, [Fraction(0)] * 3)
            here[answers[0]] += chance * prod(share for _, share in drawn)
    (weekly,) = drinking.coding.codes_of(2)
    weeklies = [shares for codes, shares in joint.items() if codes[0] == weekly]
    alone = sum(each[2] for each in weeklies) / sum(map(sum, weeklies))
    most = max(shares[2] / sum(shares) for shares in joint.values())
    assert alone < most
    assert said_of(SurveyPrivacy(survey), "drinking")["belief"] == (
        f"If 1 in 5 would say “weekly”: of those whose “weekly” arrives, at most {share_words(alone, is_bound=True)} "
        "meant it. The answer to debt shares its random draw: who also reads it can be right for "
        f"{share_words(most, is_bound=True)}."
    )


def test_an_answer_that_is_sent_as_it_is_is_said_to_be_known() -> None:
    said = said_of(privacy_of("sensitive = false", ""), "debt")
    assert said["belief"] == "The collector knows this answer: it is sent as it is."
    assert said["cost"] == f"1,000 people give ± {100 * 1.959964 * sqrt(0.16 / 1000):.1f} points (95 % interval)."
    assert said["card"] is None


def test_so_few_people_are_said_to_tell_next_to_nothing() -> None:
    assert said_of(privacy_of(), "debt", 20)["cost"].endswith("That is next to nothing.")


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (Fraction(1, 2), "1 in 2"),
        (Fraction(3, 7), "43 in 100"),
        (Fraction(9991, 10_000), "9,991 in 10,000"),
        (Fraction(1), "all"),
        (Fraction(1, 3000), "4 in 10,000"),
    ],
)
def test_a_limit_is_rounded_up_and_is_never_all_unless_it_is(share: Fraction, words: str) -> None:
    assert share_words(share, is_bound=True) == words


def test_all_answers_together_are_said_by_the_epsilon_of_a_response() -> None:
    privacy = privacy_of()
    right = exp(privacy.epsilon) / (1 + exp(privacy.epsilon))
    assert privacy.epsilon == pytest.approx(sum(group.epsilon for group in privacy.groups))
    assert 0.75 < right < 0.95
    assert together(privacy) == (
        "Taken together, a response tells something: between two sets of answers that seemed equally likely before, "
        f"the collector can pick the right one in up to {int(100 * right) + 1} of 100 cases (50 of 100 by guessing)."
    )


def test_the_cases_of_a_whole_likelihood_ratio_are_exact() -> None:
    """Five coins of 7 to 1: 16,807 to 1, so that 16,807 of 16,808 cases are right."""
    survey = parse_survey((Path(__file__).parents[4] / "examples" / "who5.toml").read_text())
    assert "up to 16,807 of 16,808 cases" in together(SurveyPrivacy(survey))


def test_a_shared_coin_and_an_open_answer_are_said_of_all_answers_together() -> None:
    shared = together(SurveyPrivacy(_shared()))
    assert "the answers to drinking, debt share one random draw, so that all arrive as they are" in shared
    assert "whoever knows one of them from elsewhere knows all of them" in shared
    scale = together(SurveyPrivacy(_alone()))
    assert "an answer to drinking arrives as it is or as its opposite, and all others are ruled out" in scale
    assert shared.startswith("Taken together, a response can tell nearly all")
    known = together(privacy_of("sensitive = false", ""))
    assert known.endswith(" What is answered to debt is sent as it is.")


def _alone() -> Survey:
    """A scale in a group of its own, under the complement channel."""
    text = FILE.replace("GROUP", "sensitive = false").replace("REST", "").replace(', channel = "uniform"', "")
    return compiled(text.replace('"1/2"', '"4/5"'), Path()).survey


def _shared() -> Survey:
    text = FILE.replace("GROUP", 'group = "drinking"').replace("REST", "").replace(', channel = "uniform"', "")
    return compiled(text.replace('"1/2"', '"4/5"'), Path()).survey


def test_twice_the_privacy_is_said_by_the_squares_of_the_widths_and_by_the_belief() -> None:
    before = [{"width": 0.1}], Fraction(4, 5)
    assert doubled("epsilon 1 in place of 2", before, ([{"width": 0.2}], Fraction(2, 3))) == (
        "Twice the privacy (epsilon 1 in place of 2) brings the largest belief named above, “at most 4 "
        "in 5”, down to “at most 2 in 3”. It takes 4.0 "
        "times as many people as the present design; with no more people, the interval is 2.0 times as wide."
    )
    assert "leaves the largest belief named above, “at most 4 in 5”, as it is. It takes 1.0 times" in doubled(
        "x", before, before
    )


def test_what_readers_of_figures_learn_is_said_without_the_name_of_a_measure() -> None:
    privacy = privacy_of()
    found = central_privacy(privacy.survey, 100_000, 1e-6)
    assert found.is_smaller
    said = for_readers(found)
    assert "epsilon" not in said
    assert f"at most {factor(found.epsilon)} times as likely" in said
    assert for_readers(central_privacy(privacy.survey, 20, 1e-6)).endswith("More people may change that.")
    assert for_readers(central_privacy(_shared(), 1000, 1e-6)).startswith("No limit holds for")


@pytest.mark.parametrize(
    ("factor", "words"),
    [(2.25, "2.3"), (2.24, "2.2"), (9.94, "9.9"), (9.96, "10"), (97.2, "97"), (290.3, "290"), (39_512.0, "40,000")],
)
def test_a_factor_is_rounded_as_the_figures_of_the_page_are(factor: float, words: str) -> None:
    assert times(factor) == words
