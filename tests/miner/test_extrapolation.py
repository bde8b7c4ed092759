"""Squared extrapolation: its step length, its point, and that it stands in one module."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import miner
from miner.behind.mixture.em import compiled_extrapolated, compiled_step_length
from miner.extrapolation import extrapolated, step_length


def steps(rates: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A fixed point, then a point at distance 1 and two steps, each of which keeps these shares of the distance."""
    goal, kept = np.array([[3.0, -1.0]]), np.array(rates)
    return goal, goal + 1.0, goal + kept, goal + kept**2


def test_steps_that_all_shrink_alike_are_extrapolated_to_their_end() -> None:
    goal, *points = steps([0.9, 0.9])
    assert step_length(*points) == pytest.approx(10)
    np.testing.assert_allclose(extrapolated(*points, 10.0), goal)


def test_steps_that_shrink_unlike_each_other_come_nearer_than_the_second() -> None:
    goal, *points = steps([0.9, 0.8])
    found = extrapolated(*points, step_length(*points))
    assert np.abs(found - goal).max() < np.abs(points[-1] - goal).max() / 3


def test_a_step_length_of_1_gives_the_second_step() -> None:
    _, *points = steps([0.7, 0.2])
    np.testing.assert_allclose(extrapolated(*points, 1.0), points[-1])


def test_where_nothing_bends_the_second_step_is_taken() -> None:
    point = np.zeros(3)
    assert step_length(point, point, point) == 1.0
    assert step_length(point, point + 1, point + 2) == 1.0


def test_the_compiled_functions_give_equal_results() -> None:
    _, *points = steps([0.9, 0.4])
    length = step_length(*points)
    assert compiled_step_length(*points) == pytest.approx(length, rel=1e-14)
    np.testing.assert_allclose(compiled_extrapolated(*points, length), extrapolated(*points, length), rtol=1e-14)


def test_it_stands_in_one_module() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in Path(miner.__file__).parent.rglob("*.py")}
    assert [name for name, text in texts.items() if "Varadhan" in text or "SQUAREM" in text] == ["extrapolation.py"]
