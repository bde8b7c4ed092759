"""Fit the weights (readings) of codes that stand for several values to the frequencies of the values.

A *reading* is a table of weights with one weight for each pair of a code and a value.

Readings (weights of codes) that are fitted to frequencies vary less if answers are unevenly distributed.

If codes stand for several values, many readings r are unbiased for an event E. A reading r is unbiased if the sum over
codes z of P(z | v) r(z) is [v in E] for every value v. The published reading (`collector.coding.coding.Coding.reading`)
varies least if all values are equally likely. For frequencies p, let q(z) = sum over v of P(z | v) p(v). The variance
of the mean of r is smallest for the reading

    r(z) = sum over v of P(z | v) m(v) / q(z)    where G m = [. in E], G(v, w) = sum over z of P(z | v) P(z | w) / q(z)

The fitted reading is that of generalised least squares (Aitken 1936), and attains the bound of Cramer and Rao. The
fitted reading is exactly unbiased, whatever the frequencies p that it is fitted to.
"""

import numpy as np

from collector.coding.coding import Coding
from miner.arrays import Floats
from miner.channels.candidates import code_chances, replacement_chances

FEWEST = 2  # smallest number of people whose shares have a variance


class FittedReading:
    """Weights of codes that are fitted to frequencies, and exactly unbiased for a uniform channel of any theta.

    Args:
        coding: Coding in which values share codes.
        truth: Truth probability theta of the uniform channel, above 0.
        frequencies: Frequencies of the values, adding up to 1, shape (values,). If theta is 1, all frequencies must be
            above 0.
        chances: Results of `code_chances` and `replacement_chances`, to save time.

    Attributes:
        reading: Weight of each code for each value if the code is the true code, shape (largest code + 1, values). The
            weights of one code add up to 1.
        variances: Variance of one response's weight for each value, given theta and the frequencies, shape (values,).
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
    """Return frequencies for fitting inverse weights: estimated shares, shrunk as far as they may be noise.

    Shares are shrunk by the rule of James and Stein (1961). Shares that are negative after shrinkage are set to 0, and
    one response of each value is added. The frequencies only choose among unbiased weights, so that their errors bias
    no estimate.

    Args:
        sums: Sums of the responses' weights for each value, and of the squared weights, shape (values, 2). The weights
            of one response add up to 1.
        people: Number of responses.

    Returns:
        Frequencies above 0 that add up to 1, shape (values,).
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
