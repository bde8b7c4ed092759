"""Printed intervals hold the truth 19 times in 20.

`python -m benchmarks.calibration.coverage_grid` is the long version.
"""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.calibration import coverage_grid
from benchmarks.calibration.coverage_grid import SETTINGS, Setting, measured, settled, survey_of, true_figures
from benchmarks.calibration.coverage_page import page
from soak import least_covered, part_of

SHORT = (Setting(1000, "complement", "9/10", 0.5, 2), Setting(1500, "uniform", "1/2", 0.4, 1))
EVERY = tuple(true_figures(SETTINGS[0]))


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("setting", SHORT)
def test_every_recommended_interval_is_covered_and_there(setting: Setting) -> None:
    # Seeded. A right interval covers fewer surveys once in 1,000; 21 figures.
    surveys = part_of(60, least=20)
    result = measured(setting, surveys, (3,), EVERY)
    assert set(result["figures"]) >= {"share", "cell", "difference of shares", "regression, slope", "with plain rows"}
    recommended = [name for name, figure in result["figures"].items() if figure["recommended"]]
    assert len(recommended) > 6
    for name in recommended:
        figure = result["figures"][name]
        assert figure["covered"] >= least_covered(surveys), name
        assert figure["with_interval"] > 0.95, name


def test_the_grid_varies_what_it_says() -> None:
    assert {setting.n for setting in SETTINGS} == {300, 3000}
    assert {setting.groups for setting in SETTINGS} == {1, 2}
    assert {setting.prevalence for setting in SETTINGS} == {0.05, 0.2, 0.35, 0.5}
    assert {(setting.channel, setting.truth) for setting in SETTINGS} >= {("complement", "3/5"), ("uniform", "1/2")}


def test_the_responses_say_where_an_interval_is_recommended() -> None:
    little, much = (measured(Setting(n, "complement", "3/4", 0.5, 2), 5, (1,), EVERY)["figures"] for n in (60, 9000))
    for name in ("regression, slope", "rule, lift", "share in a subgroup"):
        assert (little[name]["met"], much[name]["met"]) == (0, 1)
        assert (little[name]["recommended"], much[name]["recommended"]) == (False, True)
    assert little["share"]["recommended"]


def test_what_is_in_doubt_is_measured_again_with_fresh_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage_grid, "AGAIN", 7)
    asked: list[tuple[tuple[int, ...], tuple[str, ...]]] = []

    def seen(_setting: Setting, repetitions: int, seed: tuple[int, ...], wanted: tuple[str, ...]) -> dict[str, Any]:
        asked.append((seed, tuple(wanted)))
        coverage = {"share": 0.95, "cell": 0.97, "rule, lift": 0.9}
        figures = {
            name: {"covered": coverage[name], "recommended": name != "rule, lift", "repetitions": repetitions}
            for name in wanted
            if name in coverage
        }
        return {"figures": figures}

    monkeypatch.setattr(coverage_grid, "measured", seen)
    found = settled(5, 4)
    assert [wanted for _, wanted in asked] == [EVERY, ("cell",)]
    assert asked[0][0] != asked[1][0]
    assert {name: figure["repetitions"] for name, figure in found["figures"].items()} == {
        "share": 4,
        "cell": 7,
        "rule, lift": 4,
    }
    assert found["first"]["cell"]["repetitions"] == 4


def test_the_page_tells_recommended_surveys_from_others() -> None:
    small = Setting(60, "complement", "9/10", 0.5, 1)
    text = page([measured(small, 3, (1,), EVERY)])
    assert "| share | yes | 1 |" in text
    assert "| regression, slope | no | 1 |" in text
    assert survey_of(small).groups[0].questions == ("q0", "q1")
    assert true_figures(small)["rule, confidence"] == pytest.approx(0.8)
