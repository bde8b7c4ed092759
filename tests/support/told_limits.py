"""Bounds on the card on what can be inferred of an answer, and what simulated people's responses disclosed."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from collector.survey.question import Question
from simulated_people import People
from told_figures import COUNT, bounds

ASIDE = 6.0  # standard errors that a posterior may be away: less than once in 10^8

LIMIT = re.compile(
    rf"Question (.+): what is sent may raise the chance that your answer is “(.+)” from ({COUNT}) to ({COUNT}) in "
    r"100, at most\."
)


def limit_holds(question: Question, line: str, words: list[str], people: People, *, alone: bool) -> bool:
    """Whether the chance of an answer rises as far as a line says, and no further.

    Where others share its coin (not `alone`), their codes may raise it as far as the line says: its own code may not
    raise it further. The shared vectors and `collector.disclosure.family` say how far exactly.
    """
    found = LIMIT.fullmatch(line)
    assert found is not None, line
    value = words.index(found[2])
    before, after = (bounds(found[group]) for group in (3, 4))
    prior = np.array([float(share) for share in question.prior])
    least, most = _posterior(question, value, prior, people)
    known = before[0] - 1e-12 <= prior[value] <= before[1] + 1e-12
    return bool(known and least <= after[1] and (most >= after[0] or not alone))


def _posterior(question: Question, value: int, prior: NDArray[np.float64], people: People) -> tuple[float, float]:
    """The largest chance of a value after any code: the least and the most that it may be, given so many people."""
    place, ends = people.place(question), []
    sent, truth = people.sent[:, place], people.truth[:, place]
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
