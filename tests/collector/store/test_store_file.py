"""The store's file, and every trouble with it: told in one line, with nothing made or changed by the way."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from collector.database import connections as connections_module
from collector.errors import StoreError
from collector.store.store import Store
from collector.survey.survey import Survey
from store_rows import ROW, query


def test_a_new_store_is_readable_by_its_owner_only(store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW])
    files = sorted(path.parent.iterdir())
    assert [each.name for each in files] == ["deniable.db", "deniable.db-shm", "deniable.db-wal", "deniable.db.pepper"]
    assert {each.stat().st_mode & 0o777 for each in files} == {0o600}


def test_closing_leaves_the_store_and_its_pepper(path: Path, wellbeing: Survey) -> None:
    with Store(path, create=True) as store:
        store.publish(wellbeing)
        store.add(wellbeing, [ROW])
    assert sorted(each.name for each in path.parent.iterdir()) == ["deniable.db", "deniable.db.pepper"]


def test_opening_a_store_to_create_it_keeps_what_is_there(store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW])
    with Store(path, create=True) as again:
        assert again.rows(wellbeing) == [ROW]


def refused(path: Path, *, create: bool = False) -> str:
    with pytest.raises(StoreError) as raised:
        Store(path, create=create)
    assert raised.value.place == str(path)
    return str(raised.value).removeprefix(f"{path}: ")


def test_a_file_that_is_not_there_is_told_and_not_made(path: Path) -> None:
    assert "no such file" in refused(path)
    assert not path.exists()


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path)
    assert "(Is a directory)" in refused(tmp_path, create=True)


def test_a_store_in_no_folder_is_told(tmp_path: Path) -> None:
    line = "it cannot be made or written (No such file or directory); check the path and its permissions"
    assert refused(tmp_path / "none" / "a.db", create=True) == line


@pytest.mark.parametrize("create", [False, True])
def test_a_file_that_is_no_database_is_told_and_left_alone(path: Path, *, create: bool) -> None:
    path.write_text("name = 'wellbeing'\n" * 100, encoding="utf-8")
    assert "not a SQLite file" in refused(path, create=create)
    assert path.read_text(encoding="utf-8").startswith("name")


@pytest.mark.parametrize("create", [False, True])
def test_somebody_elses_database_is_told_and_left_alone(path: Path, *, create: bool) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE surveys (a)")
    assert "not a store of Deniable" in refused(path, create=create)
    assert query(path, "SELECT name FROM sqlite_schema") == [("surveys",)]


def test_an_empty_file_is_no_store_until_it_is_to_be_made_one(path: Path) -> None:
    path.touch()
    assert "not a store of Deniable" in refused(path)
    Store(path, create=True).close()
    Store(path).close()


def test_a_store_whose_file_was_moved_away_is_not_made_anew(store: Store, path: Path) -> None:
    with store._connections.one():  # noqa: SLF001 - so that the next use needs a new connection
        for each in path.parent.iterdir():
            each.unlink()
        line = (
            "the file was removed or replaced after it was opened; "
            "stop the programs that use it, put the store in its place, and start them again"
        )
        assert trouble(store.surveys, path) == line
    assert not path.exists()


def trouble(act: Callable[[], object], path: Path) -> str:
    with pytest.raises(StoreError) as raised:
        act()
    return str(raised.value).removeprefix(f"{path}: ")


def test_a_locked_store_is_told_after_waiting(path: Path, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections_module, "BUSY_SECONDS", 0.05)
    with Store(path, create=True) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        store.publish(wellbeing)
        other.execute("BEGIN IMMEDIATE")
        line = "another program has locked it; close that program, or try again later"
        assert trouble(lambda: store.add(wellbeing, [ROW]), path) == line
        assert store.count(wellbeing) == 0, "readers are not kept waiting"
        other.execute("ROLLBACK")
        assert store.add(wellbeing, [ROW]) == 1


def test_a_full_disk_is_told_and_nothing_of_the_rows_is_stored(store: Store, wellbeing: Survey, path: Path) -> None:
    with store._connections.one() as database:  # noqa: SLF001 - the one connection there is, limited to its present size
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages}")
    line = "the disk is full; make room; nothing of this was stored"
    assert trouble(lambda: store.add(wellbeing, [ROW] * 2000), path) == line
    assert store.count(wellbeing) == 0
    assert store.add(wellbeing, [ROW]) == 1


LIMITED = """
import resource, signal, sys
from pathlib import Path
from collector.errors import StoreError
from collector.store.store import Store

path, many = Path(sys.argv[1]), 20_000
with Store(path) as store:
    survey = store.state("wellbeing").newest.survey
    row = tuple(each.codes[0] for each in survey.questions)
    largest = path.stat().st_size + path.with_name(path.name + "-wal").stat().st_size + 50_000
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, limits[1]))
    try:
        store.add(survey, [row] * many)
    except StoreError as error:
        print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    print(store.count(survey), store.add(survey, [row]))
"""


def test_a_write_that_a_quota_or_a_limit_refuses_is_told_as_such_and_nothing_is_stored(
    store: Store, wellbeing: Survey, path: Path
) -> None:
    """A limit on the size of files: SQLite gives one code for it and for a disk quota, which a test cannot set."""
    assert store.count(wellbeing) == 0
    command = [sys.executable, "-c", LIMITED, str(path)]
    told, counts = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()  # noqa: S603
    assert told.startswith(f"{path}: the disk takes no more: ")
    assert counts == "0 1"


def test_a_store_that_cannot_be_written_is_told(store: Store, wellbeing: Survey, path: Path) -> None:
    with store._connections.one() as database:  # noqa: SLF001 - root may write to any file, so permissions show nothing
        database.execute("PRAGMA query_only = ON")
    line = "it is read-only here; make the file and its folder writable"
    assert trouble(lambda: store.add(wellbeing, [ROW]), path) == line
    assert store.rows(wellbeing) == []


@pytest.mark.parametrize("kept", [2 * 4096, 20 * 4096])
def test_a_damaged_store_is_told(kept: int, store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW] * 5000)
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:kept] + b"\xff" * (len(whole) - kept))
    with Store(path) as damaged:
        assert "the file is damaged" in trouble(lambda: damaged.rows(wellbeing), path)


@pytest.mark.parametrize(
    ("sql", "line"),
    [
        (
            "UPDATE surveys SET design = replace(design, 'Student', 'Worker')",
            "its design does not have its fingerprint",
        ),
        ("UPDATE surveys SET design = '{'", "design: the design is not JSON"),
        ("UPDATE surveys SET name = 'other'", "its design does not have its fingerprint"),
        ("UPDATE surveys SET fingerprint = 'x'", "its design does not have its fingerprint"),
    ],
)
def test_a_design_that_was_changed_in_the_file_is_not_believed(sql: str, line: str, store: Store, path: Path) -> None:
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)
    with Store(path) as again, pytest.raises(StoreError) as raised:
        again.surveys()
    assert line in str(raised.value)
    assert "(collector restore)" in str(raised.value)
