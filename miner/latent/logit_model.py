"""The latent mode under uniform channels: P(x) by a mixture, P(y given x) by a logit.

A mixture models the questions; a logit with interactions models the class given the other questions. With one coin per
question, responses contain little information about single respondents, and a mixture of all questions predicts the
class badly: it has few latent classes, and they describe the associations among the other questions. Therefore

    1  mixtures are fitted by EM, starting from the tables of question by class; a few latent classes for each class
       (`miner.latent.mixture.pooled`); they are averaged
    2  logits with pairwise interactions maximise the likelihood of all responses, under priors from narrow to wide;
       they are averaged (`miner.latent.logit.ascent`)
    3  rows are drawn from the posterior of each response, weighted by the logit's class probabilities: soft copies

In a split questionnaire, the rows also contain values for questions that were not asked.
"""

from dataclasses import dataclass

import numpy as np

from collector.survey.survey import Survey
from miner.behind.patterns import Patterns
from miner.channels.registry import arrays_of
from miner.latent.class_tables import class_tables
from miner.latent.logit.ascent import averaged
from miner.latent.logit.chains import Chains, RowSource
from miner.latent.logit.logit import Averaged, frame_of, without_effects
from miner.latent.logit.scales import Scales
from miner.latent.mixture.fit import margins
from miner.latent.mixture.mixture import Mixture
from miner.latent.mixture.pooled import Seed, pooled_mixture
from miner.latent.model import FEWEST_RESPONSES, SoftCopies, fit_latent, soft_copies
from miner.latent.recent import recent
from miner.responses.possible import among_possible
from miner.responses.responses import Responses

DRAWS = 4  # rows for each response,
FEWEST_ROWS, MOST_ROWS = 20_000, 200_000  # unless that makes fewer or more than this; at least one
BETWEEN = 3  # steps of the chains between rows that are kept
MOST_TIMES = 10.0  # weight of a response for a learner: its rows hold class probabilities, not one drawn class
LEARNT_FROM = 350_000  # largest total weight for a learner: trees on it are large enough


@dataclass(frozen=True, eq=False)
class ConditionalModel:
    """The two fitted models, with the responses.

    Attributes:
        mixture: Mixture of all questions; its distribution of the class is not used.
        logit: P(class | the other answers), averaged over priors.
        source: The mixture and the responses.
    """

    mixture: Mixture
    logit: Averaged
    source: RowSource

    def chains(self, rng: np.random.Generator) -> Chains:
        """Rows from the posterior of each response, those of a response together; their class is not used."""
        people = len(self.source)
        draws = int(np.clip(DRAWS, -(-FEWEST_ROWS // people), max(1, MOST_ROWS // people)))
        chains = self.source.started(np.repeat(np.arange(people), draws), rng)
        for _ in range(BETWEEN):
            chains.moved(np.arange(len(chains.responses)), self.logit, rng)
        return chains

    def copies(self, rng: np.random.Generator) -> SoftCopies:
        """Rows from the posterior of each response, one for each class, weighted by its probability."""
        chains, people = self.chains(rng), len(self.source)
        rows = chains.rows.values
        found = among_possible(self.source.survey, self.logit.frame.target, rows, self.logit.probabilities(rows))
        shares, classes = found / (len(rows) // people), found.shape[1]
        values = np.repeat(rows, classes, axis=0)
        values[:, self.logit.frame.target] = np.tile(np.arange(classes), len(rows))
        times = min(MOST_TIMES, LEARNT_FROM / people)
        return SoftCopies(values, shares.ravel(), np.repeat(chains.responses, classes), times)


def independent_replacements(survey: Survey) -> bool:
    """Whether at least one question is disguised, and no replacement of an answer depends on that answer."""
    arrays = [arrays_of(group.channel.replacement) for group in survey.groups]
    return bool(arrays) and not any(each.depends_on_truth for each in arrays)


def fit_conditional(responses: Responses, target: str, rng: np.random.Generator) -> ConditionalModel:
    """Fit both models to at least two responses, all of whose groups have the uniform channel."""
    return recent(_fitted, responses, rng, target)


def _fitted(responses: Responses, rng: np.random.Generator, target: str) -> ConditionalModel:
    column = responses.survey.column(target)
    patterns = Patterns.of(responses)
    seed = Seed(responses.survey, margins(patterns), class_tables(responses, column), column)
    mixture = pooled_mixture(responses, seed, rng)
    frame, pairs = frame_of(responses.survey, column)
    source, nothing = RowSource.of(mixture, patterns, frame), without_effects(frame, pairs, seed.shares)
    logit = averaged(source, nothing, Scales.of(responses.survey, frame, pairs, seed.margins), rng)
    return ConditionalModel(mixture, logit, source)


def latent_copies(responses: Responses, target: str, rng: np.random.Generator) -> SoftCopies:
    """Soft copies of responses: by these two models if all channels are uniform, otherwise by a mixture alone.

    Raises:
        ModelError: If there are fewer than two responses.
    """
    if independent_replacements(responses.survey) and len(responses) >= FEWEST_RESPONSES:
        return fit_conditional(responses, target, rng).copies(rng)
    return soft_copies(responses, fit_latent(responses, rng), rng)
