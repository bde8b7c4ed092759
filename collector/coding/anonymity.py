"""Binary anonymity (Szucs) of a pair of complementary codes, in bits, and its largest value over all codings."""

from collections.abc import Sequence
from fractions import Fraction
from math import log2


def binary_entropy(probability: float | Fraction) -> float:
    """Return the binary entropy h(p) in bits, with h(0) = h(1) = 0."""
    p = float(probability)
    return 0.0 if p in {0.0, 1.0} else -p * log2(p) - (1 - p) * log2(1 - p)


def pair_anonymity(share: Fraction, truth: Fraction) -> float:
    """Return H(value | response) in bits within one complementary pair.

    H(value | response) is h(share) + h(theta) - h(theta share + (1 - theta)(1 - share)) (Szucs 2013), where `share` is
    the frequency of one value within the pair.
    """
    sent = truth * share + (1 - truth) * (1 - share)
    return binary_entropy(share) + binary_entropy(truth) - binary_entropy(sent)


def anonymity_bound(prior: Sequence[Fraction], truth: Fraction) -> float:
    """Return the largest H(value | response) in bits that any coding can give a question of a complement group.

    If no value has a prior above 1/2, the bound is h(theta), otherwise the `pair_anonymity` of the most frequent value
    (see docs/guarantee.md).
    """
    return pair_anonymity(max(Fraction(1, 2), *prior), truth)
