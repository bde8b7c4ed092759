"""Define links of regressions: P(outcome | linear predictors), with first and second derivatives.

*Logit* has a linear predictor for each value but the reference (multinomial logit). Links other than the logit are
*cumulative*. In a cumulative link the values are in order, and each edge between neighbouring values has a linear
predictor e. In a cumulative link, P(outcome below an edge) is H(e) for the edge's linear predictor e. P(value) is the
difference of H between the two edges of the value:

- ordinal: H is logistic, and the edges are free thresholds (proportional odds: McCullagh 1980).
- normal: H is normal, and the edges are the cut points of a number. The likelihood of the normal link is that of a
  normal regression whose outcome is known only as an interval (Stewart 1983). In the coordinates 1/sigma and beta/sigma
  this likelihood is concave (Olsen 1978; Burridge 1981).
- poisson: H(e) is the probability of a count below the cut point if its mean is exp(-e).
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
    """Probabilities P(value) of a link, shape (cells, values), and their slopes.

    The slopes have shape (cells, values, linear predictors).
    """

    chance: Floats
    slope: Floats


class RegressionLink(Protocol):
    """Interface of a link, as a regression uses it."""

    def at(self, predictors: Floats) -> Chances:
        """Return P(value) and its slopes at linear predictors of shape (cells, predictors)."""

    def curved(self, predictors: Floats, weights: Floats) -> Floats:
        """Return the second derivatives of P(value), summed with weights of shape (cells, values).

        The result has shape (cells, predictors, predictors).
        """

    def design(self, table: Floats) -> Floats:
        """Return the matrix from coordinates to linear predictors, shape (cells, predictors, coordinates).

        Args:
            table: Model matrix, the intercept first, shape (cells, columns).
        """

    def start(self, shares: Floats) -> Floats:
        """Return the first coordinates of a fit's starting point, from shares of the values.

        Coordinates that are not returned start at 0.
        """

    def home(self, coordinate: int, columns: int) -> tuple[int | None, int]:
        """Return the class and the column of the model matrix that a coordinate belongs to.

        A coordinate that applies to all classes has no class.
        """


@dataclass(frozen=True)
class Logit:
    """Multinomial logit of a number of values, of which the first is the reference."""

    values: int

    def at(self, predictors: Floats) -> Chances:
        """Return P(value) and its slopes."""
        chance = softmax(np.column_stack([np.zeros(len(predictors)), predictors]))
        free = chance[:, 1:]
        same = np.eye(self.values)[:, 1:]
        return Chances(chance, chance[:, :, None] * (same - free[:, None, :]))

    def curved(self, predictors: Floats, weights: Floats) -> Floats:
        """Return the weighted second derivatives of P(value)."""
        chance = self.at(predictors).chance
        whole, free = (weights * chance).sum(axis=1)[:, None], chance[:, 1:]
        part = (weights * chance)[:, 1:]
        crossed = (whole * free - part)[:, :, None] * free[:, None, :]
        bent = crossed + np.swapaxes(crossed, 1, 2)
        places = np.arange(free.shape[1])
        bent[:, places, places] += part - whole * free
        return np.asarray(bent)

    def design(self, table: Floats) -> Floats:
        """Return the matrix from coordinates to linear predictors."""
        blocks = np.einsum("gq,lk->glkq", table, np.eye(self.values - 1))
        return np.asarray(blocks.reshape(len(table), self.values - 1, -1))

    def start(self, shares: Floats) -> Floats:
        """Return the first coordinates of a fit's starting point."""
        del shares
        return np.zeros(1)

    def home(self, coordinate: int, columns: int) -> tuple[int | None, int]:
        """Return the class and the column of the model matrix that a coordinate belongs to."""
        row, column = divmod(coordinate, columns)
        return row + 1, column


class Cumulative(ABC):
    """Base class of cumulative links: P(value) is a difference of H between the two edges of the value."""

    @property
    @abstractmethod
    def first(self) -> int:
        """Return the number of coordinates that come before those of the model matrix's columns."""

    def home(self, coordinate: int, columns: int) -> tuple[int | None, int]:
        """Return the class and the column of the model matrix that a coordinate belongs to."""
        del columns
        return None, max(coordinate - self.first, 0)

    @abstractmethod
    def below(self, predictors: Floats) -> tuple[Floats, Floats, Floats]:
        """Return H at each edge, with its first and second derivative, each of shape (cells, edges)."""

    def at(self, predictors: Floats) -> Chances:
        """Return P(value) and its slopes."""
        height, slope, _ = self.below(predictors)
        cells, edges = height.shape
        chance = np.diff(height, axis=1, prepend=0.0, append=1.0)
        slopes, places = np.zeros((cells, edges + 1, edges)), np.arange(edges)
        slopes[:, places, places] = slope
        slopes[:, places + 1, places] = -slope
        return Chances(chance, slopes)

    def curved(self, predictors: Floats, weights: Floats) -> Floats:
        """Return the weighted second derivatives of P(value)."""
        bent = self.below(predictors)[2] * -np.diff(weights, axis=1)
        return np.asarray(bent[:, :, None] * np.eye(bent.shape[1]))


@dataclass(frozen=True)
class Ordinal(Cumulative):
    """Proportional odds of values in order: the coordinates are thresholds, then coefficients without intercept."""

    values: int

    @property
    def first(self) -> int:
        """Return the number of coordinates that come before those of the model matrix's columns."""
        return self.values - 2

    def below(self, predictors: Floats) -> tuple[Floats, Floats, Floats]:
        """Return H at each edge, with its first and second derivative."""
        height = expit(predictors)
        slope = height * expit(-predictors)
        return height, slope, slope * (1 - 2 * height)

    def design(self, table: Floats) -> Floats:
        """Return the matrix from coordinates to linear predictors."""
        return _edged(np.eye(self.values - 1), table[:, 1:])

    def start(self, shares: Floats) -> Floats:
        """Return the first coordinates of a fit's starting point."""
        return np.asarray(logit(np.cumsum(shares)[:-1]))


@dataclass(frozen=True)
class Normal(Cumulative):
    """Normal regression of a number that is known only as an interval: the coordinates are 1/sigma, then beta/sigma.

    The number is centred and scaled: a mean is `centre` + `spread` times the mean in the coordinates.
    """

    cuts: tuple[float, ...]

    @property
    def first(self) -> int:
        """Return the number of coordinates that come before those of the model matrix's columns."""
        return 1

    @property
    def centre(self) -> float:
        """Return the value of the number question that is scaled to 0."""
        return (self.cuts[0] + self.cuts[-1]) / 2

    @property
    def spread(self) -> float:
        """Return the difference between numbers that is scaled to 1."""
        return (self.cuts[-1] - self.cuts[0]) / 2

    def below(self, predictors: Floats) -> tuple[Floats, Floats, Floats]:
        """Return H at each edge, with its first and second derivative."""
        slope = np.exp(-(predictors**2) / 2) / np.sqrt(2 * np.pi)
        return np.asarray(ndtr(predictors)), slope, -predictors * slope

    def design(self, table: Floats) -> Floats:
        """Return the matrix from coordinates to linear predictors."""
        return _edged((np.array(self.cuts)[:, None] - self.centre) / self.spread, table)

    def start(self, shares: Floats) -> Floats:
        """Return the first coordinates of a fit's starting point."""
        height = ndtri(np.clip(np.cumsum(shares)[:-1], LEAST_SHARE, 1 - LEAST_SHARE))
        steps = self.design(np.ones((1, 1)))[0]
        return np.asarray(np.linalg.lstsq(steps, height, rcond=None)[0])


@dataclass(frozen=True)
class Poisson(Cumulative):
    """Poisson regression of a count that is known only as an interval between cut points, with a log link."""

    cuts: tuple[float, ...]

    @property
    def first(self) -> int:
        """Return the number of coordinates that come before those of the model matrix's columns."""
        return 0

    def below(self, predictors: Floats) -> tuple[Floats, Floats, Floats]:
        """Return H at each edge, with its first and second derivative."""
        count, log_mean = np.ceil(self.cuts) - 1, np.clip(-predictors, -MOST_LOG_MEAN, MOST_LOG_MEAN)
        mean = np.exp(log_mean)
        slope = np.exp((count + 1) * log_mean - mean - gammaln(count + 1))
        return np.asarray(pdtr(count, mean)), slope, slope * (mean - count - 1)

    def design(self, table: Floats) -> Floats:
        """Return the matrix from coordinates to linear predictors."""
        return _edged(np.zeros((len(self.cuts), 0)), table)

    def start(self, shares: Floats) -> Floats:
        """Return the first coordinates of a fit's starting point."""
        counts = np.ceil([0, *self.cuts])
        middles = (counts + np.append(counts[1:] - 1, counts[-1])) / 2
        return np.array([np.log(max(float(shares @ middles), LEAST_SHARE))])


def _edged(edges: Floats, table: Floats) -> Floats:
    """Return the numbers of each edge, then minus the row of the model matrix: (cells, edges, coordinates)."""
    cells, count = len(table), len(edges)
    first = np.broadcast_to(edges, (cells, *edges.shape))
    return np.concatenate([first, np.broadcast_to(-table[:, None, :], (cells, count, table.shape[1]))], axis=2)
