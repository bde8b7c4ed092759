"""Randomized-response logistic regression written anew, from the formulas and nothing of ours: a second opinion.

Predictors known (Scheers & Dayton 1988): a response "yes" has probability ``p1 pi + p0 (1 - pi)``, pi = expit(x beta),
p1 and p0 the chances that a yes and a no are sent as yes. One more predictor disguised in the same way: the sum of that
over its two values, each weighed by its chance of what was sent and its frequency among those with the same known
answers. Maximised by a general-purpose optimiser; errors from second differences.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize


def maximum(negative: Callable[[np.ndarray], float], size: int) -> tuple[np.ndarray, np.ndarray]:
    """The place where a negative log-likelihood is least, and the standard errors there."""
    best = minimize(negative, np.zeros(size), method="BFGS", options={"gtol": 1e-7, "maxiter": 5000}).x
    best = minimize(negative, best, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 40000}).x
    step, eye = 2e-4, np.eye(size)
    hessian = np.array(
        [
            [
                (negative(best + step * (a + b)) - negative(best + step * (a - b)))
                - (negative(best - step * (a - b)) - negative(best - step * (a + b)))
                for b in eye
            ]
            for a in eye
        ]
    ) / (4 * step**2)
    return best, np.sqrt(np.diag(np.linalg.inv(hessian)))


def disguised_outcome(sent: np.ndarray, x: np.ndarray, yes: float, no: float) -> Callable[[np.ndarray], float]:
    """The negative log-likelihood where only the outcome was disguised.

    Args:
        sent: Whether yes was sent.
        x: Known predictors, with a column of ones.
        yes: P(yes is sent | yes).
        no: P(yes is sent | no).
    """

    def negative(beta: np.ndarray) -> float:
        pi = 1 / (1 + np.exp(-x @ beta))
        chance = yes * pi + no * (1 - pi)
        return -float(np.log(np.where(sent, chance, 1 - chance)).sum())

    return negative


def disguised_predictor(
    sent: np.ndarray, told: np.ndarray, x: np.ndarray, odds: tuple[float, float, float, float]
) -> Callable[[np.ndarray], float]:
    """The negative log-likelihood where one predictor, too, was disguised, by a coin of its own.

    Parameters are the coefficients of `x` and of the predictor, then for each different row of `x` the logit of the
    predictor's frequency.

    Args:
        sent: Whether the outcome's yes was sent.
        told: Whether the predictor's yes was sent.
        x: Known predictors, with a column of ones.
        odds: P(yes is sent | yes), P(yes is sent | no) for the outcome, then for the predictor.
    """
    _, stratum = np.unique(x, axis=0, return_inverse=True)
    stratum = stratum.ravel()

    def negative(parameters: np.ndarray) -> float:
        beta, slope, logits = parameters[: x.shape[1]], parameters[x.shape[1]], parameters[x.shape[1] + 1 :]
        frequency = (1 / (1 + np.exp(-logits)))[stratum]
        whole = np.zeros(len(x))
        for value, share in ((1, frequency), (0, 1 - frequency)):
            pi = 1 / (1 + np.exp(-(x @ beta + slope * value)))
            chance = odds[0] * pi + odds[1] * (1 - pi)
            seen = odds[2] if value else odds[3]
            whole += share * np.where(sent, chance, 1 - chance) * np.where(told, seen, 1 - seen)
        return -float(np.log(whole).sum())

    return negative
