"""Which pairs of questions have effects beyond the main ones: those that raise the likelihood the most (score test).

With main effects fitted, the slope g of the log-likelihood along the effects of a pair is noise of covariance I if the
pair has none. ``g' g / I``, coordinate by coordinate, is then about its degrees of freedom (Rao 1948).
"""

from itertools import combinations
from math import prod, sqrt

import numpy as np

from miner.arrays import Floats
from miner.likelihood.answers import PossibleAnswers
from miner.likelihood.ascent import Effects, Likelihood, person_slopes, slopes_of
from miner.likelihood.effects import Term, Terms

MOST_QUESTIONS = 30  # of which pairs are looked at: those with the largest main effects
STANDS_OUT = 3.0  # standard deviations above what a pair without effects would have
MOST_EFFECTS = 600  # of all chosen pairs together


def chosen_pairs(answers: PossibleAnswers, effects: Effects, most: int) -> list[Term]:
    """Pairs of questions that stand out, the most first."""
    terms = effects.terms
    likelihood = Likelihood(answers, terms)
    _, posterior, shares = likelihood.at(effects.intercept, effects.values)
    slopes = slopes_of(posterior, shares)
    sizes = np.add.reduceat((effects.values**2).mean(axis=1), terms.starts[:-1]) if terms.terms else np.zeros(0)
    first = np.sort(np.argsort(-sizes, kind="stable")[:MOST_QUESTIONS])
    asked = [terms.terms[place][0] for place in first.tolist()]
    every = [Terms(terms.survey, (pair,), terms.shares) for pair in combinations(asked, 2)]
    found = sorted(((_excess(likelihood, slopes, pair), pair.terms[0], pair.widths[0]) for pair in every), reverse=True)
    chosen: list[Term] = []
    room = MOST_EFFECTS
    for excess, pair, width in found:
        if excess > STANDS_OUT and len(chosen) < most and width <= room:
            chosen.append(pair)
            room -= width
    return chosen


def _excess(likelihood: Likelihood, slopes: Floats, pair: Terms) -> float:
    """By how many standard deviations a pair's statistic is above its mean without effects."""
    answers = likelihood.answers
    told = person_slopes(likelihood, slopes, pair.columns(answers.values) @ pair.roots)
    slope = np.asarray(told.multiply(answers.counts[:, None]).sum(axis=0)).ravel()
    noise = np.asarray(told.multiply(told).multiply(answers.counts[:, None]).sum(axis=0)).ravel()
    there = noise > 0
    widths = [len(pair.survey.questions[column].values) - 1 for column in pair.terms[0]]
    freedom = max(1, prod(widths) * (slopes.shape[1] - 1))
    statistic = float((slope[there] ** 2 / noise[there]).mean()) * freedom if there.any() else 0.0
    return float((statistic - freedom) / sqrt(2 * freedom))
