"""``miner compare``: accuracy against epsilon, between the majority and what is not private."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from collector.errors import QueryError
from collector.survey_file.survey_file import parse_survey
from miner.cli import main
from miner.release.compare import CEILINGS, MAJORITY, WARNING, MethodComparison, cell_of, compare
from miner.release.cross_validated import cross_validated, folds, majority
from miner.release.table import TrustedTable

HEAD = 'name = "pairs"\ntitle = "Pairs"\nlanguages = ["en"]\n[mining]\ntarget = "ill"\n'
QUESTION = '[[questions]]\nname = "{0}"\nlabel = "{0}?"\nkind = "yes_no"\nsensitive = false\n'
SURVEY = HEAD + "".join(QUESTION.format(name) for name in ("old", "poor", "tall", "ill"))


@pytest.fixture(scope="module")
def table() -> TrustedTable:
    """Rows whose class two questions decide, but for one in ten."""
    dice = np.random.default_rng(0)
    rows = dice.integers(0, 2, (600, 4)).astype(np.int16)
    rows[:, 3] = (rows[:, 0] & rows[:, 1]) ^ (dice.random(600) < 0.1)
    return TrustedTable.of(parse_survey(SURVEY), rows)


@pytest.fixture(scope="module")
def found(table: TrustedTable) -> MethodComparison:
    """A small comparison."""
    epsilons = [Fraction(1, 20), Fraction(4)]
    return compare(table, ["private-rdt", "dpdf"], epsilons, np.random.default_rng(1), parts=5)


def test_every_method_has_a_cell_for_each_epsilon_and_the_bounds_come_last(found: MethodComparison) -> None:
    asked = [(method, epsilon) for method in ("private-rdt", "dpdf") for epsilon in (Fraction(1, 20), Fraction(4))]
    assert [(cell.method, cell.epsilon) for cell in found.cells] == [
        *asked,
        *((name, None) for name in (*CEILINGS, MAJORITY)),
    ]


def test_much_noise_costs_accuracy_and_nothing_beats_the_ceiling_by_much(found: MethodComparison) -> None:
    by_name = {(cell.method, cell.epsilon): cell.accuracy for cell in found.cells}
    ceiling = max(by_name[name, None] for name in CEILINGS)
    assert ceiling > 0.85 > by_name[MAJORITY, None]
    assert by_name["dpdf", Fraction(4)] > by_name["dpdf", Fraction(1, 20)]
    assert max(by_name.values()) <= ceiling + 0.02


def test_the_majority_is_right_as_often_as_it_is_there(table: TrustedTable) -> None:
    share = np.bincount(table.labels).max() / len(table)
    accuracies = cross_validated(table, majority, 10, np.random.default_rng(0))
    assert np.mean(accuracies) == pytest.approx(share)


def test_folds_differ_by_one_row_at_most() -> None:
    sizes = np.bincount(folds(103, 10, np.random.default_rng(0)))
    assert sorted(sizes) == [10] * 7 + [11] * 3


def test_the_same_seed_gives_the_same_comparison(table: TrustedTable) -> None:
    one, two = (compare(table, ["dpdf"], [Fraction(1)], np.random.default_rng(7), parts=3) for _ in range(2))
    assert one == two


def test_one_deal_has_the_error_of_its_folds_and_several_that_of_their_means() -> None:
    assert cell_of("x", None, [[0.5, 0.7]]).standard_error == pytest.approx(0.1)
    assert cell_of("x", None, [[0.5, 0.7], [0.7, 0.9]]).standard_error == pytest.approx(0.1)
    assert cell_of("x", None, [[0.5, 0.7], [0.7, 0.9]]).accuracy == pytest.approx(0.7)


def test_bad_choices_are_refused(table: TrustedTable) -> None:
    with pytest.raises(QueryError, match="the method does not exist"):
        compare(table, ["magic"], [Fraction(1)], np.random.default_rng(0))
    with pytest.raises(QueryError, match="epsilon"):
        compare(table, ["dpdf"], [Fraction(0)], np.random.default_rng(0))
    with pytest.raises(QueryError, match="two folds"):
        compare(table, ["dpdf"], [Fraction(1)], np.random.default_rng(0), parts=601)


def run(folder: Path, table: TrustedTable, *arguments: str) -> Result:
    survey, data = folder / "pairs.toml", folder / "pairs.csv"
    survey.write_text(SURVEY, encoding="utf-8")
    with data.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["old", "poor", "tall", "ill"])
        writer.writerows([["yes" if value == 0 else "no" for value in row] for row in table.values.tolist()])
    return CliRunner().invoke(main, ["compare", str(data), "--survey", str(survey), *arguments])


def test_the_command_writes_the_curve_and_warns(tmp_path: Path, table: TrustedTable) -> None:
    cells, plot = tmp_path / "cells.csv", tmp_path / "curve.svg"
    chosen = ["--methods", "dpdf, k-anon-rdt", "--epsilon", "0.5,2", "--delta", "0.001", "--folds", "3", "--seed", "1"]
    result = run(tmp_path, table, *chosen, "-o", str(cells), "--plot", str(plot))
    assert result.exit_code == 0, result.stderr
    assert WARNING in result.stdout
    assert len(cells.read_text(encoding="utf-8").splitlines()) == 1 + 4 + 3
    assert plot.read_text(encoding="utf-8").startswith("<svg")
    told = json.loads(run(tmp_path, table, *chosen, "--json").stdout)
    assert told["warning"] == WARNING
    assert told["cells"][0]["epsilon"] == "1/2"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--methods", "magic"], "the method does not exist"),
        (["--epsilon", "0"], "epsilon"),
        (["--epsilon", "much"], "--epsilon: the value is not a number"),
        (["--target", "x"], "there is no question"),
    ],
)
def test_the_command_refuses_in_one_line(tmp_path: Path, table: TrustedTable, arguments: list[str], told: str) -> None:
    result = run(tmp_path, table, *arguments)
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
