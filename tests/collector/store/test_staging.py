"""Rows from elsewhere: all of them or none, and others write until the moment they are moved in."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from fcntl import LOCK_EX, LOCK_NB, flock
from fractions import Fraction
from pathlib import Path

import pytest

from collector.database import connections as connections_module
from collector.database.batch import FIRST, batch_from
from collector.database.connections import Connections
from collector.database.sqlite import Database
from collector.errors import ResponseError, StoreError
from collector.ledger.budget import Charge, Cost
from collector.ledger.ledger import DataSet, Ledger
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Survey
from store_rows import OTHER, ROW, bring_in

WRITES = ("INSERT", "UPDATE", "DELETE", "COMMIT", "VACUUM", "CREATE", "PRAGMA WAL_CHECKPOINT", "PRAGMA JOURNAL_MODE")


def watch(monkeypatch: pytest.MonkeyPatch, see: Callable[[str], None]) -> None:
    """Have every statement of connections that are opened from now on seen before it runs."""
    opened = Connections._open  # noqa: SLF001 - statements do not show from outside

    def watched(self: Connections) -> Database:
        database = opened(self)
        database.conn.set_trace_callback(see)
        return database

    monkeypatch.setattr(Connections, "_open", watched)


def test_rows_are_moved_in_by_one_statement_and_others_write_until_then(
    path: Path, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    outcomes: list[Outcome] = []

    def see(statement: str) -> None:
        seen.append(statement)
        if statement.startswith("INSERT INTO staged") and not outcomes:
            outcomes.append(Outcome.CLOSED)
            outcomes[0] = sender.receive(wellbeing, Sent(OTHER, None))

    Store(path, create=True).close()
    sender = Store(path)
    sender.publish(wellbeing)
    watch(monkeypatch, see)
    with sender, Store(path) as store:
        assert store.add(wellbeing, [ROW] * 500) == 500
        assert outcomes == [Outcome.STORED], "somebody sent while the rows were waiting"
        begun = seen.index("BEGIN IMMEDIATE")
        assert len(seen[begun : seen.index("COMMIT", begun)]) == 2, "to begin, and to insert"
        assert store.count(wellbeing) == 501


def test_a_file_is_moved_in_with_its_digest_and_others_write_until_then(
    path: Path, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    outcomes: list[Outcome] = []

    def see(statement: str) -> None:
        seen.append(statement)
        if statement.startswith("INSERT INTO staged") and not outcomes:
            outcomes.append(Outcome.CLOSED)
            outcomes[0] = sender.receive(wellbeing, Sent(OTHER, None))

    Store(path, create=True).close()
    sender = Store(path)
    sender.publish(wellbeing)
    watch(monkeypatch, see)
    with sender, Store(path) as store:
        published = store.published("wellbeing")
        assert bring_in(store, published, [ROW] * 500) == 500
        assert outcomes == [Outcome.STORED], "somebody sent while the rows were waiting"
        begun = seen.index("BEGIN IMMEDIATE")
        locked = seen[begun : seen.index("COMMIT", begun)]
        assert [each.split()[0] for each in locked].count("INSERT") == 2, "the digest and the rows"
        assert len(locked) <= 6, "whatever the number of rows"
        batch = batch_from(wellbeing, [OTHER, OTHER])
        batch[len(OTHER)] = 9 + FIRST  # no code of the question
        with pytest.raises(ResponseError, match="response number 2"):
            store.imports.bring_in(published, batch)
        assert sum(store.imports.counts(published).values()) == 500, "nor is its digest kept"
        assert store.count(wellbeing) == 501


@pytest.mark.parametrize(
    "wrong", [(9, 0, 0, 0, 0, 0), (0, 0), ("x", 0, 0, 0, 0, 0), (None,) * 6, (2**70, 0, 0, 0, 0, 0)]
)
def test_one_row_that_does_not_fit_keeps_all_of_them_out(
    wrong: tuple[int, ...], store: Store, wellbeing: Survey
) -> None:
    with pytest.raises(ResponseError, match="response number 3: "):
        store.add(wellbeing, [ROW, ROW, wrong, ROW])
    assert store.count(wellbeing) == 0
    assert store.add(wellbeing, [ROW, OTHER]) == 2
    assert sorted(store.rows(wellbeing)) == [ROW, OTHER]


def test_every_commit_and_every_checkpoint_has_its_turn(
    path: Path, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What SQLite before 3.51.3 does wrong needs a checkpoint and a commit at once (collector.database.write_turns)."""
    out_of_turn: list[str] = []

    def see(statement: str) -> None:
        if statement.lstrip().upper().startswith(WRITES) and "staged" not in statement:
            descriptor = os.open(path.parent, os.O_RDONLY)
            try:
                flock(descriptor, LOCK_EX | LOCK_NB)
                out_of_turn.append(statement)
            except BlockingIOError:
                pass
            finally:
                os.close(descriptor)

    watch(monkeypatch, see)
    with Store(path, create=True) as store:
        store.publish(wellbeing)
        store.receive(wellbeing, Sent(ROW, b"r" * 32))
        store.receive(wellbeing, Sent(ROW, b"r" * 32))
        store.withdraw(wellbeing, b"r" * 32)
        store.invite("wellbeing", 2)
        store.close_survey("wellbeing")
        store.open_survey("wellbeing")
        store.registry.wait(wellbeing.fingerprint)
        store.close_survey("wellbeing", for_good=True)
    with Ledger(path) as ledger:
        ledger.open(DataSet("patients", Cost(Fraction(1), Fraction(0)), "add/remove", 1))
        ledger.charge("patients", b"d" * 32, Charge("a tree", Cost(Fraction(1, 2), Fraction(0))))
    assert out_of_turn == []
    with Store(path) as store, store._connections.reading() as database:  # noqa: SLF001 - as no program of ours does
        database.conn.execute("DELETE FROM waits")
    assert out_of_turn == ["DELETE FROM waits"]


def test_a_sqlite_that_is_too_old_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections_module, "OLDEST_SQLITE", (99, 0, 0))
    line = f"SQLite {sqlite3.sqlite_version}: it is older than 99.0.0, which stores need; run a Python that has a newer"
    with pytest.raises(StoreError, match=line):
        Store(path, create=True)
