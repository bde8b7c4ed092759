"""Fit effects by the likelihood of disguised responses, with a shrinkage prior on each term.

The log-likelihood ``sum over responses of ln sum over x, y of P(x) P(r | x, y) P(y | x)`` has the slope
``P(x, y | r) - P(x | r) P(y | x)`` along the linear predictor of class y at answers x (Fisher's identity), summed over
responses. Free coordinates (`miner.effects.terms`) have a normal prior whose variance is that of their term; it is
estimated from the size and the uncertainty of the term's effects (MacKay 1994; Tipping 2001).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]

from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.behind.rows import Rows
from miner.effects.bundles import Bundles
from miner.effects.kernels import gathered, scored
from miner.effects.products import person_slopes
from miner.effects.terms import Terms
from miner.responses.responses import Values

ANYWHERE = 100.0  # prior variance of the intercept: a very weak prior
DEGREES = 2.0  # of freedom of the prior of a term's variance
TYPICAL = 1.0  # its scale: the prior variance of a row's log odds due to all main effects together
ROUNDS = 6  # of estimates of the variances
FIRST_STEPS, STEPS = 60, 300  # of ascent, in the first rounds and in the last
TOGETHER = 4096  # responses whose slopes along all coordinates are in memory at once
MOST_COUPLED = 800  # effects whose uncertainty is computed together; of more, each by itself


@dataclass(frozen=True, eq=False, repr=False)
class Effects:
    """Effects of answers on the log odds of the classes: P(class | answers) is proportional to the exponential.

    Attributes:
        terms: What has effects.
        intercept: Shape (classes,).
        values: Shape (effects, classes).
        variances: Shape (terms,): of the prior of free coordinates.
    """

    terms: Terms
    intercept: Floats
    values: Floats
    variances: Floats

    def __repr__(self) -> str:
        return f"<Effects: {len(self.values)} in {len(self.terms.terms)} terms on {len(self.intercept)} classes>"

    def probabilities(self, values: Values) -> Floats:
        """Shape (rows, classes), for rows of value indices; an answer that is not known has no effect."""
        return softmax(scored(self.terms.places(values), self.intercept, with_none(self.values)))


def with_none(effects: Floats) -> Floats:
    """Effects, and after them the effect 0 of a value that is not known: shape (effects + 1, classes)."""
    return np.vstack([effects, np.zeros(effects.shape[1])])


class Likelihood:
    """Log-likelihood of effects, given the answers that are possible.

    Attributes:
        rows: Behind the responses.
        places: Shape (rows, terms): the effects that each row has.
        effects: Number of effects, for one class.
        bundles: Tables of the terms.
        cells: Shape (rows, tables): the cells that each row is in.
    """

    def __init__(self, rows: Rows, terms: Terms) -> None:
        self.rows, self.places, self.effects = rows, terms.places(rows.values), int(terms.starts[-1])
        self.bundles = Bundles(terms, rows.values)
        self.cells = self.bundles.places(rows.values)

    def scores(self, intercept: Floats, values: Floats) -> Floats:
        """Shape (rows, classes): log odds."""
        return scored(self.cells, intercept, self.bundles.sums(values))

    def gathered(self, slopes: Floats) -> tuple[Floats, Floats]:
        """Sums over people of slopes along the intercept and the effects: shapes (classes,) and (effects, classes)."""
        rows = self.rows
        level, along = gathered(self.cells, slopes, rows.ends, rows.counts, self.bundles.spread.shape[0])
        return level, self.bundles.along(along)

    def height(self, intercept: Floats, values: Floats) -> float:
        """The log-likelihood at some effects."""
        return self.rows.height(self.scores(intercept, values))

    def at(self, intercept: Floats, values: Floats) -> tuple[Floats, Floats]:
        """P(x, class | r), and P(class | x), at some effects: shapes (rows, classes)."""
        shares = softmax(self.scores(intercept, values))
        return self.rows.posterior(shares)[1], shares

    def slopes(self, intercept: Floats, values: Floats) -> Floats:
        """Shape (rows, classes): slopes of one person's log-likelihood along the linear predictors at some effects."""
        return self.rows.slopes(self.scores(intercept, values))[1]

    def person_slopes(self, slopes: Floats, part: slice) -> Floats:
        """Shape (responses of a part, classes, 1 + effects): slopes along the intercept and the effects of each class.

        Args:
            slopes: Shape (rows, classes): along the linear predictors.
            part: Responses.
        """
        return person_slopes(self.places, slopes, self.rows.first[part], self.rows.ends[part], self.effects)


def fit_effects(rows: Rows, terms: Terms) -> Effects:
    """The effects at the top of the penalised likelihood, the penalty of each term found on the way."""
    climb = _Climb(rows, terms)
    for turn in range(ROUNDS):
        climb.ascend(STEPS if turn == ROUNDS - 1 else FIRST_STEPS)
        if turn < ROUNDS - 1:
            climb.weigh()
    return climb.effects()


def refit(rows: Rows, effects: Effects) -> Effects:
    """The effects of the same terms at the top of the likelihood with the prior that these effects name."""
    climb = _Climb(rows, effects.terms)
    climb.variances = effects.variances
    climb.ascend(STEPS)
    return climb.effects()


class _Climb:
    """The ascent in free coordinates, turned so that the curvature that was last measured is the same along each."""

    def __init__(self, rows: Rows, terms: Terms) -> None:
        self.terms, self.likelihood, self.classes = terms, Likelihood(rows, terms), rows.chances.shape[1]
        main = max(1, sum(len(term) == 1 for term in terms.terms))
        self.scale = np.full(len(terms.terms), TYPICAL / main)
        self.variances, self.start = self.scale, np.log(rows.class_shares())
        self.level, self.free = np.zeros(self.classes), np.zeros((int(terms.starts[-1]), self.classes))
        self.curvature = self._curvature()

    def effects(self) -> Effects:
        return Effects(self.terms, self.start + self.level, self.terms.roots @ self.free, self.variances)

    def ascend(self, steps: int) -> None:
        """Climb a number of steps at these variances."""
        from scipy.optimize import minimize  # type: ignore[import-untyped] # noqa: PLC0415 - it takes .2 s to import

        precision = self._precision()
        if self.curvature.ndim > 1:
            inverse = np.linalg.inv(np.linalg.cholesky(self.curvature + np.diag(precision))).T
        else:
            inverse = sparse.diags(1 / np.sqrt(self.curvature + precision))
        point = np.vstack([self.level, self.free]).T.ravel()

        def cost(moves: Floats) -> tuple[float, Floats]:
            height, slope = self._cost(point + inverse @ moves, precision)
            return height, inverse.T @ slope

        found = minimize(cost, np.zeros(len(point)), jac=True, method="L-BFGS-B", options={"maxiter": steps})
        table = (point + inverse @ found.x).reshape(self.classes, -1).T
        self.level, self.free = table[0], table[1:]

    def _precision(self) -> Floats:
        """Shape (classes x (1 + free coordinates),): of the prior."""
        return np.tile(1 / np.append(ANYWHERE, self.variances[self.terms.block]), self.classes)

    def _cost(self, point: Floats, precision: Floats) -> tuple[float, Floats]:
        """The penalised log-likelihood and its slope, both turned round."""
        table = point.reshape(self.classes, -1).T
        scores = self.likelihood.scores(self.start + table[0], self.terms.roots @ table[1:])
        height, slopes = self.likelihood.rows.slopes(scores)
        level, found = self.likelihood.gathered(slopes)
        along = np.vstack([level, self.terms.roots.T @ found]).T.ravel()
        return float(point @ (precision * point)) / 2 - height, precision * point - along

    def _curvature(self) -> Floats:
        """The information of the responses at these effects, by the outer products of their slopes.

        Shape (coordinates, coordinates), coordinates being classes x (1 + free coordinates); of more than
        `MOST_COUPLED` its diagonal.
        """
        effects, counts = self.effects(), self.likelihood.rows.counts
        slopes = self.likelihood.slopes(effects.intercept, effects.values)
        one = sparse.block_diag([np.ones((1, 1)), self.terms.roots]).tocsr()
        width = one.shape[0]
        if self.classes * width <= MOST_COUPLED:
            roots = sparse.block_diag([one] * self.classes).tocsr()
            return np.asarray(roots.T @ products(self.likelihood, slopes) @ roots)
        found = np.zeros(self.classes * width)
        for part in blocks(len(counts)):
            own = self.likelihood.person_slopes(slopes, part).reshape(-1, width) @ one
            found += counts[part] @ (own * own).reshape(-1, len(found))
        return found

    def weigh(self) -> None:
        """The variance of each term, from the size and the uncertainty of its effects."""
        block, kept = self.terms.block, np.tile(np.arange(len(self.free) + 1) > 0, self.classes)
        self.curvature = self._curvature()
        precision = self._precision()[kept]
        if self.curvature.ndim > 1:
            uncertain = np.diag(np.linalg.inv(self.curvature[np.ix_(kept, kept)] + np.diag(precision)))
        else:
            uncertain = 1 / (self.curvature[kept] + precision)
        squares = (self.free**2).sum(axis=1) + uncertain.reshape(self.classes, -1).sum(axis=0)
        sizes = np.bincount(block, minlength=len(self.variances))
        whole = np.bincount(block, squares, minlength=len(self.variances))
        self.variances = (DEGREES * self.scale + whole) / (DEGREES + sizes * self.classes)


def blocks(count: int, size: int = TOGETHER) -> Iterator[slice]:
    """Parts of so many responses, or rows, that are in memory together."""
    return (slice(first, first + size) for first in range(0, count, size))


def products(likelihood: Likelihood, slopes: Floats) -> Floats:
    """Sums over people of the products of their slopes.

    Args:
        likelihood: Likelihood of the responses.
        slopes: Shape (rows, some classes): of one person's log-likelihood along the linear predictors.

    Returns:
        Shape (coordinates, coordinates), coordinates being the classes times (1 + effects).
    """
    width = slopes.shape[1] * (likelihood.effects + 1)
    found, roots = np.zeros((width, width)), np.sqrt(likelihood.rows.counts)
    for part in blocks(len(roots)):
        own = likelihood.person_slopes(slopes, part).reshape(-1, width) * roots[part, None]
        found += own.T @ own
    return found
