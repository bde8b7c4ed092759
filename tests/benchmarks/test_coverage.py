"""Intervals hold the truth about as often as they say.

`python -m benchmarks.calibration.coverage` is the long version.
"""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.calibration import coverage
from soak import least_covered, part_of


@pytest.mark.statistical
@pytest.mark.parametrize("setting", coverage.SETTINGS)
def test_accuracy_auc_supports_and_the_rest_are_covered_19_times_in_20(setting: coverage.Setting) -> None:
    # Seeded. With 42 figures, fewer than 1 in 20 fresh seeds fail.
    samples = part_of(100, least=25)
    result = coverage.measured(setting, samples, seed=7)
    assert all(least_covered(samples) <= share <= 1 for share in result["covered"].values()), result["covered"]


def test_a_short_run_prints_every_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "SETTINGS", (coverage.Setting(1, "1", "complement", 50),))
    monkeypatch.setattr(coverage, "POPULATION", 1000)
    monkeypatch.setattr(coverage, "QUICK", (5, 2))
    for name in ("measured", "out_of_bag"):  # the seeds are the same both times
        monkeypatch.setattr(coverage, name, cache(getattr(coverage, name)))
    in_words = CliRunner().invoke(coverage.main, ["--quick"])
    assert in_words.exit_code == 0, in_words.output
    assert in_words.stdout.startswith("1 complement groups at 1, n 50: accuracy ")
    (result,) = json.loads(CliRunner().invoke(coverage.main, ["--quick", "--json"]).stdout)
    assert result["repetitions"] == 5
    assert result["out_of_bag"]["repetitions"] == 2


@pytest.mark.statistical
def test_out_of_bag_accuracy_is_covered_too() -> None:
    # Seeded. The bias is below 3 of its standard errors.
    forests = part_of(60, least=25)
    result = coverage.out_of_bag(coverage.Setting(3, "4/5", "complement", 300), forests, seed=7)
    assert result["covered"] >= least_covered(forests)
    assert abs(result["bias"]) < 3 * result["error"] + 0.01


def test_of_few_kinds_of_people_many_answer_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "POPULATION", 5000)
    setting = coverage.Setting(1, "3/4", "complement", 200, coverage.FEW_KINDS, 5)
    people = coverage.source_of(setting, np.random.default_rng(3)).people
    assert len(np.unique(people, axis=0)) == 2 ** (coverage.CELLS + 1)
    found = coverage.measured(setting, 3, seed=7) | {"out_of_bag": coverage.out_of_bag(setting, 3, seed=7)}
    assert found["trees"] == 5
    assert found["out_of_bag"]["repetitions"] == 3
