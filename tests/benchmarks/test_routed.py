"""Intervals hold the truth where questions are not asked of everybody, skipped or declined.

`python -m benchmarks.calibration.routed` is the long version; its figures are checked as they are kept.
"""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from benchmarks.calibration import routed
from benchmarks.results import RESULTS
from soak import least_covered, part_of


@pytest.mark.statistical
@pytest.mark.parametrize("design", routed.DESIGNS)
def test_estimates_of_routed_questions_are_covered_19_times_in_20(design: str) -> None:
    # Seeded. 26 figures: a fresh seed fails 1 in 30.
    surveys = part_of(60, least=20)
    found = routed.measured(design, 1000, surveys, seed=7)
    least = least_covered(surveys)
    assert all(each["covered"] >= least and not each["without_interval"] for each in found.values()), found


def test_the_figures_that_are_kept_are_within_93_and_97_in_100() -> None:
    kept = json.loads((RESULTS / "coverage_routed.json").read_text())
    assert kept["surveys"] >= 500
    for each in kept["results"]:
        assert each["people"] in routed.PEOPLE
        for name, figure in each["figures"].items():
            impossible = name == "bullied = no and often = daily"  # estimated at 0, exactly
            ends = (1, 1) if impossible else (0.93, 0.97)
            assert ends[0] <= figure["covered"] <= ends[1], (each["design"], name)


def test_a_short_run_prints_every_design(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routed, "PEOPLE", (200,))
    monkeypatch.setattr(routed, "MANY", 10_000)
    in_words = CliRunner().invoke(routed.main, ["--surveys", "1"])
    assert in_words.exit_code == 0, in_words.output
    assert all(f"{design}, 200 people" in in_words.stdout for design in routed.DESIGNS)
    table = json.loads(CliRunner().invoke(routed.main, ["--surveys", "1", "--json"]).stdout)
    assert len(table["results"]) == len(routed.DESIGNS)
