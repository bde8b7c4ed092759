"""Frequencies beside other packages: ours are those that are published, and the comparison's arithmetic is right."""

from __future__ import annotations

from itertools import product
from math import exp, expm1, log, log1p
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.data.trusted import TABLES
from benchmarks.local_privacy.frequencies import AIMS
from benchmarks.local_privacy.frequency_errors import Cell, design, estimated, frequency
from benchmarks.local_privacy.frequency_formulas import OURS, foretold, foretold_pairs, moments, told_of_everything
from collector.disclosure.accounting import epsilon_of, person_ratio
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.estimates.estimate import estimate
from miner.responses.condition import event_of
from miner.responses.responses import Values
from miner.simulation.simulation import simulate
from split_surveys import HEAD, question

TWO = 2
SIZES = {"a": 2, "b": 12, "c": 3, "d": 5}


@pytest.fixture(scope="module")
def table() -> Survey:
    return parse_survey(HEAD + "".join(question(name, size, None) for name, size in SIZES.items()))


@pytest.fixture(scope="module")
def values() -> Values:
    rng = np.random.default_rng(1)
    return np.column_stack([rng.integers(size, size=500) for size in SIZES.values()]).astype(np.int16)


@pytest.mark.parametrize("epsilon", ["1", "3", "8", "20"])
@pytest.mark.parametrize("aim", AIMS)
def test_ours_are_the_published_estimates_of_what_a_survey_file_publishes(
    table: Survey, values: Values, aim: str, epsilon: str
) -> None:
    survey = design(table, epsilon, aim)
    assert epsilon_of(person_ratio(survey)) <= float(epsilon)
    sent = simulate(survey, values, np.random.default_rng(2))
    tables: list[tuple[str, ...]] = [("b",), ("d",)] if aim == "shares" else [("a", "b"), ("c", "d"), ("b",)]
    for names, found in zip(tables, estimated(sent, tables), strict=True):
        for cell in product(*(range(SIZES[name]) for name in names)):
            event = event_of(survey, {name: frozenset({value}) for name, value in zip(names, cell, strict=True)})
            assert found[cell] == pytest.approx(estimate(sent, event).estimate, abs=1e-12)


def test_a_table_that_nobody_was_asked_is_estimated_as_0(table: Survey, values: Values) -> None:
    survey = design(table, "1", "shares")
    sent = simulate(survey, values[:1], np.random.default_rng(2))
    assert survey.sampling is not None
    assert survey.sampling.ask == 1
    assert sum(found.any() for found in estimated(sent, [(name,) for name in SIZES])) == 1


def test_a_frequency_is_that_of_the_table(values: Values) -> None:
    found = frequency(values, list(SIZES.values()), (0, 2))
    table = pd.crosstab(values[:, 0], values[:, 2], normalize=True).to_numpy()
    assert found == pytest.approx(table)


@pytest.mark.parametrize("kinds", [2, 5, 20])
@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_every_mechanism_of_smp_keeps_its_epsilon(kinds: int, epsilon: float) -> None:
    """Of randomized response, subset selection and hashing a report's ratio follows from what supports a value."""
    found = moments(kinds, epsilon)
    for name, (kept, stray) in found.items():
        assert 0 < stray < kept < 1, name
    kept, stray = found["SMP GRR"]
    assert log(kept / stray) == pytest.approx(epsilon)
    assert kept + (kinds - 1) * stray == pytest.approx(1)
    size = max(1, round(kinds / (exp(epsilon) + 1)))
    kept, stray = found["SMP SS"]
    assert kept + (kinds - 1) * stray == pytest.approx(size)
    assert log(kept / (1 - kept) * (kinds - size) / size) == pytest.approx(epsilon)
    for name in ("SMP SUE", "SMP OUE"):
        kept, stray = found[name]
        assert log(kept * (1 - stray) / stray / (1 - kept)) == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_made_up_answers_beside_a_true_one_do_not_amplify_between_people_who_differ_in_all(epsilon: float) -> None:
    """RS+FD over every response of a small table: one question, drawn, by randomized response, the others made up."""
    sizes, own = (2, 3, 4), log(3 * expm1(epsilon) + 1)

    def chance(sent: tuple[int, ...], truth: tuple[int, ...]) -> float:
        whole = float(np.prod([1 / size for size in sizes]))
        odds = [exp(own) if one == other else 1.0 for one, other in zip(sent, truth, strict=True)]
        told = [each / (exp(own) + size - 1) * size for each, size in zip(odds, sizes, strict=True)]
        return whole * sum(told) / 3

    every = list(product(*(range(size) for size in sizes)))
    ratios = {
        (one, other): max(chance(sent, one) / chance(sent, other) for sent in every)
        for one, other in product(every, repeat=2)
    }
    assert log(max(ratios.values())) == pytest.approx(told_of_everything(epsilon, 3))
    alike = [
        ratio for (one, other), ratio in ratios.items() if sum(a != b for a, b in zip(one, other, strict=True)) < 2
    ]
    assert log(max(alike)) < told_of_everything(epsilon, 3)
    assert told_of_everything(log1p(expm1(epsilon) / 3), 3) == pytest.approx(
        epsilon
    )  # what it is given to keep the same


def test_at_a_tight_epsilon_ours_is_smp_and_at_a_generous_one_better(datasets: Path) -> None:
    assert datasets.is_dir()
    assert set(TABLES) >= {"votes"}
    tight, generous = foretold(Cell("votes", "shares", "1")), foretold(Cell("votes", "shares", "8"))
    assert tight[OURS] == pytest.approx(tight["SMP GRR"], rel=0.001)
    assert generous[OURS] < min(figure for name, figure in generous.items() if name != OURS) / 3


def test_for_pairs_subset_selection_is_the_packages_best_at_a_tight_epsilon(datasets: Path) -> None:
    assert datasets.is_dir()
    tight = foretold_pairs(Cell("votes", "pairs", "1"))
    assert OURS not in tight
    assert min(tight.values()) == tight["SMP SS"]


@pytest.mark.parametrize("epsilon", ["1", "2", "4", "8"])
@pytest.mark.parametrize("data", ["votes", "nursery"])
def test_by_formula_no_mechanism_is_more_precise_than_ours(datasets: Path, data: str, epsilon: str) -> None:
    """But for theta, a fraction just below what the epsilon allows."""
    assert datasets.is_dir()
    found = foretold(Cell(data, "shares", epsilon))
    assert found[OURS] <= min(found.values()) * (1 + 1e-6)
