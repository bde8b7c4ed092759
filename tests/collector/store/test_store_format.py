"""The format of stores: a released one is read, and another one or a store that lacks a table is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from collector.errors import StoreError
from collector.ledger.ledger import Ledger
from collector.maintenance.audit_store import audit_store
from collector.store.store import Outcome, Store
from collector.store.store_format import TABLES
from released_stores import ROWS, SENT, WITHDRAWN, released_store
from store_rows import take_back


def test_a_store_of_version_0_1_0_is_opened_and_read(path: Path) -> None:
    with Store(released_store(1, path)) as store:
        published = store.published("wellbeing")
        survey = published.survey
        assert store.count(survey) == len(ROWS)
        assert sorted(store.rows(survey)) == sorted(ROWS)
        assert store.receive(survey, SENT) is Outcome.REPEATED
        assert store.receive(survey, WITHDRAWN) is Outcome.DELETED
        assert store.withdraw(survey, SENT.receipt or b"") is Outcome.WITHDRAWN
        assert store.invitations("wellbeing").issued == 2
        assert [run.result for run in store.registry.runs(published.fingerprint)] == ["promoted"]
        assert store.registry.waits(published.fingerprint) == 1
        assert take_back(store, published, ROWS[:3]) == 3
        store.tidy()
    with Ledger(path) as ledger:
        (account,) = ledger.accounts()
        assert (account.data_set.name, len(account.entries)) == ("patients", 1)
    checks = audit_store(path).checks
    assert [check for check in checks if not check.green] == [], "a change of the tables needs another format"


def refused(path: Path) -> str:
    with pytest.raises(StoreError) as raised:
        Store(path)
    return str(raised.value).removeprefix(f"{path}: ")


def execute(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


@pytest.mark.parametrize("number", [0, 99])
def test_a_store_of_another_format_is_refused(number: int, store: Store, path: Path) -> None:
    store.close()
    execute(path, f"PRAGMA user_version = {number}")
    assert f"(format {number})" in refused(path)


@pytest.mark.parametrize("table", TABLES)
def test_a_store_that_lacks_a_table_is_refused(table: str, store: Store, path: Path) -> None:
    store.close()
    execute(path, f"DROP TABLE {table}")
    assert f"the table {table};" in refused(path)
