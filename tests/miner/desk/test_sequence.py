"""Intervals of the desk hold at every look, and are no longer than they need be at the planned end."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibration.looks import DESIGNS, held
from benchmarks.calibration.looks_routed import held as held_among_asked
from miner.desk.sequence import SHORTEST, USUAL, at_every_look, stretch
from miner.figures.estimate import Estimate
from soak import part_of


@pytest.mark.statistical
@pytest.mark.parametrize("design", DESIGNS[:3])
def test_all_intervals_of_a_survey_hold_its_share(design: tuple[float, float, int]) -> None:
    # .95 is promised; 300 surveys tell it to .0126, 100 to .022. Those for one look all hold in 3 of 4 surveys
    surveys = part_of(300, 100)
    found = held(DESIGNS[DESIGNS.index(design)], surveys, np.random.default_rng(3))  # type: ignore[arg-type]
    assert found.every_look > 0.95 - 2 * (0.05 * 0.95 / surveys) ** 0.5
    assert found.one_look < 0.85
    assert found.longer == pytest.approx(stretch(2000, 2000))


@pytest.mark.statistical
@pytest.mark.parametrize("design", ["yes or no, complements", "a rare answer, weak disguise"])
def test_all_intervals_of_a_share_among_those_asked_hold_it_from_the_tenth_response_on(design: str) -> None:
    # Seeded; .95 is promised, and 40 surveys tell it to .034, 10 to .07
    surveys = part_of(40, 10)
    found = held_among_asked(design, surveys, np.random.default_rng(3))
    assert found.every_look > 0.95 - 2 * (0.05 * 0.95 / surveys) ** 0.5
    assert found.one_look < 0.9
    assert found.length < 0.9


def test_at_the_planned_number_it_is_at_its_shortest_and_at_most_1_6_times_as_long() -> None:
    lengths = [stretch(round(1000 * part), 1000) / part**0.5 for part in (0.25, 0.5, 1, 2, 4)]
    assert lengths == sorted(lengths, reverse=True)
    assert stretch(1000, 1000) == stretch(50, 50) == pytest.approx(1.5485, abs=1e-4)
    assert min(range(100, 5000), key=lambda n: stretch(n, 1000)) == pytest.approx(1000, abs=5)
    assert 8 < SHORTEST < 9


def test_without_a_plan_a_thousand_responses_are_expected() -> None:
    assert stretch(300, None) == stretch(300, USUAL)


def test_only_the_interval_changes_and_its_sides_keep_their_ratio() -> None:
    found = Estimate(0.3, 0.05, (0.22, 0.42), 100)
    wide = at_every_look(found, 100)
    assert (wide.estimate, wide.standard_error, wide.n) == (0.3, 0.05, 100)
    assert wide.interval is not None
    assert (wide.interval[1] - 0.3) / (0.3 - wide.interval[0]) == pytest.approx(0.12 / 0.08)
    assert wide.interval[1] - wide.interval[0] == pytest.approx(0.2 * stretch(100, 100))


def test_where_there_is_no_interval_none_is_made() -> None:
    found = Estimate(0.3, None, None, 5)
    assert at_every_look(found, 100) is found
