"""Estimate the frequency of a condition within a subgroup, and the difference between two subgroups, with intervals.

The share of an event E in a subgroup C is estimated by the estimate of "E and C" divided by the estimate of C
(`miner.figures.figure.Figure`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import hypot

import numpy as np
import pandas as pd

from collector.errors import QueryError
from miner.arrays import Floats
from miner.figures.estimate import Estimate
from miner.figures.figure import ROUNDING, Figure, difference_of
from miner.figures.partition import Partition
from miner.figures.sample import Sample
from miner.figures.sampled_figure import sampled_figure
from miner.json_values import JsonResult
from miner.responses.condition import ValueSets, events_of, read_condition
from miner.responses.responses import Data, Responses
from miner.weights.events import Events
from miner.weights.possible_weights import has_shared_codes, possible_weights
from miner.weights.weights import ProductWeights, touched

Boxes = Sequence[ValueSets]


@dataclass(frozen=True)
class SubgroupDifference(JsonResult):
    """Frequencies of a condition in two subgroups, and their difference.

    Attributes:
        first: Frequency in the first subgroup, or None if the estimated size of the subgroup is not above 0.
        second: Frequency in the second subgroup, or None if the estimated size of the subgroup is not above 0.
        difference: Frequency in the first subgroup minus frequency in the second, or None if either is None.
    """

    first: Estimate | None
    second: Estimate | None
    difference: Estimate | None

    def to_frame(self) -> pd.DataFrame:
        """Return both shares and their difference as a frame, with the column names of R's package broom."""
        parts = {"first": self.first, "second": self.second, "difference": self.difference}
        return pd.DataFrame([{"term": name, **part.broom()} for name, part in parts.items() if part is not None])

    def _repr_html_(self) -> str:
        rows = {name: part for name, part in self.as_json.items() if part is not None}
        columns = ["estimate", "standard_error", "interval", "n"]
        return str(pd.DataFrame.from_dict(rows, orient="index", columns=columns).to_html(na_rep="none"))


def difference(
    responses: Data, condition: ValueSets | str, first: ValueSets | str, second: ValueSets | str
) -> SubgroupDifference:
    """Estimate the frequency of a condition in two subgroups, and the first frequency minus the second.

    Args:
        responses: Disguised responses, or a sample.
        condition: Condition as text, such as ``"distress = yes"``, or the accepted values of each question, as
            `miner.responses.condition.parse_condition` returns them.
        first: Condition that defines the first subgroup, as text or as accepted values.
        second: Condition that defines the second subgroup, which may overlap the first.

    In a split questionnaire, only respondents who were asked all questions of all conditions are included.

    Raises:
        QueryError: If there are no responses, a condition does not fit the survey, or no respondent was asked all
            questions of a condition.
    """
    wanted, *groups = (read_condition(responses.survey, each) for each in (condition, first, second))
    figures: list[Figure | None]
    if isinstance(responses, Sample):
        cells = Partition.of(responses, [[wanted], *([group] for group in groups)])
        figures = [sampled_figure(cells, [(1.0, {0: 0, group: 0})], {group: 0}) for group in (1, 2)]
    else:
        names = _questions(wanted, *groups)
        (found,) = responses.on([touched(responses.survey, names)])
        asked = found.among_asked(names)
        figures = [_share(asked.responses, asked.counts, wanted, group) for group in groups]
    one, other = figures
    shares = [None if each is None else each.estimate for each in figures]
    apart = None if one is None or other is None else one.minus(other)
    return SubgroupDifference(shares[0], shares[1], apart)


def between(
    first: Responses, second: Responses, condition: ValueSets | str, among: ValueSets | str | None = None
) -> SubgroupDifference:
    """Estimate the frequency of a condition in two waves of a survey, and the first frequency minus the second.

    Args:
        first: Responses to one version.
        second: Responses to another version.
        condition: Condition whose frequency is estimated, as text or as the accepted values of each question.
        among: Condition that defines a subgroup, or None for everybody.

    Raises:
        QueryError: If there are no responses, a condition does not fit a survey, or no respondent was asked all
            questions of a condition.
    """
    ratios = []
    for wave in (first, second):
        if not len(wave):
            raise QueryError("responses", "there are no responses to estimate from", "collect responses first")
        read, subgroup = (read_condition(wave.survey, each) for each in (condition, among or {}))
        asked = wave.among_asked(_questions(read, subgroup))
        ratios.append(_share(asked, np.ones(len(asked)), read, subgroup))
    one, other = ratios
    shares = [None if ratio is None else ratio.estimate for ratio in ratios]
    if one is None or other is None:
        return SubgroupDifference(shares[0], shares[1], None)
    errors = one.estimate.standard_error, other.estimate.standard_error
    error = None if None in errors else hypot(*(each or 0.0 for each in errors))
    apart = difference_of(one.estimate, other.estimate, one.n + other.n, error, 0.0)
    return SubgroupDifference(shares[0], shares[1], apart)


def share_within(weights: ProductWeights, counts: Floats, both: Events, subgroup: Events) -> Figure | None:
    """Return the share of an event in a larger event, or None if the larger event is not estimated above 0.

    Args:
        weights: Weights of the responses of people who were asked all questions of both events.
        counts: Number of responses that each row of `weights` stands for, shape (rows,).
        both: Event that is part of the larger event, or disjoint events that are counted together.
        subgroup: Larger event, or disjoint events that are counted together.
    """
    survey, events = weights.survey, (both, subgroup)
    terms = np.stack([weights.of(event) for event in events], axis=1)
    if counts @ terms[:, 1] <= ROUNDING * counts.sum():
        return None
    seen, ranges = np.unique(terms, axis=0), [weights.range(event) for event in events]
    possible = possible_weights(survey, events)
    if possible is None or has_shared_codes(survey, events):
        ends = np.array(list(product(*ranges)), np.float64)
    else:
        ends = possible
    return Figure(terms[:, 0], terms[:, 1], counts, seen if possible is None else possible, ends)


def _share(responses: Responses, counts: Floats, condition: Boxes, subgroup: Boxes) -> Figure | None:
    """Return the share of a condition in a subgroup, or None if the subgroup is estimated to be empty."""
    survey = responses.survey
    joint = [_both(one, other) for one, other in product(condition, subgroup)]
    possible = [box for box in joint if all(box.values())] or joint[:1]
    return share_within(ProductWeights(responses), counts, events_of(survey, possible), events_of(survey, subgroup))


def _both(one: ValueSets, other: ValueSets) -> ValueSets:
    return {**one, **other} | {name: one[name] & other[name] for name in one.keys() & other.keys()}


def _questions(*conditions: Boxes) -> set[str]:
    return {name for boxes in conditions for box in boxes for name in box}
