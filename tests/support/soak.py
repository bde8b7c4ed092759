"""What is run at a tenth of its size, and whole with ``--soak`` (`make soak`)."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from scipy.stats import binom

VARIABLE = "DENIABLE_SOAK"
"""The variable that is set with ``--soak``, before tests are collected."""
CHANCE = 1e-3
"""Chance at most that a correct interval covers fewer samples than `least_covered` says."""


def soaking() -> bool:
    """Return whether everything is run at its whole size."""
    return VARIABLE in os.environ


def part_of(whole: int, least: int = 1) -> int:
    """Return a tenth of a size, or all of it with ``--soak``."""
    return whole if soaking() else max(least, whole // 10)


def some_of(cases: Iterable[Any], kept: Container[Any]) -> list[Any]:
    """Return the cases of one or several parameters: those that are not kept are run with ``--soak`` only."""
    return [case if case in kept else _soaked(case) for case in cases]


def _soaked(case: object) -> ParameterSet:
    return pytest.param(*(case if type(case) is tuple else (case,)), marks=pytest.mark.soak)


def likely(samples: int, share: float = 0.95) -> tuple[int, int]:
    """Return how often something of this chance happens at least and at most, but for `CHANCE` each."""
    return int(binom.ppf(CHANCE, samples, share)), int(binom.isf(CHANCE, samples, share))


def least_covered(samples: int, confidence: float = 0.95) -> float:
    """Return the share of samples that intervals cover at least, but for `CHANCE`."""
    return float(binom.ppf(CHANCE, samples, confidence)) / samples
