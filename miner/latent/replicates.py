"""Error bars in latent mode: the complete fit repeated on bootstrap samples of the responses.

For each bootstrap sample of the responses, models are fitted, copies drawn and a learner trained anew. So the spread of
the learners' predictions includes the sampling of respondents and questions, the coins, and the randomness of fitting
and growing: one imputation for each bootstrap sample (Schomaker & Heumann 2018), each proper, whose variance needs no
pooling by Rubin's rules. It does not include the bias of the models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from miner.arrays import Floats
from miner.latent.logit_model import latent_copies
from miner.responses.responses import Responses, Values

FEWEST = 2


class Learner(Protocol):
    """A learner on weighted plain rows, such as `miner.learners.forest.ForestClassifier`."""

    def fit_rows(self, values: Values, weights: NDArray[np.float64], responses: int) -> Self:
        """Learn."""

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Shape (rows, classes)."""

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Shape (features,)."""


@dataclass(frozen=True, eq=False)
class Spread:
    """The mean over replicates, and the standard deviation of one replicate.

    Attributes:
        mean: Over replicates.
        standard_error: Of one replicate; it is the standard error of the learner that is trained on all responses.
    """

    mean: Floats
    standard_error: Floats


@dataclass(frozen=True, eq=False)
class Replicates:
    """Learners of bootstrap samples.

    Attributes:
        learners: One for each sample.
    """

    learners: Sequence[Learner]

    def probabilities(self, values: Values) -> Spread:
        """Of the classes of rows of value indices: shape (rows, classes)."""
        return _spread([each.probabilities(values) for each in self.learners])

    @property
    def importances(self) -> Spread:
        """Of the features: shape (features,)."""
        return _spread([each.feature_importances_ for each in self.learners])


def replicates(
    new: Callable[[], Learner], responses: Responses, target: str, draws: int, rng: np.random.Generator
) -> Replicates:
    """Train learners on bootstrap samples.

    Args:
        new: Makes an unfitted learner.
        responses: All of them.
        target: Name of the class question.
        draws: Number of samples; 20 to 50 give a standard error that is itself within about a tenth to a sixth.
        rng: Makes the result reproducible.

    Raises:
        QueryError: If there are fewer than two samples.
        ModelError: If there are fewer than two responses.
    """
    if draws < FEWEST:
        raise QueryError("replicates", "one alone has no spread", "ask for at least two")
    learners = []
    for _ in range(draws):
        sample = responses.take(np.sort(rng.integers(0, len(responses), len(responses))))
        copies = latent_copies(sample, target, rng)
        people = copies.people(len(sample))
        learners.append(new().fit_rows(copies.values, copies.weights * copies.times, people))
    return Replicates(learners)


def _spread(found: list[NDArray[np.float64]]) -> Spread:
    whole = np.array(found, np.float64)
    return Spread(whole.mean(axis=0), whole.std(axis=0, ddof=1))
