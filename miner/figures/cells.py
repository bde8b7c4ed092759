"""Estimate totals over people from responses with sampling weights, by a partition of all answers into cells.

A total over people is ``sum over cells k of t(k) N(k)``, where N(k) is the estimated number of people with answers in
cell k, and t(k) is what each of these people adds to the total. N(k) is the sum over responses of the sampling weight
times the response's weight for cell k, which may be negative. Raking multiplies the number of people in each cell by a
factor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import inf

import numpy as np

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Flags, Floats, Indices
from miner.figures.raking import MOST_CELLS, PLACE, raked_factors, residuals
from miner.figures.sample_design import SampleDesign
from miner.figures.units import Units
from miner.responses.condition import ValueSets, events_of
from miner.responses.responses import Counted, Data, Responses, value_table
from miner.weights.weights import ProductWeights, touched

MOST_NUMBERS = 2**26  # largest number of signed weights of responses in cells that are in memory together
Boxes = Sequence[ValueSets]
EVERYBODY: Boxes = ({},)
Part = Sequence[tuple[int, Boxes]]
"""A part of a partition: a signed sum of unions of disjoint boxes."""


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Distinct responses with their sampling weights, strata and clusters.

    Attributes:
        design: Design of the sample.
        found: Distinct responses.
        weights: Sampling weight of each response, shape (responses,).
        units: Strata and clusters of the responses.
    """

    design: SampleDesign
    found: Counted
    weights: Floats
    units: Units

    @classmethod
    def of(cls, source: Data, design: SampleDesign, names: Sequence[str]) -> "SampledRows":
        """Return the distinct responses to some questions, with sampling weights.

        Only people who were asked all the questions are included.

        Raises:
            QueryError: If there are no responses, nobody was asked the questions, the design does not fit the survey,
                or a stratum has a single cluster.
        """
        survey = source.survey
        design.check(survey)
        asked = [*names, *(name for name in design.margins if name not in names)]
        columns = [*touched(survey, asked), *(survey.column(name) for name in design.names)]
        (found,) = source.on([columns])
        found = found.among_asked(asked)
        return cls(design, found, sampling_weights(found.responses, design), units_of(found, design))

    @property
    def survey(self) -> Survey:
        """Return the published survey."""
        return self.found.responses.survey

    def cells(self, partition: Sequence[Part]) -> "SampledCells":
        """Return the estimated numbers of people in the cells of a partition of all answers.

        Raises:
            QueryError: If no raking factors give the known margins.
        """
        survey, margins = self.survey, self.design.margins
        signed = ProductWeights(self.found.responses)
        asked = [survey.question(name) for name in margins]
        shape = tuple(len(question.values) for question in asked)
        if int(np.prod(shape)) > MOST_CELLS:
            problem = f"the questions have more than {MOST_CELLS} combinations of values"
            raise QueryError(PLACE, problem, "rake by fewer questions, or by questions with fewer values")
        raked = [dict(zip(margins, ({value} for value in values), strict=True)) for values in np.ndindex(shape)]
        boxes = [{name: frozenset(values) for name, values in each.items()} for each in raked]
        if len(boxes) * len(partition) * len(self.weights) > MOST_NUMBERS:
            problem = f"{len(boxes) * len(partition)} cells of {len(self.weights)} different responses are too many"
            raise QueryError(PLACE, problem, "rake by fewer questions, or use clusters of a question with fewer values")
        table = np.stack([_signed(signed, part, box) for box in boxes for part in partition], axis=1)
        people = (self.found.counts * self.weights) @ table
        cell = np.repeat(np.arange(len(boxes)), len(partition))
        factors, indicators = np.ones(len(cell)), np.ones((len(cell), 0))
        if margins:
            wanted = [np.array([margins[each.name][value] for value in each.values]) for each in asked]
            whole = np.bincount(cell, people, len(boxes)).astype(np.float64).reshape(shape)
            factors = raked_factors(whole, wanted, list(margins)).ravel()[cell]
            values = np.array(list(np.ndindex(shape)))[cell]
            indicators = np.concatenate([np.eye(size)[values[:, axis]] for axis, size in enumerate(shape)], axis=1)
        return SampledCells(self, len(partition), table, people, factors, indicators)

    def atoms(self, conditions: Sequence[Boxes]) -> tuple["SampledCells", Floats]:
        """Partition all answers by conditions, and return flags of the conditions, shape (parts, conditions).

        A *part* of a partition is a set of answers for which the same conditions hold.
        """
        held = list(product((True, False), repeat=len(conditions)))
        return self.cells([_exactly(conditions, each) for each in held]), np.array(held, np.float64)


@dataclass(frozen=True, eq=False)
class SampledCells:
    """Estimated numbers of people in the cells of a partition, with the variance of totals over cells.

    Attributes:
        rows: Distinct responses with sampling weights.
        parts: Number of parts of the partition, into which each combination of raked values is divided.
        table: Weight of each response for each cell, which may be negative, shape (responses, cells).
        people: Estimated number of people in each cell before raking, shape (cells,).
        factors: Raking factors, shape (cells,).
        indicators: Whether each cell has each value of the raked questions, shape (cells, values of the raked
            questions).
    """

    rows: SampledRows
    parts: int
    table: Floats
    people: Floats
    factors: Floats
    indicators: Floats

    def spread_out(self, truth: Floats) -> Floats:
        """Return what each cell adds to totals, with raking factors, from what each part adds, shape (cells, sums).

        Args:
            truth: What a person in each part adds to each total, shape (parts, sums).
        """
        return np.asarray(np.tile(truth, (len(self.people) // self.parts, 1)) * self.factors[:, None])

    def totals(self, truth: Floats) -> Floats:
        """Return the estimates of several totals over people, shape (totals,)."""
        return np.asarray(self.people @ self.spread_out(truth))

    def terms(self, truth: Floats) -> Floats:
        """Return what each response adds to each total, without its sampling weight, shape (responses, sums)."""
        return np.asarray(self.table @ self.spread_out(truth))

    def covariance(self, truth: Floats) -> Floats:
        """Return the covariance of `totals`, which is due to the sampling and the disguise."""
        left, rows = self._left(truth), self.rows
        terms = rows.weights[:, None] * (self.table @ left)
        removed = rows.units.uncorrected(terms, self.table, rows.weights, left)
        return rows.units.covariance(terms) + removed

    def freedom(self, truth: Floats, inside: Flags) -> float:
        """Return the degrees of freedom of the estimated variance of one total.

        Args:
            truth: What a person with answers in each part adds to the total, shape (parts,).
            inside: Whether each response may be in the total's domain, shape (responses,).
        """
        return self.rows.units.freedom_of(self.rows.weights * self.residuals(truth), inside)

    def residuals(self, truth: Floats) -> Floats:
        """Return what each response adds to one total beyond the margins raked by, without its sampling weight.

        Args:
            truth: What a person with answers in each part adds to the total, shape (parts,).
        """
        found: Floats = (self.table @ self._left(truth[:, None]))[:, 0]
        return found

    def _left(self, truth: Floats) -> Floats:
        """Return what each cell adds to totals, as residuals after regression on the raked margins."""
        each = np.tile(truth, (len(self.people) // self.parts, 1))
        return self.factors[:, None] * residuals(self.people, each, self.indicators)


def sampling_weights(responses: Responses, design: SampleDesign) -> Floats:
    """Return the sampling weight of each response, shape (responses,)."""
    found = np.ones(len(responses))
    for name, numbers in design.weights.items():
        question, values = responses.survey.question(name), _values_of(responses, name)
        found *= np.array([numbers[value] for value in question.values])[values]
    return found


def units_of(found: Counted, design: SampleDesign) -> Units:
    """Return the strata and clusters of responses.

    Raises:
        QueryError: If a stratum has a single cluster, or more clusters in the sample than in the population.
    """
    responses = found.responses
    names: tuple[str, ...] = ()
    stratum, sizes = np.zeros(len(responses), np.intp), np.array([inf])
    if design.sizes is not None and not isinstance(design.sizes, Mapping):
        sizes = np.array([float(design.sizes)])
    if design.strata is not None:
        names = responses.survey.question(design.strata).values
        stratum = _values_of(responses, design.strata)
        sizes = np.full(len(names), inf)
        if isinstance(design.sizes, Mapping):
            sizes = np.array([design.sizes[name] for name in names])
    cluster = None if design.clusters is None else _values_of(responses, design.clusters)
    return Units(found.counts, stratum, cluster, sizes, names)


def _values_of(responses: Responses, name: str) -> Indices:
    question = responses.survey.question(name)
    return value_table(question)[responses.codes[:, responses.survey.column(name)]].astype(np.intp)


def joined(conditions: Sequence[Boxes]) -> list[ValueSets]:
    """Return the answers for which all conditions hold, as a list of disjoint sets of answers."""
    found: list[ValueSets] = [{}]
    for boxes in conditions:
        both = [
            {**one, **other} | {name: one[name] & other[name] for name in one.keys() & other.keys()}
            for one in found
            for other in boxes
        ]
        found = [box for box in both if all(box.values())]
    return found


def _exactly(conditions: Sequence[Boxes], held: Sequence[bool]) -> Part:
    """Return the answers for which some conditions hold and others do not, by inclusion and exclusion."""
    true = [boxes for boxes, holds in zip(conditions, held, strict=True) if holds]
    others = [boxes for boxes, holds in zip(conditions, held, strict=True) if not holds]
    return [
        ((-1) ** size, joined([*true, *some])) for size in range(len(others) + 1) for some in combinations(others, size)
    ]


def _signed(weights: ProductWeights, part: Part, box: ValueSets) -> Floats:
    """Return each response's weight for the answers in one part of the partition that have given raked values."""
    found = np.zeros(len(weights.of({})))
    for sign, boxes in part:
        inside = joined([boxes, [box]])
        if inside:
            found += sign * weights.of(events_of(weights.survey, inside))
    return found
