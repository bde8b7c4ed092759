"""Keep the former way to give a sampling design, for one version."""

import warnings
from collections.abc import Mapping

from miner.estimates import comparison, crosstab, estimate, option_shares, regress
from miner.estimates.design import Family
from miner.estimates.regression import Regression
from miner.figures.estimate import Estimate
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.figures.sampled_figure import people_line
from miner.responses.condition import ValueSets, read_condition
from miner.responses.responses import Data


class SurveySample(Sample):
    """Former name of `Sample`, whose methods are functions now, such as `miner.estimate`."""

    def __init__(self, responses: Data, design: SampleDesign) -> None:
        super().__init__(responses, design)
        remedy = "write miner.Sample(responses, design), and miner.estimate(sample, condition) for sample.estimate(...)"
        warnings.warn(f"SurveySample goes with the next version: {remedy}", DeprecationWarning, stacklevel=2)

    def estimate(self, condition: ValueSets | str) -> Estimate:
        """Estimate the share of a condition (`miner.estimate`)."""
        return estimate.shares_of(self, [read_condition(self.survey, condition)])[0]

    def frequencies(self) -> tuple[dict[str, dict[str, Estimate | None]], dict[str, dict[str, Estimate]]]:
        """Estimate the shares of each question's values, and of the options of `multiple` questions."""
        found = estimate.frequencies(self)
        shares = {each.name: dict(zip(each.values, found[each.name], strict=True)) for each in self.survey.questions}
        return shares, option_shares.option_estimates(self)

    def crosstab(self, row: str, column: str, layer: str | None = None) -> crosstab.Crosstab:
        """Estimate a joint table (`miner.crosstab`)."""
        return crosstab.crosstab(self, row, column, layer)

    def difference(
        self, condition: ValueSets | str, first: ValueSets | str, second: ValueSets | str
    ) -> comparison.SubgroupDifference:
        """Estimate the difference between two subgroups (`miner.difference`)."""
        return comparison.difference(self, condition, first, second)

    def regress(
        self,
        formula: str,
        references: Mapping[str, str] | None = None,
        *,
        family: Family = "logit",
        among: str | None = None,
    ) -> Regression:
        """Fit a regression (`miner.regress`)."""
        return regress.regress(self, formula, references, family=family, among=among)

    @property
    def line(self) -> str:
        """Return a line of text about the number of responses, the strata and the clusters."""
        return people_line(self, len(self))
