"""Intervals hold the truth where questions are sampled.

`python -m benchmarks.calibration.coverage_sampled` is the long version.
"""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from benchmarks.calibration import coverage_sampled
from soak import least_covered, part_of


@pytest.mark.statistical
@pytest.mark.parametrize("setting", coverage_sampled.SETTINGS, ids=lambda setting: setting.words)
def test_estimates_and_trees_accuracies_are_covered_19_times_in_20(
    setting: coverage_sampled.Setting, datasets: object
) -> None:
    del datasets
    # Seeded. With 32 figures, fewer than 1 in 30 fresh seeds fail.
    samples = part_of(60, least=20)
    result = coverage_sampled.measured(setting, samples, seed=7)
    least = least_covered(samples)
    assert all(each["covered"] >= least for each in result["figures"].values()), result["figures"]
    assert all(each["without_interval"] == 0 for each in result["figures"].values())


def test_a_short_run_prints_every_setting(monkeypatch: pytest.MonkeyPatch, datasets: object) -> None:
    del datasets
    monkeypatch.setattr(coverage_sampled, "SETTINGS", coverage_sampled.SETTINGS[3:4])
    in_words = CliRunner().invoke(coverage_sampled.main, ["--repetitions", "3"])
    assert in_words.exit_code == 0, in_words.output
    assert "accuracy of the tree" in in_words.stdout
    (result,) = json.loads(CliRunner().invoke(coverage_sampled.main, ["--repetitions", "3", "--json"]).stdout)[
        "results"
    ]
    assert result["repetitions"] == 3
