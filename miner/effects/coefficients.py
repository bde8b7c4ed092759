"""Compute coefficients, smoothed effects and margins of a model, with standard errors.

*Coefficients* maximise the likelihood. A coefficient compares a value with the reference value of its question. A
normal prior of standard deviation `WIDE` keeps coefficients finite. The covariance of coefficients is the sandwich
estimate ``A^-1 G A^-1``, where A is the observed information (Louis 1982) and G sums the outer products of people's
slopes. The sandwich estimate is valid even if the model is wrong (White 1982). The sandwich estimate varies widely if
responses hardly determine a coefficient, so a standard error is at most `WIDER` times the posterior standard deviation.

*Shapes* are smoothed effects minus their mean over the population. Smoothed effects have a weak prior, so that
intervals need not include the bias of shrinkage. The covariance of smoothed effects is their posterior covariance. On
average over the values of a question, the intervals of its smoothed effects have the nominal coverage (Nychka 1988;
Marra & Wood 2012).

A *margin* is the mean over people of P(class | answers) if all people gave the same answer to one question and kept
their other answers (predictive margins: Graubard & Korn 1999). Standard errors of margins come from the effects (delta
method) and from the sampling of people.

If predictors are disguised, standard errors include the uncertainty of their estimated distribution
(`miner.effects.likelihood`).
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit  # type: ignore[import-untyped]
from scipy.special import logit as log_odds

from collector.disclosure.precision import NORMAL_975
from collector.survey.question import Question
from miner.arrays import Floats, Indices
from miner.behind.rows import Rows
from miner.effects.fit import ANYWHERE, Effects, Prior, newton, refit, shrinkage
from miner.effects.kernels import margin_sums, scored
from miner.effects.likelihood import Coordinates
from miner.responses.responses import Values

WIDE = 5.0  # prior standard deviation of a coefficient
WIDER = 1.5  # largest ratio of a coefficient's standard error to that of the posterior
LOOSE = 1.0  # smallest prior variance of a term in shapes
MOST_ERRORS = 800  # largest number of coefficients for which standard errors are computed
MOST_PEOPLE = 10_000  # largest number of people over which a margin is the mean
LEAST = 1e-9  # smallest probability whose log odds are computed


@dataclass(frozen=True, eq=False)
class CoefficientTable:
    """Table of estimated effects of each value or pair of values.

    Attributes:
        estimates: Log odds of each class against the reference class, shape (effects, classes).
        errors: Standard errors, shape (effects, classes), or None if there are too many effects.
        margins: Margins and the limits of their intervals, shape (effects of single questions, classes, 3), or None.
    """

    estimates: Floats
    errors: Floats | None
    margins: Floats | None = None


class _Point(NamedTuple):
    """Estimated effects with their covariance."""

    free: Coordinates
    effects: tuple[Floats, Floats]
    covariance: Floats


def reference(question: Question) -> int:
    """Return the reference value of a question: ``no`` of a yes-or-no question, otherwise the first value."""
    return len(question.values) - 1 if question.kind == "yes_no" else 0


def shapes(rows: Rows, effects: Effects, against: int) -> CoefficientTable:
    """Return smoothed effects on the log odds of each class against a reference class, with standard errors."""
    terms, classes = effects.terms, len(effects.intercept)
    size = int(terms.starts[-1])
    if (size + 1) * classes > MOST_ERRORS:
        return CoefficientTable(effects.values - effects.values[:, [against]], None)
    point = _loose(rows, effects)
    values, roots = point.effects[1], terms.roots.toarray()
    estimates, covariance = values - values[:, [against]], point.covariance
    parts = covariance.reshape(classes, size + 1, classes, size + 1)[:, 1:, :, 1:]
    errors = np.zeros(estimates.shape)
    for cls in range(classes):
        crossed = parts[cls, :, against] + parts[against, :, cls]
        apart = parts[cls, :, cls] + parts[against, :, against] - crossed
        errors[:, cls] = np.sqrt(np.maximum(((roots @ apart) * roots).sum(axis=1), 0))
    return CoefficientTable(estimates, errors, _margins(point))


def _loose(rows: Rows, effects: Effects) -> _Point:
    """Return the effects refitted with a weaker prior, and their covariance."""
    effects = refit(rows, replace(effects, variances=np.maximum(effects.variances, LOOSE)))
    classes, terms = range(len(effects.intercept)), effects.terms
    free = Coordinates(rows, terms, terms.roots, classes)
    where, precision = (effects.intercept, effects.values), shrinkage(terms, effects.variances, len(classes))
    return _Point(free, where, free.covariances(where, precision)[0])


def coefficients(rows: Rows, effects: Effects, against: int) -> CoefficientTable:
    """Return the maximum likelihood coefficients of main effects."""
    terms, classes = effects.terms, len(effects.intercept)
    firsts = np.array([reference(terms.survey.questions[term[0]]) for term in terms.terms], np.intp)
    bases = firsts + terms.starts[:-1]
    kept, others = np.setdiff1d(np.arange(terms.starts[-1]), bases), [y for y in range(classes) if y != against]
    table = effects.values - effects.values[bases][terms.block]
    table -= table[:, [against]]
    if (len(kept) + 1) * len(others) > MOST_ERRORS:
        return CoefficientTable(table, None)
    level = effects.intercept - effects.intercept[against] + effects.values[bases].sum(axis=0)
    level -= effects.values[bases][:, against].sum()
    free = Coordinates(rows, terms, np.eye(int(terms.starts[-1]))[:, kept], others)
    precision = np.tile(np.append(1 / ANYWHERE, np.full(len(kept), WIDE**-2)), len(others))
    start = np.vstack([level, table[kept]])[:, others].T.ravel()
    *_, (point, _, _) = newton(free, start, Prior(precision, np.zeros(len(start))))
    posterior, sandwich = (np.diag(each) for each in free.covariances(free.effects(point), precision))
    variances = np.minimum(sandwich, WIDER**2 * posterior)
    errors, chosen = np.zeros(table.shape), np.ix_(kept, np.array(others))
    table[chosen] = point.reshape(len(others), -1)[:, 1:].T
    errors[chosen] = np.sqrt(variances).reshape(len(others), -1)[:, 1:].T
    return CoefficientTable(table, errors, _margins(_loose(rows, effects)))


def _margins(point: _Point) -> Floats:
    """Return margins with the limits of their intervals, shape (effects of single questions, classes, 3)."""
    free, rows = point.free, point.free.likelihood.rows
    step = -(-len(rows.first) // MOST_PEOPLE)
    some = np.flatnonzero(rows.response % step == 0)
    values, people, counts = rows.values[some], rows.response[some] // step, rows.counts[::step]
    weights = free.likelihood.at(*point.effects)[0][some].sum(axis=1)
    found = []
    for place, *others in free.terms.terms:
        for value in range(0 if others else len(free.terms.survey.questions[place].values)):
            then = values.copy()
            then[:, place] = value
            found.append(_margin(point, then, (weights, people, counts)))
    return np.array(found)


def _margin(point: _Point, values: Values, who: tuple[Floats, Indices, Floats]) -> Floats:
    """Return the margins of one effect and the limits of their intervals, shape (classes, 3)."""
    free, (weights, people, counts), (intercept, effects) = point.free, who, point.effects
    whole = counts.sum()
    masses, bundles = counts / whole, free.likelihood.bundles
    cells = bundles.places(values)
    scores = scored(cells, intercept, bundles.sums(effects))
    chances, level, along = margin_sums(cells, scores, weights, people, masses, bundles.spread.shape[0])
    classes = len(intercept)
    slopes = np.empty((classes, classes, 1 + len(effects)))
    first, second = np.triu_indices(classes)
    slopes[first, second] = slopes[second, first] = np.vstack([level, bundles.along(along)]).T
    found = np.empty((classes, 3))
    for cls, each in enumerate(chances.T):
        mean, slope = float(masses @ each), free.turn.T @ slopes[cls, free.classes].ravel()
        variance = slope @ point.covariance @ slope + masses @ (each - mean) ** 2 / whole
        middle = log_odds(np.clip(mean, LEAST, 1 - LEAST))
        reach = NORMAL_975 * np.sqrt(max(variance, 0.0)) / max(mean * (1 - mean), LEAST)
        found[cls] = mean, expit(middle - reach), expit(middle + reach)
    return found
