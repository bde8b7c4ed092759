"""Estimate totals over people from responses with sampling weights, by a partition of all answers into cells.

A total over people is ``sum over cells k of t(k) N(k)``, where N(k) is the estimated number of people with answers in
cell k, and t(k) is what each of these people adds to the total. N(k) is the sum over responses of the sampling weight
times the response's weight for cell k, which may be negative. Raking multiplies the number of people in each cell by a
factor.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf

import numpy as np

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Flags, Floats, Indices
from miner.figures.raking import MOST_CELLS, PLACE, raked_factors, residuals
from miner.figures.sample import parts_of
from miner.figures.sample_design import SampleDesign
from miner.figures.units import Units
from miner.responses.condition import ValueSets, events_of
from miner.responses.responses import Counted, Data, Responses, value_table
from miner.weights.weights import ProductWeights, touched

MOST_NUMBERS = 2**26  # largest number of signed weights of responses in cells that are in memory together
Boxes = Sequence[ValueSets]
EVERYBODY: Boxes = ({},)
Choice = Mapping[int, int]
"""Position of one condition in each of some families of conditions: the people who meet all of them."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Estimated numbers of people in the cells of a partition, with the variance of totals over cells.

    A *family* is a list of conditions that exclude each other. The parts of the partition are the combinations of one
    condition, or none, of each family. A cell is a part with a combination of raked values.

    Attributes:
        design: Design of the sample.
        found: Distinct responses of people who were asked all questions.
        weights: Sampling weight of each response, shape (responses,).
        units: Strata and clusters of the responses.
        families: Families of conditions.
        table: Weight of each response for each cell, which may be negative, shape (responses, cells).
        people: Estimated number of people in each cell before raking, shape (cells,).
        factors: Raking factors, shape (cells,).
        indicators: Whether each cell has each value of the raked questions, shape (cells, values of the raked
            questions).
    """

    design: SampleDesign
    found: Counted
    weights: Floats
    units: Units
    families: Sequence[Sequence[Boxes]]
    table: Floats
    people: Floats
    factors: Floats
    indicators: Floats

    @classmethod
    def of(cls, data: Data, families: Sequence[Sequence[Boxes]] = (), names: Iterable[str] = ()) -> "Partition":
        """Estimate the numbers of people who meet conditions, among people who were asked all the questions.

        Args:
            data: Responses, or a sample.
            families: Families of conditions.
            names: Names of further questions that people must have been asked.

        Raises:
            QueryError: If there are no responses, nobody was asked the questions, the design does not fit the survey, a
                stratum has a single cluster, or no raking factors give the known margins.
        """
        source, design = parts_of(data)
        survey, margins = source.survey, design.margins
        design.check(survey)
        named = [*names, *(name for family in families for boxes in family for box in boxes for name in box), *margins]
        columns = [*touched(survey, named), *(survey.column(name) for name in design.names)]
        (found,) = source.on([columns])
        found = found.among_asked(dict.fromkeys(named))
        weights, units = sampling_weights(found.responses, design), units_of(found, design)
        asked = [survey.question(name) for name in margins]
        shape = tuple(len(question.values) for question in asked)
        raked, parts = int(np.prod(shape)), int(np.prod([len(family) + 1 for family in families]))
        if raked > MOST_CELLS:
            problem = f"the questions have more than {MOST_CELLS} combinations of values"
            raise QueryError(PLACE, problem, "rake by fewer questions, or by questions with fewer values")
        if raked * parts * len(weights) > MOST_NUMBERS:
            problem = f"{raked * parts} cells of {len(weights)} different responses are too many"
            raise QueryError(PLACE, problem, "rake by fewer questions, or use clusters of a question with fewer values")
        signed = ProductWeights(found.responses)
        boxes = [{name: frozenset({v}) for name, v in zip(margins, each, strict=True)} for each in np.ndindex(shape)]
        table = np.concatenate([_table(signed, families, box) for box in boxes], axis=1)
        people = (found.counts * weights) @ table
        cell = np.repeat(np.arange(raked), parts)
        factors, indicators = np.ones(len(cell)), np.ones((len(cell), 0))
        if margins:
            wanted = [np.array([margins[each.name][value] for value in each.values]) for each in asked]
            whole = np.bincount(cell, people, raked).astype(np.float64).reshape(shape)
            factors = raked_factors(whole, wanted, list(margins)).ravel()[cell]
            values = np.array(list(np.ndindex(shape)))[cell]
            indicators = np.concatenate([np.eye(size)[values[:, axis]] for axis, size in enumerate(shape)], axis=1)
        return cls(design, found, weights, units, families, table, people, factors, indicators)

    @property
    def survey(self) -> Survey:
        """Return the published survey."""
        return self.found.responses.survey

    @property
    def masses(self) -> Floats:
        """Return the sum of the sampling weights of the people with each distinct response, shape (responses,)."""
        return self.found.counts * self.weights

    def held(self, choice: Choice) -> Floats:
        """Return 1 for the parts whose people meet a choice of conditions and 0 for the others, shape (parts,)."""
        shape = [len(family) + 1 for family in self.families]
        place = np.indices(shape).reshape(len(shape), int(np.prod(shape)))
        found: Floats = np.all([place[family] == one for family, one in choice.items()], axis=0).astype(np.float64)
        return found if choice else np.ones(place.shape[1])

    def boxes(self, choice: Choice) -> Boxes:
        """Return a choice of conditions as one condition."""
        return joined([self.families[family][one] for family, one in choice.items()]) if choice else EVERYBODY

    def spread_out(self, truth: Floats) -> Floats:
        """Return what each cell adds to totals, with raking factors, from what each part adds, shape (cells, sums).

        Args:
            truth: What a person in each part adds to each total, shape (parts, sums).
        """
        return np.asarray(self._by_cell(truth) * self.factors[:, None])

    def totals(self, truth: Floats) -> Floats:
        """Return the estimates of several totals over people, shape (totals,)."""
        return np.asarray(self.people @ self.spread_out(truth))

    def covariance(self, truth: Floats) -> Floats:
        """Return the covariance of `totals`, which is due to the sampling and the disguise."""
        left = self._left(truth)
        terms = self.weights[:, None] * (self.table @ left)
        return self.units.covariance(terms) + self.units.uncorrected(terms, self.table, self.weights, left)

    def residuals(self, truth: Floats) -> Floats:
        """Return what each response adds to one total beyond the margins raked by, times its sampling weight.

        Args:
            truth: What a person with answers in each part adds to the total, shape (parts,).
        """
        found: Floats = self.weights * (self.table @ self._left(truth[:, None]))[:, 0]
        return found

    def freedom(self, truth: Floats, inside: Flags) -> float:
        """Return the degrees of freedom of the estimated variance of one total.

        Args:
            truth: What a person with answers in each part adds to the total, shape (parts,).
            inside: Whether each response may be in the total's domain, shape (responses,).
        """
        return self.units.freedom_of(self.residuals(truth), inside)

    def _by_cell(self, truth: Floats) -> Floats:
        return np.tile(truth, (len(self.people) // len(truth), 1))

    def _left(self, truth: Floats) -> Floats:
        """Return what each cell adds to totals, as residuals after regression on the raked margins."""
        return self.factors[:, None] * residuals(self.people, self._by_cell(truth), self.indicators)


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


def _table(signed: ProductWeights, families: Sequence[Sequence[Boxes]], box: ValueSets) -> Floats:
    """Return each response's weight for each part of the partition within a box, shape (responses, parts).

    No condition of a family holds for everybody who meets none of them: the weight of all less the weights of each.
    """
    found = []
    for choice in product(*([*family, EVERYBODY] for family in families)):
        inside = joined([[box], *choice])
        weight = signed.of(events_of(signed.survey, inside)) if inside else np.zeros_like(signed.of({}))
        found.append(weight)
    table = np.stack(found, axis=1).reshape(-1, *(len(family) + 1 for family in families))
    for axis in range(1, table.ndim):
        view = np.moveaxis(table, axis, 0)
        view[-1] -= view[:-1].sum(axis=0)
    return table.reshape(len(table), -1)
