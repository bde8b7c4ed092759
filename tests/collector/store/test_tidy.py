"""Tidying and closing for good: what was erased is nowhere on the disk, or the command says so and fails."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Semaphore, Thread

import pytest
from click.testing import CliRunner

from collector.cli import main
from collector.database import connections as connections_module
from collector.database.batch import batch_from
from collector.store.store import Sent, Store
from collector.survey.survey import Survey
from collector.table.table import write_table
from store_rows import ROW, query

KEPT = (
    "a program that reads it keeps the write-ahead log, where what was erased can still be read; "
    "close the other program, then run collector tidy\n"
)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections_module, "LOG_SECONDS", 0.3)


@pytest.fixture
def hashes(store: Store, wellbeing: Survey, path: Path) -> list[bytes]:
    """Those of the receipts of some responses."""
    for _ in range(20):
        store.receive(wellbeing, Sent(ROW, secrets.token_bytes(32)))
    return [row[0] for row in query(path, "SELECT _receipt FROM responses_wellbeing_1")]  # type: ignore[misc]


@contextmanager
def reader(path: Path) -> Iterator[sqlite3.Connection]:
    """Another program in the middle of reading."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM surveys").fetchone()
        yield connection


def on_disk(path: Path, hashes: list[bytes]) -> int:
    """How many of the hashes are in the files."""
    held = b"".join(each.read_bytes() for each in path.parent.glob("deniable.db*"))
    return sum(each in held for each in hashes)


@pytest.mark.parametrize("command", [["tidy"], ["close", "wellbeing", "--for-good"]], ids=lambda each: each[0])
def test_what_a_reader_keeps_from_being_erased_is_told(command: list[str], path: Path, hashes: list[bytes]) -> None:
    with reader(path):
        result = CliRunner().invoke(main, [*command, "--store", str(path)])
        assert (result.exit_code, result.stderr) == (2, f"{path}: {KEPT}")
        assert on_disk(path, hashes) == len(hashes)


def test_closing_for_good_waits_for_a_reader(
    path: Path, hashes: list[bytes], monkeypatch: pytest.MonkeyPatch, store: Store, wellbeing: Survey
) -> None:
    monkeypatch.setattr(connections_module, "LOG_SECONDS", 600)
    kept = Semaphore(0)
    monkeypatch.setattr(connections_module, "sleep", lambda _: kept.release())
    with reader(path) as connection:
        connection.execute("SELECT 1")
        result = []
        arguments = ["close", "wellbeing", "--for-good", "--store", str(path)]
        closing_it = Thread(target=lambda: result.append(CliRunner().invoke(main, arguments)))
        closing_it.start()
        for _ in range(3):
            assert kept.acquire(timeout=60), "it does not try again"
        assert closing_it.is_alive()
        assert store.add(wellbeing, [ROW]) == 1, "others write meanwhile"
    closing_it.join()
    assert result[0].exit_code == 0
    assert on_disk(path, hashes) == 0


def test_an_import_that_cannot_be_tidied_counts_and_says_so(
    path: Path, hashes: list[bytes], store: Store, wellbeing: Survey, tmp_path: Path
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("".join(write_table(wellbeing, [batch_from(wellbeing, [ROW] * 3)], "csv")), encoding="utf-8")
    with reader(path):
        result = CliRunner().invoke(main, ["import", "wellbeing", str(table), "--store", str(path)])
    assert (result.exit_code, result.stderr) == (0, f"{path}: {KEPT}")
    assert f"3 responses imported, {len(hashes) + 3} " in result.stdout
    assert store.count(wellbeing) == len(hashes) + 3
