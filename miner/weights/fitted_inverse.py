"""Readings of shared codes fitted to frequencies: unbiased like any other, and less variable where answers are uneven.

Where a code stands for several values there are more codes than values, and many readings r of them are unbiased: all
with sum over codes z of P(z | v) r(z) = [v in E] for every value v. `collector.coding.coding.Coding.reading` is the one
that varies least where all values are equally likely. With frequencies p, and q(z) = sum over v of P(z | v) p(v), the
variance of the mean of r is least for

    r(z) = sum over v of P(z | v) m(v) / q(z)    where G m = [. in E], G(v, w) = sum over z of P(z | v) P(z | w) / q(z)

(generalised least squares: Aitken 1936), and reaches the bound of Cramer and Rao. It is exactly unbiased whatever p is:
frequencies that are badly known cost precision, nothing else.
"""

import numpy as np

from collector.coding.coding import Coding
from miner.arrays import Floats
from miner.channels.candidates import code_chances, replacement_chances

FEWEST = 2  # people whose shares have a variance


class FittedReading:
    """Counts of codes, fitted to frequencies. They are exactly unbiased through a uniform channel of any theta.

    Args:
        coding: In which values share codes.
        truth: theta, of the uniform channel; above 0.
        frequencies: Frequencies of the values: shape (values,), from 0, adding up to 1; above 0 if theta is 1.
        chances: What `code_chances` and `replacement_chances` say of the coding, where many readings of it are fitted.

    Attributes:
        reading: Shape (largest code + 1, values): what each code counts for each value if it is the truth's; a code's
            counts add up to 1.
        variances: Shape (values,): of what one response counts for each value, if theta and the frequencies are these.
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
    """Frequencies to fit inverse weights to: estimated shares, shrunk to even ones by as much as they may be noise.

    Shrinkage is by James and Stein's rule (1961); then negative shares become 0, and one response of each value is
    added. The frequencies choose among unbiased weights and enter no estimate themselves, so that they bias none.

    Args:
        sums: Shape (values, 2): of what the responses count for each value, those of a response adding up to 1, and of
            the squares of it.
        people: How many responses there are.

    Returns:
        Shape (values,): above 0, adding up to 1.
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
