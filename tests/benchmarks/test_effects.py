"""Intervals of effects hold them about as often as they say; `python -m benchmarks.calibration.effects` is longer."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from benchmarks.calibration import effects, many_coins


@pytest.mark.statistical
def test_intervals_of_coefficients_and_shapes_are_covered_19_times_in_20() -> None:
    # Seeded. 12 surveys of 6 coefficients and 10 values of shapes, which depend on each other within a survey.
    covered = effects.measured("class disguised", 12, 1000, seed=3)
    assert all(0.86 <= figures["covered"] <= 1 for figures in covered.values()), covered


def test_a_short_run_prints_every_design(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effects, "DESIGNS", {"mixed": effects.DESIGNS["mixed"]})
    found = CliRunner().invoke(effects.main, ["--samples", "2", "--people", "200"])
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("mixed, coefficients: covered ")


def test_a_short_run_of_many_coins_prints_coverage_and_lean_of_each_cell() -> None:
    asked = ["--samples", "2", "--people", "60", "--coins", "3", "--coins", "8", "--truth", "4/5"]
    found = CliRunner().invoke(many_coins.main, asked)
    assert found.exit_code == 0, found.output
    cells = [json.loads(line) for line in found.stdout.splitlines()]
    assert [each["coins"] for each in cells] == [3, 8]
    assert all(0 <= each["covered"] <= 1 and each["lean"] > -2 and each["rms_error"] > 0 for each in cells)
