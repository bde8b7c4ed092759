"""The ledger charges before data are used, for good, whatever is cloned, copied, killed or run at once."""

from __future__ import annotations

import copy
import pickle
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from benchmarks.releasing.ledger import storm
from collector.errors import BudgetError, StoreError
from collector.ledger.budget import Charge, Cost, DataSet
from collector.ledger.ledger import Ledger, Purse
from collector.maintenance.audit_store import audit_store
from collector.store.store import Store
from soak import part_of

COLUMNS: tuple[str, ...] = ("age", "income")
ROWS: list[tuple[str, ...]] = [("young", "low"), ("old", "high"), ("old", "high"), ("young", "high")]
TREE = Charge("a tree", Cost(Fraction(1, 2)))
PEOPLE = DataSet("people", Cost(Fraction(2)))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger with one data set."""
    with Ledger(tmp_path / "deniable.db", create=True) as each:
        each.open(PEOPLE)
        yield each


def test_charges_are_kept_in_order_with_their_number(ledger: Ledger) -> None:
    digest = ledger.digest(COLUMNS, ROWS)
    entries = [ledger.charge("people", digest, TREE) for _ in range(2)]
    assert [each.number for each in entries] == [1, 2]
    account = ledger.account("people")
    assert [each.charge.cost for each in account.entries] == [TREE.cost, TREE.cost]
    assert account.spent == Cost(Fraction(1))
    assert account.left == Cost(Fraction(1))


def test_a_spent_budget_refuses_and_charges_nothing(ledger: Ledger) -> None:
    digest = ledger.digest(COLUMNS, ROWS)
    for _ in range(4):
        ledger.charge("people", digest, TREE)
    with pytest.raises(BudgetError) as refused:
        ledger.charge("people", digest, TREE)
    spent = "this would bring what is spent to epsilon 2.5, of a budget of epsilon 2"
    assert str(refused.value) == f'data set "people": {spent}; {refused.value.remedy}'
    assert "epsilon 0 is left" in refused.value.remedy
    assert len(ledger.account("people").entries) == 4


def test_three_tenths_fit_three_times_into_nine_tenths(ledger: Ledger) -> None:
    ledger.open(DataSet("tenths", Cost(Fraction("0.3"))))  # in floats .1 + .1 + .1 is above .3
    for _ in range(3):
        ledger.charge("tenths", b"t" * 32, Charge("a tree", Cost(Fraction("0.1"))))
    assert ledger.account("tenths").left == Cost(Fraction(0))


def test_a_data_set_without_a_budget_is_refused(ledger: Ledger) -> None:
    with pytest.raises(BudgetError, match='data set "others": the data set has no budget'):
        ledger.charge("others", b"o" * 32, TREE)
    with pytest.raises(BudgetError, match="or use one of: people"):
        ledger.account("others")


def test_a_store_without_trusted_data_has_no_ledger_and_says_so(tmp_path: Path) -> None:
    with Ledger(tmp_path / "deniable.db", create=True) as ledger:
        assert ledger.accounts() == []
        with pytest.raises(BudgetError, match="has no budget"):
            ledger.charge("people", b"x" * 32, TREE)
    assert audit_store(tmp_path / "deniable.db").green


def test_a_missing_store_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="the file does not exist"):
        Ledger(tmp_path / "none.db")


def test_a_budget_is_set_once_and_for_good(ledger: Ledger) -> None:
    ledger.open(PEOPLE)
    with pytest.raises(BudgetError, match="it has another budget: epsilon 2, "):
        ledger.open(DataSet("people", Cost(Fraction(3))))


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        (COLUMNS, ROWS[::-1]),
        (COLUMNS[::-1], [row[::-1] for row in ROWS]),
        (COLUMNS, [(f" {age}", f"{income} ") for age, income in ROWS]),
    ],
    ids=["rows in another order", "columns in another order", "spaces around cells"],
)
def test_a_copy_gets_no_second_budget_under_another_name(
    ledger: Ledger, columns: tuple[str, ...], rows: list[tuple[str, ...]]
) -> None:
    ledger.charge("people", ledger.digest(COLUMNS, ROWS), TREE)
    ledger.open(DataSet("others", Cost(Fraction(2))))
    with pytest.raises(BudgetError, match='data set "others": this table belongs to "people"'):
        ledger.charge("others", ledger.digest(columns, rows), TREE)
    assert ledger.account("others").entries == ()


def test_a_table_that_grows_keeps_its_budget(ledger: Ledger) -> None:
    ledger.charge("people", ledger.digest(COLUMNS, ROWS), TREE)
    ledger.charge("people", ledger.digest(COLUMNS, [*ROWS, ("old", "low")]), TREE)
    assert ledger.account("people").spent == Cost(Fraction(1))


def test_tables_that_differ_in_anything_have_different_digests(ledger: Ledger) -> None:
    tables: list[tuple[tuple[str, ...], list[tuple[str, ...]]]] = [
        (COLUMNS, ROWS),
        (COLUMNS, ROWS[:-1]),
        (COLUMNS, [*ROWS, ROWS[0]]),
        (("age", "wealth"), ROWS),
        (COLUMNS, [(income, age) for age, income in ROWS]),
        (("a\x1fb",), [("x\x1fy",)]),
        (("a", "b"), [("x", "y")]),
        ((), []),
    ]
    assert len({ledger.digest(*table) for table in tables}) == len(tables)


def test_without_the_pepper_a_guess_at_the_table_cannot_be_tested(ledger: Ledger, tmp_path: Path) -> None:
    with Ledger(tmp_path / "other.db", create=True) as other:
        assert ledger.digest(COLUMNS, ROWS) != other.digest(COLUMNS, ROWS)


def test_cohorts_are_charged_in_parallel(ledger: Ledger) -> None:
    for cohort in ("north", "south", "east"):
        Purse(ledger, "people", cohort.encode().ljust(32), cohort).charge("a batch", Fraction(2))
    assert ledger.account("people").spent == Cost(Fraction(2))
    with pytest.raises(BudgetError, match="epsilon 0 is left"):
        Purse(ledger, "people", b"all".ljust(32)).charge("all of them", Fraction(1, 100))


@pytest.mark.parametrize(
    ("columns", "rows"),
    [(COLUMNS, ROWS), (COLUMNS, ROWS[::-1]), (COLUMNS[::-1], [row[::-1] for row in ROWS])],
    ids=["the same file", "rows in another order", "columns in another order"],
)
def test_the_same_rows_are_no_second_cohort(
    ledger: Ledger, columns: tuple[str, ...], rows: list[tuple[str, ...]]
) -> None:
    north = Purse(ledger, "people", ledger.digest(COLUMNS, ROWS), "north")
    north.charge("a batch", Fraction(1, 2))
    with pytest.raises(BudgetError) as refused:
        Purse(ledger, "people", ledger.digest(columns, rows), "south").charge("a batch", Fraction(1, 2))
    assert refused.value.place == 'cohort "south"'
    assert 'cohort "north"' in refused.value.problem
    assert ledger.account("people").spent == Cost(Fraction(1, 2))


def test_the_same_rows_add_up_as_the_same_cohort_and_as_all_rows(ledger: Ledger) -> None:
    digest = ledger.digest(COLUMNS, ROWS)
    for number, cohort in enumerate(("north", None, "north"), start=1):
        Purse(ledger, "people", digest, cohort).charge("a batch", Fraction(1, 2))
        assert ledger.account("people").spent == Cost(Fraction(number, 2))


def test_what_a_survey_reads_is_known_whatever_else_is_in_the_file(ledger: Ledger) -> None:
    read = ledger.digest(COLUMNS, ROWS)
    Purse(ledger, "people", b"a file".ljust(32), "north", read).charge("a batch", Fraction(1, 2))
    with pytest.raises(BudgetError, match='cohort "north"'):
        Purse(ledger, "people", b"another".ljust(32), "south", read).charge("a batch", Fraction(1, 2))
    ledger.open(DataSet("others", Cost(Fraction(2))))
    with pytest.raises(BudgetError, match='this table belongs to "people"'):
        Purse(ledger, "others", b"another".ljust(32), None, read).charge("a tree", Fraction(1, 2))


def test_what_has_no_guarantee_is_noted_whatever_is_left_and_no_number_counts_it(ledger: Ledger) -> None:
    purse = Purse(ledger, "people", ledger.digest(COLUMNS, ROWS))
    purse.charge("a tree", Fraction(2))
    purse.note("for study")
    account = ledger.account("people")
    assert (account.spent, account.unprotected) == (Cost(Fraction(2)), 1)
    told = account.as_json
    assert told["without_guarantee"] == 1
    entry = told["entries"][1]
    assert (entry["mechanism"], entry["add_remove"], entry["replace_one"]) == ("for study", None, None)
    with pytest.raises(BudgetError, match="has no budget"):
        Purse(ledger, "strangers", b"x" * 32).note("for study")


class Spender(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """An estimator that holds a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger


def test_clones_copies_and_pickles_are_the_same_ledger(ledger: Ledger) -> None:
    copies = [clone(Spender(ledger)).ledger, copy.deepcopy(ledger), pickle.loads(pickle.dumps(ledger))]  # noqa: S301 - our own bytes
    for number, each in enumerate(copies, start=1):
        assert each.charge("people", b"p" * 32, TREE).number == number
        each.close()
    assert ledger.account("people").spent == Cost(Fraction(3, 2))


@pytest.mark.parametrize("table", ["data_sets", "known_tables", "charges"])
@pytest.mark.parametrize("change", ["DELETE FROM {}", "UPDATE {} SET rowid = 7", "UPDATE {} SET data_set = 'x'"])
def test_nothing_in_the_ledger_is_changed_in_place(ledger: Ledger, table: str, change: str) -> None:
    ledger.charge("people", b"p" * 32, TREE)
    with closing(sqlite3.connect(ledger.path)) as connection, pytest.raises(sqlite3.Error):
        connection.execute(change.format(table))
    assert len(ledger.account("people").entries) == 1


def test_the_store_audit_knows_the_ledger(ledger: Ledger) -> None:
    ledger.charge("people", b"p" * 32, TREE)
    ledger.close()
    with Store(ledger.path) as store:
        store.tidy()
    audit = audit_store(ledger.path)
    assert [check.what for check in audit.checks if not check.green] == []
    assert "NOT KNOWN TO THIS PROJECT" not in {column.holds for column in audit.columns}


@pytest.mark.statistical
def test_twenty_processes_killed_at_random_never_under_count(tmp_path: Path) -> None:
    """When processes are killed is up to chance; a ledger that is right passes whenever they are."""
    found = storm(tmp_path, processes=20, seconds=part_of(5, least=2), dice=np.random.default_rng(5))
    assert found.killed >= 1
    assert found.acknowledged >= 1
    assert found.holds


def test_processes_at_once_spend_a_budget_to_the_last_charge_and_no_further(tmp_path: Path) -> None:
    found = storm(tmp_path, processes=4, seconds=60, dice=None, most=50)  # ends when all is spent
    assert (found.acknowledged, found.charged) == (50, 50)
