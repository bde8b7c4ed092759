"""Connections to a SQLite file for any number of threads.

The SQLite file uses a write-ahead log with full synchronisation. Changes in a block of `Connections.writing` survive a
crash or a power cut once the block has ended. Writers take turns, and readers do not wait.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import chain
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any

from collector.database.file_identity import Identity
from collector.database.read_only import Frozen
from collector.database.reserve import Reserve
from collector.database.session import Result, Session, StoredRow
from collector.database.sqlite import MISFITS, Database
from collector.database.write_turns import LOCKED, Turns
from collector.errors import DiskFullError, StoreError

BUSY_SECONDS = 10.0
MOST_SLOTS = 32_766  # largest number of values in one statement, in the usual build of SQLite
MOST_ARGUMENTS = 100  # largest number of arguments of one SQL function, in the usual build of SQLite
LOG_SECONDS = 10.0  # time limit of waiting for readers before the write-ahead log is emptied, in seconds
ATTEMPT_MILLISECONDS, PAUSE_SECONDS = 100, 0.2  # length of an attempt, and of the pause in which others may write
OLDEST_SQLITE = (3, 37, 0)  # oldest supported version of SQLite, the first with STRICT tables
PRIMARY_CODE = 0xFF  # mask of the primary error code in SQLite's extended error codes
ATTACH_SQL = "ATTACH '' AS staged"  # attaches a database in memory, given the settings of these connections
DETACH_SQL = "DETACH staged"
CHECKED_SQL = "PRAGMA ignore_check_constraints = {}"  # checks of tables make this step half as slow again
SETTINGS = ("synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY", "trusted_schema = OFF")
RESTORE = "restore it from a backup (collector restore)"
TROUBLE: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_READONLY: ("it is read-only here", "make the file and its folder writable"),
    sqlite3.SQLITE_FULL: ("the disk is full", "make room; nothing of this was stored"),
    sqlite3.SQLITE_IOERR: ("the disk failed to read or write", "check the disk; nothing of this was stored"),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", "check the path and its permissions"),
    sqlite3.SQLITE_NOTADB: ("it is not a SQLite file", "give the path of a store"),
    sqlite3.SQLITE_CORRUPT: ("the file is damaged", RESTORE),
}
UNWRITTEN: frozenset[int] = frozenset(
    {
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_SHMSIZE,
    }
)
"""SQLite's codes for a write that the system refused for a reason other than a full disk."""
REFUSED = (
    "the disk takes no more: a disk quota or a limit on the size of files is reached, or the disk fails",
    "raise the limit, make room or check the disk; nothing of this was stored",
)


class Connections:
    """The pool of connections to one SQLite file.

    A caller takes an idle connection or opens a new connection, and returns the connection afterwards.

    Args:
        path: Path of the SQLite file, which must exist.

    Raises:
        StoreError: From every method, if SQLite reports an error.
    """

    def __init__(self, path: Path) -> None:
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            oldest = ".".join(map(str, OLDEST_SQLITE))
            problem = f"it is older than {oldest}, which stores need"
            raise StoreError(f"SQLite {sqlite3.sqlite_version}", problem, "run a Python that has a newer SQLite")
        self._path = path
        self._identity = Identity(path)
        self._frozen = Frozen(path)
        self._reserve = Reserve(path)
        self._turns = Turns(path)
        self._lock = Lock()
        self._process = os.getpid()
        self._idle: list[Database] = []
        self._inherited: list[list[Database]] = []
        self._closed = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Keep other threads and processes from writing while the block, which may be nested, runs."""
        with self._turns.turn(BUSY_SECONDS):
            yield

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """Yield a connection without a transaction."""
        try:
            with self.one() as database:
                yield database
                self._identity.note_log()
                self._frozen.check()
        except sqlite3.DatabaseError as error:
            self._frozen.check()
            extended = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
            code = extended & PRIMARY_CODE
            known = REFUSED if extended in UNWRITTEN else TROUBLE.get(code)
            problem, remedy = known or (f"SQLite gives error {code}", "check the file and the disk")
            full = code == sqlite3.SQLITE_FULL or extended in UNWRITTEN
            raise (DiskFullError if full else StoreError)(str(self._path), problem, remedy) from None

    @contextmanager
    def snapshot(self) -> Iterator[Database]:
        """Yield a connection that sees the SQLite file as it is now, even if others write during the block."""
        with self.reading() as database:
            database.conn.execute("BEGIN")
            try:
                yield database
            finally:
                database.rollback()

    @contextmanager
    def storing(self, *, on: Database | None = None) -> Iterator[Database]:
        """Yield a connection for single SQL statements that write, to one writer at a time.

        Changes are on the disk when the block ends without an error. The end of the block checks that the store's file
        was not moved away.

        Args:
            on: Connection to use, or None for a connection from the pool.
        """
        with self.turn(), self.reading() if on is None else nullcontext(on) as database:
            yield database
            self._identity.check()

    @contextmanager
    def writing(self, *, on: Database | None = None) -> Iterator[Database]:
        """Yield a connection in a transaction that may write, and roll the transaction back on an error.

        Args:
            on: Connection to use, or None for a connection from the pool.
        """
        with self.storing(on=on) as database:
            database.conn.execute("BEGIN IMMEDIATE")
            try:
                self._identity.check()
                yield database
                database.conn.execute("COMMIT")
            except BaseException:
                database.rollback()
                raise

    def store_together(
        self, table: str, columns: Sequence[str], rows: Sequence[StoredRow], guard: str, values: Sequence[Any]
    ) -> bool:
        """Store some rows in a table, all of them or none (see `collector.database.session.Engine`)."""
        slots = ", ".join([f"({', '.join('?' for _ in columns)})"] * len(rows))
        given, stored = [*chain.from_iterable(rows), *values], False
        if len(given) <= MOST_SLOTS:
            sql = f'INSERT INTO "{table}" ({", ".join(columns)}) SELECT * FROM (VALUES {slots}) WHERE {guard}'  # noqa: S608 - checked names
            with self.storing() as database, suppress(*MISFITS):  # a repeat, say: SQLite has undone it all
                try:
                    stored = database.conn.execute(sql, given).rowcount == len(rows)
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                        raise
        return stored  # False also where the table is gone: who asks next is told that the survey was removed

    def stage(
        self,
        table: str,
        cells: Mapping[str, str],
        width: int,
        rows: Iterable[StoredRow],
        first: Callable[[Session], None],
    ) -> bool:
        """Store many rows from a table in memory, all of them or none (see `collector.database.session.Engine`).

        SQLite skips the constraints of the table, so the caller must check the rows.
        """
        stored = False
        waiting = ", ".join(["id INTEGER PRIMARY KEY", *(f"w{word}" for word in range(width))])
        slots = ", ".join("?" * (width + 1))
        move = f'INSERT INTO main."{table}" ({", ".join(cells)}) SELECT {", ".join(cells.values())} FROM staged.waiting'  # noqa: S608 - checked names
        with self.reading() as database:
            execute = database.conn.execute
            execute(ATTACH_SQL)
            try:
                execute(f"CREATE TABLE staged.waiting ({waiting})")
                execute("BEGIN")
                with suppress(*MISFITS):
                    database.executemany(f"INSERT INTO staged.waiting VALUES ({slots})", rows)  # noqa: S608 - slots only
                    execute("COMMIT")
                    execute(CHECKED_SQL.format("ON"))
                    with self.writing(on=database):
                        first(database)
                        execute(f"{move} ORDER BY id")
                    stored = True
            finally:
                database.rollback()
                execute(CHECKED_SQL.format("OFF"))
                execute(DETACH_SQL)
        return stored

    def among(self, column: str, values: StoredRow) -> tuple[str, list[Any]]:
        """Return the SQL condition that a column has one of some values, and the values for its placeholders."""
        return f"{column} IN ({', '.join('?' for _ in values)})", list(values)

    def as_text(self, cells: Sequence[str]) -> str:
        """Return SQL that joins numbers from all rows into one text, with a character for each number."""
        texts = [f"char({', '.join(cells[at : at + MOST_ARGUMENTS])})" for at in range(0, len(cells), MOST_ARGUMENTS)]
        return f"group_concat({' || '.join(texts)}, '')"

    def as_list(self, column: str) -> str:
        """Return SQL that joins the values of a column with commas."""
        return f"group_concat({column})"

    def tidy(self, tables: Sequence[tuple[str, str]]) -> None:
        """Rewrite the SQLite file with rows in the order of their keys, and empty the write-ahead log."""
        del tables
        with self.storing() as database:
            database.execute("VACUUM")
        self.empty_log()
        self._reserve.keep()

    def urgently(self, act: Callable[[], Result]) -> Result:
        """Call a function that writes, on a full disk with the room that is kept for it.

        Raises:
            DiskFullError: If the disk is full, and no room is left that was kept.
        """
        while True:
            try:
                return act()
            except DiskFullError:
                if not self._reserve.give_up():
                    raise
                with suppress(StoreError):
                    self._checkpoint("RESTART")  # so that the next change takes the room that the log has

    def check_settings(self) -> None:
        """Do nothing, because each connection to SQLite sets its options when it is opened."""

    def keep_room(self) -> None:
        """Keep room on the disk for withdrawals and for closing a survey."""
        self._reserve.keep()

    def tables(self, session: Session) -> set[str]:
        """Return the names of the tables in the file."""
        return {name for (name,) in session.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}

    def found_format(self, session: Session) -> int:
        """Return the format number in the header of the SQLite file."""
        return int(session.execute("PRAGMA user_version").fetchone()[0])

    def empty_log(self) -> None:
        """Move the whole write-ahead log into the file, and delete the log from the disk.

        Raises:
            StoreError: If another program reads the store for longer than `LOG_SECONDS`.
        """
        until = monotonic() + LOG_SECONDS
        while not self._checkpoint("TRUNCATE"):
            if monotonic() > until:
                problem = "a program that reads it keeps the write-ahead log, where what was erased can still be read"
                raise StoreError(str(self._path), problem, "close the other program, then run collector tidy")
            sleep(PAUSE_SECONDS)

    def _checkpoint(self, mode: str) -> bool:
        """Move the write-ahead log into the file, and return whether nobody kept it from ending empty."""
        with self.storing() as database:
            database.conn.execute(f"PRAGMA busy_timeout = {ATTEMPT_MILLISECONDS}")  # writers wait as long
            try:
                kept, _, _ = database.conn.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
            finally:
                database.conn.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECONDS)}")
        return not kept

    @contextmanager
    def one(self) -> Iterator[Database]:
        """Yield a connection that raises SQLite's own exceptions instead of `StoreError`."""
        database = self._take()
        try:
            yield database
        finally:
            self._give_back(database)

    def _take(self) -> Database:
        with self._lock:
            if self._closed:
                raise StoreError(str(self._path), "the store is closed", "open the store again")
            if self._process != os.getpid():  # after a fork SQLite wants the parent's connections left alone
                self._inherited.append(self._idle)
                self._process, self._idle = os.getpid(), []
                self._identity.forget_log()
                self._turns.reset()
            self._identity.check_file()
            if self._idle:
                return self._idle.pop()
        return self._open()

    def _open(self) -> Database:
        address = f"{self._path.absolute().as_uri()}?{self._frozen.mode()}"
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
        """Close every connection.

        When the last program closes the SQLite file, the write-ahead log is moved into the file.
        """
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for database in idle:
            with suppress(sqlite3.Error):  # what was stored is stored
                database.conn.close()
