"""Intervals of samples of clusters: never shorter than the logit interval, and never more than a quarter longer.

`python -m benchmarks.calibration.coverage_clusters` is the long version.
"""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from benchmarks.calibration import coverage_clusters
from benchmarks.calibration.coverage_clusters import Population


@pytest.mark.parametrize("setting", [Population(12, 0.3, 0.3, 8), Population(6, 1.5, 0.3, 8)])
def test_intervals_are_at_most_a_quarter_longer_than_logit_intervals(setting: Population) -> None:
    result = coverage_clusters.measured(setting, 12, seed=7)
    assert 1 <= result["width_by_logit"] <= result["widest_by_logit"] <= 1.25 + 1e-9
    assert result["covered"] >= result["covered_by_logit"]
    assert result["claimed"] == (setting.clusters > 10)


def test_a_short_run_prints_every_population(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage_clusters, "POPULATIONS", (Population(5, 0.0, 0.3, 6),))
    in_words = CliRunner().invoke(coverage_clusters.main, ["--repetitions", "2"])
    assert "5 clusters, spread 0" in in_words.stdout
    printed = CliRunner().invoke(coverage_clusters.main, ["--repetitions", "2", "--json"])
    (result,) = json.loads(printed.stdout)["results"]
    assert result["repetitions"] == 2
