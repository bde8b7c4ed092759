"""How much of the variance of an area under the ROC curve is due to pairs of responses."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from benchmarks.calibration import coverage
from miner.arrays import Floats
from miner.evaluation import pair_variance as module
from miner.evaluation.auc import auc
from miner.evaluation.copies import Copies
from miner.evaluation.pair_variance import Ranked, Scores, most_levels, pair_variance, seen_levels
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate
from soak import part_of

HEAVY = coverage.Setting(2, "7/10", "complement", 40)


@cache
def people() -> Values:
    return coverage.population(np.random.default_rng(0))


def sent_under(setting: coverage.Setting, seed: int) -> Responses:
    rng = np.random.default_rng(seed)
    return simulate(coverage.survey_of(setting), rng.choice(people(), setting.n), rng)


def copies_and_scores(setting: coverage.Setting, seed: int) -> tuple[Copies, Floats]:
    sent = sent_under(setting, seed)
    copies, rows = Copies.of(sent, "q5", [f"q{number}" for number in range(5)], np.random.default_rng(0))
    return copies, coverage.scores(rows)


def pair_sums(copies: Copies, probabilities: Floats, label: int) -> tuple[Floats, Floats]:
    """Of each two rows: the pairs ordered rightly, and all, by looking at every pair of copies."""
    weight = np.broadcast_to(copies.weight, (*copies.place.shape, probabilities.shape[1]))
    score, positive = probabilities[copies.place, label], np.arange(probabilities.shape[1]) == label
    rows = range(len(copies.counts))
    right, every = np.zeros((len(rows), len(rows))), np.zeros((len(rows), len(rows)))
    for i in rows:
        for j in rows:
            both = np.outer(weight[i, :, positive].sum(axis=0), weight[j, :, ~positive].sum(axis=0))
            above = (score[i][:, None] > score[j]) + (score[i][:, None] == score[j]) / 2
            right[i, j], every[i, j] = (both * above).sum(), both.sum()
    return right + right.T, every + every.T


def slow_pair_variance(copies: Copies, probabilities: Floats, labels: list[int]) -> float:
    """From its definition."""
    times = np.outer(copies.counts, copies.counts) - np.diag(copies.counts)
    k = np.zeros(times.shape)
    for label in labels:
        right, every = pair_sums(copies, probabilities, label)
        area = (times * right).sum() / (times * every).sum()
        k += (right - area * every) / (times * every).sum() / len(labels)
    return float(2 * (times * k**2).sum())


def areas_of(copies: Copies, probabilities: Floats, labels: list[int]) -> dict[int, tuple[float, float]]:
    times = np.outer(copies.counts, copies.counts) - np.diag(copies.counts)
    found = {label: pair_sums(copies, probabilities, label) for label in labels}
    return {
        label: (float((times * right).sum()), float((times * every).sum())) for label, (right, every) in found.items()
    }


def found_of(copies: Copies, probabilities: Floats, areas: dict[int, tuple[float, float]]) -> float:
    every = [Scores.of(copies, probabilities[:, label], label) for label in areas]
    merged = [Ranked.of(each, seen_levels(copies, each), most_levels(len(areas))) for each in every]
    return pair_variance(copies, merged, list(areas.values()))


@pytest.mark.parametrize("labels", [[0], [0, 1]])
def test_it_is_the_sum_of_squares_over_all_pairs(labels: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    copies, probabilities = copies_and_scores(HEAVY, 1)
    areas, expected = areas_of(copies, probabilities, labels), slow_pair_variance(copies, probabilities, labels)
    assert found_of(copies, probabilities, areas) == pytest.approx(expected)
    monkeypatch.setattr(module, "ENTRIES", 100)
    assert found_of(copies, probabilities, areas) == pytest.approx(expected), "some rows at a time"


def test_many_scores_are_gathered_at_little_loss() -> None:
    copies, probabilities = copies_and_scores(HEAVY, 2)
    fine = np.linspace(0, 0.05, len(probabilities))[:, None] * [1, -1] + probabilities  # no two alike
    expected = slow_pair_variance(copies, fine, [0])
    assert len(np.unique(fine[:, 0])) > module.STATES // 2
    assert found_of(copies, fine, areas_of(copies, fine, [0])) == pytest.approx(expected, rel=0.05)


@pytest.mark.statistical
def test_the_standard_error_of_an_area_is_its_deviation_under_heavy_disguise() -> None:
    """Seeded. 500 samples tell a deviation to 4 %, 50 to 12 % (measured: 3 % too large); other seeds fail 1 in 50."""
    samples = part_of(500)
    found = [
        auc(*copies_and_scores(coverage.Setting(2, "7/10", "complement", 200), seed), [0]) for seed in range(samples)
    ]
    areas = [(each.estimate, each.standard_error) for each in found if each is not None and each.standard_error]
    assert len(areas) == samples
    estimates, errors = np.array(areas).T
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(estimates.std(), rel=0.1 * np.sqrt(500 / samples))
