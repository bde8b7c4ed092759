"""List or draw the candidates of each response: rows of answers that may be behind it, each with signed weights.

The candidates of a response are the combinations of the answers that each group (factor) may have. If a response has
few candidate rows of answers, all of them are listed. If there are many candidates, a `DrawingPlan` says which groups'
answers are listed and which are drawn at random.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt
from typing import Self

import numpy as np

from miner.arrays import Floats, Indices
from miner.counting.factors import Factor, Listed
from miner.responses.distinct import COUNTERS, distinct_rows
from miner.responses.responses import Values

MOST_ENTRIES = 2**23  # largest number of copies of all responses; fitting with twice as many took 2.9 GB
MOST_COPIES = 4096  # largest number of listed copies of a response, reached with twelve complement groups
Entries = tuple[Values, Indices, Floats]
"""Rows to predict; the row of each candidate; and the weight of each candidate with each class, as in `Copies`."""


@dataclass(frozen=True)
class DrawingPlan:
    """Plan for drawing candidates: which groups' answers are all listed in each draw, and which are drawn.

    Listing the k answers of a group takes k candidates in each draw, where drawing one answer takes one candidate.
    Listing answers with weights w divides the variance by (sum of |w|)^2 if predictions do not depend on the group. If
    predictions depend on one group alone, listing its answers divides the variance by (sum of |w|)^2 / (sum of w^2).
    The k answers of a group are listed if listing divides the variance by more than k (geometric mean of both cases).

    Attributes:
        listed: Number of answers that are listed for each group (factor), or None if they are drawn.
        draws: Number of independent draws for each response.
    """

    listed: tuple[int | None, ...]
    draws: int

    @classmethod
    def of(cls, factors: Sequence[Factor], most: int) -> Self:
        """Return the plan for at most `most` candidates of each response, in at least two draws if possible."""
        every = [factor.listed for factor in factors]
        answers = [1 if each is None else each.place.shape[1] for each in every]
        squares = [1.0 if each is None else float((each.weight**2).sum(axis=(1, 2)).max()) for each in every]
        gains = [factor.size**2 / sqrt(w) / k for factor, w, k in zip(factors, squares, answers, strict=True)]
        listed: list[int | None] = [None] * len(factors)
        room = most // 2
        for at in sorted(range(len(factors)), key=lambda at: -gains[at]):
            if gains[at] > 1 and 1 < answers[at] <= room:
                listed[at], room = answers[at], room // answers[at]
        return cls(tuple(listed), max(1, most // prod(each or 1 for each in listed)))

    @property
    def candidates(self) -> int:
        """Return the number of candidates of each response."""
        return self.draws * prod(each or 1 for each in self.listed)

    def answers(self, factors: Sequence[Factor], rng: np.random.Generator) -> list[Listed]:
        """Return listed or drawn answers to each group's questions, shape (responses, candidates or 1)."""
        found = []
        every = [each or 1 for each in self.listed]
        for at, (factor, listed) in enumerate(zip(factors, self.listed, strict=True)):
            if listed is None:
                drawn = factor.drawn(self.draws, rng)
                which = np.arange(self.candidates) // prod(every)
                place, weight = drawn.place[:, which % drawn.place.shape[1]], drawn.weight
                found.append(replace(drawn, place=place, weight=weight[:, which % weight.shape[1]]))
            elif factor.listed is not None:
                which = np.arange(self.candidates) // prod(every[at + 1 :]) % listed
                found.append(spread(factor, factor.listed.padded(listed), which))
        return found


def spread(factor: Factor, listed: Listed, which: Indices) -> Listed:
    """Return the chosen answers to one group's questions for each response."""
    weight = listed.weight if len(listed.weight) == 1 else listed.weight[factor.kind]
    return Listed(listed.table, listed.place[factor.kind][:, which], weight[:, which])


def copies_of_each(factors: Sequence[Factor]) -> list[Listed] | None:
    """Return all possible answers to each group's questions, or None if they combine to too many copies."""
    number = 1
    for factor in factors:
        if factor.listed is None:
            return None
        number *= factor.listed.copies
        if number > MOST_COPIES or number * len(factor.kind) > MOST_ENTRIES:
            return None
    return [factor.listed for factor in factors if factor.listed is not None]


def listed_copies(factors: Sequence[Factor]) -> Entries | None:
    """Return all signed copies of each response, or None if there are too many."""
    every = copies_of_each(factors)
    if every is None:
        return None
    sizes = [listed.place.shape[1] for listed in every]
    which = np.indices(sizes).reshape(len(sizes), -1)
    return beside([spread(*each) for each in zip(factors, every, which, strict=True)])


def beside(answers: Sequence[Listed]) -> Entries:
    """Combine the i-th answers of all groups to one row of answers, for each response.

    Equal rows of answers are merged if few different rows are possible.
    """
    shape = np.broadcast_shapes(*(each.place.shape for each in answers))
    if prod(len(each.table) for each in answers) <= COUNTERS * prod(shape):
        key = np.zeros(shape, np.int64)
        for each in answers:
            key = key * len(each.table) + each.place
        first, place = distinct_rows(key.reshape(-1, 1))
    else:
        first = place = np.arange(prod(shape))
    table = np.full((len(first), answers[0].table.shape[1]), -1, np.int16)
    for each in answers:
        some = np.flatnonzero((each.table >= 0).any(axis=0))
        table[:, some] = each.table[np.broadcast_to(each.place, shape).ravel()[first][:, None], some]
    weight = answers[0].weight
    for each in answers[1:]:
        weight = weight * each.weight
    return table, place.reshape(shape), weight
