"""Sampling and a threshold: the theorem's delta, the exact one, and each of k, beta, epsilon from the others."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp

import pytest

from collector.errors import QueryError
from miner.release.parts.sampled_anonymity import SampledCount, largest_beta, least_epsilon, least_k

CELLS = [(5, Fraction(1, 10), 0.5), (10, Fraction(2, 5), 1.0), (20, Fraction(1, 2), 0.8), (3, Fraction(1, 100), 0.1)]


@pytest.mark.parametrize(("k", "beta", "epsilon"), CELLS)
def test_the_exact_delta_is_smaller_by_2_to_300_times(k: int, beta: Fraction, epsilon: float) -> None:
    cell = SampledCount(k, beta)
    assert 2 < cell.theorem_delta(epsilon) / cell.exact_delta(epsilon) < 300


@pytest.mark.parametrize(("k", "beta", "epsilon"), CELLS)
def test_the_theorem_is_summed_as_it_is_written(k: int, beta: Fraction, epsilon: float) -> None:
    gamma, share = (exp(epsilon) - 1 + float(beta)) / exp(epsilon), float(beta)
    first = max(0, -int(-(k / gamma - 1) // 1))
    tails = [
        sum(comb(n, j) * share**j * (1 - share) ** (n - j) for j in range(n + 1) if j > gamma * n)
        for n in range(first, first + 60)
    ]
    assert SampledCount(k, beta).theorem_delta(epsilon) == pytest.approx(max(tails), rel=1e-6)


def test_nothing_is_said_below_what_the_theorem_asks_of_epsilon() -> None:
    assert not SampledCount(5, Fraction(1, 2)).admits(0.6)
    with pytest.raises(QueryError, match=r"epsilon is below -ln\(1 - beta\)"):
        SampledCount(5, Fraction(1, 2)).theorem_delta(0.6)


@pytest.mark.parametrize("exact", [True, False])
def test_any_two_decide_the_third(exact: bool) -> None:  # noqa: FBT001 - which delta
    beta, epsilon, delta = Fraction(1, 10), 0.5, 1e-6

    def reached(cell: SampledCount, at: float) -> float:
        return cell.exact_delta(at) if exact else cell.theorem_delta(at)

    k = least_k(beta, epsilon, delta, exact=exact)
    assert reached(SampledCount(k, beta), epsilon) <= delta < reached(SampledCount(k - 1, beta), epsilon)
    share = largest_beta(k, epsilon, delta, exact=exact)
    assert share >= beta
    assert reached(SampledCount(k, share), epsilon) <= delta
    found = least_epsilon(k, beta, delta, exact=exact)
    assert found <= Fraction(1, 2)
    assert reached(SampledCount(k, beta), float(found)) <= delta
