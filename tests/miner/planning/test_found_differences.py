"""By simulation: from the break-even bias on disguise is more accurate, and differences are found with the power."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from collector.planning.differences import DifferencePlan, DifferenceSettings, difference_plans
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey, read_survey_file
from miner.arrays import Floats
from miner.planning.pilot_population import drawn_by_priors
from miner.responses.responses import Values
from miner.simulation.simulation import simulate
from miner.weights.weights import ProductWeights
from soak import part_of

ROOT = Path(__file__).resolve().parents[3]
HALF = sqrt(4 / 3)  # times the break-even bias, where disguise removes half of the bias
SURVEYS = part_of(2_000)
RESPONDENTS = 300
TRIALS = 4_000  # each is found or not: the share that is found has a standard error of .0063
POWERED = 1_000
Z = NormalDist().inv_cdf(0.975)
SHARED = """
name = "s"
title = "S"
languages = ["en"]
[[questions]]
name = "a"
label = "A?"
kind = "yes_no"
prior = { yes = 0.1, no = 0.9 }
group = "g"
[[questions]]
name = "b"
label = "B?"
kind = "scale"
values = ["1", "2", "3", "4", "5"]
prior = { 1 = 0.3, 2 = 0.3, 3 = 0.2, 4 = 0.1, 5 = 0.1 }
group = "h"
[groups]
g = { truth = "4/5" }
h = { epsilon = 1 }
"""


def plan_of(survey: Survey, name: str, respondents: int) -> DifferencePlan:
    """The plan of one question with usual settings."""
    return next(
        each for each in difference_plans(survey, respondents, DifferenceSettings()) if each.question == name
    )  # fmt: skip


def weights_of(survey: Survey, values: Values, plan: DifferencePlan, rng: np.random.Generator) -> Floats:
    """The terms of a share of each of so many simulated responses."""
    question = survey.question(plan.question)
    codes = frozenset(question.coding.codes_of(question.value_index(plan.value)))
    product = ProductWeights(simulate(survey, values, rng))
    return product.terms({plan.question: codes}, np.ones(len(values)))


@pytest.mark.parametrize(
    ("example", "name"),
    [("wellbeing", "cannabis"), ("wellbeing", "drinking"), ("wellbeing", "income"), ("wellbeing_split", "debt")],
)
def test_at_the_break_even_bias_both_have_the_same_mean_square_error(example: str, name: str) -> None:
    survey, rng = read_survey_file(ROOT / "examples" / f"{example}.toml"), np.random.default_rng(20)
    plan = plan_of(survey, name, RESPONDENTS)
    values = drawn_by_priors(survey, SURVEYS * RESPONDENTS, rng)
    weights = weights_of(survey, values, plan, rng).reshape(SURVEYS, RESPONDENTS)
    disguised = (weights.mean(axis=1) - plan.share) ** 2
    openly = (rng.binomial(RESPONDENTS, plan.share, SURVEYS) / RESPONDENTS - plan.share + plan.bias) ** 2
    half = (weights.mean(axis=1) - plan.share + HALF * plan.bias / 2) ** 2
    untouched = (rng.binomial(RESPONDENTS, plan.share, SURVEYS) / RESPONDENTS - plan.share + HALF * plan.bias) ** 2
    for one, other in ((disguised, openly), (half, untouched)):
        error = sqrt((one.var() + other.var()) / SURVEYS)
        assert abs(one.mean() - other.mean()) <= 2 * error


def yes_or_no(chances: Floats, survey: Survey, name: str, value: int, rng: np.random.Generator) -> Values:
    """Answers of people who give a value with a chance each, and others in proportion to their priors."""
    values = drawn_by_priors(survey, chances.size, rng)
    column, prior = survey.column(name), np.array([float(each) for each in survey.question(name).prior])
    prior[value] = 0
    others = rng.choice(len(prior), chances.size, p=prior / prior.sum())
    values[:, column] = np.where(rng.random(chances.size) < chances.ravel(), value, others)
    return values


@pytest.mark.parametrize("name", ["a", "b"])
def test_differences_of_groups_and_waves_are_found_with_the_power_that_is_promised(name: str) -> None:
    survey, rng = parse_survey(SHARED), np.random.default_rng(21)
    plan = plan_of(survey, name, POWERED)
    value = survey.question(name).value_index(plan.value)
    for people, difference in ((POWERED // 2, plan.disguised.groups), (POWERED, plan.disguised.waves)):
        assert difference is not None
        moved = difference if plan.upward else -difference
        chances = np.full((TRIALS, 2, people), plan.share)
        chances[:, 1] += moved
        values = yes_or_no(chances, survey, name, value, rng)
        weights = weights_of(survey, values, plan, rng).reshape(TRIALS, 2, people)
        gap = weights[:, 1].mean(axis=1) - weights[:, 0].mean(axis=1)
        error = np.sqrt((weights.var(axis=2, ddof=1) / people).sum(axis=1))
        assert (np.abs(gap) > Z * error).mean() == pytest.approx(0.8, abs=0.02)


def test_a_coefficient_is_found_with_the_power_that_is_promised() -> None:
    survey, rng = parse_survey(SHARED), np.random.default_rng(22)
    plan = plan_of(survey, "a", POWERED)
    value = survey.question("a").value_index(plan.value)
    for predictor in (rng.choice([-1.0, 1.0], (TRIALS, POWERED)), rng.uniform(-sqrt(3), sqrt(3), (TRIALS, POWERED))):
        slope = plan.disguised.coefficient * (1 if plan.upward else -1)
        values = yes_or_no(plan.share + slope * predictor, survey, "a", value, rng)
        weights = weights_of(survey, values, plan, rng).reshape(TRIALS, POWERED)
        centred = predictor - predictor.mean(axis=1, keepdims=True)
        spread = (centred**2).sum(axis=1)
        found = (centred * weights).sum(axis=1) / spread
        left = weights - weights.mean(axis=1, keepdims=True) - found[:, None] * centred
        error = np.sqrt((centred**2 * left**2).sum(axis=1)) / spread
        assert (np.abs(found) > Z * error).mean() == pytest.approx(0.8, abs=0.02)
