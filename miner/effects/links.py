"""Define link functions of regressions: P(outcome | linear predictors), with derivatives.

A logit has a linear predictor for each outcome value except the reference value. In a *cumulative* link the outcome
values have an order, and each edge between two neighbouring values has a linear predictor e. The probability of an
outcome below the edge is a distribution function H(e):

- ordinal: H is logistic, and each edge has a free threshold (proportional odds: McCullagh 1980).
- normal: H is normal, and the edges are the cut points of a number that is known only as an interval (Stewart 1983). In
  the coordinates 1/sigma and beta/sigma the log-likelihood is concave (Olsen 1978; Burridge 1981).
- poisson: H(e) is the probability that a count of mean exp(-e) is below the cut point.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import expit, gammaln, logit, ndtr, ndtri, pdtr  # type: ignore[import-untyped] # it brings no types

from miner.arrays import Floats
from miner.behind.kernels import softmax

LEAST_SHARE = 0.01  # smallest share below an edge at the start of a fit
MOST_LOG_MEAN = 50.0  # largest log mean of a count; beyond it, exp() overflows


class Chances(NamedTuple):
    """Probabilities of the outcome values, shape (cells, values), and their slopes by linear predictors.

    The array `slope` has shape (cells, values, linear predictors).
    """

    chance: Floats
    slope: Floats


class RegressionLink(Protocol):
    """Interface of the link function of a regression."""

    def at(self, predictors: Floats) -> Chances:
        """Return P(value) and its slopes by linear predictors of shape (cells, predictors)."""

    def curved(self, predictors: Floats, weights: Floats) -> Floats:
        """Return weighted sums of second derivatives of P(value), shape (cells, predictors, predictors)."""

    def design(self, table: Floats) -> Floats:
        """Return matrices that convert coordinates to linear predictors, shape (cells, predictors, coordinates).

        Args:
            table: Model matrix, which begins with the intercept, shape (cells, columns).
        """

    def start(self, shares: Floats) -> Floats:
        """Return the first coordinates of the starting point of a fit, given the shares of the outcome values.

        All coordinates after the returned ones start at 0.
        """

    def home(self, coordinate: int, columns: int) -> tuple[int | None, int]:
        """Return the outcome class (None if it is all classes) and the model matrix column of a coordinate."""


@dataclass(frozen=True)
class Logit:
    """Multinomial logit, whose first outcome value is the reference value."""

    values: int

    def at(self, predictors: Floats) -> Chances:
        """Return P(value) and its slopes by linear predictors."""
        chance = softmax(np.column_stack([np.zeros(len(predictors)), predictors]))
        free = chance[:, 1:]
        same = np.eye(self.values)[:, 1:]
        return Chances(chance, chance[:, :, None] * (same - free[:, None, :]))

    def curved(self, predictors: Floats, weights: Floats) -> Floats:
        """Return weighted sums of second derivatives of P(value)."""
        chance = self.at(predictors).chance
        whole, free = (weights * chance).sum(axis=1)[:, None], chance[:, 1:]
        part = (weights * chance)[:, 1:]
        crossed = (whole * free - part)[:, :, None] * free[:, None, :]
        bent = crossed + np.swapaxes(crossed, 1, 2)
        places = np.arange(free.shape[1])
        bent[:, places, places] += part - whole * free
        return np.asarray(bent)

    def design(self, table: Floats) -> Floats:
        """Return matrices that convert coordinates to linear predictors."""
        blocks = np.einsum("gq,lk->glkq", table, np.eye(self.values - 1))
        return np.asarray(blocks.reshape(len(table), self.values - 1, -1))

    def start(self, shares: Floats) -> Floats:
        """Return the first coordinates of a starting point for a fit."""
        del shares
        return np.zeros(1)

    def home(self, coordinate: int, columns: int) -> tuple[int | None, int]:
        """Return the outcome class (None if it is all classes) and the model matrix column of a coordinate."""
        row, column = divmod(coordinate, columns)
        return row + 1, column


class Cumulative(ABC):
    """Base class of cumulative links, where P(outcome below an edge) = H(linear predictor of the edge)."""

    @property
    @abstractmethod
    def first(self) -> int:
        """Return the number of coordinates before the coefficients of the model matrix's columns."""

    def home(self, coordinate: int, columns: int) -> tuple[int | None, int]:
        """Return the outcome class and the model matrix column of a coordinate, or None for all classes."""
        del columns
        return None, max(coordinate - self.first, 0)

    @abstractmethod
    def below(self, predictors: Floats) -> tuple[Floats, Floats, Floats]:
        """Return P(outcome below each edge) with its first and second derivatives, each of shape (cells, edges)."""

    def at(self, predictors: Floats) -> Chances:
        """Return P(value) and its slopes by linear predictors."""
        height, slope, _ = self.below(predictors)
        cells, edges = height.shape
        chance = np.diff(height, axis=1, prepend=0.0, append=1.0)
        slopes, places = np.zeros((cells, edges + 1, edges)), np.arange(edges)
        slopes[:, places, places] = slope
        slopes[:, places + 1, places] = -slope
        return Chances(chance, slopes)

    def curved(self, predictors: Floats, weights: Floats) -> Floats:
        """Return weighted sums of second derivatives of P(value)."""
        bent = self.below(predictors)[2] * -np.diff(weights, axis=1)
        return np.asarray(bent[:, :, None] * np.eye(bent.shape[1]))


@dataclass(frozen=True)
class Ordinal(Cumulative):
    """Proportional odds link, whose coordinates are thresholds, followed by coefficients without an intercept."""

    values: int

    @property
    def first(self) -> int:
        """Return the number of coordinates before the coefficients of the model matrix's columns."""
        return self.values - 2

    def below(self, predictors: Floats) -> tuple[Floats, Floats, Floats]:
        """Return P(outcome below each edge) with its first and second derivatives."""
        height = expit(predictors)
        slope = height * expit(-predictors)
        return height, slope, slope * (1 - 2 * height)

    def design(self, table: Floats) -> Floats:
        """Return matrices that convert coordinates to linear predictors."""
        return _edged(np.eye(self.values - 1), table[:, 1:])

    def start(self, shares: Floats) -> Floats:
        """Return the first coordinates of a starting point for a fit."""
        return np.asarray(logit(np.cumsum(shares)[:-1]))


@dataclass(frozen=True)
class Normal(Cumulative):
    """Link of a normal regression of a number that is known only as an interval.

    The coordinates are 1/sigma and beta/sigma of the number after subtracting `centre` and dividing by `spread`.
    """

    cuts: tuple[float, ...]

    @property
    def first(self) -> int:
        """Return the number of coordinates before the coefficients of the model matrix's columns."""
        return 1

    @property
    def centre(self) -> float:
        """Return the number that is subtracted from the outcome before the fit."""
        return (self.cuts[0] + self.cuts[-1]) / 2

    @property
    def spread(self) -> float:
        """Return the number by which the outcome is divided before the fit."""
        return (self.cuts[-1] - self.cuts[0]) / 2

    def below(self, predictors: Floats) -> tuple[Floats, Floats, Floats]:
        """Return P(outcome below each edge) with its first and second derivatives."""
        slope = np.exp(-(predictors**2) / 2) / np.sqrt(2 * np.pi)
        return np.asarray(ndtr(predictors)), slope, -predictors * slope

    def design(self, table: Floats) -> Floats:
        """Return matrices that convert coordinates to linear predictors."""
        return _edged((np.array(self.cuts)[:, None] - self.centre) / self.spread, table)

    def start(self, shares: Floats) -> Floats:
        """Return the first coordinates of a starting point for a fit."""
        height = ndtri(np.clip(np.cumsum(shares)[:-1], LEAST_SHARE, 1 - LEAST_SHARE))
        steps = self.design(np.ones((1, 1)))[0]
        return np.asarray(np.linalg.lstsq(steps, height, rcond=None)[0])


@dataclass(frozen=True)
class Poisson(Cumulative):
    """Log link of a Poisson regression of a count that is known only as an interval."""

    cuts: tuple[float, ...]

    @property
    def first(self) -> int:
        """Return the number of coordinates before the coefficients of the model matrix's columns."""
        return 0

    def below(self, predictors: Floats) -> tuple[Floats, Floats, Floats]:
        """Return P(outcome below each edge) with its first and second derivatives."""
        count, log_mean = np.ceil(self.cuts) - 1, np.clip(-predictors, -MOST_LOG_MEAN, MOST_LOG_MEAN)
        mean = np.exp(log_mean)
        slope = np.exp((count + 1) * log_mean - mean - gammaln(count + 1))
        return np.asarray(pdtr(count, mean)), slope, slope * (mean - count - 1)

    def design(self, table: Floats) -> Floats:
        """Return matrices that convert coordinates to linear predictors."""
        return _edged(np.zeros((len(self.cuts), 0)), table)

    def start(self, shares: Floats) -> Floats:
        """Return the first coordinates of a starting point for a fit."""
        counts = np.ceil([0, *self.cuts])
        middles = (counts + np.append(counts[1:] - 1, counts[-1])) / 2
        return np.array([np.log(max(float(shares @ middles), LEAST_SHARE))])


def _edged(edges: Floats, table: Floats) -> Floats:
    """Return matrices that convert coordinates to linear predictors of edges, (cells, edges, coordinates)."""
    cells, count = len(table), len(edges)
    first = np.broadcast_to(edges, (cells, *edges.shape))
    return np.concatenate([first, np.broadcast_to(-table[:, None, :], (cells, count, table.shape[1]))], axis=2)
