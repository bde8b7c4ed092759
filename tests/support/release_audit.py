"""Exact audits of releases: every data set of at most three records, and noise that is enumerated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import inf

import numpy as np
from numpy.typing import NDArray

from collector.survey.survey import Survey
from enumerated_noise import EnumeratedNoise, outcomes, transcript_loss, worst_ratio
from miner.release.family import ReleaseMethod
from miner.release.noise import Counts, Noise
from miner.release.table import TrustedTable
from small_surveys import plain_survey

Rows = tuple[tuple[int, ...], ...]
LARGEST = 3


@cache
def domain(questions: int) -> Survey:
    """Yes/no questions, the last of them the class."""
    return plain_survey(questions)


def data_sets(questions: int, largest: int = LARGEST) -> Iterator[Rows]:
    """Every multiset of at most so many records."""
    records = list(product((0, 1), repeat=questions))
    for size in range(largest + 1):
        yield from combinations_with_replacement(records, size)


def neighbours(questions: int, largest: int = LARGEST) -> Iterator[tuple[Rows, Rows]]:
    """Every data set with one record more than another."""
    for rows in data_sets(questions, largest - 1):
        for record in product((0, 1), repeat=questions):
            yield rows, tuple(sorted((*rows, record)))


@cache
def table_of(rows: Rows, questions: int) -> TrustedTable:
    survey = domain(questions)
    return TrustedTable.of(survey, np.array(rows, np.int16).reshape(len(rows), questions), survey.questions[-1].name)


@dataclass(frozen=True)
class Plant:
    """A bug, as noise that passes some of it on.

    Attributes:
        noise: What is underneath.
        kind: ``empty``: counts of 0 get no noise; ``half``: noise for half the sensitivity; ``eager``: selections at
            fifty times the epsilon; ``more``: half of the records that should be left out are sampled too.
    """

    noise: EnumeratedNoise
    kind: str
    official = False

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """Too little noise, or none on empty cells."""
        if self.kind == "half":
            return self.noise.laplace(counts, sensitivity, 2 * epsilon)
        if self.kind == "empty":
            noisy = counts.copy()
            noisy[counts != 0] = self.noise.laplace(counts[counts != 0], sensitivity, epsilon)
            return noisy
        return self.noise.laplace(counts, sensitivity, epsilon)

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Perhaps too eager."""
        return self.noise.flip(scores, sensitivity, self._selecting(epsilon), monotone=monotone)

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Perhaps too eager."""
        return self.noise.exponential(scores, sensitivity, self._selecting(epsilon), monotone=monotone)

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """Perhaps too many."""
        return self.noise.sample(size, (1 + share) / 2 if self.kind == "more" else share)

    def _selecting(self, epsilon: Fraction) -> Fraction:
        return 50 * epsilon if self.kind == "eager" else epsilon


def published(family: ReleaseMethod, rows: Rows, questions: int, noise: Noise) -> str:
    """All that a release of these rows tells."""
    return json.dumps(family.fit(table_of(rows, questions), noise, np.random.default_rng(1)).learnt)


def exact_epsilon(family: ReleaseMethod, questions: int, plant: str | None = None, delta: float = 0.0) -> float:
    """The worst log-ratio of probabilities of outputs, over all neighbours of at most three records."""
    distributions = {
        rows: outcomes(lambda noise, rows=rows: published(family, rows, questions, planted(noise, plant)))
        for rows in data_sets(questions)
    }
    return max(worst_ratio(distributions[fewer], distributions[more], delta) for fewer, more in neighbours(questions))


def transcript_epsilon(
    family: ReleaseMethod, questions: int, draws: int = 1, plant: str | None = None, enough: float = inf
) -> float:
    """The worst exact log-ratio of random transcripts, so many for all neighbours of at most three records.

    Stops once it is more than `enough`.
    """
    rng, worst = np.random.default_rng(3), 0.0

    def run(rows: Rows, noise: EnumeratedNoise) -> object:
        return family.fit(table_of(rows, questions), planted(noise, plant), np.random.default_rng(1))

    for _ in range(draws):
        for pair in neighbours(questions):
            first, second = pair if rng.random() < 0.5 else pair[::-1]
            worst = max(worst, transcript_loss(run, first, second, rng))
            if worst > enough:
                return worst
    return worst


def planted(noise: EnumeratedNoise, plant: str | None) -> Noise:
    return noise if plant is None else Plant(noise, plant)
