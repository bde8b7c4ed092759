"""Hybrid data (Du & Zhan 2003, section 6): disguised responses together with undisguised rows.

The two are strata of one population, in proportion to their numbers: n responses, and plain rows of weights that add
up to W. A plain row is a response whose groups are all known to be true, so that it adds no noise to counts. Each
estimate is the weighted mean of both strata's estimates, with weights n : W; it is unbiased if each stratum represents
its share of the population.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collector.survey.survey import Survey
from miner.estimates.estimate import Estimate, estimate, mean_estimate
from miner.estimates.ratios import weighted_sum
from miner.responses.condition import ValueSets, events_of, read_condition
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Codes, Responses
from miner.trees.counts import Level
from miner.trees.tally import Entries
from miner.weights.layout import check_countable


@dataclass(frozen=True, eq=False)
class _HybridLevel(Level):
    """A level of both strata.

    Attributes:
        stands_for: n + W, rounded.
    """

    stands_for: int = 0

    @property
    def responses(self) -> int:
        """The number of people that all rows represent, at this level or not."""
        return self.stands_for


def hybrid_estimate(responses: Responses, plain: PlainRows, condition: ValueSets | str) -> Estimate:
    """The frequency of a condition in the population that responses and plain rows represent together.

    Args:
        responses: Disguised.
        plain: Undisguised, of the same survey; the weights are taken as given.
        condition: As text; or the values it admits for each question it names.

    Raises:
        QueryError: If there are no plain rows or no responses, their surveys differ, or the condition does not fit.
    """
    plain.check(responses.survey)
    boxes = read_condition(responses.survey, condition)
    disguised = estimate(responses, events_of(responses.survey, boxes))
    known = _plain_estimate(plain, boxes)
    total = len(responses) + float(plain.weights.sum())
    shares = len(responses) / total, 1 - len(responses) / total
    strata = list(zip(shares, (disguised, known), strict=True))
    return weighted_sum(strata, len(responses) + plain.count)


def hybrid_level(survey: Survey, codes: Codes, plain: PlainRows | None, target: str) -> Level:
    """Both strata at the root of a tree: counts are those of the responses plus those of the plain rows.

    Args:
        survey: The survey of both.
        codes: Shape (responses, questions): disguised codes.
        plain: None for the responses alone.
        target: Name of the class question.

    Raises:
        QueryError: If single responses cannot be counted (`miner.weights.layout.uncountable`).
    """
    check_countable(survey, target)
    first = Level.at_root(survey, codes, target)
    if plain is None:
        return first
    second = Level.of_plain(plain.survey, plain.values, target, plain.weights)
    below = second.entries._replace(response=second.entries.response + len(codes))
    return _HybridLevel(
        disguise=first.disguise,
        values=np.concatenate([first.values, second.values], axis=1),
        partners=np.concatenate([first.partners, second.partners], axis=1),
        entries=Entries.joined([first.entries, below]),
        admitted=first.admitted,
        stands_for=round(len(codes) + float(plain.weights.sum())),
    )


def _plain_estimate(plain: PlainRows, boxes: Sequence[ValueSets]) -> Estimate:
    """The weighted share of the plain rows, with the interval of a mean."""
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
