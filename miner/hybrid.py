"""Hybrid data (Du & Zhan 2003, section 6): disguised responses, and rows that the analyst knows undisguised.

The two are strata of one population, in proportion to their numbers: n responses, and plain rows of weights that add
up to W. A plain row is a response whose groups are all known to be as they are, so that it adds no noise to counts.
Every estimate is the mean of both strata's, weighted n : W, and unbiased if each stratum stands for its share.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from collector.errors import QueryError
from collector.survey import Survey
from miner.condition import ValueSets, event_of
from miner.counts import Level
from miner.criteria import Criterion
from miner.estimate import Estimate, estimate, mean_estimate
from miner.grow import grow
from miner.responses import Responses, Values, value_indices
from miner.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PlainRows:
    """The analyst's own rows: true answers to the questions of a survey.

    Attributes:
        survey: Whose questions they answer.
        values: Shape (rows, questions): value indices.
        weights: Shape (rows,): how many people of the population each stands for, above 0.

    Raises:
        QueryError: If there is not one positive, finite weight for each row.
    """

    survey: Survey
    values: Values
    weights: Floats

    def __post_init__(self) -> None:
        whole = self.weights.shape == (len(self.values),) and bool(np.isfinite(self.weights).all())
        if not whole or (self.weights <= 0).any():
            raise QueryError("weights", "there is not one positive number for each row", "give how many it stands for")

    @classmethod
    def from_frame(cls, survey: Survey, frame: pd.DataFrame, weights: ArrayLike | None = None) -> Self:
        """From a frame of values in words, numbers for number questions, a column for each question.

        Args:
            survey: Whose questions they answer.
            frame: The rows.
            weights: One for each row; 1 if None.

        Raises:
            ResponseError: If a column is missing or a value unknown; naming row and column, never the value.
            QueryError: As for the class.
        """
        return cls.of(survey, value_indices(survey, frame), weights)

    @classmethod
    def of(cls, survey: Survey, values: Values, weights: ArrayLike | None = None) -> Self:
        """From value indices, shape (rows, questions); a row weighs 1 unless said.

        Raises:
            QueryError: As for the class.
        """
        return cls(survey, values, np.ones(len(values)) if weights is None else np.asarray(weights, np.float64))

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class _HybridLevel(Level):
    """A level of both strata.

    Attributes:
        stands_for: n + W, rounded.
    """

    stands_for: int = 0

    @property
    def responses(self) -> int:
        """How many people the rows stand for, here or elsewhere in the tree."""
        return self.stands_for


def hybrid_estimate(responses: Responses, plain: PlainRows, condition: ValueSets) -> Estimate:
    """The frequency of a condition among those whom responses and plain rows stand for together.

    The interval adds up the distances of both strata's own limits as independent errors (Zou & Donner 2008), the
    standard error likewise.

    Args:
        responses: Disguised.
        plain: Undisguised, of the same survey; the weights are taken as given.
        condition: The values it admits for each question it names, from `miner.condition.parse_condition`.

    Raises:
        QueryError: If either stratum is empty, their surveys differ, or the condition does not fit.
    """
    _check(responses, plain)
    disguised = estimate(responses, event_of(responses.survey, condition))
    known = _plain_estimate(plain, condition)
    total = len(responses) + float(plain.weights.sum())
    shares = len(responses) / total, 1 - len(responses) / total
    strata = list(zip(shares, (disguised, known), strict=True))
    mean = sum(share * each.estimate for share, each in strata)
    n = len(responses) + len(plain)
    lows, highs, errors = [], [], []
    for share, each in strata:
        if each.interval is None or each.standard_error is None:
            return Estimate(mean, None, None, n)
        lows.append(share * (each.estimate - each.interval[0]))
        highs.append(share * (each.interval[1] - each.estimate))
        errors.append(share * each.standard_error)
    interval = mean - sqrt(sum(low**2 for low in lows)), mean + sqrt(sum(high**2 for high in highs))
    return Estimate(mean, sqrt(sum(error**2 for error in errors)), interval, n)


def hybrid_tree(
    responses: Responses, plain: PlainRows, target: str, criterion: Criterion, max_depth: int | None = None
) -> Tree:
    """Grow an ID3 tree on both strata at once.

    Args:
        responses: Disguised.
        plain: Undisguised, of the same survey.
        target: Name of the class question.
        criterion: As for `miner.grow.grow`.
        max_depth: As for `miner.grow.grow`.

    Raises:
        QueryError: If either stratum is empty, their surveys differ, or the target is no question.
    """
    return grow(hybrid_level(responses, plain, target), criterion, max_depth)


def hybrid_level(responses: Responses, plain: PlainRows, target: str) -> Level:
    """Both strata at the root of a tree: counts are those of the responses plus those of the plain rows.

    Raises:
        QueryError: As for `hybrid_tree`.
    """
    _check(responses, plain)
    first = Level.at_root(responses.survey, responses.codes, target)
    second = Level.of_plain(plain.survey, plain.values, target, plain.weights)
    return _HybridLevel(
        disguise=first.disguise,
        values=np.concatenate([first.values, second.values], axis=1),
        complements=np.concatenate([first.complements, second.complements], axis=1),
        response=np.concatenate([first.response, second.response + len(responses)]),
        node=np.concatenate([first.node, second.node]),
        cls=np.concatenate([first.cls, second.cls]),
        weight=np.concatenate([first.weight, second.weight]),
        state=np.concatenate([first.state, second.state]),
        stands_for=round(len(responses) + float(plain.weights.sum())),
    )


def _plain_estimate(plain: PlainRows, condition: ValueSets) -> Estimate:
    """The weighted share of the plain rows, with the interval of a mean."""
    holds = np.ones(len(plain), bool)
    for name, admitted in condition.items():
        column = plain.survey.questions.index(plain.survey.question(name))
        holds &= np.isin(plain.values[:, column], list(admitted))
    relative = plain.weights / plain.weights.mean()
    share = float((relative * holds).mean())
    terms = share + relative * (holds - share)
    return mean_estimate(terms, (share * (1 - relative.max()), share + relative.max() * (1 - share)))


def _check(responses: Responses, plain: PlainRows) -> None:
    if plain.survey.fingerprint != responses.survey.fingerprint:
        raise QueryError("plain rows", "they answer another survey, or version, than the responses", "read them again")
    if not len(responses) or not len(plain):
        raise QueryError("plain rows and responses", "one of them is empty", "use the other alone")
