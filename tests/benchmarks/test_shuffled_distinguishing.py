"""Simulations of many surveys: nobody distinguishes two answers of one respondent better than is stated.

The adversary knows all other answers, and sees how many responses there are of each kind. For each set of outcomes by
which it may decide, a lower limit of P - e^epsilon Q is compared with delta.
"""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from collector.planning.shuffled import central_privacy
from collector.survey.survey import Survey
from orderless_responses import response_rows
from soak import part_of
from split_surveys import question, survey_of_tables

SURVEYS, RESPONDENTS, DELTA = part_of(1_000_000, least=300_000), 60, 0.02
ERRORS = 4.5  # standard errors
UNIFORM = 'channel = "uniform"'
DESIGNS: dict[str, tuple[Survey, bool]] = {
    "yes or no": (survey_of_tables([question("a", 2, "g")], 'g = { truth = "4/5" }'), True),
    "five values": (survey_of_tables([question("a", 5, "g")], f'g = {{ truth = "2/5", {UNIFORM} }}'), False),
    "two coins": (
        survey_of_tables(
            [question("a", 2, "g"), question("b", 2, "h")], 'g = { truth = "2/3" }\nh = { truth = "3/5" }'
        ),
        False,
    ),
    "split": (
        survey_of_tables([question(each, 2, "g") for each in "abc"], "g = { epsilon = 1 }", "[sampling]\nask = 2\n"),
        False,
    ),
}
Counts = NDArray[np.int64]


def simulated(rows: NDArray[np.float64], own: int, others: int, generator: np.random.Generator) -> Counts:
    """How many responses there are of each kind, in so many surveys."""
    drawn = generator.multinomial(RESPONDENTS - 1, rows[others], size=SURVEYS)
    return drawn + generator.multinomial(1, rows[own], size=SURVEYS)


def surest_excess(rows: NDArray[np.float64], ends: tuple[int, int, int], epsilon: float, seed: int) -> float:
    """A lower limit of the largest P - e^epsilon Q, over thresholds of the exact likelihood ratio."""
    one, other, others = ends
    generator = np.random.default_rng(seed)
    weights_one, weights_other = rows[one] / rows[others], rows[other] / rows[others]
    found = []
    for own in (one, other):
        counts = simulated(rows, own, others, generator)
        found.append(np.log((counts @ weights_one) / (counts @ weights_other)))  # the ratio of both answers, exactly
    best = -1.0
    for threshold in np.linspace(epsilon * 0.5, epsilon * 1.2, 12):
        p, q = (float((each > threshold).mean()) for each in found)
        error = sqrt((p * (1 - p) + exp(2 * epsilon) * q * (1 - q)) / SURVEYS)
        best = max(best, p - exp(epsilon) * q - ERRORS * error)
    return best


@pytest.mark.parametrize("name", DESIGNS)
def test_published_counts_are_not_told_apart_better_than_stated(name: str) -> None:
    survey, exact = DESIGNS[name]
    rows = np.array(response_rows(survey.design))
    epsilon = central_privacy(survey, RESPONDENTS, DELTA).epsilon
    last = len(rows) - 1
    for ends in ((0, last, 0), (0, last, len(rows) // 2)):
        assert surest_excess(rows, ends, epsilon, 7) <= DELTA
    if exact:  # the test would notice an epsilon that is a tenth too small
        assert max(surest_excess(rows, (0, last, each), 0.85 * epsilon, 8) for each in (0, last)) > DELTA
