"""Stores of every format there has been: brought to the present with all they hold, or refused with what to do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from collector.errors import StoreError
from collector.ledger.ledger import Ledger
from collector.maintenance.audit_store import audit_store
from collector.store import migrations
from collector.store.migrations import FORMAT, MIGRATIONS, OLDEST, TABLES
from collector.store.store import Outcome, Sent, Store
from old_stores import ROWS, STORES, old_store
from store_rows import query

SENT = Sent(ROWS[-1], b"r" * 32)
KEPT = ["format_2_before_the_register", "format_2", "format_3", "format_4", "format_5", "format_6", "format_7"]


@pytest.fixture(autouse=True)
def before_the_last_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stores are of the autumn of 2026, and their survey takes responses until June 2027."""
    monkeypatch.setattr("collector.survey.study.time", lambda: 1.79e9)


@pytest.mark.parametrize("name", KEPT)
def test_an_older_store_keeps_all_it_holds(name: str, path: Path) -> None:
    with Store(old_store(name, path)) as store:
        survey = store.published("wellbeing").survey
        assert sorted(store.rows(survey)) == sorted(ROWS)
        assert store.receive(survey, SENT) is Outcome.REPEATED
        assert store.withdraw(survey, SENT.receipt or b"") is Outcome.WITHDRAWN
        assert store.invitations("wellbeing").issued == 2
        store.registry.wait(survey.fingerprint)
        store.tidy()
    assert query(path, "PRAGMA user_version") == [(FORMAT,)]
    assert [check for check in audit_store(path).checks if not check.green] == []


def test_an_older_store_keeps_its_ledger_and_its_register(path: Path) -> None:
    with Ledger(old_store("format_2", path)) as ledger:
        (account,) = ledger.accounts()
        assert (account.data_set.name, len(account.entries)) == ("patients", 1)
    with Store(path) as store:
        assert [run.result for run in store.registry.runs(store.published("wellbeing").fingerprint)] == ["promoted"]


def test_a_store_from_before_simulated_responses_were_marked_knows_its_imports(path: Path) -> None:
    with Store(old_store("format_5", path)) as store:
        published = store.published("wellbeing")
        with pytest.raises(StoreError, match="were imported before"):
            store.imports.bring_in(published, ROWS[:3])
        assert store.imports.simulated(published) is None
        assert store.imports.take_back(published, ROWS[:3]) == 3
        assert store.rows(published.survey) == ROWS[3:]


@pytest.mark.parametrize("name", KEPT)
def test_an_older_store_gets_the_very_tables_of_a_new_one(name: str, path: Path, tmp_path: Path) -> None:
    Store(old_store(name, path)).close()
    Store(tmp_path / "new.db", create=True).close()
    for table in TABLES:
        columns = f"PRAGMA table_info({table})"
        assert query(path, columns) == query(tmp_path / "new.db", columns)


def refused(path: Path) -> str:
    with pytest.raises(StoreError) as raised:
        Store(path)
    return str(raised.value).removeprefix(f"{path}: ")


def test_the_first_format_is_told_and_left_alone(path: Path) -> None:
    before = query(old_store("format_1", path), "SELECT * FROM sqlite_schema")
    assert refused(path) == (
        "a version of this project before 0.1 made it (format 1); "
        "export its responses with that version, and import them into a new store"
    )
    assert query(path, "SELECT * FROM sqlite_schema") == before


def test_a_store_of_a_newer_version_is_told(store: Store, path: Path) -> None:
    store.close()
    execute(path, "PRAGMA user_version = 99")
    assert refused(path) == "a newer version of this project made it (format 99); use that version to read it"


def execute(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


@pytest.mark.parametrize("table", TABLES)
def test_a_store_that_lacks_a_table_of_its_format_is_told_so_at_opening(table: str, store: Store, path: Path) -> None:
    store.close()
    execute(path, f"DROP TABLE {table}")
    assert refused(path) == f"it lacks its table {table}; restore it from a backup (collector restore)"


def test_a_step_that_fails_leaves_the_store_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old_store("format_2_before_the_register", path)
    monkeypatch.setitem(MIGRATIONS, FORMAT + 1, ("CREATE TABLE more (a)", "nonsense"))
    monkeypatch.setattr(migrations, "FORMAT", FORMAT + 1)
    refused(path)
    assert query(path, "PRAGMA user_version") == [(2,)]
    assert query(path, "SELECT name FROM sqlite_schema WHERE name IN ('runs', 'more')") == []


def test_there_is_a_step_for_every_format_and_a_store_of_every_format() -> None:
    assert sorted(MIGRATIONS) == list(range(OLDEST + 1, FORMAT + 1))
    formats = {each.stem.split("_")[1] for each in STORES.glob("format_*.sql")}
    assert formats == {str(number) for number in range(1, FORMAT)}, "add one when the format's number changes"
