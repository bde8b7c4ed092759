"""Seeded noise for trials only: a model made with it is not saved as a release."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray

from miner.release.noise import Counts, positive


class SeededNoise:
    """The distributions of `miner.release.noise.SystemNoise` in floating point, repeatable: no noise to rely on."""

    official = False

    def __init__(self, seed: int | np.random.Generator) -> None:
        self._rng = np.random.default_rng(seed)

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """See `miner.release.noise.Noise`: the difference of two geometric draws."""
        success = 1 - exp(-positive(epsilon) / sensitivity)
        first, second = self._rng.geometric(success, (2, *counts.shape))
        return np.asarray(counts + first - second, np.int64)

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """See `miner.release.noise.Noise`: the largest score with exponential noise (Ding et al. 2021)."""
        span = sensitivity * (1 if monotone else 2)
        noisy = np.array(scores, float) + self._rng.exponential(float(span / positive(epsilon)), len(scores))
        return int(noisy.argmax())

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """See `miner.release.noise.Noise`: the largest score with Gumbel noise."""
        span = sensitivity * (1 if monotone else 2)
        noisy = np.array(scores, float) + self._rng.gumbel(0, float(span / positive(epsilon)), len(scores))
        return int(noisy.argmax())

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """See `miner.release.noise.Noise`."""
        return self._rng.random(size) < float(share)
