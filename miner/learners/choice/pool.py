"""Pool class probabilities log-linearly, with weights that maximise the likelihood of held-out responses.

    P(y | x)  ~  exp( sum over candidates of weight ln f_y(x) + intercept_y ),    weights not negative

Log-linear pools are described by Genest & Zidek (1986), and stacking by Wolpert (1992). A prior pulls the candidates'
weights towards equal weights, and intercepts towards 0. A pool of one candidate only calibrates its predictions, with a
very weak prior.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.behind.rows import Rows

LEAST = 1e-4  # smallest predicted probability
FIRMNESS, ALONE = 6.0, 0.2  # of the prior: twice its nats for a weight, or an intercept, that is 1 off


class Pool(NamedTuple):
    """Log-linear pool of class probabilities.

    Attributes:
        weights: Weights of the candidates, not negative, shape (candidates,).
        intercepts: Intercepts of the classes, shape (classes,).
    """

    weights: Floats
    intercepts: Floats

    def probabilities(self, logs: Floats) -> Floats:
        """Return class probabilities, shape (rows, classes), from logarithms of shape (candidates, rows, classes)."""
        scores = np.tensordot(self.weights, logs, 1) + self.intercepts
        return softmax(scores)

    @classmethod
    def fitted(cls, logs: Floats, judges: Rows) -> Pool:
        """Return the most probable pool, given the rows behind responses that no candidate was fitted to."""
        from scipy.optimize import minimize  # type: ignore[import-untyped] # noqa: PLC0415 - it takes .2 s to import

        count, classes = len(logs), logs.shape[2]
        firmness = ALONE if count == 1 else FIRMNESS
        start = np.append(np.full(count, 1 / count), np.zeros(classes))
        columns = np.ascontiguousarray(logs.reshape(count, -1).T)
        people = judges.counts[judges.response, None]

        def loss(free: Floats) -> tuple[float, Floats]:
            off = free - start
            height, slopes = judges.slopes((columns @ free[:count]).reshape(-1, classes) + free[count:])
            slopes *= people
            along = np.append(columns.T @ slopes.ravel(), slopes.sum(axis=0))
            return firmness / 2 * float(off @ off) - height, firmness * off - along

        bounds = [(0.0, None)] * count + [(None, None)] * classes
        found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
        return cls(found[:count], found[count:])


def logarithms_of(predicted: Floats) -> Floats:
    """Return the logarithms of class probabilities, of which those below `LEAST` are raised to it."""
    return np.asarray(np.log(np.maximum(predicted, LEAST)))
