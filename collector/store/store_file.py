"""The store's file: made once, readable by its owner only, and known by its header to be one of ours."""

from __future__ import annotations

import os
from pathlib import Path

from collector.database.connections import Connections
from collector.errors import StoreError
from collector.store.invitation import create_pepper
from collector.store.migrations import FORMAT, migrate
from collector.store.schema import TABLES_SQL

APPLICATION = 0x44454E49  # "DENI" in the file's header: this SQLite file is one of ours
TESTS = 0x44454E54  # "DENT": its responses are tests
BACKUP = 0x44454E42  # "DENB": it is a backup


def create_file(path: Path) -> None:
    """Make the file if there is none.

    Raises:
        StoreError: If it cannot be made or written.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(
            str(path), f"it cannot be made or written ({error.strerror})", "check the path and its permissions"
        ) from None


def check_format(path: Path, connections: Connections, *, create: bool, tests: bool) -> bool:
    """Make sure that the file is a store, and bring it to the present format.

    Args:
        path: Of the file.
        connections: To it.
        create: Make its tables if it is empty.
        tests: Whether it has to be a store of test responses.

    Returns:
        Whether it is a store of test responses.

    Raises:
        StoreError: If it is not, or its pepper cannot be made.
    """
    with connections.reading() as database:
        empty = not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if create and empty:
        _create_tables(path, connections, TESTS if tests else APPLICATION)
    with connections.reading() as database:
        application = database.execute("PRAGMA application_id").fetchone()[0]
    if application == BACKUP:
        raise StoreError(str(path), "it is a backup of a store", "make a store of it first (collector restore)")
    if application not in {APPLICATION, TESTS}:
        raise StoreError(str(path), "it is not a store of this project", "give the path of a store")
    if tests and application != TESTS:
        remedy = "give test responses a store of their own, in a file that is not there yet"
        raise StoreError(str(path), "it is a store of responses that are no tests", remedy)
    migrate(path, connections)
    return bool(application == TESTS)


def _create_tables(path: Path, connections: Connections, application: int) -> None:
    try:
        create_pepper(path)
    except OSError as error:
        raise StoreError(
            str(path), f"its pepper cannot be made ({error.strerror})", "check the folder's permissions"
        ) from None
    with connections.storing() as database:
        database.execute("PRAGMA journal_mode = WAL")
    with connections.writing() as database:
        if not database["surveys"].exists():  # another process may have been faster
            for sql in TABLES_SQL:
                database.execute(sql)
            database.execute(f"PRAGMA application_id = {application}")
            database.execute(f"PRAGMA user_version = {FORMAT}")
