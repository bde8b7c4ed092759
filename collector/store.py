"""Where published designs and disguised responses rest: one SQLite file, which this module alone reads and writes.

Nothing in it says when a response came, from where or in which order (`collector.schema` has the tables). Write-ahead
logging with full synchronisation: what `Store.add` has returned survives a crash and a power cut.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Self

from sqlite_utils import Database

from collector.design import survey_from_json
from collector.errors import ResponseError, StoreError, SurveyError
from collector.schema import SURVEYS_SQL, table_sql, view_sql
from collector.survey import Survey

APPLICATION = 0x44454E49  # "DENI" in the file's header: this SQLite file is one of ours
FORMAT = 1
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


@dataclass(frozen=True)
class Published:
    """One published version of a survey.

    Attributes:
        name: Of the survey.
        version: 1, 2, ... in the order of publication.
        fingerprint: SHA-256 of the survey's canonical JSON.
        survey: The design itself, read back and checked against its fingerprint.
    """

    name: str
    version: int
    fingerprint: str
    survey: Survey

    @property
    def table(self) -> str:
        """The table that holds the responses, as codes."""
        return f"responses_{self.view}"

    @property
    def view(self) -> str:
        """The view that shows the responses in words."""
        return f"{self.name}_{self.version}"


def random_id() -> int:
    """A positive number below 2^63 from the system's secure randomness: an id that tells nothing."""
    return secrets.randbelow(2**63 - 1) + 1


class Store:
    """The store, also as a context manager that closes it. May be shared between threads.

    Args:
        path: The SQLite file.
        create: Make the file, readable by its owner only, if there is none.
        draw_id: Draws the id of a response. Drawn again where the id is taken.

    Raises:
        StoreError: From every method, if the file is missing, is no store, is locked, cannot be written or is damaged.
    """

    def __init__(self, path: Path, *, create: bool = False, draw_id: Callable[[], int] = random_id) -> None:
        self.path = path
        self._draw_id = draw_id
        self._known: dict[str, Published] = {}
        if create:
            self._create_file()
        elif not path.is_file():
            raise StoreError(str(path), "there is no such file", "give --store, or publish a survey first")
        self._connections = _Connections(path)
        try:
            self._check_format(create=create)
        except BaseException:
            self.close()
            raise

    def _create_file(self) -> None:
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise StoreError(
                str(self.path), f"it cannot be made or written ({error.strerror})", "check the path and its permissions"
            ) from None

    def _check_format(self, *, create: bool) -> None:
        with self._reading() as database:
            empty = not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if create and empty:
            self._create_tables()
        with self._reading() as database:
            application = database.execute("PRAGMA application_id").fetchone()[0]
            version = database.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION:
            raise StoreError(str(self.path), "it is not a store of this project", "give the path of a store")
        if version != FORMAT:
            raise StoreError(str(self.path), "another version of this project made it", "use that version to read it")

    def _create_tables(self) -> None:
        with self._reading() as database:
            database.execute("PRAGMA journal_mode = WAL")
        with self._writing() as database:
            if not database["surveys"].exists():  # another process may have been faster
                database.execute(SURVEYS_SQL)
                database.execute(f"PRAGMA application_id = {APPLICATION}")
                database.execute(f"PRAGMA user_version = {FORMAT}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection. The last program to do so also folds the write-ahead log into the file."""
        self._connections.close()

    def publish(self, survey: Survey) -> Published:
        """Publish a survey under its next version number, with a table for its responses.

        Returns:
            The published version; the existing one, and no change, where this very design was published before.
        """
        with self._writing() as database:
            if not self._find(database, "fingerprint = ?", survey.fingerprint):
                version = 1 + len(self._find(database, "name = ?", survey.name))
                published = Published(survey.name, version, survey.fingerprint, survey)
                database.execute(
                    "INSERT INTO surveys (fingerprint, name, version, design) VALUES (?, ?, ?, ?)",
                    [survey.fingerprint, survey.name, version, survey.canonical],
                )
                database.execute(table_sql(published.table, survey))
                database.execute(view_sql(published.view, published.table, survey))
        return self.published_as(survey.fingerprint)

    def surveys(self) -> list[Published]:
        """Every published version, by name and then by version."""
        with self._reading() as database:
            return self._find(database)

    def published(self, name: str, version: int | None = None) -> Published:
        """One published version of a survey, the newest unless said.

        Raises:
            StoreError: If there is none; the message lists what there is.
        """
        with self._reading() as database:
            versions = self._find(database, "name = ?", name)
            names = [row[0] for row in database.execute("SELECT DISTINCT name FROM surveys ORDER BY name")]
        if not versions:
            remedy = f"use one of: {', '.join(names)}" if names else "publish it first"
            raise StoreError(str(self.path), f'no survey "{name}" is published here', remedy)
        if version is None:
            return versions[-1]
        if not 1 <= version <= len(versions):
            remedy = f"use one of: {', '.join(str(each.version) for each in versions)}"
            raise StoreError(str(self.path), f'survey "{name}" has no version {version}', remedy)
        return versions[version - 1]

    def published_as(self, fingerprint: str) -> Published:
        """The published version with this fingerprint.

        Raises:
            StoreError: If there is none.
        """
        if fingerprint not in self._known:  # a design never changes once it is published
            with self._reading() as database:
                self._find(database, "fingerprint = ?", fingerprint)
        if fingerprint not in self._known:
            raise StoreError(str(self.path), "this design is not published here", "publish its survey file first")
        return self._known[fingerprint]

    def _find(self, database: Database, where: str | None = None, *parameters: str) -> list[Published]:
        rows = database["surveys"].rows_where(where, parameters, order_by="name, version")
        return [self._read(row) for row in list(rows)]

    def _read(self, row: dict[str, Any]) -> Published:
        fingerprint = row["fingerprint"]
        if fingerprint not in self._known:
            place = f'{self.path}: survey "{row["name"]}" version {row["version"]}'
            try:
                survey = survey_from_json(row["design"])
            except SurveyError as error:
                raise StoreError(f"{place}: {error.place}", error.problem, "restore the store from a copy") from None
            if survey.fingerprint != fingerprint or survey.name != row["name"]:
                raise StoreError(place, "its design does not have its fingerprint", "restore the store from a copy")
            self._known[fingerprint] = Published(survey.name, row["version"], fingerprint, survey)
        return self._known[fingerprint]

    def add(self, survey: Survey, rows: Iterable[Sequence[int]]) -> int:
        """Store disguised responses, all of them or none.

        Args:
            survey: A published survey.
            rows: Codes in question order, as `Survey.checked_codes` gives them.

        Returns:
            How many were stored, for good: they survive a power cut from here on.

        Raises:
            ResponseError: If a row is not one code per question. The table checks what the caller should have.
        """
        responses = list(rows)
        published = self.published_as(survey.fingerprint)
        slots = ", ".join("?" for _ in survey.questions)
        insert = f'INSERT INTO "{published.table}" VALUES (?, {slots}) ON CONFLICT (id) DO NOTHING'  # noqa: S608 - a checked name
        with self._writing() as database:
            cursor = database.conn.cursor()
            for number, codes in enumerate(responses, start=1):
                with _fitting(number):
                    while cursor.execute(insert, (self._draw_id(), *codes)).rowcount == 0:
                        pass  # the id is taken: draw another
        return len(responses)

    def rows(self, survey: Survey) -> list[tuple[int, ...]]:
        """Every response of a published survey: codes in question order, by random id."""
        published = self.published_as(survey.fingerprint)
        columns = ", ".join(f'"{question.name}"' for question in survey.questions)
        with self._reading() as database:
            return database.execute(f'SELECT {columns} FROM "{published.table}" ORDER BY id').fetchall()  # noqa: S608 - checked names

    def count(self, survey: Survey) -> int:
        """How many responses of a published survey there are."""
        published = self.published_as(survey.fingerprint)
        with self._reading() as database:
            return int(database[published.table].count)

    @contextmanager
    def _reading(self) -> Iterator[Database]:
        try:
            with self._connections.one() as database:
                yield database
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & PRIMARY_CODE
            problem, remedy = TROUBLE.get(code, (f"SQLite gives error {code}", "check the file and the disk"))
            raise StoreError(str(self.path), problem, remedy) from None

    @contextmanager
    def _writing(self) -> Iterator[Database]:
        with self._reading() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
                database.execute("COMMIT")
            except BaseException:
                database.rollback()
                raise


class _Connections:
    """Connections for any number of threads: each use takes an idle one, or opens another, and gives it back."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._process = os.getpid()
        self._idle: list[Database] = []
        self._inherited: list[list[Database]] = []
        self._closed = False

    @contextmanager
    def one(self) -> Iterator[Database]:
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
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for database in idle:
            with suppress(sqlite3.Error):  # what was stored is stored
                database.conn.close()


@contextmanager
def _fitting(number: int) -> Iterator[None]:
    """Say which row does not fit, not what it holds."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, OverflowError):
        raise ResponseError(
            f"response number {number}", "it is not one code per question", "check it with the survey first"
        ) from None
