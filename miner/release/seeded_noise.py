"""Make seeded noise for trials only. A model made with seeded noise is not saved as a release."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray

from miner.release.noise import Counts, positive


class SeededNoise:
    """Repeatable noise with the distributions of `miner.release.noise.SystemNoise`, in floating point.

    Repeatable noise protects nobody.
    """

    official = False

    def __init__(self, seed: int | np.random.Generator) -> None:
        self._rng = np.random.default_rng(seed)

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """Add discrete Laplace noise, as the difference of two geometric draws, to each count.

        The arguments are those of `miner.release.noise.Noise.laplace`.
        """
        success = 1 - exp(-positive(epsilon) / sensitivity)
        first, second = self._rng.geometric(success, (2, *counts.shape))
        return np.asarray(counts + first - second, np.int64)

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the largest score after adding exponential noise (Ding et al. 2021).

        The arguments are those of `miner.release.noise.Noise.flip`.
        """
        span = sensitivity * (1 if monotone else 2)
        noisy = np.array(scores, float) + self._rng.exponential(float(span / positive(epsilon)), len(scores))
        return int(noisy.argmax())

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the largest score after adding Gumbel noise.

        The arguments are those of `miner.release.noise.Noise.exponential`.
        """
        span = sensitivity * (1 if monotone else 2)
        noisy = np.array(scores, float) + self._rng.gumbel(0, float(span / positive(epsilon)), len(scores))
        return int(noisy.argmax())

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """Keep each record with the given probability.

        The arguments are those of `miner.release.noise.Noise.sample`.
        """
        return self._rng.random(size) < float(share)
