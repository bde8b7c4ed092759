"""Fit effects by the likelihood of disguised responses, with or without a prior.

All climb one likelihood (`miner.effects.likelihood`): effects by the thousand by L-BFGS (Liu & Nocedal 1989), in
coordinates that are turned so that the curvature which was last measured is the same along each; coefficients by
Newton's method, to the top.

*Effects that predict* have a shrinkage prior: free coordinates (`miner.effects.terms`) are normal, with a variance for
each term, estimated from the size and the uncertainty of the term's effects (MacKay 1994; Tipping 2001). P(x) is that
of the rows.

*A regression* has no prior, and any P(x) where predictors are disguised. With two outcome values and undisguised
predictors its likelihood is that of randomized-response logistic regression (Maddala 1983, ch. 2.14; Scheers & Dayton
1988); undisguised it is the ordinary one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse  # type: ignore[import-untyped] # it brings no types

from collector.errors import QueryError
from miner.arrays import Floats, Indices
from miner.behind.kernels import logarithms, softmax
from miner.behind.rows import Rows
from miner.effects.kernels import scored
from miner.effects.likelihood import Coordinates, Derivatives
from miner.effects.terms import Terms
from miner.responses.responses import Values

ANYWHERE = 100.0  # prior variance of the intercept: a very weak prior
DEGREES = 2.0  # of freedom of the prior of a term's variance
TYPICAL = 1.0  # its scale: the prior variance of a row's log odds due to all main effects together
ROUNDS = 6  # of estimates of the variances
FIRST_STEPS, STEPS = 60, 300  # of ascent, in the first rounds and in the last
MOST_COUPLED = 800  # effects whose uncertainty is computed together; of more, each by itself
MOST_STEPS = 200  # of Newton's method,
HALVINGS = 30  # each shortened so often at most
FARTHEST_LOGIT = 5.0  # that a step moves the logit of a frequency
CLOSE = 1e-13  # what a step is expected to add to the log-likelihood, at a top
ROUNDING = 1e-9  # of a log-likelihood
EM_STEPS = 10  # from equal frequencies of the predictors, before the ascent
FARTHEST = 15.0  # of a coefficient: odds of 3,000,000 to 1 say that an answer decides the outcome
WIDEST = 100.0  # standard error of a coefficient: beyond, the likelihood is flat and the odds may be anything


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


class Prior(NamedTuple):
    """A normal prior of the coordinates: precisions, shape (coordinates,), and the point that it is around."""

    precision: Floats
    middle: Floats

    @classmethod
    def none(cls, size: int) -> "Prior":
        """A prior of so many coordinates that holds none of them."""
        return cls(np.zeros(size), np.zeros(size))


def with_none(effects: Floats) -> Floats:
    """Effects, and after them the effect 0 of a value that is not known: shape (effects + 1, classes)."""
    return np.vstack([effects, np.zeros(effects.shape[1])])


def ascend(model: Coordinates, point: Floats, prior: Prior, curvature: Floats, steps: int) -> Floats:
    """Climb the likelihood with a prior a number of steps.

    Args:
        model: The likelihood.
        point: Where the ascent begins.
        prior: Prior of the coordinates.
        curvature: Shape (coordinates, coordinates), or its diagonal: of both together, about.
        steps: How many, at most.
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
    """A point on the way up, the derivatives of the log-likelihood there, and what a step from it is to add."""

    point: Floats
    here: Derivatives
    left: float


def newton(model: Coordinates, point: Floats, prior: Prior) -> Iterator[Step]:
    """Yield the points of Newton's method on the way to the top of the likelihood with a prior.

    A step is halved until it climbs (Nocedal & Wright 2006, section 3.3). At the last point `left` is less than
    `CLOSE`, unless no top is found.
    """

    def height(there: Floats) -> float:
        away = there - prior.middle
        return model.height(there) - float(away @ (prior.precision * away)) / 2

    now = height(point)
    for _ in range(MOST_STEPS):
        here = model.at(point)
        slope = here.slope - prior.precision * (point - prior.middle)
        step = np.linalg.solve(here.curvature(prior.precision), slope)
        left = float(slope @ step) / 2
        yield Step(point, here, left)
        if left < CLOSE:
            return
        step[model.width :] = np.clip(step[model.width :], -FARTHEST_LOGIT, FARTHEST_LOGIT)
        for length in 0.5 ** np.arange(HALVINGS):
            moved = point + length * step
            then = height(moved)
            if then >= now - ROUNDING:
                break
        else:
            return
        point, now = moved, then


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


def shrinkage(terms: Terms, variances: Floats, classes: int) -> Floats:
    """Shape (classes x (1 + free coordinates),): precisions of the prior, each class's after its intercept's."""
    return np.tile(1 / np.append(ANYWHERE, variances[terms.block]), classes)


class _Climb:
    """The fit of effects that predict: a point on the way up, and the variances of the terms."""

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
        """Climb a number of steps at these variances."""
        precision = shrinkage(self.terms, self.variances, self.classes)
        curvature = self.curvature + (np.diag(precision) if self.curvature.ndim > 1 else precision)
        self.point = ascend(self.model, self.point, Prior(precision, self.middle), curvature, steps)

    def weigh(self) -> None:
        """The variance of each term, from the size and the uncertainty of its effects."""
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


@dataclass(frozen=True, eq=False)
class RegressionData:
    """A regression's data.

    Attributes:
        rows: Behind the responses, of predictors; the classes are the outcome's values, the reference first.
        terms: Terms of the predictors.
        kept: The effects of these that have a coefficient.
        cell: Shape (rows,): the combination of predictors of each, where some predictor is disguised, so that P(x)
            matters; else None.
    """

    rows: Rows
    terms: Terms
    kept: Indices
    cell: Indices | None


@dataclass(frozen=True, eq=False)
class RegressionFit:
    """Maximum of the likelihood of a regression.

    Attributes:
        beta: Shape (values - 1, 1 + kept effects): the intercept, then coefficients.
        log_likelihood: Log likelihood of the responses; of outcomes given predictors where no predictor is disguised.
        covariance: Shape (coefficients, coefficients), of `beta` row by row: the inverse of the observed information.
        posterior: Shape (rows, values): P(predictors, outcome | r).
        point: Shape (coordinates,): the coefficients, then the logits of the frequencies of disguised predictors.
        information: Shape (coordinates, coordinates): the observed information.
    """

    beta: Floats
    log_likelihood: float
    covariance: Floats
    posterior: Floats
    point: Floats
    information: Floats


class EndlessError(QueryError):
    """A coefficient grows without limit: its answer seems to decide the outcome.

    Args:
        row: The outcome value of the coefficient.
        column: The predictor's value.
    """

    def __init__(self, row: int, column: int) -> None:
        problem = "an answer seems to decide the outcome, and its coefficient grows without limit"
        super().__init__("regression", problem, "leave out a predictor, collect more responses, or disguise less")
        self.row, self.column = row, column


def _no_top(problem: str) -> QueryError:
    return QueryError("regression", problem, "leave out a predictor, collect more responses, or disguise less")


def fit_regression(data: RegressionData) -> RegressionFit:
    """Fit a regression.

    Raises:
        QueryError: If the likelihood has no top that can be found, in words.
    """
    model = _coordinates(data)
    start = np.append(np.zeros(model.width), _first_logits(data))
    for point, here, left in newton(model, start, Prior.none(len(start))):  # noqa: B007 - the last is used
        beta = point[: model.width].reshape(len(model.classes), -1)
        if np.abs(beta).max() > FARTHEST:
            raise EndlessError(*divmod(int(np.abs(beta).argmax()), beta.shape[1]))
    if left >= CLOSE:
        raise _no_top("the steps towards the largest likelihood do not end")
    try:
        np.linalg.cholesky(here.information)
    except np.linalg.LinAlgError:
        raise _no_top("the responses do not tell all coefficients apart") from None
    covariance: Floats = np.linalg.inv(here.information)[: model.width, : model.width].astype(np.float64)
    variances = np.diag(covariance)
    if not ((variances > 0) & (variances < WIDEST**2)).all():
        raise _no_top("the responses do not tell all coefficients apart")
    posterior = model.likelihood_at(point).at(*model.effects(point))[0]
    return RegressionFit(beta, model.height(point), covariance, posterior, point, here.information)


def person_slopes(data: RegressionData, fit: RegressionFit) -> Floats:
    """Slopes of the log-likelihood of each of the different responses at the top: shape (responses, coordinates)."""
    return _coordinates(data).person_slopes(fit.point)


def _coordinates(data: RegressionData) -> Coordinates:
    """The likelihood along the coefficients and, where predictors are disguised, the logits of their frequencies."""
    columns = sparse.eye(int(data.terms.starts[-1])).tocsr()[:, data.kept]
    return Coordinates(data.rows, data.terms, columns, range(1, data.rows.chances.shape[1]), data.cell)


def _first_logits(data: RegressionData) -> Floats:
    """The logits of the frequencies of the predictors, near those of the responses; none where P(x) does not matter."""
    if data.cell is None:
        return np.zeros(0)
    rows, size = data.rows, int(data.cell.max()) + 1
    shares = np.full(size, 1 / size)
    for _ in range(EM_STEPS):
        weighed = replace(rows, chances=rows.chances * shares[data.cell, None])
        behind = weighed.posterior(np.full(rows.chances.shape, 1 / rows.chances.shape[1]))[1].sum(axis=1)
        shares = np.bincount(data.cell, behind * rows.counts[rows.response], size) / rows.counts.sum()
    return logarithms(shares)
