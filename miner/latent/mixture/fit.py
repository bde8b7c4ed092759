"""Fit the mixture: grow classes one by one, try complemented tables, choose K by the likelihood of held-out data.

EM converges to a local maximum, and disguise adds more of them: near theta = 1/2, a class with all tables of one group
complemented explains the responses almost as well. So classes are added by splitting one at a time, the best of one
random split per class. After each split, the complement of each (class, group) is tried, in one pass for all of them;
this leaves exactly those local maxima that the channel adds.
"""

from collections.abc import Iterator

import numpy as np

from miner.arrays import Floats
from miner.behind.kernels import LOG_NEVER, logarithms
from miner.behind.patterns import Layout, Patterns
from miner.latent.em import LOG_RARE
from miner.latent.mixture.mixture import Mixture
from miner.responses.responses import Responses

PRIOR_COUNT = 1.0  # imaginary respondents per class and question, distributed as the population
RARE_COUNT = 0.01  # keeps a value that was never seen from being impossible
MOST_CLASSES = 12
LONG_CLIMB = 300  # steps of EM at most
SHORT_CLIMB = 6
MOST_SPLITS = 6  # classes tried for a split, drawn by weight
TRIAL_RESPONSES = 2000  # on which splits are compared
ENOUGH = 3e-6  # EM stops when a step gains less than this many nats per response
CONCENTRATION = 2.0  # of the gamma noise that tells two halves of a class apart


def grown_mixtures(responses: Responses, rng: np.random.Generator) -> Iterator[Mixture]:
    """Mixtures of 1, 2, 3, ... classes, each grown from the one before and fitted by EM.

    Where answers may contradict each other (`ask_if`), they begin with a class for each state of `Layout.states`.
    """
    patterns = Patterns.of(responses)
    trial = patterns
    if len(responses) > TRIAL_RESPONSES:
        trial = Patterns.of(responses.take(rng.choice(len(responses), TRIAL_RESPONSES, replace=False)))
    prior = _prior(patterns)
    mixture = climbed(_even(patterns.layout), patterns, prior)
    while True:
        yield mixture
        mixture = oriented(climbed(_best_split(mixture, trial, prior, rng), patterns, prior), patterns, prior)


def polished(mixture: Mixture, patterns: Patterns) -> Mixture:
    """A mixture that was fitted to some responses, refitted by EM to all of them."""
    return climbed(mixture, patterns, _prior(patterns))


def _prior(patterns: Patterns) -> Floats:
    """Shape (values of all questions,): `PRIOR_COUNT` respondents per question, spread as the population is."""
    return PRIOR_COUNT * margins(patterns)


def margins(patterns: Patterns) -> Floats:
    """Shape (values of all questions,): the shares of the values, by maximum likelihood."""
    single = climbed(_even(patterns.layout), patterns, np.full(patterns.layout.places[-1], RARE_COUNT))
    return np.asarray(single.table @ single.weights)


def _even(layout: Layout) -> Mixture:
    """Mixture of one class for each state, with equal probabilities of the values of its state."""
    return Mixture.normalised(layout.survey, np.ones(len(layout.states)), layout.states.T.astype(np.float64))


def climbed(mixture: Mixture, patterns: Patterns, prior: Floats, steps: int = LONG_CLIMB) -> Mixture:
    """Accelerated EM, until convergence or for this number of steps."""
    return mixture.climbed(patterns, prior, steps, ENOUGH * len(patterns))


def _best_split(mixture: Mixture, trial: Patterns, prior: Floats, rng: np.random.Generator) -> Mixture:
    """The best of some random splits after a short EM; classes are drawn in proportion to their weights."""
    weights = mixture.weights + np.exp(LOG_RARE)
    count = min(mixture.classes, MOST_SPLITS)
    candidates = rng.choice(mixture.classes, count, replace=False, p=weights / weights.sum())
    splits = [climbed(_split(mixture, chosen, rng), trial, prior, SHORT_CLIMB) for chosen in candidates.tolist()]
    return max(splits, key=lambda each: each.objective(trial, prior))


def _split(mixture: Mixture, chosen: int, rng: np.random.Generator) -> Mixture:
    """One class replaced by two that share its responses and differ at random."""
    halves = mixture.table[:, [chosen, chosen]] * rng.gamma(CONCENTRATION, size=(len(mixture.table), 2))
    halves += np.where(halves > 0, np.exp(LOG_RARE), 0)  # what a class never has, neither half has
    table = np.hstack((np.delete(mixture.table, chosen, axis=1), halves))
    weights = np.append(np.delete(mixture.weights, chosen), [mixture.weights[chosen] / 2] * 2)
    return Mixture.normalised(mixture.survey, weights, table)


def oriented(mixture: Mixture, patterns: Patterns, prior: Floats) -> Mixture:
    """The mixture after every (class, cell) whose complement explains the responses better was complemented."""
    for _ in range(mixture.classes * len(patterns.layout.cells)):
        gains = complement_gains(mixture, patterns)
        cell, chosen = np.unravel_index(int(gains.argmax()), gains.shape)
        if gains[cell, chosen] <= ENOUGH * len(patterns):
            break
        turned = _complemented(mixture, patterns.layout, int(cell), int(chosen))
        mixture = climbed(turned, patterns, prior, SHORT_CLIMB)
    return climbed(mixture, patterns, prior)


def _complemented(mixture: Mixture, layout: Layout, cell: int, chosen: int) -> Mixture:
    """The mixture with one class complemented in one cell."""
    table, other = mixture.table.copy(), complemented_table(mixture, layout)
    for column in layout.cells[cell].columns:
        places = slice(*layout.places[column : column + 2])
        table[places, chosen] = other[places, chosen]
    return Mixture(mixture.survey, mixture.weights, table)


def complement_gains(mixture: Mixture, patterns: Patterns) -> Floats:
    """Gain in log-likelihood, in nats, by complementing one class in one cell; exact.

    Shape (cells, classes); -inf where a replacement is no complement, for a single question: EM needs no help, and for
    questions of which a state has some values only: a complement would contradict the class's other answers.
    """
    posterior = mixture.posterior(patterns).classes
    other = Mixture(mixture.survey, mixture.weights, complemented_table(mixture, patterns.layout))
    apart = other.pattern_likelihoods(patterns)[0] - mixture.pattern_likelihoods(patterns)[0]
    ratio = np.exp(np.minimum(apart, -LOG_NEVER))  # of what a class never has, beyond what a number holds
    gains = np.full((len(patterns.layout.cells), mixture.classes), -np.inf)
    for number, cell in enumerate(patterns.layout.cells):
        free = patterns.layout.free[list(cell.columns)].all()
        if free and not cell.drawn and len(cell.columns) > 1:
            change = 1 + posterior * (ratio[patterns.ids[:, number]] - 1)
            gains[number] = logarithms(change).sum(axis=0)
    return gains


def complemented_table(mixture: Mixture, layout: Layout) -> Floats:
    """P(value of the complement of the true code | class), as near as the published draws allow."""
    codes = np.exp(mixture.log_codes(layout))
    table = np.full_like(mixture.table, np.exp(LOG_RARE))
    paired = (layout.slot_partner >= 0) & (layout.slot_place >= 0)
    np.add.at(table, layout.slot_place[paired], codes[layout.slot_partner[paired]])
    return Mixture.normalised(layout.survey, mixture.weights, table).table
