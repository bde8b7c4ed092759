"""Intervals of effects hold them about as often as they say; `python -m benchmarks.calibration.effects` is longer."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from benchmarks.calibration import effects


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
