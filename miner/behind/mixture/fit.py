"""Fit a mixture of latent classes: add classes one by one, and leave poor local maxima of the likelihood.

EM converges to a local maximum of the likelihood, and disguise adds more local maxima. If the truth probability theta
is near 1/2, a latent class explains the responses almost as well if its answers to one group of questions are replaced
by their complements. Replacing answers to a group of questions by their complements, in some latent classes, is called
a *turn*. Latent classes are added one at a time, by splitting a class at random and keeping the best of several splits.
After each split, all turns that immediately raise the likelihood are made (`oriented`).

Some poor local maxima can be left only by turns that first lower the likelihood, and raise it after EM (`turned`).
Turns that first lower the likelihood take several times as long, so they are tried only for a single mixture.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.behind.kernels import LOG_NEVER, logarithms
from miner.behind.mixture.em import LOG_RARE
from miner.behind.mixture.kernels import response_posteriors
from miner.behind.mixture.mixture import Mixture
from miner.behind.patterns import Layout, Patterns
from miner.responses.responses import Responses


class Turn(NamedTuple):
    """Replacement of the answers to a group of questions by their complements, in some latent classes.

    Attributes:
        cell: Position of the group in `Layout.cells`.
        classes: Latent classes in which answers are complemented.
        gain: Gain in log-likelihood before EM, in nats.
    """

    cell: int
    classes: tuple[int, ...]
    gain: float

    def of(self, mixture: Mixture, layout: Layout) -> Mixture:
        """Return a mixture after complementing the answers to the group in the classes of the turn."""
        table, other = mixture.table.copy(), complemented_table(mixture, layout)
        for column in layout.cells[self.cell].columns:
            places = slice(*layout.places[column : column + 2])
            table[places, self.classes] = other[places, self.classes]
        return Mixture(mixture.survey, mixture.weights, table)


def turnable(layout: Layout) -> list[int]:
    """Return the positions of the groups whose answers can be replaced by their complements.

    A group must have several questions and the complement channel, and no `ask_if` condition may restrict its answers.
    """
    return [
        number
        for number, cell in enumerate(layout.cells)
        if layout.free[list(cell.columns)].all() and not cell.drawn and len(cell.columns) > 1
    ]


def turns_of(mixture: Mixture, patterns: Patterns) -> list[Turn]:
    """Return the turns of each group of questions in one, two or all latent classes, sorted by gain."""
    layout, (kinds, times) = patterns.layout, patterns.distinct
    cells = turnable(layout)
    if not cells:
        return []
    likelihood, _ = mixture.pattern_likelihoods(patterns)
    _, posterior = response_posteriors(kinds, likelihood, logarithms(mixture.weights))
    other = Mixture(mixture.survey, mixture.weights, complemented_table(mixture, layout))
    apart = other.pattern_likelihoods(patterns)[0] - likelihood
    ratio = np.exp(np.minimum(apart, -LOG_NEVER))  # of what a class never has, beyond what a number holds
    found = []
    for number in cells:
        change = posterior * (ratio[kinds[:, number]] - 1)
        for classes in _sets(mixture.classes):
            gain = times @ logarithms(1 + change[:, classes].sum(axis=1))
            found.append(Turn(number, classes, float(gain)))
    return sorted(found, key=lambda turn: -turn.gain)


def _sets(count: int) -> list[tuple[int, ...]]:
    single, whole = [(each,) for each in range(count)], tuple(range(count))
    return [*single, *combinations(whole, 2), *([whole] if count > 2 else [])]


def complemented_table(mixture: Mixture, layout: Layout) -> Floats:
    """Return P(value | class) after all codes before the disguise are replaced by their complements."""
    codes = np.exp(mixture.log_codes(layout))
    table = np.full_like(mixture.table, np.exp(LOG_RARE))
    paired = (layout.slot_partner >= 0) & (layout.slot_place >= 0)
    np.add.at(table, layout.slot_place[paired], codes[layout.slot_partner[paired]])
    return Mixture.normalised(layout.survey, mixture.weights, table).table


PRIOR_COUNT = 1.0  # number of imaginary respondents per class and question, with the population's shares
RARE_COUNT = 0.01  # imaginary respondents of a value that was never seen, so that it is not impossible
MOST_CLASSES = 12
LONG_CLIMB = 300  # largest number of EM steps
SHORT_CLIMB = 6
MIDDLE_CLIMB = 24  # number of EM steps after which turns are compared
MOST_TURNS = 12  # largest number of turns after which EM is run for `MIDDLE_CLIMB` steps
MOST_CLIMBED = 3  # largest number of turns after which EM is run until convergence
WORTHWHILE = 2.0  # smallest gain of a turn after EM, in nats
MOST_JUDGES = 20_000  # largest number of responses on which turns are compared
MOST_SPLITS = 6  # largest number of classes that are tried for a split, drawn by weight
TRIAL_RESPONSES = 2000  # number of responses on which splits are compared
ENOUGH = 3e-6  # gain of an EM step, in nats per response, below which EM stops
CONCENTRATION = 2.0  # shape of the gamma noise that distinguishes the two halves of a split class


def grown_mixtures(responses: Responses, rng: np.random.Generator, *, turning: bool = False) -> Iterator[Mixture]:
    """Yield fitted mixtures of 1, 2, 3, ... classes, each grown from the previous mixture.

    If questions have `ask_if` conditions, the first mixture has a class for each state (set of values that the
    conditions allow together).

    Args:
        responses: Disguised responses.
        rng: Random generator for splitting classes.
        turning: Whether to leave poor maxima by `turned` instead of the faster `oriented`.
    """
    leave = turned if turning else oriented
    patterns = Patterns.of(responses)
    trial = patterns
    if len(responses) > TRIAL_RESPONSES:
        trial = Patterns.of(responses.take(rng.choice(len(responses), TRIAL_RESPONSES, replace=False)))
    prior = prior_of(patterns)
    mixture = climbed(_even(patterns.layout), patterns, prior)
    while True:
        yield mixture
        mixture = leave(climbed(_best_split(mixture, trial, prior, rng), patterns, prior), patterns, prior)


def prior_of(patterns: Patterns) -> Floats:
    """Return a prior of imaginary respondents, who answer with the estimated shares of the values."""
    return PRIOR_COUNT * margins(patterns)


def margins(patterns: Patterns) -> Floats:
    """Return the maximum likelihood share of each value, shape (values of all questions,)."""
    single = climbed(_even(patterns.layout), patterns, np.full(patterns.layout.places[-1], RARE_COUNT))
    return np.asarray(single.table @ single.weights)


def _even(layout: Layout) -> Mixture:
    """Return a mixture with a class for each state (values possible together), with equally probable values."""
    return Mixture.normalised(layout.survey, np.ones(len(layout.states)), layout.states.T.astype(np.float64))


def climbed(mixture: Mixture, patterns: Patterns, prior: Floats, steps: int = LONG_CLIMB) -> Mixture:
    """Return the mixture after accelerated EM, for at most `steps` steps."""
    return mixture.climbed(patterns, prior, steps, ENOUGH * len(patterns))


def _best_split(mixture: Mixture, trial: Patterns, prior: Floats, rng: np.random.Generator) -> Mixture:
    """Return the best of several mixtures in which one class was split in two."""
    weights = mixture.weights + np.exp(LOG_RARE)
    count = min(mixture.classes, MOST_SPLITS)
    candidates = rng.choice(mixture.classes, count, replace=False, p=weights / weights.sum())
    splits = [climbed(_split(mixture, chosen, rng), trial, prior, SHORT_CLIMB) for chosen in candidates.tolist()]
    return max(splits, key=lambda each: each.objective(trial, prior))


def _split(mixture: Mixture, chosen: int, rng: np.random.Generator) -> Mixture:
    """Replace one class by two classes that share its responses and differ at random."""
    halves = mixture.table[:, [chosen, chosen]] * rng.gamma(CONCENTRATION, size=(len(mixture.table), 2))
    halves += np.where(halves > 0, np.exp(LOG_RARE), 0)  # what a class never has, neither half has
    table = np.hstack((np.delete(mixture.table, chosen, axis=1), halves))
    weights = np.append(np.delete(mixture.weights, chosen), [mixture.weights[chosen] / 2] * 2)
    return Mixture.normalised(mixture.survey, weights, table)


def oriented(mixture: Mixture, patterns: Patterns, prior: Floats) -> Mixture:
    """Return the mixture after all turns that immediately raise the likelihood."""
    for _ in range(mixture.classes * len(patterns.layout.cells)):
        turns = turns_of(mixture, patterns)
        if not turns or turns[0].gain <= ENOUGH * len(patterns):
            break
        mixture = climbed(turns[0].of(mixture, patterns.layout), patterns, prior, SHORT_CLIMB)
    return climbed(mixture, patterns, prior)


def turned(mixture: Mixture, patterns: Patterns, prior: Floats) -> Mixture:
    """Return the mixture after turns that raise the likelihood after EM.

    If there are many responses, turns are compared on a part of the responses.
    """
    judges = replace(patterns, ids=patterns.ids[:: -(-len(patterns) // MOST_JUDGES)])
    start = found = mixture if len(judges) == len(patterns) else climbed(mixture, judges, prior)
    while (best := _best_turn(found, judges, prior)) is not found:
        found = best
    return mixture if found is start else climbed(found, patterns, prior)


def _best_turn(mixture: Mixture, patterns: Patterns, prior: Floats) -> Mixture:
    """Return the mixture after the best turn and EM, or unchanged if no turn gains `WORTHWHILE` nats."""

    def objective(other: Mixture) -> float:
        return other.objective(patterns, prior)

    turns = [turn.of(mixture, patterns.layout) for turn in turns_of(mixture, patterns)[:MOST_TURNS]]
    if not turns:
        return mixture
    ahead = sorted((climbed(each, patterns, prior, MIDDLE_CLIMB) for each in turns), key=objective)[-MOST_CLIMBED:]
    best = max((climbed(each, patterns, prior) for each in ahead), key=objective)
    return best if objective(best) > objective(mixture) + WORTHWHILE else mixture
