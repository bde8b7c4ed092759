"""Upper bounds of the central epsilon, against all that few respondents may send."""

from __future__ import annotations

from itertools import permutations, product
from math import exp, log, sqrt

import pytest

from collector.shuffling.clones import blanket_epsilon, clones_epsilon, hidden_delta
from orderless_responses import Row, worst_delta


def replaced(values: int, truth: float, weights: Row | None = None) -> list[Row]:
    """Randomized response of so many values: a row for each."""
    drawn = weights or (1 / values,) * values
    return [tuple(truth * (x == y) + (1 - truth) * drawn[y] for y in range(values)) for x in range(values)]


def both(one: list[Row], other: list[Row]) -> list[Row]:
    """Two answers, each with a coin of its own."""
    return [tuple(a * b for a in first for b in second) for first, second in product(one, other)]


def ratio_of(rows: list[Row]) -> float:
    return max(a / b for one, other in permutations(rows, 2) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("truth", [0.2, 0.5, 0.8])
@pytest.mark.parametrize(("values", "most"), [(2, 5), (3, 5), (4, 5), (8, 2)])
def test_no_answers_of_few_respondents_pass_the_bound_of_a_blanket(values: int, most: int, truth: float) -> None:
    rows, closest = replaced(values, truth), 0.0
    for respondents in range(1, most + 1):
        for delta in (1e-3, 0.03, 0.2):
            epsilon = blanket_epsilon(respondents, truth, values, delta)
            worst = worst_delta(rows, respondents, epsilon)
            assert worst <= delta * (1 + 1e-6)
            closest = max(closest, worst / delta)
    assert closest > 0.3, "the bound is far from what happens"


def test_uneven_replacements_are_bounded_by_the_rarest() -> None:
    rows = replaced(3, 0.5, (0.5, 0.3, 0.2))
    for respondents, delta in product((2, 3, 4), (1e-3, 0.05)):
        assert worst_delta(rows, respondents, blanket_epsilon(respondents, 0.5, 5, delta)) <= delta * (1 + 1e-6)


@pytest.mark.parametrize(
    "rows",
    [
        replaced(3, 0.4),
        both(replaced(2, 0.3), replaced(2, 0.5)),
        both(both(replaced(2, 0.2), replaced(2, 0.3)), replaced(2, 0.2)),
        both(both(replaced(2, 0.1), replaced(2, 0.3)), both(replaced(2, 0.2), replaced(2, 0.1))),
        [(0.5, 0.25, 0.25), (0.25, 0.5, 0.25), (0.4, 0.35, 0.25)],
    ],
    ids=["three values", "two coins", "three coins", "four coins", "a pair that no value sends alone"],
)
def test_no_answers_of_few_respondents_pass_the_bound_of_clones(rows: list[Row]) -> None:
    for respondents in range(1, 5 if len(rows) < 8 else 3):
        for delta in (1e-3, 0.03, 0.2):
            epsilon = clones_epsilon(respondents, ratio_of(rows), delta)
            assert worst_delta(rows, respondents, epsilon) <= delta * (1 + 1e-6)


def test_clones_whose_number_tells_of_the_respondent_would_be_passed() -> None:
    """A larger share of clones, 2 / (1 + e^epsilon), which some papers have, is too good for three values."""
    rows, respondents, truth = replaced(3, 0.5), 3, 0.5
    ratio, less = ratio_of(rows), (1 - truth) / 3
    low, high = 0.0, log(ratio)
    for _ in range(40):
        middle = (low + high) / 2
        fits = hidden_delta(respondents - 1, (2 * less, less), ratio, middle, 1e-12) <= 1e-3
        low, high = (low, middle) if fits else (middle, high)
    assert worst_delta(rows, respondents, high) > 1e-3


@pytest.mark.parametrize("local", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("respondents", [100_000, 1_000_000])
def test_clones_are_below_the_closed_form(local: float, respondents: int) -> None:
    """Feldman, McMillan & Talwar 2021, theorem 3.1, with 8 sqrt(e^epsilon log(4 / delta) / n) + 8 e^epsilon / n."""
    delta = 1e-6
    assert local <= log(respondents / (16 * log(2 / delta)))
    inner = 8 * sqrt(exp(local) * log(4 / delta) / respondents) + 8 * exp(local) / respondents
    closed = log(1 + (exp(local) - 1) / (exp(local) + 1) * inner)
    assert clones_epsilon(respondents, exp(local), delta) <= closed


def test_the_best_general_bound_at_four_and_a_hundred_thousand() -> None:
    assert clones_epsilon(100_000, exp(4), 1e-6) == pytest.approx(0.16977, abs=2e-5)


def test_more_respondents_and_a_larger_delta_give_less_and_nothing_passes_the_local_one() -> None:
    for bound in (lambda n, d: clones_epsilon(n, 6.0, d), lambda n, d: blanket_epsilon(n, 0.5, 5, d)):
        found = [bound(n, 1e-6) for n in (1, 2, 10, 100, 3_000, 300_000)]
        assert found == sorted(found, reverse=True)
        assert found[0] == pytest.approx(log(6))
        assert bound(1_000, 1e-9) > bound(1_000, 1e-6) > bound(1_000, 1e-3)
        assert bound(1_000, 0.0) == pytest.approx(log(6))
    assert clones_epsilon(10**6, 1e16, 1e-6) == pytest.approx(log(1e16))
