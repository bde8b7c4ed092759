"""Printed intervals hold the truth 19 times in 20. `python -m benchmarks.coverage_grid` is the long version."""

from __future__ import annotations

import pytest

from benchmarks.coverage_grid import SETTINGS, Setting, measured, page, recommended, survey_of, true_figures

SHORT = (Setting(1000, "complement", "9/10", 0.5, 2), Setting(1500, "uniform", "1/2", 0.4, 1))


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("setting", SHORT)
def test_every_recommended_interval_is_covered_and_there(setting: Setting) -> None:
    # Seeded. 60 surveys: a right interval covers 50 or fewer of them once in 1,600; 21 figures.
    result = measured(setting, 60, seed=3)
    assert set(result["figures"]) >= {"share", "cell", "difference of shares", "regression, slope", "with plain rows"}
    for name, figure in result["figures"].items():
        if figure["recommended"]:
            assert figure["covered"] > 50 / 60, name
            assert figure["with_interval"] > 0.95, name


def test_the_grid_varies_what_it_says_and_some_figures_are_not_recommended() -> None:
    assert {setting.n for setting in SETTINGS} == {300, 3000}
    assert {setting.groups for setting in SETTINGS} == {1, 2}
    assert {setting.prevalence for setting in SETTINGS} == {0.05, 0.2, 0.5}
    assert {(setting.channel, setting.truth) for setting in SETTINGS} >= {("complement", "3/5"), ("uniform", "1/2")}
    advice = [recommended(setting)["regression, slope"] for setting in SETTINGS]
    assert 0 < sum(advice) < len(SETTINGS)


def test_the_page_tells_recommended_surveys_from_others() -> None:
    small = Setting(60, "complement", "9/10", 0.5, 1)
    results = [measured(small, 3, seed=1)]
    text = page(results)
    assert "| share | yes | 1 |" in text
    assert "| regression, slope | no | 1 |" in text
    assert survey_of(small).groups[0].questions == ("q0", "q1")
    assert true_figures(small)["rule, confidence"] == pytest.approx(0.8)
