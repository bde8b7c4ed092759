"""Draw plain weighted rows from fitted models of the answers (the learning mode `latent`).

Under complement channels, rows are drawn from a mixture of latent classes over all questions
(`miner.behind.mixture.model`). Under uniform channels, a mixture over all questions predicts the class badly, because
its few latent classes mostly describe associations among the other questions. Only the distribution P(x) of predictors
x comes from a mixture under uniform channels, and P(class | x) comes from main effects and chosen pairs of questions.
"""

import numpy as np

from collector.survey.survey import Survey
from miner.behind.cached_fit import cached_fit
from miner.behind.mixture.model import FEWEST_RESPONSES, SoftCopies, fit_latent, soft_copies
from miner.behind.rows import Rows, drawn_rows, rows_behind
from miner.channels.registry import independent_replacements
from miner.effects.fit import Effects, fit_effects
from miner.effects.pairs import chosen_pairs
from miner.effects.terms import Terms
from miner.responses.possible import among_possible, predictors
from miner.responses.responses import Responses

PAIRS = 10  # largest number of pairs of questions with effects
DRAWS = 4  # usual number of rows for each response
FEWEST_ROWS, MOST_ROWS = 20_000, 200_000  # bounds of the number of all rows; a response has one at least
MOST_TIMES = 10.0  # weight of a response for a learner; its rows hold class probabilities, not a drawn class
LEARNT_FROM = 350_000  # largest total weight for a learner, for which trees are large enough


def latent_copies(responses: Responses, target: str, rng: np.random.Generator) -> SoftCopies:
    """Draw plain weighted rows of answers that may be behind each response.

    Raises:
        ModelError: If there are fewer than two responses.
    """
    if independent_replacements(responses.survey) and len(responses) >= FEWEST_RESPONSES:
        return cached_fit(_by_effects, responses, rng, target)
    return soft_copies(responses, fit_latent(responses, rng), rng)


def additive_effects(rows: Rows, main: Effects, pairs: int) -> Effects:
    """Add effects of the most significant pairs of questions to main effects, for at most `pairs` pairs."""
    terms, chosen = main.terms, chosen_pairs(rows, main, pairs)
    return fit_effects(rows, Terms(terms.survey, (*terms.terms, *chosen), terms.shares)) if chosen else main


def main_terms(survey: Survey, target: str, rows: Rows) -> Terms:
    """Return a term for each question that predicts the class."""
    return Terms(survey, tuple((place,) for place in predictors(survey, target)), rows.value_shares(survey))


def _by_effects(responses: Responses, rng: np.random.Generator, target: str) -> SoftCopies:
    """Draw rows for each response, and copy each row for every class, weighted by the class's probability."""
    survey, people = responses.survey, len(responses)
    behind = rows_behind(responses, target, rng)
    effects = additive_effects(behind, fit_effects(behind, main_terms(survey, target, behind)), PAIRS)
    draws = int(np.clip(DRAWS, -(-FEWEST_ROWS // people), max(1, MOST_ROWS // people)))
    rows, column = drawn_rows(responses, responses, target, rng, draws), survey.column(target)
    predicted = effects.probabilities(rows.values)
    weights = rows.posterior(predicted)[1].sum(axis=1, keepdims=True)
    shares = among_possible(survey, column, rows.values, predicted) * weights
    values = np.repeat(rows.values, shares.shape[1], axis=0)
    values[:, column] = np.tile(np.arange(shares.shape[1]), len(rows.values))
    kept = shares.ravel() > 0
    origin = np.repeat(rows.response, shares.shape[1])
    return SoftCopies(values[kept], shares.ravel()[kept], origin[kept], min(MOST_TIMES, LEARNT_FROM / people))
