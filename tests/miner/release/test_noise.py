"""The system's noise: every choice returns at once, certified by OpenDP, and is distributed as it says."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt

import pytest

from enumerated_noise import flip_chances
from miner.release import noise as noises
from miner.release.noise import SystemNoise

SCORES = [3, 2, 0]
DRAWS = 4000
FAR = 5.5  # standard deviations: a chance of 4 in 10^8 for each of nine shares


@pytest.mark.statistical
@pytest.mark.parametrize(("sensitivity", "monotone"), [(1, True), (1, False), (3, False)])
def test_permute_and_flip_draws_what_it_says_with_monotone_scores_or_not(sensitivity: int, *, monotone: bool) -> None:
    noise, epsilon = SystemNoise(), Fraction(1)
    drawn = Counter(noise.flip(SCORES, sensitivity, epsilon, monotone=monotone) for _ in range(DRAWS))
    expected = flip_chances(SCORES, float(epsilon) / (sensitivity * (1 if monotone else 2)))
    for number, chance in enumerate(expected):
        assert abs(drawn[number] / DRAWS - chance) <= FAR * sqrt(chance * (1 - chance) / DRAWS)


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(1, 3), Fraction("0.1"), Fraction(10**6), Fraction(1, 10**6)])
@pytest.mark.parametrize("monotone", [True, False])
def test_a_selection_is_certified_for_its_epsilon_and_hardly_less(epsilon: Fraction, *, monotone: bool) -> None:
    for sensitivity in (1, 2048):
        certified = Fraction(noises._flip(sensitivity, epsilon, monotone).map(sensitivity))  # type: ignore[attr-defined]  # noqa: SLF001 - what OpenDP certifies
        assert epsilon * (1 - Fraction(1, 10**12)) <= certified <= epsilon
