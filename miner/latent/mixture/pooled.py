"""Bagged mixtures: several, each fitted to a bootstrap sample of the responses, pooled into one.

For strongly disguised responses many mixtures are about equally likely, and EM finds one of them. As with the logit's
priors (`miner.latent.logit.ascent`) no choice is made: mixtures are fitted to bootstrap samples of the responses from
separate starts (bagging: Breiman 1996), with priors from few to many imaginary respondents with the population's
shares. Their average, with equal weights, is a mixture of all their classes.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.patterns import Layout, Patterns
from miner.latent.mixture.fit import climbed
from miner.latent.mixture.mixture import Mixture
from miner.responses.responses import Responses

COUNTS = (1.0, 4.0, 16.0, 64.0)
"""Imaginary respondents in each latent class of each of the mixtures: from loose to firm."""
SIZE = 3  # latent classes for each class,
MOST_CLASSES = 16  # and of all classes in one mixture, unless these are as many
MOST_DRAWN = 30_000  # responses that one of the mixtures is fitted to
SPREAD = 4.0  # of the gamma noise between latent classes of one class
LEAST_SHARE = 0.05  # of independence, below which no entry of a starting table falls
MIXED = 0.01  # of the other classes, in the classes that EM starts from


@dataclass(frozen=True, eq=False)
class Seed:
    """Start of EM: latent classes for each class, from the class's own tables.

    Attributes:
        survey: The published design.
        margins: Shape (values of all questions,): the shares of the values.
        tables: Tables of every question and the class (`class_tables`).
        target: Position of the class question.
    """

    survey: Survey
    margins: Floats
    tables: Floats
    target: int

    @property
    def _own(self) -> slice:
        return slice(*Layout.of(self.survey).places[self.target : self.target + 2])

    @property
    def shares(self) -> Floats:
        """Shape (classes,): of the classes."""
        return self.margins[self._own]

    def started(self, rng: np.random.Generator) -> Mixture:
        """A few latent classes for each class, in each state that has it; those of the same class differ at random."""
        states = Layout.of(self.survey).states
        state, cls = np.nonzero(states[:, self._own])
        size = max(1, min(SIZE, MOST_CLASSES // len(cls)))
        table = np.repeat(self.tied()[:, cls] * states[state].T, size, axis=1)
        if size > 1:
            table *= rng.gamma(SPREAD, size=table.shape)
        return Mixture.normalised(self.survey, np.repeat(self.shares[cls], size), table)

    def tied(self) -> Floats:
        """Shape (values of all questions, classes): one latent class for each class."""
        even, count = np.outer(self.margins, self.shares), len(self.shares)
        table = np.maximum(np.where(np.isnan(self.tables), even, self.tables), LEAST_SHARE * even)
        table[self._own] = MIXED / count + (1 - MIXED) * np.eye(count)
        return Mixture.normalised(self.survey, self.shares, table).table


def pooled_mixture(responses: Responses, seed: Seed, rng: np.random.Generator) -> Mixture:
    """The average of mixtures, one for each of `COUNTS`.

    They are fitted in parallel, one thread per processor; the result does not depend on their number.

    Args:
        responses: At least one; each mixture is fitted to as many draws of them, or `MOST_DRAWN`.
        seed: Where each starts.
        rng: Makes the result reproducible.
    """
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        fitted = threads.map(partial(bagged, responses, seed), COUNTS, rng.spawn(len(COUNTS)))
        return pooled(tuple(fitted))


def pooled(mixtures: tuple[Mixture, ...]) -> Mixture:
    """The mixture that is the average of these: each probability is the mean of theirs."""
    weights = np.concatenate([each.weights for each in mixtures]) / len(mixtures)
    return Mixture(mixtures[0].survey, weights, np.hstack([each.table for each in mixtures]))


def bagged(responses: Responses, seed: Seed, count: float, rng: np.random.Generator) -> Mixture:
    """A mixture fitted to a bootstrap sample of the responses.

    Args:
        responses: As for `pooled_mixture`.
        seed: Where it starts.
        count: Imaginary respondents in each latent class, who answer as the population does.
        rng: Draws the responses and the start.
    """
    drawn = rng.integers(len(responses), size=min(MOST_DRAWN, len(responses)))
    patterns = Patterns.of(responses.take(np.sort(drawn)))
    return climbed(seed.started(rng), patterns, count * seed.margins)
