"""Simulate people by draws from a mixture that is fitted to the plain answers of a pilot, or from the priors.

A pilot has few rows, but any number of people can be drawn from a simulated population. In a simulated population two
quantities can be *measured*: the accuracy that is lost by training on repeated rows, and the sampling error of a pilot
(the parametric bootstrap: Efron & Tibshirani 1993, chapters 6 and 10). Only differences of accuracies are used, because
the simulated population has weaker associations than the real one.
"""

from dataclasses import dataclass, replace

import numpy as np

from collector.coding.coding import plain_coding
from collector.survey.survey import Survey
from miner.behind.mixture.model import LatentModel, fit_latent, synthetic
from miner.responses.responses import Values
from miner.simulation.simulation import simulate


@dataclass(frozen=True, eq=False)
class PilotPopulation:
    """Simulated population with the distribution of a pilot."""

    model: LatentModel

    @classmethod
    def of(cls, survey: Survey, pilot: Values, rng: np.random.Generator) -> "PilotPopulation":
        """Fit the population to the rows of a pilot.

        Args:
            survey: Survey with the questions. The survey's channels are ignored.
            pilot: Value indices of at least two rows, shape (rows, questions).
            rng: Random generator; a seeded one makes the result reproducible.
        """
        return cls(fit_latent(simulate(_undisguised(survey), pilot, rng), rng))

    def people(self, count: int, rng: np.random.Generator) -> Values:
        """Draw people from the population, in random order.

        The rows of people are value indices, shape (count, questions).
        """
        return rng.permutation(synthetic(self.model, count, rng))


def drawn_by_priors(survey: Survey, rows: int, rng: np.random.Generator) -> Values:
    """Draw true values independently from the priors, shape (rows, questions)."""
    priors = [np.array(each.prior, np.float64) for each in survey.questions]
    return np.stack([rng.choice(len(prior), rows, p=prior) for prior in priors], axis=1).astype(np.int16)


def _undisguised(survey: Survey) -> Survey:
    """Return the survey with all questions asked of everybody and sent undisguised."""
    questions = [replace(each, sensitive=False, coding=plain_coding(len(each.values))) for each in survey.questions]
    return replace(survey, questions=tuple(questions), groups=(), sampling=None)
