"""Connections to one SQLite file, for any number of threads, with SQLite's troubles told in words.

Write-ahead logging with full synchronisation: what a `Connections.writing` block has done when it ends survives a
crash and a power cut.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from collector.errors import ResponseError, StoreError
from collector.sqlite import Database

BUSY_SECONDS = 10.0
PRIMARY_CODE = 0xFF  # SQLite's extended error codes keep the primary one in their low byte
SETTINGS = ("synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY", "trusted_schema = OFF")
TROUBLE: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_BUSY: ("another program has locked it", "close that program, or try again later"),
    sqlite3.SQLITE_LOCKED: ("another program has locked it", "close that program, or try again later"),
    sqlite3.SQLITE_READONLY: ("it cannot be written", "make the file and its folder writable"),
    sqlite3.SQLITE_FULL: ("the disk is full", "make room; nothing of this was stored"),
    sqlite3.SQLITE_IOERR: ("the disk failed to read or write", "check the disk; nothing of this was stored"),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", "check the path and its permissions"),
    sqlite3.SQLITE_NOTADB: ("it is not a SQLite file", "give the path of a store"),
    sqlite3.SQLITE_CORRUPT: ("the file is damaged", "restore it from a copy"),
}
MISFITS = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, OverflowError)


class Connections:
    """Each use takes an idle connection, or opens another, and gives it back.

    Args:
        path: The SQLite file, which must be there.

    Raises:
        StoreError: From every method, where SQLite cannot do what was asked of it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._process = os.getpid()
        self._idle: list[Database] = []
        self._inherited: list[list[Database]] = []
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """A connection outside any transaction."""
        try:
            with self.one() as database:
                yield database
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & PRIMARY_CODE
            problem, remedy = TROUBLE.get(code, (f"SQLite gives error {code}", "check the file and the disk"))
            raise StoreError(str(self._path), problem, remedy) from None

    @contextmanager
    def snapshot(self) -> Iterator[Database]:
        """A connection that sees the file as it is now, whatever others write until the block ends."""
        with self.reading() as database:
            database.conn.execute("BEGIN")
            try:
                yield database
            finally:
                database.rollback()

    @contextmanager
    def writing(self) -> Iterator[Database]:
        """A connection inside a transaction that may write: kept when the block ends, undone when it raises."""
        with self.reading() as database:
            database.conn.execute("BEGIN IMMEDIATE")
            try:
                yield database
                database.conn.execute("COMMIT")
            except BaseException:
                database.rollback()
                raise

    @contextmanager
    def one(self) -> Iterator[Database]:
        """A connection whose errors are SQLite's own."""
        database = self._take()
        try:
            yield database
        finally:
            self._give_back(database)

    def _take(self) -> Database:
        with self._lock:
            if self._closed:
                raise StoreError(str(self._path), "this store was closed", "open it again")
            if self._process != os.getpid():  # after a fork SQLite wants the parent's connections left alone
                self._inherited.append(self._idle)
                self._process, self._idle = os.getpid(), []
            if self._idle:
                return self._idle.pop()
        return self._open()

    def _open(self) -> Database:
        address = f"{self._path.absolute().as_uri()}?mode=rw"  # never creates a file
        connection = sqlite3.connect(
            address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            for setting in SETTINGS:
                connection.execute(f"PRAGMA {setting}")
            return Database(connection, execute_plugins=False)
        except BaseException:
            connection.close()
            raise

    def _give_back(self, database: Database) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(database)
                return
        database.conn.close()

    def close(self) -> None:
        """Close every connection. The last program to do so also folds the write-ahead log into the file."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for database in idle:
            with suppress(sqlite3.Error):  # what was stored is stored
                database.conn.close()


@contextmanager
def fitting(place: str) -> Iterator[None]:
    """Say which row does not fit its table, not what it holds.

    Raises:
        ResponseError: Naming the place.
    """
    try:
        yield
    except MISFITS:
        raise ResponseError(place, "it is not one code per question", "check it with the survey first") from None
