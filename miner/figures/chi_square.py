"""Test that several estimates are all 0 (chi-square and Wald), and adjust p values for several tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from scipy.special import fdtrc, gammaincc  # type: ignore[import-untyped] # scipy brings no types

from miner.arrays import Floats
from miner.json_values import JsonResult

ROUNDING = 1e-9
SMALLEST_SHOWN = 0.0001  # smallest p value that is printed as a number


@dataclass(frozen=True)
class ChiSquare(JsonResult):
    """Result of a chi-square test.

    Attributes:
        statistic: Chi-square statistic, 0 or more.
        degrees_of_freedom: Degrees of freedom of the chi-square distribution.
        p_value: P value of the test.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float

    @property
    def line(self) -> str:
        """Line of text with the statistic, the degrees of freedom and the p value."""
        freedom = f"{self.degrees_of_freedom} degree{'s' if self.degrees_of_freedom > 1 else ''} of freedom"
        return f"chi-square {self.statistic:.2f} on {freedom}, p {p_value_text(self.p_value)}"


def p_value_text(p_value: float) -> str:
    """Return the text of a p value: ``0.0312``, or ``below 0.0001``, never 0."""
    return f"below {SMALLEST_SHOWN}" if p_value < SMALLEST_SHOWN else f"{p_value:.4f}"


def chi_square(gaps: Floats, spread: Floats) -> tuple[float, int]:
    """Return the chi-square statistic of differences, and its degrees of freedom (the rank of their covariance)."""
    values, vectors = np.linalg.eigh(spread)
    kept = values > ROUNDING * max(float(values.max()), ROUNDING)
    parts = (vectors.T @ gaps)[kept]
    return float((parts**2 / values[kept]).sum()), int(kept.sum())


def p_value(statistic: float, freedom: int) -> float:
    """Return the p value of a chi-square statistic, or 1 with 0 degrees of freedom."""
    return float(gammaincc(freedom / 2, statistic / 2)) if freedom else 1.0


def wald(gaps: Floats, spread: Floats, freedom: float) -> ChiSquare | None:
    """Return the Wald test that several estimates are all 0, or None with too few degrees of freedom.

    The p value comes from the F distribution.

    Args:
        gaps: Estimates that are tested, shape (estimates,).
        spread: Covariance of the estimates, shape (estimates, estimates).
        freedom: Degrees of freedom of the covariance.
    """
    statistic, rank = chi_square(gaps, spread)
    left = freedom - rank + 1
    if not rank or left < 1:
        return None
    ratio = statistic * left / (rank * freedom)
    return ChiSquare(statistic, rank, float(fdtrc(rank, left, ratio)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values for multiple tests (Holm 1979)."""
    tests = sorted((value, place) for place, value in enumerate(p_values) if not isnan(value))
    found, largest = list(p_values), 0.0
    for rank, (value, place) in enumerate(tests):
        largest = max(largest, min(1.0, (len(tests) - rank) * value))
        found[place] = largest
    return found
