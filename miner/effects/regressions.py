"""Fit regressions with any link function to disguised responses, by maximum likelihood.

The log-likelihood is ``sum over responses r of ln sum over x, v of P(x) P(v | x) P(r | x, v)``, where x are the
predictors and v is the value of the outcome. The log-likelihood has three groups of parameters:

- Coordinates of the link (`miner.effects.links`), which determine P(class of the outcome | x).
- Logits of P(x) for every combination x of predictors, if a predictor is disguised.
- Logits of P(v | x, class), if a class of a disguised outcome has several values.

If disguised answers decide who belongs to a subgroup, each combination of predictors and outcome outside the subgroup
has a separate frequency.

With two outcome values and undisguised predictors, a logit is randomized-response logistic regression (Maddala 1983,
ch. 2.14; Scheers & Dayton 1988). Standard errors come from the observed information of all parameters (Louis 1982).
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse  # type: ignore[import-untyped] # it brings no types

from collector.errors import QueryError
from miner.arrays import Flags, Floats, Indices
from miner.behind.kernels import LEAST, logarithms, softmax
from miner.behind.rows import Rows
from miner.effects.fit import CLOSE, Prior, newton
from miner.effects.likelihood import Derivatives
from miner.effects.links import Chances, RegressionLink

EM_STEPS = 50  # number of EM steps from equal frequencies of the predictors, before the ascent
FARTHEST = 15.0  # size of a coefficient (odds of 3,000,000 to 1) from which an answer decides the outcome
NOBODY = 1e-7  # share of people below which a combination of answers counts as empty
FLAT = 1e-9  # curvature that counts as none, as a share of the curvature with all answers known
GROWING = 1e-3  # growth by EM from which a frequency that was set to 0 is raised again
RISEN = 1e-4  # value of a raised frequency, as a share of the largest frequency
ASCENTS = 10  # largest number of ascents, after each of which frequencies may be raised
RARE = 1e-3  # number of people below which a class counts as empty
WIDEST = 100.0  # standard error of a coefficient beyond which the likelihood is flat and the odds may be anything


@dataclass(frozen=True, eq=False)
class RegressionData:
    """Data of a regression on disguised responses.

    Attributes:
        rows: Combinations of predictors behind each response, with a probability for each outcome value.
        cell: Index of the combination of predictors (cell) of each row, shape (rows,).
        table: Model matrix with a row for each combination of predictors, which begins with the intercept, shape
            (cells, columns).
        inside: Whether each combination of predictors (cell) belongs to the subgroup that the regression is about,
            shape (cells,).
        classes: Index of the outcome class of each outcome value, shape (outcome values,).
        hidden: Whether the distribution of predictors is estimated, because a predictor or the subgroup is disguised.
        link: Link function, which gives P(class | predictors).
    """

    rows: Rows
    cell: Indices
    table: Floats
    inside: Flags
    classes: Indices
    hidden: bool
    link: RegressionLink

    def first_shares(self) -> Floats:
        """Return the share of people with each combination of predictors, by EM without a model of the outcome."""
        rows, size = self.rows, len(self.table)
        shares = np.full(size, 1 / size)
        for _ in range(EM_STEPS if self.hidden else 1):
            weighed = replace(rows, chances=rows.chances * shares[self.cell, None])
            behind = weighed.posterior(np.ones(rows.chances.shape))[1].sum(axis=1)
            shares = np.bincount(self.cell, behind * rows.counts[rows.response], size) / rows.counts.sum()
        return shares


@dataclass(frozen=True, eq=False)
class RegressionFit:
    """Maximum of the likelihood of a regression.

    Attributes:
        point: Coordinates of the link, followed by other parameters, shape (parameters,).
        width: Number of coordinates of the link.
        log_likelihood: Log-likelihood of the responses, or of outcomes given predictors if no predictor is disguised.
        covariance: Covariance of the coordinates and, if predictors are disguised, of the logits of P(x), shape (width
            + cells, width + cells) or (width, width). A logit that is not estimated has variance 0.
        shares: Estimated share of people with each combination of predictors (cell), shape (cells,).
        posterior: P(predictors, outcome | response), shape (rows, outcome values).
        information: Observed information of all parameters, shape (parameters, parameters).
    """

    point: Floats
    width: int
    log_likelihood: float
    covariance: Floats
    shares: Floats
    posterior: Floats
    information: Floats

    @property
    def coordinates(self) -> Floats:
        """Return the estimated coordinates of the link, shape (width,)."""
        return self.point[: self.width]


class EndlessError(QueryError):
    """Error for a coefficient that grows without limit, because one answer seems to decide the outcome.

    Args:
        row: Index of the outcome class of the coefficient.
        column: Column of the model matrix that the coefficient belongs to.
        rare: Whether fewer people have the outcome class than have the column's answer.
        share: Estimated share of people with the outcome class.
    """

    def __init__(self, row: int, column: int, *, rare: bool = False, share: float = 0.0) -> None:
        problem = "an answer seems to decide the outcome, and its coefficient grows without limit"
        super().__init__("regression", problem, "leave out a predictor, collect more responses, or disguise less")
        self.row, self.column, self.rare, self.share = row, column, rare, share


def _no_top(problem: str) -> QueryError:
    return QueryError("regression", problem, "leave out a predictor, collect more responses, or disguise less")


class _Here(NamedTuple):
    """Probabilities from which the likelihood of a regression is computed."""

    predictors: Floats
    chances: Chances
    shares: Floats
    spread: Floats
    behind: Floats
    sent: Floats


class RegressionLikelihood:
    """Log-likelihood of a regression, with derivatives by its parameters.

    Args:
        data: Data of the regression.
    """

    def __init__(self, data: RegressionData) -> None:
        self.data, rows = data, data.rows
        self.design = data.link.design(data.table)
        self.cells, self.predictors, self.width = self.design.shape
        self.values, self.merged = len(data.classes), len(set(data.classes.tolist())) < len(data.classes)
        self.together = data.classes[:, None] == data.classes
        self.classes = np.eye(data.classes.max() + 1)[data.classes]
        self.size = self.width + (self.cells if data.hidden else 0)
        self.whole = self.size + (self.cells * self.values if self.merged else 0)
        ends = np.append(rows.first, len(rows.values))
        self._per_response = sparse.csr_matrix((np.ones(len(rows.values)), np.arange(len(rows.values)), ends))
        self._per_cell = sparse.csr_matrix((np.ones(len(data.cell)), (data.cell, np.arange(len(data.cell)))))

    def start(self) -> Floats:
        """Return parameters to start a fit from, with no effect of any predictor."""
        data, point = self.data, np.zeros(self.whole)
        chances = (data.rows.chances @ (self.classes / self.classes.sum(axis=0))) * data.inside[data.cell, None]
        first = data.link.start(replace(data.rows, chances=chances).class_shares())
        point[: len(first)] = first
        if data.hidden:
            point[self.width : self.size] = logarithms(data.first_shares())
        return point

    def _here(self, point: Floats) -> _Here:
        data, rows = self.data, self.data.rows
        predictors = self.design @ point[: self.width]
        chances = data.link.at(predictors)
        chance, slope = chances.chance.copy(), chances.slope * data.inside[:, None, None]
        chance[~data.inside] = 1.0
        shares = np.ones(self.cells)
        if data.hidden:
            shares = softmax(point[None, self.width : self.size])[0]
        spread = np.ones((self.cells, self.values))
        if self.merged:
            logits = point[self.size :].reshape(self.cells, self.values)
            masses = softmax(logits)
            spread = np.where(data.inside[:, None], masses / (masses @ self.together), 1.0)
        behind = rows.chances * (shares[:, None] * spread)[data.cell]
        sent = self._per_response @ (behind * chance[data.cell][:, data.classes]).sum(axis=1)
        behind /= np.where(sent > LEAST, sent, np.inf)[rows.response, None]
        return _Here(predictors, Chances(chance, slope), shares, spread, behind, sent)

    def height(self, point: Floats) -> float:
        """Return the log-likelihood, or minus infinity if the link gives no valid probabilities."""
        here = self._here(point)
        if (here.chances.chance < 0).any() or not np.isfinite(here.sent).all():
            return -np.inf
        return float(self.data.rows.explained @ np.log(np.maximum(here.sent, LEAST)))

    def posterior(self, point: Floats) -> Floats:
        """Return P(predictors, outcome | response), shape (rows, outcome values)."""
        return self._posterior(self._here(point))

    def shares(self, point: Floats) -> Floats:
        """Return the share of people with each combination of predictors (cell), shape (cells,)."""
        return self._here(point).shares if self.data.hidden else self.data.first_shares()

    def risen(self, point: Floats) -> Floats:
        """Raise frequencies of predictors from 0 where this increases the likelihood."""
        if not self.data.hidden:
            return point
        logits, counts = point[self.width : self.size], self.data.rows.counts
        shares = self._here(point).shares
        people = self._per_cell @ (self.posterior(point).sum(axis=1) * counts[self.data.rows.response])
        growing = (shares <= NOBODY) & (people > (1 + GROWING) * shares * counts.sum())
        raised = np.where(growing, logits.max() + np.log(RISEN), logits)
        return np.concatenate([point[: self.width], raised, point[self.size :]])

    def people(self, point: Floats) -> Floats:
        """Return the estimated number of people with each class of the outcome, shape (classes,)."""
        rows, inside = self.data.rows, self.data.inside[self.data.cell, None]
        found = (self.posterior(point) * rows.counts[rows.response][:, None] * inside).sum(axis=0)
        return np.bincount(self.data.classes, found).astype(np.float64)

    def at(self, point: Floats) -> Derivatives:
        """Return the derivatives of the log-likelihood by all parameters.

        If a logit of P(x) is not a free parameter, its information is set to 1 and its slope to 0.
        """
        data, here = self.data, self._here(point)
        counts = data.rows.counts[data.rows.response][:, None]
        weights = self._per_cell @ ((here.behind * counts) @ self.classes)
        posterior = self._posterior(here)
        people = self._per_cell @ (posterior * counts)
        flat = np.einsum("gl,glp->gp", self._per_cell @ (self._along(here) * counts), self.design)
        information, known = np.zeros((2, self.whole, self.whole))
        width = slice(self.width)
        bent = data.link.curved(here.predictors, weights * data.inside[:, None])
        information[width, width] = -np.einsum("glp,glk,gkq->pq", self.design, bent, self.design, optimize=True)
        rooted = here.chances.slope / np.sqrt(np.maximum(here.chances.chance, LEAST))[:, :, None]
        expected = np.einsum("gcl,gck,g->glk", rooted, rooted, people.sum(axis=1))
        known[width, width] = np.einsum("glp,glk,gkq->pq", self.design, expected, self.design, optimize=True)
        total = data.rows.counts.sum()
        if data.hidden:
            free = slice(self.width, self.size)
            information[width, free] = -flat.T
            information[free, width] = -flat
            spread = total * (np.diag(here.shares) - np.outer(here.shares, here.shares))
            known[free, free] = spread
            information[free, free] = spread - np.diag(people.sum(axis=1))
        if self.merged:
            self._add_spread(here, people, information, known)
        every = self._person_slopes(here)
        information += (every * data.rows.counts[:, None]).T @ every
        slope = data.rows.counts @ every
        if data.hidden:
            slope[self.width : self.size] -= total * here.shares
        kept = self._kept(here, people)
        # values of a class that no code sent tells apart: in a cell from which none of their codes came
        kept[self.size :] &= (np.abs(np.diag(information)) > FLAT * np.diag(known))[self.size :]
        fixed = np.flatnonzero(~kept)
        slope[fixed] = 0.0
        for each in (information, known):
            each[fixed], each[:, fixed] = 0.0, 0.0
            each[fixed, fixed] = 1.0
        return Derivatives(slope, information, known)

    def person_slopes(self, point: Floats) -> Floats:
        """Return the slopes of one person's log-likelihood, shape (distinct responses, parameters)."""
        here = self._here(point)
        every = self._person_slopes(here)
        if self.data.hidden:
            every[:, self.width : self.size] -= here.shares
        return every

    def _person_slopes(self, here: _Here) -> Floats:
        """Return slopes of each response by all parameters, as if P(x) need not add up to 1."""
        scores = [self._summed(self._along(here)) @ self.design.reshape(-1, self.width)]
        posterior = self._posterior(here)
        if self.data.hidden:
            scores.append(self._dense(posterior.sum(axis=1)[:, None]))
        if self.merged:
            shares = self._dense(posterior * self.data.inside[self.data.cell, None])
            summed = (shares.reshape(-1, self.values) @ self.together).reshape(len(shares), -1)
            scores.append(shares - summed * here.spread.ravel())
        return np.hstack(scores)

    def _along(self, here: _Here) -> Floats:
        """Return slopes by the linear predictors of each row, shape (rows, linear predictors)."""
        slopes = here.chances.slope[self.data.cell]
        return np.asarray(np.einsum("ic,icl->il", here.behind @ self.classes, slopes))

    def _posterior(self, here: _Here) -> Floats:
        """Return P(predictors, outcome | response), shape (rows, outcome values)."""
        return np.asarray(here.behind * here.chances.chance[self.data.cell][:, self.data.classes])

    def _summed(self, numbers: Floats) -> sparse.csr_matrix:
        """Sum numbers of rows by response and combination of predictors."""
        rows, width = self.data.rows, numbers.shape[1]
        places = self.data.cell[:, None] * width + np.arange(width)
        return sparse.csr_matrix(
            (numbers.ravel(), (np.repeat(rows.response, width), places.ravel())),
            (len(rows.first), self.cells * width),
        )

    def _dense(self, numbers: Floats) -> Floats:
        return np.asarray(self._summed(numbers).toarray())

    def _add_spread(self, here: _Here, people: Floats, information: Floats, known: Floats) -> None:
        """Fill in the information of the logits of P(value | predictors, outcome class)."""
        data, count = self.data, self.cells * self.values
        whole = people @ self.together
        over = (people - here.spread * whole) * data.inside[:, None]
        parts = slice(self.size, self.whole)
        each = here.chances.slope / np.maximum(here.chances.chance, LEAST)[:, :, None]
        by_class = np.einsum("gcl,glp->gcp", each, self.design)[:, data.classes] * over[:, :, None]
        information[: self.width, parts] = -by_class.reshape(count, -1).T
        if data.hidden:
            cells = np.repeat(np.arange(self.cells), self.values)
            information[self.width + cells, self.size + np.arange(count)] = -over.ravel()
        information[parts, : self.size] = information[: self.size, parts].T
        for cell in np.flatnonzero(data.inside):
            share, mass, some = here.spread[cell], people[cell], whole[cell]
            crossed = -np.outer(mass, share) - np.outer(share, mass) + 2 * some * np.outer(share, share)
            where = slice(self.size + cell * self.values, self.size + (cell + 1) * self.values)
            information[where, where] = -(np.diag(mass - some * share) + crossed * self.together)
            known[where, where] = (np.diag(share) - np.outer(share, share)) * some * self.together

    def estimated(self, point: Floats) -> Flags:
        """Return whether each coordinate of the link and each logit of P(x) is estimated, not fixed, shape (size,)."""
        here = self._here(point)
        people = self._per_cell @ (self._posterior(here) * self.data.rows.counts[self.data.rows.response][:, None])
        return self._kept(here, people)[: self.size]

    def _kept(self, here: _Here, people: Floats) -> Flags:
        """Return whether each parameter may vary in the fit, shape (parameters,).

        The largest of several frequencies that add up to 1, and frequencies of 0, are not free.
        """
        kept = np.ones(self.whole, np.bool_)
        if self.data.hidden:
            shares = here.shares
            kept[self.width : self.size] = (shares > NOBODY) & (np.arange(self.cells) != shares.argmax())
        if self.merged:
            total = people.sum()
            alone = np.ones(people.shape, np.bool_)
            for number in set(self.data.classes.tolist()):
                some = np.flatnonzero(self.data.classes == number)
                alone[np.arange(self.cells), some[here.spread[:, some].argmax(axis=1)]] = False
            kept[self.size :] = (alone & (people > NOBODY * total) & self.data.inside[:, None]).ravel()
        return kept


def _endless(model: RegressionLikelihood, point: Floats, row: int | None, column: int) -> EndlessError:
    """Make the error for a coefficient that grows without limit."""
    people, data = model.people(point), model.data
    number = int(people.argmin()) if row is None else row
    with_column = (model.shares(point) * (data.table[:, column] != 0)).sum() * data.rows.counts.sum()
    rare, share = column == 0 or bool(people[number] < with_column), float(people[number] / people.sum())
    return EndlessError(number, column, rare=rare, share=share)


def fit_regression(data: RegressionData) -> RegressionFit:
    """Fit a regression to disguised responses.

    Raises:
        EndlessError: If a coefficient grows without limit.
        QueryError: If no maximum of the likelihood is found.
    """
    model = RegressionLikelihood(data)
    start = model.start()
    for _ in range(ASCENTS):
        for point, here, left in newton(model, start, Prior.none(len(start))):  # noqa: B007 - the last is used
            far = np.abs(point[: model.width])
            if far.max() > FARTHEST:
                raise _endless(model, point, *data.link.home(int(far.argmax()), data.table.shape[1]))
        start = model.risen(point)
        if (start == point).all():
            break
    if left >= CLOSE:
        if model.people(point).min() < RARE:
            raise _endless(model, point, None, 0)
        raise _no_top("the steps towards the largest likelihood do not end")
    try:
        np.linalg.cholesky(here.information)
    except np.linalg.LinAlgError:
        raise _no_top("the responses do not tell all coefficients apart") from None
    estimated = model.estimated(point)
    covariance: Floats = np.linalg.inv(here.information)[: model.size, : model.size].astype(np.float64)
    covariance *= np.outer(estimated, estimated)
    variances = np.diag(covariance)[: model.width]
    if not ((variances > 0) & (variances < WIDEST**2)).all():
        raise _no_top("the responses do not tell all coefficients apart")
    return RegressionFit(
        point,
        model.width,
        model.height(point),
        covariance,
        model.shares(point),
        model.posterior(point),
        here.information,
    )
