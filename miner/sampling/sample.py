"""Estimates with sampling weights: shares, tables and differences, with the variance of sample and coins together."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt

import numpy as np
from scipy.special import fdtrc  # type: ignore[import-untyped] # scipy brings no types

from collector.errors import QueryError
from miner.arrays import Floats
from miner.estimates.comparison import SubgroupDifference, distances_to_limits
from miner.estimates.crosstab import Crosstab
from miner.estimates.estimate import FEWEST, Estimate
from miner.estimates.independence import MOST_CELLS, Independence, chi_square, independence_slopes
from miner.estimates.ratios import ROUNDING, Difference
from miner.responses.condition import ValueSets, events_of, options_of, read_condition, values_having
from miner.responses.source import Source
from miner.sampling.cells import Boxes, SampledCells, SampledRows, joined
from miner.sampling.design import SampleDesign
from miner.sampling.sampled_ratio import SampledRatio, covariance_of
from miner.weights.possible_weights import possible_weights
from miner.weights.weights import ProductWeights

EVERYBODY: Boxes = ({},)


@dataclass(frozen=True)
class SurveySample:
    """Disguised responses of a sample that was not drawn simply, or whose margins are those of a population.

    Attributes:
        responses: In memory or on the disk.
        design: How the respondents were sampled.
    """

    responses: Source
    design: SampleDesign

    def estimate(self, condition: ValueSets | str) -> Estimate:
        """The share of a condition in the population.

        Raises:
            QueryError: If there are no responses, or the condition or the design does not fit the survey.
        """
        boxes = read_condition(self.responses.survey, condition)
        rows = SampledRows.of(self.responses, self.design, _questions(boxes))
        cells, held = rows.atoms([boxes])
        return _share(cells, held, boxes)

    @property
    def line(self) -> str:
        """Sampling of the responses, in words."""
        rows = SampledRows.of(self.responses, self.design, [])
        masses, units = rows.found.counts * rows.weights, rows.units
        kish = masses.sum() ** 2 / float(masses @ rows.weights)
        strata = int((units.number > 0).sum())
        each = "" if units.cluster is None else f", {units.number.sum():.0f} clusters"
        raked = f", raked by {', '.join(self.design.margins)}" if self.design.margins else ""
        kinds = f"{strata} {'stratum' if strata == 1 else 'strata'}{each}"
        return f"{rows.found.people} responses, by sampling weights worth {kish:.0f} equal ones; {kinds}{raked}"

    def frequencies(self) -> tuple[dict[str, dict[str, Estimate]], dict[str, dict[str, Estimate]]]:
        """Shares of the values of each question; and of the options of each whose values are combinations of ticks."""
        survey = self.responses.survey
        shares, options = {}, {}
        for question in survey.questions:
            rows = SampledRows.of(self.responses, self.design, [question.name])
            cells = rows.cells([[(1, [{question.name: frozenset({value})}])] for value in range(len(question.values))])

            def of(some: frozenset[int], name: str = question.name, cells: SampledCells = cells) -> Estimate:
                return _share(cells, _column([value in some for value in range(cells.parts)]), [{name: some}])

            shares[question.name] = {value: of(frozenset({number})) for number, value in enumerate(question.values)}
            ticked = options_of(survey, question)
            if ticked:
                options[question.name] = {f"has {option}": of(values_having(question, option)) for option in ticked}
        return shares, options

    def crosstab(self, row: str, column: str) -> Crosstab:
        """The joint table of two questions, with a test of independence: Wald's, by the variance of the cells.

        Raises:
            QueryError: As `miner.estimates.crosstab.crosstab` does, or if the design does not fit the survey.
        """
        survey = self.responses.survey
        first, second = survey.question(row), survey.question(column)
        if first == second:
            raise QueryError("crosstab", "rows and columns are the same question", "name two questions")
        rows = SampledRows.of(self.responses, self.design, [row, column])
        shape = len(first.values), len(second.values)
        pairs = list(np.ndindex(shape))
        boxes = [_box(row, column, pair) for pair in pairs]
        cells = rows.cells([[(1, [box])] for box in boxes])
        words = [(first.values[one], second.values[other]) for one, other in pairs]

        def shares(wanted: Sequence[bool], box: ValueSets) -> Estimate:
            return _share(cells, _column(wanted), [box])

        return Crosstab(
            row,
            column,
            {
                each: shares([other == number for other in range(len(pairs))], boxes[number])
                for number, each in enumerate(words)
            },
            {
                value: shares([pair[0] == place for pair in pairs], {row: frozenset({place})})
                for place, value in enumerate(first.values)
            },
            {
                value: shares([pair[1] == place for pair in pairs], {column: frozenset({place})})
                for place, value in enumerate(second.values)
            },
            dict.fromkeys(words),
            _independence(cells, shape) if rows.found.people >= FEWEST else None,
        )

    def difference(
        self, condition: ValueSets | str, first: ValueSets | str, second: ValueSets | str
    ) -> SubgroupDifference:
        """The share of a condition in two subgroups, and the difference of the first minus the second.

        Raises:
            QueryError: As `estimate` does.
        """
        survey = self.responses.survey
        wanted, *groups = (read_condition(survey, each) for each in (condition, first, second))
        rows = SampledRows.of(self.responses, self.design, _questions([*wanted, *groups[0], *groups[1]]))
        cells, held = rows.atoms([wanted, *groups])
        ratios = []
        for number, group in enumerate(groups, start=1):
            both = np.stack([held[:, 0] * held[:, number], held[:, number]], axis=1)
            inside = cells.totals(both)[1] > ROUNDING * np.abs(cells.people).sum()
            ratios.append((_ratio(cells, both, joined([wanted, group]), group), both) if inside else None)
        one, other = ratios
        shares = [None if each is None else each[0].estimate for each in ratios]
        if one is None or other is None:
            return SubgroupDifference(shares[0], shares[1], None)
        together = cells.covariance(np.concatenate([one[1], other[1]], axis=1))[:2, 2:]
        return SubgroupDifference(shares[0], shares[1], _difference(one[0], other[0], together))


def _difference(first: SampledRatio, second: SampledRatio, together: Floats) -> Estimate:
    value, n = first.value - second.value, first.people
    if n < FEWEST:
        return Difference(value, None, None, n)
    shared, errors = covariance_of(first, second, together), (first.standard_error, second.standard_error)
    variance = errors[0] ** 2 + errors[1] ** 2 - 2 * shared
    correlation = shared / (errors[0] * errors[1]) if min(errors) > 0 else 0.0
    reach = distances_to_limits(first.estimate, second.estimate, correlation)
    return Difference(
        value, sqrt(max(0.0, variance)), None if reach is None else (value - reach[0], value + reach[1]), n
    )


def _share(cells: SampledCells, held: Floats, boxes: Boxes) -> Estimate:
    """The share among everybody of the parts that are held, which are the answers of a condition."""
    return _ratio(cells, np.concatenate([held, np.ones((len(held), 1))], axis=1), boxes, EVERYBODY).estimate


def _ratio(cells: SampledCells, truth: Floats, both: Boxes, among: Boxes) -> SampledRatio:
    """The ratio of two totals.

    Args:
        cells: Totals of the responses.
        truth: Shape (parts, 2): what the answers of each part count for numerator and denominator.
        both: The condition of the numerator.
        among: The condition of the denominator.
    """
    rows = cells.rows
    survey, largest = rows.survey, float(cells.factors.max())
    terms = cells.terms(truth)
    events = [events_of(survey, both), events_of(survey, among)]
    possible = possible_weights(survey, events) if both else None
    if possible is None:
        signed = ProductWeights(rows.found.responses)
        possible = np.array(list(product(*(signed.range(event) for event in events))), np.float64)
    totals = cells.totals(truth)
    return SampledRatio(
        totals,
        cells.covariance(truth),
        terms,
        rows.found.counts * rows.weights,
        np.concatenate([possible * largest, terms]),
        rows.found.people,
        cells.freedom(truth @ np.array([1.0, -totals[0] / totals[1]])),
        whole=among is EVERYBODY,
    )


def _independence(cells: SampledCells, shape: tuple[int, int]) -> Independence | None:
    """Wald's test: the cells less the product of their margins, by their covariance; p from the F distribution."""
    size = shape[0] * shape[1]
    if size > MOST_CELLS:
        return None
    totals = cells.totals(np.eye(size))
    shares = totals / totals.sum()
    table = shares.reshape(shape)
    margins = table.sum(axis=1), table.sum(axis=0)
    slopes = independence_slopes(*margins) @ (np.eye(size) - shares[:, None]) / totals.sum()
    gaps = (table - np.outer(*margins)).ravel()
    statistic, freedom = chi_square(gaps, slopes @ cells.covariance(np.eye(size)) @ slopes.T)
    left = cells.rows.units.freedom - freedom + 1
    if not freedom or left < 1:
        return None
    ratio = statistic * left / (freedom * cells.rows.units.freedom)
    return Independence(statistic, freedom, float(fdtrc(freedom, left, ratio)))


def _questions(boxes: Boxes) -> list[str]:
    return list(dict.fromkeys(name for box in boxes for name in box))


def _column(wanted: Sequence[bool]) -> Floats:
    return np.array(wanted, np.float64)[:, None]


def _box(row: str, column: str, pair: tuple[int, ...]) -> ValueSets:
    return {row: frozenset({pair[0]}), column: frozenset({pair[1]})}
