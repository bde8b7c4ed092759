"""The latent mode under the uniform channel, which is differentially private: two models, one for each half of the law.

A mixture holds for the questions; a logit with interactions for the class given the others. Each question of its own
coin, the responses tell little of single people, and a mixture that is to explain all of them explains the class badly:
it has few classes, and they go where the questions agree with each other. So

    1  a mixture is fitted by EM, from the likeliest tables of question and class; a few classes for each class
    2  logits with pairwise interactions climb the likelihood of all responses (`miner.latent.ascent`), held to no
       effect more and less firmly; they are averaged (`miner.latent.priors`)
    3  rows are drawn from the posterior of each response, and their class is what the logit gives: soft copies

All that is published of a group is used, whatever was asked of it: under sampling, rows fill in what was not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from collector.survey import Survey
from miner.latent.chains import Source
from miner.latent.class_tables import class_tables
from miner.latent.fit import PRIOR_COUNT, climbed, margins
from miner.latent.kernels import Floats
from miner.latent.logit import Averaged, frame_of, without_effects
from miner.latent.mixture import Mixture
from miner.latent.model import FEWEST_RESPONSES, SoftCopies, fit_latent, soft_copies
from miner.latent.patterns import Layout, Patterns
from miner.latent.priors import averaged
from miner.latent.scales import Scales
from miner.responses import Responses

SIZE = 3  # latent classes for each class,
MOST_CLASSES = 16  # and of all together, unless there are as many classes
TRIED = 30_000  # responses that starts are compared on
STARTS = 2
SPREAD = 4.0  # of the gamma noise between latent classes of one class
SHORT, LONG = 30, 300  # steps of EM
MANY = 100_000  # responses beyond which EM takes fewer steps on all of them: it starts near its top
LEAST_SHARE = 0.05  # of independence, below which no entry of a starting table falls
MIXED = 0.01  # of the other classes, in the classes that EM starts from
DRAWS = 4  # rows for each response,
FEWEST_ROWS, MOST_ROWS = 20_000, 200_000  # unless that makes so few or so many of them; one at least
BETWEEN = 3  # steps of the chains between rows that are kept
MOST_TIMES = 10.0  # that a response counts with a learner: its rows say how likely classes are, not which it has
LEARNT_FROM = 350_000  # people that a learner is given at most: their trees are large enough


@dataclass(frozen=True, eq=False)
class ConditionalModel:
    """What was learnt from responses.

    Attributes:
        mixture: Of all questions; what it holds for the class is not used.
        logit: P(class | the other answers), averaged over priors.
        source: The mixture and the responses.
    """

    mixture: Mixture
    logit: Averaged
    source: Source

    def copies(self, rng: np.random.Generator) -> SoftCopies:
        """Rows from the posterior of each response, in every class by its probability."""
        people = len(self.source)
        draws = int(np.clip(DRAWS, -(-FEWEST_ROWS // people), max(1, MOST_ROWS // people)))
        chains = self.source.started(np.repeat(np.arange(people), draws), rng)
        every = np.arange(len(chains.responses))
        for _ in range(BETWEEN):
            chains.moved(every, self.logit, rng)
        rows = chains.rows.values
        shares = self.logit.probabilities(rows) / draws
        classes = shares.shape[1]
        values = np.repeat(rows, classes, axis=0)
        values[:, self.logit.frame.target] = np.tile(np.arange(classes), len(every))
        times = min(MOST_TIMES, LEARNT_FROM / people)
        return SoftCopies(values, shares.ravel(), np.repeat(chains.responses, classes), times)


def is_uniform(survey: Survey) -> bool:
    """Whether something is disguised, and all of that by the uniform channel."""
    return bool(survey.groups) and all(group.channel.name == "uniform" for group in survey.groups)


def fit_conditional(responses: Responses, target: str, rng: np.random.Generator) -> ConditionalModel:
    """Fit both models.

    Args:
        responses: At least two; their groups are all of the uniform channel.
        target: Name of the class question.
        rng: Makes the result reproducible.
    """
    column = [question.name for question in responses.survey.questions].index(target)
    patterns = Patterns.of(responses)
    seed = _Seed(responses.survey, margins(patterns), class_tables(responses, column), column)
    mixture = _started(responses, seed, rng)
    mixture = climbed(mixture, patterns, seed.prior, max(SHORT, min(LONG, LONG * MANY // len(responses))))
    frame, pairs = frame_of(responses.survey, column)
    source, nothing = Source.of(mixture, patterns, frame), without_effects(frame, pairs, seed.shares)
    logit = averaged(source, nothing, Scales.of(responses.survey, frame, pairs, seed.margins), rng)
    return ConditionalModel(mixture, logit, source)


def latent_copies(responses: Responses, target: str, rng: np.random.Generator) -> SoftCopies:
    """Soft copies of responses: by these models where the channel is uniform throughout, else by the mixture alone.

    Raises:
        ModelError: If there are fewer than two responses.
    """
    if is_uniform(responses.survey) and len(responses) >= FEWEST_RESPONSES:
        return fit_conditional(responses, target, rng).copies(rng)
    return soft_copies(responses, fit_latent(responses, rng), rng)


@dataclass(frozen=True, eq=False)
class _Seed:
    """Where EM starts: a latent class for each class, with the class's own tables.

    Attributes:
        survey: The published design.
        margins: Shape (values of all questions,): the shares of the values.
        tables: Of every question and the class (`class_tables`).
        target: Position of the class question.
    """

    survey: Survey
    margins: Floats
    tables: Floats
    target: int

    @property
    def prior(self) -> Floats:
        """Imaginary respondents of each class for each question, spread as the population is."""
        return PRIOR_COUNT * self.margins

    @property
    def _own(self) -> slice:
        return slice(*Layout(self.survey).places[self.target : self.target + 2])

    @property
    def shares(self) -> Floats:
        """Shape (classes,): of the classes."""
        return self.margins[self._own]

    def tied(self) -> Mixture:
        """One latent class for each class."""
        even, count = np.outer(self.margins, self.shares), len(self.shares)
        table = np.maximum(np.where(np.isnan(self.tables), even, self.tables), LEAST_SHARE * even)
        table[self._own] = MIXED / count + (1 - MIXED) * np.eye(count)
        return Mixture.normalised(self.survey, self.shares, table)

    def split(self, size: int, rng: np.random.Generator) -> Mixture:
        """So many latent classes for each class, which differ at random."""
        tied = self.tied()
        table = np.repeat(tied.table, size, axis=1)
        table *= rng.gamma(SPREAD, size=table.shape)
        return Mixture.normalised(self.survey, np.repeat(tied.weights / size, size), table)


def _started(responses: Responses, seed: _Seed, rng: np.random.Generator) -> Mixture:
    """The best of a few starts after a short climb, climbed to its top.

    How many classes it has is not chosen by responses held out: where these could tell, it was measured to matter
    little, and elsewhere they chose too few.
    """
    patterns = Patterns.of(responses.take(np.sort(rng.permutation(len(responses))[:TRIED])))
    size = min(SIZE, MOST_CLASSES // len(seed.shares))
    if size <= 1:
        return climbed(seed.tied(), patterns, seed.prior, LONG)
    starts = [climbed(seed.split(size, rng), patterns, seed.prior, SHORT) for _ in range(STARTS)]
    return climbed(max(starts, key=lambda each: each.objective(patterns, seed.prior)), patterns, seed.prior, LONG)
