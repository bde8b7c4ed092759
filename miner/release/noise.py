"""Draw the random numbers of a release with OpenDP's exact integer samplers and the operating system's generator.

The noise has exactly the stated distribution. Noise is added to integers only, never to floating-point sums, which can
disclose data (Mironov 2012). The noise of a release cannot be seeded. Models made with the seeded noise of
`miner.release.seeded_noise` cannot be saved as releases.
"""

import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from math import inf, nextafter
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError

Counts = NDArray[np.int64]


class Noise(Protocol):
    """Interface of the random mechanisms that a release uses.

    All sensitivities are for adding or removing one record. Scores of candidates are *monotone* if adding a record
    raises no score, or lowers no score. For monotone scores, selection with the same accuracy costs half as much
    epsilon (McSherry & Talwar 2007; McKenna & Sheldon 2020, section 4).
    """

    @property
    def official(self) -> bool:
        """Return whether a model that was made with the noise may be saved as a release."""

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """Add discrete Laplace noise to each count, P[k] ~ exp(-|k| epsilon / sensitivity).

        Args:
            counts: Counts of any shape.
            sensitivity: Largest sum of absolute changes of the counts by one record, positive.
            epsilon: Privacy cost, positive.
        """

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the index of a large score by permute-and-flip (McKenna & Sheldon 2020, Algorithm 1).

        Args:
            scores: Scores of the candidates.
            sensitivity: Largest change of a score by one record, positive.
            epsilon: Privacy cost, positive.
            monotone: Whether the scores are monotone (see the class).
        """

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the index of a large score by the exponential mechanism, which is epsilon-differentially private.

        The selected index is i with a probability proportional to exp(epsilon scores[i] / (2 sensitivity)). For
        monotone scores, the factor 2 is left out of the probability of selection. For the arguments, see `flip`.
        """

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """Keep each of `size` records with probability `share`, independently of other records."""


class SystemNoise:
    """Noise that cannot be reproduced, from OpenDP and the system's secure randomness."""

    official = True

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """Add discrete Laplace noise to each count. For the arguments, see `Noise.laplace`."""
        measurement = _laplace(sensitivity, positive(epsilon))
        return np.array(measurement(counts.ravel().tolist()), np.int64).reshape(counts.shape)

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the index of a large score by permute-and-flip. For the arguments, see `Noise.flip`."""
        return int(_flip(sensitivity, positive(epsilon), monotone)(list(scores)))

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the index of a large score by the exponential mechanism.

        For the arguments, see `Noise.exponential`.
        """
        return int(_exponential(sensitivity * (1 if monotone else 2), positive(epsilon))(list(scores)))

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """Keep each of `size` records with exactly the probability `share`."""
        if share.denominator >= WORDS:
            raise QueryError(
                "sampling share", "the value needs a denominator of 2^32 or more", "write the value with fewer digits"
            )
        drawn = np.zeros(size, bool)
        limit = WORDS - WORDS % share.denominator
        left = np.arange(size)
        while len(left):
            words = np.frombuffer(os.urandom(4 * len(left)), np.uint32)
            usable = words < limit
            drawn[left[usable]] = words[usable] % share.denominator < share.numerator
            left = left[~usable]
        return drawn


WORDS = 2**32
Measurement = Callable[[list[int]], Any]


def positive(epsilon: Fraction) -> Fraction:
    """Check that an epsilon is positive, and return it.

    Raises:
        QueryError: If epsilon is not above 0.
    """
    if epsilon <= 0:
        raise QueryError("epsilon", "the value is not above 0", "give a positive number, such as 1")
    return epsilon


@cache
def _laplace(sensitivity: int, epsilon: Fraction) -> Measurement:
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    start = scale_above(Fraction(sensitivity) / epsilon)
    return _calibrated(lambda scale: dp.m.make_laplace(*space, scale=scale), start, sensitivity, epsilon)


@cache
def _flip(sensitivity: int, epsilon: Fraction, monotone: bool) -> Measurement:  # noqa: FBT001 - a key of the cache
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=monotone)
    start = scale_above(Fraction(sensitivity * (1 if monotone else 2)) / epsilon)
    made = partial(dp.m.make_noisy_max, *space, dp.max_divergence())
    return _calibrated(made, start, sensitivity, epsilon)


@cache
def _exponential(span: int, epsilon: Fraction) -> Measurement:
    """Select an index with a probability proportional to exp(score epsilon / span).

    The selection is epsilon-differentially private if one record changes no difference of two scores by more than
    `span`. OpenDP states a guarantee of concentrated privacy only; the guarantee of pure epsilon is a claim of this
    project.
    """
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=True)
    scale = scale_above(Fraction(span) / epsilon)
    return cast("Measurement", dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale))


def _calibrated(make: Callable[[float], Any], start: float, sensitivity: int, epsilon: Fraction) -> Measurement:
    """Return OpenDP's noise mechanism with a scale of the noise that OpenDP certifies for an epsilon.

    OpenDP rounds epsilon up, so the certified scale is slightly larger than theory requires.
    """
    scale, step = start, nextafter(start, inf) - start
    while Fraction((measurement := make(scale)).map(sensitivity)) > epsilon:
        scale, step = scale + step, 2 * step
    return cast("Measurement", measurement)


def scale_above(exact: Fraction) -> float:
    """Return a fraction rounded up to a floating-point number."""
    scale = float(exact)
    return scale if Fraction(scale) >= exact else nextafter(scale, inf)


@cache
def _opendp() -> Any:  # noqa: ANN401 - a module
    try:
        import opendp.prelude as dp  # noqa: PLC0415 - it takes a third of a second to load
    except ModuleNotFoundError:
        raise QueryError(
            "noise", "the package OpenDP, which draws the noise, is not installed", 'pip install "deniable[release]"'
        ) from None
    dp.enable_features("contrib")
    return dp
