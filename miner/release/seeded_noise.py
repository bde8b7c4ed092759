"""Draw repeatable noise for trials. Models with seeded noise cannot be saved as releases."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray

from miner.release.noise import Counts, positive


class SeededNoise:
    """Repeatable noise with the distributions of `miner.release.noise.SystemNoise`, in floating point.

    Seeded noise gives no privacy protection.
    """

    official = False

    def __init__(self, seed: int | np.random.Generator) -> None:
        self._rng = np.random.default_rng(seed)

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """Add discrete Laplace noise to each count.

        For the arguments, see `miner.release.noise.Noise.laplace`.
        """
        success = 1 - exp(-positive(epsilon) / sensitivity)
        first, second = self._rng.geometric(success, (2, *counts.shape))
        return np.asarray(counts + first - second, np.int64)

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the largest score after adding exponential noise (Ding et al. 2021).

        For the arguments, see `miner.release.noise.Noise.flip`.
        """
        span = sensitivity * (1 if monotone else 2)
        noisy = np.array(scores, float) + self._rng.exponential(float(span / positive(epsilon)), len(scores))
        return int(noisy.argmax())

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Select the largest score after adding Gumbel noise.

        For the arguments, see `miner.release.noise.Noise.exponential`.
        """
        span = sensitivity * (1 if monotone else 2)
        noisy = np.array(scores, float) + self._rng.gumbel(0, float(span / positive(epsilon)), len(scores))
        return int(noisy.argmax())

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """Keep each of `size` records with probability `share`."""
        return self._rng.random(size) < float(share)
