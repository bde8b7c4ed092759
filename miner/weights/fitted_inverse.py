"""Readings of shared codes fitted to frequencies.

They are unbiased, and vary less than others if answers are uneven.

If a code stands for several values, there are more codes than values. Many readings r are then unbiased: all with sum
over codes z of P(z | v) r(z) = [v in E] for every value v. `collector.coding.coding.Coding.reading` varies least if all
values are equally likely. With frequencies p, and q(z) = sum over v of P(z | v) p(v), the variance of the mean of r is
smallest for

    r(z) = sum over v of P(z | v) m(v) / q(z)    where G m = [. in E], G(v, w) = sum over z of P(z | v) P(z | w) / q(z)

(generalised least squares: Aitken 1936), and reaches the bound of Cramer and Rao. The reading is exactly unbiased for
any p. If the frequencies are badly known, only precision is lost.
"""

import numpy as np

from collector.coding.coding import Coding
from miner.arrays import Floats
from miner.channels.candidates import code_chances, replacement_chances

FEWEST = 2  # people whose shares have a variance


class FittedReading:
    """The weights of codes, fitted to frequencies. They are exactly unbiased for a uniform channel of any theta.

    Args:
        coding: Coding in which values share codes.
        truth: Truth probability theta of the uniform channel, above 0.
        frequencies: Frequencies of the values, which add up to 1: shape (values,). If theta is 1, all must be above 0.
        chances: Results of `code_chances` and `replacement_chances` for the coding, to save time if many readings are
            fitted.

    Attributes:
        reading: Weight of each code for each value, if it is the true code: shape (largest code + 1, values). The
            weights of a code add up to 1.
        variances: Variance of one response's weight for each value, given theta and the frequencies: shape (values,).
    """

    def __init__(
        self, coding: Coding, truth: float, frequencies: Floats, chances: tuple[Floats, Floats] | None = None
    ) -> None:
        codes = list(coding.codes)
        drawn, replaced = chances or (code_chances(coding), replacement_chances(coding))
        seen = truth * drawn + (1 - truth) * replaced[:, None]
        over = seen[codes] / (seen[codes] @ frequencies)[:, None]
        solutions = np.linalg.inv(seen[codes].T @ over)
        found = np.zeros_like(drawn)
        found[codes] = over @ solutions
        self.reading: Floats = truth * found + (1 - truth) * (replaced @ found)
        self.variances: Floats = solutions.diagonal() - frequencies**2


def likely_frequencies(sums: Floats, people: float) -> Floats:
    """Return frequencies to fit inverse weights to: estimated shares, shrunk to even ones as far as they may be noise.

    Shrinkage follows the rule of James and Stein (1961). Then negative shares become 0, and one response of each value
    is added. The frequencies choose among unbiased weights and are not part of any estimate, so that they bias no
    estimate.

    Args:
        sums: Sums of the responses' weights for each value, and of their squares: shape (values, 2). The weights of a
            response add up to 1.
        people: Number of responses.

    Returns:
        Frequencies above 0 that add up to 1: shape (values,).
    """
    even = np.full(len(sums), 1 / len(sums))
    if people < FEWEST:
        return even
    shares, squares = sums.T / people
    noise, spread = float((squares - shares**2).sum()) / (people - 1), float(((shares - even) ** 2).sum())
    kept = 1 - noise / spread if spread > noise else 0.0
    found = people * np.clip(even + kept * (shares - even), 0, None) + 1
    frequencies: Floats = found / found.sum()
    return frequencies
