"""What the study card says may still be learnt of an answer, and what simulated people's responses told."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from collector.survey.question import Question
from respondent.pages.odds import value_words
from simulated_people import Mask, People
from told_figures import COUNT, ENGLISH, FEWEST, bounds

ASIDE = 6.0  # standard errors that a posterior may be away: less than once in 10^8

LIMIT = re.compile(
    rf"Question (.+): what is sent for it may raise the chance that your answer is (.+) from ({COUNT}) to ({COUNT}) in "
    r"100, at most\."
)


def limit_holds(question: Question, line: str, people: People) -> bool:
    """Whether the chance of an answer rises as far as a line says, in the draw that tells most, and no further."""
    found = LIMIT.fullmatch(line)
    assert found is not None, line
    words = [value_words(question, each, ENGLISH) for each in range(len(question.values))]
    value = words.index(found[2])
    before, after = (bounds(found[group], 100) for group in (3, 4))
    prior = np.array([float(share) for share in question.prior])
    draws = [draw for draw in people.draws(question) if draw.sum() >= FEWEST]
    least, most = zip(*(_posterior(question, value, prior, people, draw) for draw in draws), strict=True)
    known = before[0] - 1e-12 <= prior[value] <= before[1] + 1e-12
    return bool(known and max(least) <= after[1] and max(most) >= after[0])


def _posterior(
    question: Question, value: int, prior: NDArray[np.float64], people: People, draw: Mask
) -> tuple[float, float]:
    """The largest chance of a value after any code: the least and the most that it may be, given so many people."""
    place, ends = people.place(question), []
    sent, truth = people.sent[draw, place], people.truth[draw, place]
    sizes = np.bincount(truth, minlength=len(prior))
    for code in np.unique(sent):
        counts = np.bincount(truth[sent == code], minlength=len(prior))
        shares = prior * counts / sizes
        spread = (prior / sizes) ** 2 * np.maximum(counts, 1)
        chance = shares[value] / shares.sum()
        gradient = np.where(np.arange(len(prior)) == value, 1 - chance, -chance) / shares.sum()
        error = ASIDE * float(np.sqrt((gradient**2 * spread).sum()))
        ends.append((chance - error, chance + error))
    return max(low for low, _ in ends), max(high for _, high in ends)
