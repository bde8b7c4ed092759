"""Compute predictions of a regression, and means of predictions over people, with covariances (delta method).

A prediction is the probability of each value of the outcome, or the mean of a number. A *margin* is the mean of
predictions over people if all people gave the same answer to one question and kept their other answers (predictive
margins: Graubard & Korn 1999). The errors of margins come from the coefficients and from the sampling of people.
"""

from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.effects.links import Normal, Poisson, RegressionLink
from miner.effects.regressions import RegressionData, RegressionFit


class Predictions(NamedTuple):
    """Predictions for rows of a model matrix, shape (rows, outputs), and their slopes by coordinates.

    The slopes have one further dimension, for the coordinates.
    """

    means: Floats
    slopes: Floats

    def variances(self, fit: RegressionFit) -> Floats:
        """Return the variances of the predictions, shape (rows, outputs)."""
        within = fit.covariance[: fit.width, : fit.width]
        return np.asarray(np.einsum("rop,pq,roq->ro", self.slopes, within, self.slopes, optimize=True))


def predictions(link: RegressionLink, table: Floats, coordinates: Floats) -> Predictions:
    """Return predictions for the rows of a model matrix.

    Args:
        link: Link of the regression.
        table: Model matrix, shape (rows, columns).
        coordinates: Estimated coordinates of the link, shape (coordinates,).
    """
    if isinstance(link, Normal):
        unit, mean = coordinates[0], table @ coordinates[1:] / coordinates[0]
        slopes = link.spread * np.column_stack([-mean, table]) / unit
        return Predictions((link.centre + link.spread * mean)[:, None], slopes[:, None])
    if isinstance(link, Poisson):
        mean = np.exp(table @ coordinates)[:, None]
        return Predictions(mean, (mean * table)[:, None])
    design = link.design(table)
    chances = link.at(design @ coordinates)
    return Predictions(chances.chance, np.einsum("gcl,glp->gcp", chances.slope, design))


def margins(data: RegressionData, fit: RegressionFit, tables: list[Floats]) -> tuple[Floats, Floats]:
    """Return mean predictions over people, for several model matrices of the same people.

    Args:
        data: Data of the regression.
        fit: Fit of the regression.
        tables: Model matrices, each of shape (combinations of predictors, columns).

    Returns:
        Mean predictions, shape (tables, outputs), and their covariance, shape (tables * outputs, tables * outputs).
    """
    shares = fit.shares * data.inside
    shares /= shares.sum()
    each = [predictions(data.link, table, fit.coordinates) for table in tables]
    every = np.hstack([found.means for found in each])
    means = shares @ every
    slopes = np.concatenate([np.einsum("g,gop->op", shares, found.slopes) for found in each])
    away = every - means
    if data.hidden:
        slopes = np.hstack([slopes, (shares[:, None] * away).T])
    covariance = slopes @ fit.covariance @ slopes.T
    if not data.hidden:
        covariance += (away.T * shares) @ away / data.rows.people
    return means.reshape(len(tables), -1), covariance
