"""Estimate shares, tables, differences and regressions with sampling weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from miner.arrays import Floats
from miner.estimates.comparison import SubgroupDifference
from miner.estimates.crosstab import Crosstab, table_names, table_of
from miner.estimates.design import Family
from miner.estimates.independence import MOST_CELLS, Independence, independence_slopes
from miner.estimates.regression import Regression
from miner.estimates.sampled_regression import regress_sample
from miner.figures.cells import EVERYBODY, Boxes, SampledCells, SampledRows, joined
from miner.figures.chi_square import wald
from miner.figures.estimate import FEWEST, Estimate
from miner.figures.figure import ROUNDING
from miner.figures.sample_design import SampleDesign
from miner.figures.sampled_ratio import SampledRatio, difference_of, few_clusters
from miner.responses.condition import ValueSets, options_of, read_condition, values_having
from miner.responses.responses import Data


@dataclass(frozen=True)
class SurveySample:
    """Disguised responses with the sampling design of their respondents.

    Attributes:
        responses: Disguised responses, in memory or on disk.
        design: Sampling design of the respondents.
    """

    responses: Data
    design: SampleDesign

    def estimate(self, condition: ValueSets | str) -> Estimate:
        """Estimate the share of a condition in the population.

        Raises:
            QueryError: If there are no responses, or the condition or the design does not fit the survey.
        """
        boxes = read_condition(self.responses.survey, condition)
        rows = SampledRows.of(self.responses, self.design, _questions(boxes))
        cells, held = rows.atoms([boxes])
        return _share(cells, held, boxes)

    @property
    def line(self) -> str:
        """Return a line of text about the number of responses, the strata and the clusters."""
        rows = SampledRows.of(self.responses, self.design, [])
        masses, units = rows.found.counts * rows.weights, rows.units
        kish = masses.sum() ** 2 / float(masses @ rows.weights)
        strata = int((units.number > 0).sum())
        each = "" if units.cluster is None else f", {units.number.sum():.0f} clusters"
        raked = f", raked by {', '.join(self.design.margins)}" if self.design.margins else ""
        kinds = f"{strata} {'stratum' if strata == 1 else 'strata'}{each}"
        warning = few_clusters(rows, np.ones(len(masses), np.bool_))
        few = f"; {warning}" if warning else ""
        return f"{rows.found.people} responses, by sampling weights worth {kish:.0f} equal ones; {kinds}{raked}{few}"

    def frequencies(self) -> tuple[dict[str, dict[str, Estimate]], dict[str, dict[str, Estimate]]]:
        """Estimate the shares of each question's values, and of the options of `multiple` questions."""
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

    def crosstab(self, row: str, column: str, layer: str | None = None) -> Crosstab:
        """Estimate the joint table of two or three questions, with a Wald test of independence for two questions.

        Raises:
            QueryError: If the table cannot be estimated (`miner.estimates.crosstab.crosstab`), or the design does not
                fit the survey.
        """
        survey = self.responses.survey
        names = table_names(survey, row, column, layer)
        questions = [survey.question(name) for name in names]
        rows = SampledRows.of(self.responses, self.design, names)
        shape = tuple(len(each.values) for each in questions)
        places = list(np.ndindex(shape))
        boxes = [{name: frozenset({value}) for name, value in zip(names, place, strict=True)} for place in places]
        cells = rows.cells([[(1, [box])] for box in boxes])

        def share(wanted: ValueSets) -> Estimate:
            held = [all(box[name] <= values for name, values in wanted.items()) for box in boxes]
            return _share(cells, _column(held), [wanted])

        test = _independence(cells, shape) if layer is None and rows.found.people >= FEWEST else None
        return table_of(questions, share, dict.fromkeys(places), test)

    def difference(
        self, condition: ValueSets | str, first: ValueSets | str, second: ValueSets | str
    ) -> SubgroupDifference:
        """Estimate the share of a condition in two subgroups, and the first share minus the second.

        Raises:
            QueryError: If there are no responses, or a condition or the design does not fit the survey.
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
        return SubgroupDifference(shares[0], shares[1], difference_of(one[0], other[0], together))

    def regress(
        self,
        formula: str,
        references: Mapping[str, str] | None = None,
        *,
        family: Family = "logit",
        among: str | None = None,
    ) -> Regression:
        """Fit a regression with sampling weights. For the arguments, see `miner.regress`.

        Raises:
            QueryError: If the regression cannot be fitted (`miner.regress`), or the design does not fit the survey,
                rakes by a disguised question, or has too few clusters for the number of coefficients.
        """
        return regress_sample(self.responses, self.design, formula, references, family=family, among=among)


def _share(cells: SampledCells, held: Floats, boxes: Boxes) -> Estimate:
    """Estimate the share of all people whose answers are in some parts of a partition."""
    return _ratio(cells, np.concatenate([held, np.ones((len(held), 1))], axis=1), boxes, EVERYBODY).estimate


def _ratio(cells: SampledCells, truth: Floats, both: Boxes, among: Boxes) -> SampledRatio:
    """Estimate the share of people who meet a condition among people who meet another condition.

    Args:
        cells: Estimated numbers of people in the cells of a partition.
        truth: What a person in each part adds to numerator and denominator, shape (parts, 2).
        both: Condition of the numerator.
        among: Condition of the denominator.
    """
    return SampledRatio.of(cells, truth, [(1.0, both)], among)


def _independence(cells: SampledCells, shape: tuple[int, ...]) -> Independence | None:
    """Return the Wald test that each cell of a table equals the product of its margins.

    The p value comes from the F distribution.
    """
    size = shape[0] * shape[1]
    if size > MOST_CELLS:
        return None
    totals = cells.totals(np.eye(size))
    shares = totals / totals.sum()
    table = shares.reshape(shape)
    margins = table.sum(axis=1), table.sum(axis=0)
    slopes = independence_slopes(*margins) @ (np.eye(size) - shares[:, None]) / totals.sum()
    gaps = (table - np.outer(*margins)).ravel()
    found = wald(gaps, slopes @ cells.covariance(np.eye(size)) @ slopes.T, cells.rows.units.freedom)
    return None if found is None else Independence(**vars(found))


def _questions(boxes: Boxes) -> list[str]:
    return list(dict.fromkeys(name for box in boxes for name in box))


def _column(wanted: Sequence[bool]) -> Floats:
    return np.array(wanted, np.float64)[:, None]
