"""``miner budget`` and ``miner ledger``."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from collector.ledger.budget import Charge, Cost, Unprotected
from collector.ledger.ledger import Ledger
from miner.cli import main


def run(store: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--store", str(store)])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store in which a data set has a budget, of which something was spent."""
    path = tmp_path / "deniable.db"
    assert run(path, "budget", "patients", "--epsilon", "2").exit_code == 0
    with Ledger(path) as ledger:
        ledger.charge("patients", b"p" * 32, Charge("a tree", Cost(Fraction("0.1"))))
        ledger.charge("patients", b"q" * 32, Charge("a batch", Cost(Fraction(1, 3)), cohort="north"))
    return path


def test_a_budget_is_set_and_told(tmp_path: Path) -> None:
    result = run(tmp_path / "new.db", "budget", "patients", "--epsilon", "1/3", "--delta", "1e-6", "--records", "2")
    assert result.exit_code == 0
    expected = "patients: budget epsilon 0.3334, delta 1e-06 (add/remove, up to 2 records a person); "
    assert result.stdout == f"{expected}epsilon 0 spent, epsilon 0.3333, delta 1e-06 left\n"


def test_the_ledger_shows_every_release_with_its_cost_under_both_relations(store: Path) -> None:
    lines = run(store, "ledger").stdout.splitlines()
    assert lines[0] == "patients: budget epsilon 2 (add/remove); epsilon 0.4334 spent, epsilon 1.566 left"
    assert lines[1].split() == ["entry", "of", "mechanism", "add/remove", "a", "record", "replace", "a", "record"]
    assert lines[2].split() == ["1", "whole", "a", "tree", "epsilon", "0.1", "epsilon", "0.2"]
    assert lines[3].split() == ["2", "north", "a", "batch", "epsilon", "0.3334", "epsilon", "0.6667"]


def test_the_ledger_says_plainly_what_no_number_counts(store: Path) -> None:
    with Ledger(store) as ledger:
        ledger.charge("patients", b"p" * 32, Unprotected("dpdf-published"))
    lines = run(store, "ledger").stdout.splitlines()
    assert lines[0].endswith("epsilon 1.566 left; besides, 1 without a guarantee")
    assert lines[4].split() == ["3", "whole", "dpdf-published", *["without", "a", "guarantee"] * 2]


def test_as_json_the_ledger_is_exact(store: Path) -> None:
    (account,) = json.loads(run(store, "ledger", "patients", "--json").stdout)["data_sets"]
    assert account["spent"] == {"epsilon": "13/30", "delta": "0"}
    assert account["left"] == {"epsilon": "47/30", "delta": "0"}
    assert account["entries"][1]["replace_one"] == {"epsilon": "2/3", "delta": "0"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["budget", "patients", "--epsilon", "3"], "it has another budget"),
        (["budget", "others", "--epsilon", "0"], "epsilon is not above 0"),
        (["budget", "others", "--epsilon", "much"], "--epsilon: the value is not a number"),
        (["budget", "Others", "--epsilon", "1"], "the name is not"),
        (["ledger", "others"], "the data set has no budget in this ledger"),
    ],
)
def test_bad_input_is_refused_in_one_line(store: Path, arguments: list[str], told: str) -> None:
    result = run(store, *arguments)
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_store_without_trusted_data_says_so(tmp_path: Path, store: Path) -> None:
    empty = tmp_path / "empty.db"
    Ledger(empty, create=True).close()
    assert "no data set" in run(empty, "ledger").stdout
    assert run(store.with_name("none.db"), "ledger").exit_code == 2
