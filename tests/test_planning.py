"""What planning foretells comes true; `python -m benchmarks.planning` is the long version."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import planning
from collector.survey import Survey
from miner.planning.forecast import LEARNERS


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("name", "survey"), list(planning.surveys()), ids=lambda part: part if isinstance(part, str) else ""
)
def test_foretold_standard_errors_are_the_printed_ones_and_the_deviation_of_estimates(
    name: str, survey: Survey
) -> None:
    # Seeded. The mean of a dozen unlike deviations, each known to 9 % from 60 surveys, is known to 3 %: .12 is four of
    # these, which a fresh seed exceeds in one of 5 designs once in 3,000. Printed errors stray by under 1 %.
    rows = planning.standard_errors(survey, 60, (len(name),))
    assert len(rows) == sum(len(question.values) for question in survey.questions)
    for row in rows:
        assert row["printed"] == pytest.approx(row["foretold"], rel=0.05)
    ratio = np.mean([row["deviation"] / row["foretold"] for row in rows])
    assert ratio == pytest.approx(1, abs=0.12)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.usefixtures("datasets")
def test_foretold_accuracies_are_near_those_that_come() -> None:
    # Seeded. Gaps of up to 6 points: foretold and come have errors of 1 to 2 points with so few models.
    trial = planning.Trial(planning.nursery(), "9/10", 1500, 900, "robust", models=3, rehearsals=10)
    rows = planning.accuracies(trial, (2,))
    assert [row["model"] for row in rows] == list(LEARNERS)
    for row in rows:
        assert row["came"] == pytest.approx(row["foretold"], abs=0.06)
