"""A simulated population: draws from a mixture that is fitted to the plain answers of a pilot.

A pilot has few rows. In a population made in its likeness fresh people can be had without end, so that there it can be
*measured* what it costs to learn from rows that come more than once, and how much the luck of a pilot matters (the
parametric bootstrap: Efron & Tibshirani 1993, chapters 6 and 10). How accurate a model is in this population matters
little: the mixture holds less together than people do, and only differences are used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from collector.coding.coding import plain_coding
from collector.survey.survey import Survey
from miner.latent.model import LatentModel, fit_latent, synthetic
from miner.responses.responses import Values
from miner.simulation.simulation import simulate


@dataclass(frozen=True, eq=False)
class Likeness:
    """A population like a pilot's.

    Attributes:
        model: Mixtures of the pilot's answers.
    """

    model: LatentModel

    @classmethod
    def of(cls, survey: Survey, pilot: Values, rng: np.random.Generator) -> Likeness:
        """The population in the likeness of these rows.

        Args:
            survey: What was asked; how it is disguised does not matter.
            pilot: Value indices, shape (rows, questions), at least two rows.
            rng: Makes the result reproducible.
        """
        return cls(fit_latent(simulate(_undisguised(survey), pilot, rng), rng))

    def people(self, count: int, rng: np.random.Generator) -> Values:
        """Value indices of people drawn from it, in no order: shape (count, questions)."""
        return rng.permutation(synthetic(self.model, count, rng))


def _undisguised(survey: Survey) -> Survey:
    """The same questions, all asked of everybody and sent as they are."""
    questions = [replace(each, sensitive=False, coding=plain_coding(len(each.values))) for each in survey.questions]
    return replace(survey, questions=tuple(questions), groups=(), sampling=None)
