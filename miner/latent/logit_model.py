"""The latent mode under uniform channels: P(x) by a mixture, P(y given x) by a logit.

A mixture holds for the questions; a logit with interactions for the class given the others. Each question of its own
coin, the responses tell little of single people, and a mixture that is to explain all of them explains the class badly:
it has few classes, and they go where the questions agree with each other. So

    1  mixtures are fitted by EM, from the likeliest tables of question and class; a few classes for each class
       (`miner.latent.mixture.pooled`); they are averaged
    2  logits with pairwise interactions climb the likelihood of all responses (`miner.latent.logit.ascent`), held to no
       effect more and less firmly; they are averaged (`miner.latent.logit.priors`)
    3  rows are drawn from the posterior of each response, and their class is what the logit gives: soft copies

All that is published of a group is used, whatever was asked of it: under sampling, rows fill in what was not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from collector.survey.survey import Survey
from miner.latent.class_tables import class_tables
from miner.latent.logit.chains import Source
from miner.latent.logit.logit import Averaged, frame_of, without_effects
from miner.latent.logit.priors import averaged
from miner.latent.logit.scales import Scales
from miner.latent.mixture.fit import margins
from miner.latent.mixture.mixture import Mixture
from miner.latent.mixture.pooled import Seed, pooled_mixture
from miner.latent.model import FEWEST_RESPONSES, SoftCopies, fit_latent, soft_copies
from miner.latent.patterns import Patterns
from miner.responses.responses import Responses

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
    seed = Seed(responses.survey, margins(patterns), class_tables(responses, column), column)
    mixture = pooled_mixture(responses, seed, rng)
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
