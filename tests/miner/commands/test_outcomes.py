"""What commands print of figures: what is behind the baseline, and what is not possible, is said."""

from __future__ import annotations

import pytest

from miner.commands.figures import echo_outcome
from miner.figures.estimate import Estimate
from miner.models.model import ModelAccuracy

SURE = Estimate(0.753, 0.01, (0.733, 0.773), 2000)
BEHIND = "behind always yes: do not rely on it; try --model auto, or another mode"


@pytest.mark.parametrize(
    ("accuracy", "times"),
    [
        (Estimate(0.647, 0.02, (0.607, 0.687), 2000), 1),
        (Estimate(0.801, 0.02, (0.761, 0.841), 2000), 0),
        (Estimate(-3.07, 13.0, (-28.6, 22.6), 2000), 0),
    ],
)
def test_a_model_behind_the_commonest_class_is_said_to_be(
    accuracy: Estimate, times: int, capsys: pytest.CaptureFixture[str]
) -> None:
    echo_outcome(ModelAccuracy(accuracy, SURE, "yes", Estimate(0.95, 0.06, (0.83, 1.06), 2000)))
    printed = capsys.readouterr().out
    assert printed.count(BEHIND) == times
    assert "nothing above 1 is possible" in printed


def test_an_area_that_is_not_estimable_says_what_is_open(capsys: pytest.CaptureFixture[str]) -> None:
    echo_outcome(ModelAccuracy(SURE, SURE, "yes", None))
    assert "not estimable: " in capsys.readouterr().out


@pytest.mark.parametrize(("area", "times"), [(0.446, 1), (0.62, 0)])
def test_a_model_that_orders_people_worse_than_chance_is_said_to(
    area: float, times: int, capsys: pytest.CaptureFixture[str]
) -> None:
    echo_outcome(ModelAccuracy(SURE, SURE, "yes", Estimate(area, 0.02, (area - 0.04, area + 0.04), 2000)))
    assert capsys.readouterr().out.count("below .5, worse than chance") == times
