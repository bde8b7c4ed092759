"""Random numbers of a release: OpenDP's exact integer samplers, and the operating system's generator.

Noise is exact. It is added to integers only, never to floating-point sums, which can disclose data (Mironov 2012).
Noise of a release cannot be seeded. `miner.release.seeded_noise` has seeded versions for trials. A model made with
seeded noise is marked, and is not saved as a release.
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
    """The random mechanisms of a release, each with its guarantee.

    Sensitivities are for adding or removing one record. Scores are *monotone* if adding a record raises none of them,
    or lowers none. The selection mechanisms then do not need their factor 2 (McSherry & Talwar 2007; McKenna & Sheldon
    2020, section 4).
    """

    @property
    def official(self) -> bool:
        """Return whether a model made with this noise may be saved as a release."""

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """Add discrete Laplace noise to each count, P[k] ~ exp(-|k| epsilon / sensitivity).

        All counts together are epsilon-DP.

        Args:
            counts: Counts of any shape. One record changes them by at most `sensitivity`, as a sum of absolute changes.
            sensitivity: Largest total change of the counts by one record, positive.
            epsilon: Privacy cost, positive.
        """

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the index of a large score by permute-and-flip (McKenna & Sheldon 2020, Algorithm 1): epsilon-DP.

        Args:
            scores: Scores of the candidates. One record changes each score by at most `sensitivity`.
            sensitivity: Largest change of a score by one record, positive.
            epsilon: Privacy cost, positive.
            monotone: Whether the scores are monotone (see the class).
        """

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the index of a large score by the exponential mechanism: epsilon-DP.

        P[i] ~ exp(epsilon scores[i] / (2 sensitivity)), without the factor 2 if the scores are monotone. The arguments
        are those of `flip`.
        """

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """Keep each of `size` records with probability `share`, independently."""


class SystemNoise:
    """Noise that cannot be reproduced: OpenDP's discrete Laplace and selection, and the system's secure randomness."""

    official = True

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """Add discrete Laplace noise to each count. See `Noise.laplace`."""
        measurement = _laplace(sensitivity, positive(epsilon))
        return np.array(measurement(counts.ravel().tolist()), np.int64).reshape(counts.shape)

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the index of a large score by permute-and-flip. See `Noise.flip`."""
        return int(_flip(sensitivity, positive(epsilon), monotone)(list(scores)))

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the index of a large score by the exponential mechanism. See `Noise.exponential`."""
        return int(_exponential(sensitivity * (1 if monotone else 2), positive(epsilon))(list(scores)))

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """Keep each record with the given probability. See `Noise.sample`.

        The probability is exact. Whole random words below a bound are counted as kept, and words beyond the last whole
        multiple are drawn again.
        """
        if share.denominator >= WORDS:
            raise QueryError("sampling share", "the value is finer than 1 in 2^32", "write it with fewer digits")
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
    """Select an index with P ~ exp(score epsilon / span).

    The selection is epsilon-DP if one record changes no difference of two scores by more than `span`. OpenDP's
    selection for concentrated privacy draws exactly this distribution. The pure guarantee is this project's claim.
    """
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=True)
    scale = scale_above(Fraction(span) / epsilon)
    return cast("Measurement", dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale))


def _calibrated(make: Callable[[float], Any], start: float, sensitivity: int, epsilon: Fraction) -> Measurement:
    """Return OpenDP's measurement with a scale that OpenDP itself certifies for this epsilon.

    The search begins at the scale that theory requires. OpenDP rounds its epsilons up, so the certified scale is a
    few units in the last place larger. The steps of the search double, so the search ends quickly even if more is
    needed.
    """
    scale, step = start, nextafter(start, inf) - start
    while Fraction((measurement := make(scale)).map(sensitivity)) > epsilon:
        scale, step = scale + step, 2 * step
    return cast("Measurement", measurement)


def scale_above(exact: Fraction) -> float:
    """Return the smallest floating-point number that is not below a fraction."""
    scale = float(exact)
    return scale if Fraction(scale) >= exact else nextafter(scale, inf)


@cache
def _opendp() -> Any:  # noqa: ANN401 - a module
    try:
        import opendp.prelude as dp  # noqa: PLC0415 - it takes a third of a second to load
    except ModuleNotFoundError:
        raise QueryError(
            "noise", "OpenDP, which draws it, is not installed", 'pip install "deniable[release]"'
        ) from None
    dp.enable_features("contrib")
    return dp
