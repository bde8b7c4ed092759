"""Combine disguised responses with undisguised rows into hybrid data (Du & Zhan 2003, section 6).

The n responses and the plain rows, whose weights add up to W, are two strata of one population. A plain row is a row of
true answers. A hybrid estimate is the mean of the estimates from responses and from plain rows, with weights n and W. A
hybrid estimate is unbiased if the people of each stratum represent the stratum's population.
"""

from collections.abc import Sequence

import numpy as np

from miner.estimates.estimate import estimate
from miner.figures.estimate import Estimate
from miner.figures.means import mean_estimate, weighted_sum
from miner.responses.condition import ValueSets, events_of, read_condition
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses


def hybrid_estimate(responses: Responses, plain: PlainRows, condition: ValueSets | str) -> Estimate:
    """Estimate the frequency of a condition in the population that responses and plain rows represent together.

    Args:
        responses: Disguised responses.
        plain: Undisguised rows of the same survey, with weights.
        condition: Condition as text, or the accepted values of each question.

    Raises:
        QueryError: If there are no plain rows or no responses, the surveys differ, or the condition does not fit the
            survey.
    """
    plain.check(responses.survey)
    boxes = read_condition(responses.survey, condition)
    disguised = estimate(responses, events_of(responses.survey, boxes))
    known = _plain_estimate(plain, boxes)
    total = len(responses) + float(plain.weights.sum())
    shares = len(responses) / total, 1 - len(responses) / total
    strata = list(zip(shares, (disguised, known), strict=True))
    return weighted_sum(strata, len(responses) + plain.count)


def _plain_estimate(plain: PlainRows, boxes: Sequence[ValueSets]) -> Estimate:
    """Return the weighted share of plain rows that meet a condition, with an interval."""
    holds = np.zeros(plain.count, bool)
    for box in boxes:
        inside = np.ones(plain.count, bool)
        for name, admitted in box.items():
            inside &= np.isin(plain.values[:, plain.survey.column(name)], list(admitted))
        holds |= inside
    relative = plain.weights / plain.weights.mean()
    share = float((relative * holds).mean())
    terms = share + relative * (holds - share)
    extremes = share * (1 - relative.max()), share + relative.max() * (1 - share)
    return mean_estimate(terms, extremes, fewest=2)  # two rows have a deviation; few rows weigh little
