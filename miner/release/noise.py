"""Random numbers of a release: OpenDP's exact integer samplers, and the operating system's generator.

Noise is exact: it is added to integers only, never to floating-point sums, which can disclose data (Mironov 2012). It
cannot be seeded. `miner.release.seeded_noise` has seeded versions, marked as such: a model made with them is not saved
as a release.
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
    or lowers none: the factor 2 of the selection mechanisms is not needed then (McSherry & Talwar 2007; McKenna &
    Sheldon 2020, section 4).
    """

    @property
    def official(self) -> bool:
        """Whether a model made with it may be saved as a release."""

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """Add discrete Laplace noise to each count, P[k] ~ exp(-|k| epsilon / sensitivity): epsilon-DP together.

        Args:
            counts: Counts, any shape; one record changes their sum of absolute values by at most `sensitivity`.
            sensitivity: Positive.
            epsilon: Positive.
        """

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """The index of a large score by permute-and-flip (McKenna & Sheldon 2020, Algorithm 1): epsilon-DP.

        Args:
            scores: One record changes each by at most `sensitivity`.
            sensitivity: Positive.
            epsilon: Positive.
            monotone: See the class.
        """

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """The index of a large score by the exponential mechanism: epsilon-DP.

        P[i] ~ exp(epsilon scores[i] / (2 sensitivity)), without the factor 2 if monotone. Arguments as for `flip`.
        """

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """Keep each of `size` records with probability `share`, independently."""


class SystemNoise:
    """Noise that cannot be reproduced: OpenDP's discrete Laplace and selection, and the system's secure randomness."""

    official = True

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """See `Noise.laplace`."""
        measurement = _laplace(sensitivity, positive(epsilon))
        return np.array(measurement(counts.ravel().tolist()), np.int64).reshape(counts.shape)

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """See `Noise.flip`."""
        return int(_flip(sensitivity, positive(epsilon), monotone)(list(scores)))

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """See `Noise.exponential`."""
        return int(_exponential(sensitivity * (1 if monotone else 2), positive(epsilon))(list(scores)))

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """See `Noise.sample`; exact: whole random words below a bound, words beyond the last whole multiple redrawn."""
        if share.denominator >= WORDS:
            raise QueryError("sampling share", "it is finer than 1 in 2^32", "write it with fewer digits")
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
        QueryError: If it is not above 0.
    """
    if epsilon <= 0:
        raise QueryError("epsilon", "it is not above 0", "give a positive number, such as 1")
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
    """P ~ exp(score epsilon / span): epsilon-DP if no two scores move apart by more than `span`.

    It is OpenDP's selection for concentrated privacy, which draws exactly this; the pure guarantee is ours to state.
    """
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=True)
    scale = scale_above(Fraction(span) / epsilon)
    return cast("Measurement", dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale))


def _calibrated(make: Callable[[float], Any], start: float, sensitivity: int, epsilon: Fraction) -> Measurement:
    """The measurement with a scale that OpenDP itself certifies for this epsilon, from the one that is enough on paper.

    OpenDP rounds its epsilons up, which takes a few units in the last place; the steps double, so that this ends at
    once even where more is needed.
    """
    scale, step = start, nextafter(start, inf) - start
    while Fraction((measurement := make(scale)).map(sensitivity)) > epsilon:
        scale, step = scale + step, 2 * step
    return cast("Measurement", measurement)


def scale_above(exact: Fraction) -> float:
    """The least floating-point number that is not below a fraction."""
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
