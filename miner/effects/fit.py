"""Fit effects of answers on the log odds of classes by the likelihood of disguised responses.

Models with thousands of effects are fitted by L-BFGS (Liu & Nocedal 1989). Coefficients and regressions
(`miner.effects.regressions`) are fitted by Newton's method.

Effects that are used for predictions have a normal shrinkage prior, with a variance for each term (a question or a pair
of questions). The variance of a term is estimated from the size and the uncertainty of the term's effects (MacKay 1994;
Tipping 2001).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse  # type: ignore[import-untyped] # it brings no types

from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.behind.rows import Rows
from miner.effects.kernels import scored
from miner.effects.likelihood import Coordinates, Derivatives
from miner.effects.terms import Terms
from miner.responses.responses import Values

ANYWHERE = 100.0  # prior variance of the intercept: a very weak prior
DEGREES = 2.0  # degrees of freedom of the prior of a term's variance
TYPICAL = 1.0  # scale of the prior of a term's variance: that of a row's log odds due to all main effects
ROUNDS = 6  # number of times that the variances are estimated
FIRST_STEPS, STEPS = 60, 300  # of ascent, in the first rounds and in the last
MOST_COUPLED = 800  # largest number of effects with a joint uncertainty; with more, each has its own
MOST_STEPS = 200  # largest number of steps of Newton's method
POOR = 0.1  # share of a step's expected gain below which another step is also tried
HALVINGS = 30  # largest number of times that a step is halved
FARTHEST_LOGIT = 5.0  # largest change of the logit of a frequency by one step
CLOSE = 1e-13  # expected gain in log-likelihood of the next step at a maximum
ROUNDING = 1e-9  # relative rounding error of a log-likelihood


@dataclass(frozen=True, eq=False, repr=False)
class Effects:
    """Effects of answers on the log odds of the classes.

    P(class | answers) is proportional to the exponential of intercept plus effects.

    Attributes:
        terms: Questions and pairs of questions that have effects.
        intercept: Intercept of each class, shape (classes,).
        values: Effects on the log odds of each class, shape (effects, classes).
        variances: Prior variance of each term, shape (terms,).
    """

    terms: Terms
    intercept: Floats
    values: Floats
    variances: Floats

    def __repr__(self) -> str:
        return f"<Effects: {len(self.values)} in {len(self.terms.terms)} terms on {len(self.intercept)} classes>"

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities for rows of value indices, shape (rows, classes).

        An unknown answer has no effect.
        """
        return softmax(scored(self.terms.places(values), self.intercept, with_none(self.values)))


class Prior(NamedTuple):
    """Normal prior of the coordinates of a fit: precisions and mean, each of shape (coordinates,)."""

    precision: Floats
    middle: Floats

    @classmethod
    def none(cls, size: int) -> "Prior":
        """Return a flat prior."""
        return cls(np.zeros(size), np.zeros(size))


def with_none(effects: Floats) -> Floats:
    """Return effects followed by an effect of 0 for an unknown value, shape (effects + 1, classes)."""
    return np.vstack([effects, np.zeros(effects.shape[1])])


def ascend(model: Coordinates, point: Floats, prior: Prior, curvature: Floats, steps: int) -> Floats:
    """Maximise a likelihood with a prior by L-BFGS.

    Args:
        model: Likelihood as a function of coordinates.
        point: Coordinates at the start.
        prior: Prior of the coordinates.
        curvature: Approximate curvature of likelihood and prior, shape (coordinates, coordinates), or its diagonal.
        steps: Largest number of steps of L-BFGS.
    """
    from scipy.optimize import minimize  # type: ignore[import-untyped] # noqa: PLC0415 - it takes .2 s to import

    if curvature.ndim > 1:
        inverse = np.linalg.inv(np.linalg.cholesky(curvature)).T
    else:
        inverse = sparse.diags(1 / np.sqrt(curvature))

    def cost(moves: Floats) -> tuple[float, Floats]:
        moved = point + inverse @ moves
        height, slope = model.slope(moved)
        away = moved - prior.middle
        held = prior.precision * away
        return float(away @ held) / 2 - height, inverse.T @ (held - slope)

    moves = minimize(cost, np.zeros(len(point)), jac=True, method="L-BFGS-B", options={"maxiter": steps}).x
    return np.asarray(point + inverse @ moves)


class Step(NamedTuple):
    """Point of Newton's method, with the derivatives at the point and the expected gain of the next step."""

    point: Floats
    here: Derivatives
    left: float


class Climbed(Protocol):
    """Interface of a log-likelihood that is maximised by Newton's method."""

    @property
    def width(self) -> int:
        """Return the number of coordinates that come before the logits of frequencies."""

    def height(self, point: Floats) -> float:
        """Return the log-likelihood for the coordinates `point`."""

    def at(self, point: Floats) -> Derivatives:
        """Return the derivatives of the log-likelihood by all coordinates."""


def newton(model: Climbed, point: Floats, prior: Prior) -> Iterator[Step]:
    """Yield the points of Newton's method on the way to the maximum of a likelihood with a prior.

    A step of Newton's method is halved until it raises the likelihood (Nocedal & Wright 2006, section 3.3). If a step
    of Newton's method gains little, a step with `Derivatives.products` instead of the information is also tried. At a
    maximum, the expected gain of the next step is less than `CLOSE`.
    """

    def height(there: Floats) -> float:
        away = there - prior.middle
        return model.height(there) - float(away @ (prior.precision * away)) / 2

    def climbed(step: Floats) -> tuple[float, Floats]:
        step[model.width :] = np.clip(step[model.width :], -FARTHEST_LOGIT, FARTHEST_LOGIT)
        for length in 0.5 ** np.arange(HALVINGS):
            moved = point + length * step
            then = height(moved)
            if then >= now - ROUNDING:
                return then, moved
        return -np.inf, point

    now = height(point)
    for _ in range(MOST_STEPS):
        here = model.at(point)
        slope = here.slope - prior.precision * (point - prior.middle)
        step = np.asarray(np.linalg.solve(here.upright(prior.precision), slope), np.float64)
        left = float(slope @ step) / 2
        yield Step(point, here, left)
        if left < CLOSE:
            return
        then, moved = climbed(step)
        if then - now < POOR * left - ROUNDING:
            step = np.asarray(np.linalg.solve(here.bent(here.products, prior.precision), slope), np.float64)
            then, moved = max((then, moved), climbed(step), key=lambda found: found[0])
        if then == -np.inf:
            return
        point, now = moved, then


def fit_effects(rows: Rows, terms: Terms) -> Effects:
    """Return the effects that maximise the likelihood with an estimated shrinkage prior."""
    climb = _Climb(rows, terms)
    for turn in range(ROUNDS):
        climb.ascend(STEPS if turn == ROUNDS - 1 else FIRST_STEPS)
        if turn < ROUNDS - 1:
            climb.weigh()
    return climb.effects()


def refit(rows: Rows, effects: Effects) -> Effects:
    """Refit effects with their prior variances."""
    climb = _Climb(rows, effects.terms)
    climb.variances = effects.variances
    climb.ascend(STEPS)
    return climb.effects()


def shrinkage(terms: Terms, variances: Floats, classes: int) -> Floats:
    """Return the precisions of the shrinkage prior, shape (classes * (1 + free coordinates),)."""
    return np.tile(1 / np.append(ANYWHERE, variances[terms.block]), classes)


class _Climb:
    """State of a fit of effects: the current point and the prior variances of the terms."""

    def __init__(self, rows: Rows, terms: Terms) -> None:
        self.terms, self.classes = terms, rows.chances.shape[1]
        self.model = Coordinates(rows, terms, terms.roots, range(self.classes))
        main = max(1, sum(len(term) == 1 for term in terms.terms))
        self.scale = np.full(len(terms.terms), TYPICAL / main)
        self.variances, start = self.scale, np.zeros((self.classes, int(terms.starts[-1]) + 1))
        start[:, 0] = np.log(rows.class_shares())
        self.point = self.middle = start.ravel()
        self.curvature = self.model.products(self.point, MOST_COUPLED)

    def effects(self) -> Effects:
        return Effects(self.terms, *self.model.effects(self.point), self.variances)

    def ascend(self, steps: int) -> None:
        """Take several steps towards the maximum of the likelihood, with the current prior variances."""
        precision = shrinkage(self.terms, self.variances, self.classes)
        curvature = self.curvature + (np.diag(precision) if self.curvature.ndim > 1 else precision)
        self.point = ascend(self.model, self.point, Prior(precision, self.middle), curvature, steps)

    def weigh(self) -> None:
        """Estimate the prior variance of each term from the size and the uncertainty of its effects."""
        free, block = self.point.reshape(self.classes, -1)[:, 1:], self.terms.block
        kept = np.tile(np.arange(free.shape[1] + 1) > 0, self.classes)
        self.curvature = self.model.products(self.point, MOST_COUPLED)
        precision = shrinkage(self.terms, self.variances, self.classes)[kept]
        if self.curvature.ndim > 1:
            uncertain = np.diag(np.linalg.inv(self.curvature[np.ix_(kept, kept)] + np.diag(precision)))
        else:
            uncertain = 1 / (self.curvature[kept] + precision)
        squares = (free**2).sum(axis=0) + uncertain.reshape(self.classes, -1).sum(axis=0)
        sizes = np.bincount(block, minlength=len(self.variances))
        whole = np.bincount(block, squares, minlength=len(self.variances))
        self.variances = (DEGREES * self.scale + whole) / (DEGREES + sizes * self.classes)
