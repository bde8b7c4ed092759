"""A connection to PostgreSQL, with the translation of the store's SQL for PostgreSQL."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import Connection

from collector.database.session import StatementResult, StoredRow
from collector.errors import ResponseError, StoreError

LONGEST_NAME = 63
KEPT_COLUMN = re.compile(r'"(tableoid|xmin|cmin|xmax|cmax|ctid)" INTEGER')
MISFITS = (psycopg.IntegrityError, psycopg.DataError)


class PostgresSession:
    """A connection to PostgreSQL that implements the protocol `collector.database.session.Session`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def execute(self, sql: str, parameters: StoredRow = (), /) -> StatementResult:
        """Run a statement."""
        named = re.match(r'\s*CREATE \w+ "([^"]+)"', sql)
        if named and len(named[1]) > LONGEST_NAME:
            remedy = f"give the survey a name of at most {LONGEST_NAME - len('responses__999')} characters"
            raise StoreError(f'table "{named[1]}"', f"PostgreSQL cuts names after {LONGEST_NAME} characters", remedy)
        kept = KEPT_COLUMN.search(sql) if named else None
        if kept:
            problem = "PostgreSQL keeps this name for a column of its own"
            raise StoreError(f'question "{kept[1]}"', problem, "rename the question")
        found = self.connection.execute(translated(sql).encode(), parameters or None)
        for table, column in _bytes_columns(sql):  # a sample of their values would outlive the rows
            self.connection.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0".encode())
        return found

    def executemany(self, sql: str, rows: Iterable[StoredRow], /) -> None:
        """Run an SQL statement once for each row of values."""
        with self.connection.cursor() as cursor:
            cursor.executemany(translated(sql).encode(), rows)

    def keep_all_or_none(self, first: Sequence[str], sql: str, values: Sequence[Any], count: int) -> bool:
        """Run an SQL statement, commit if it changes `count` rows, and return whether it was committed.

        Args:
            first: Statements to run before `sql`, beginning with the statement that opens the transaction.
            sql: Statement to run.
            values: Values of the statement.
            count: Number of rows that the statement must change.
        """
        connection = self.connection
        try:
            with connection.pipeline() as pipeline:
                for each in first:
                    connection.execute(each.encode())
                found = connection.execute(translated(sql).encode(), values, prepare=True)
                pipeline.sync()
                kept = found.rowcount == count
                connection.execute(b"COMMIT" if kept else b"ROLLBACK")
        except psycopg.Error:
            if not connection.closed:
                connection.rollback()
            raise
        return kept

    @contextmanager
    def fitting(self, place: str, /) -> Iterator[None]:
        """Raise an error that names an invalid row without its content, and roll back the changes of the block."""
        try:
            with self.connection.transaction():
                yield
        except MISFITS:
            raise ResponseError(
                place,
                "the response does not have one code for each question",
                "check the response against the survey first",
            ) from None


def array_of(values: StoredRow) -> str:
    """Return numbers or bytes as a PostgreSQL array, without a Python call for each value as in psycopg."""
    cells = (
        "NULL" if each is None else rf'"\\x{each.hex()}"' if isinstance(each, bytes) else str(each) for each in values
    )
    return f"{{{','.join(cells)}}}"


@lru_cache(maxsize=1024)
def translated(sql: str) -> str:
    """Return the store's SQL translated for psycopg, without SQLite's own words and with texts sorted by bytes."""
    if sql.lstrip().startswith("CREATE TABLE"):
        sql = sql.replace(" STRICT, WITHOUT ROWID", "").replace(" STRICT", "").replace(" BLOB", " BYTEA")
        sql = sql.replace(" TEXT", ' TEXT COLLATE "C"').replace("id INTEGER PRIMARY KEY", "id BIGINT PRIMARY KEY")
        sql = sql.replace("number INTEGER PRIMARY KEY", "number INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
        return re.sub(r'\(("\w+" IS NOT NULL)\)', r"(\1)::int", sql)
    return sql if "?" not in sql or sql.lstrip().startswith("CREATE") else sql.replace("%", "%%").replace("?", "%s")


@lru_cache(maxsize=64)
def _bytes_columns(sql: str) -> tuple[tuple[str, str], ...]:
    made = re.match(r"\s*CREATE TABLE (?:IF NOT EXISTS )?(\S+)", sql)
    return tuple((made[1], name) for name in re.findall(r"(\w+) BLOB", sql)) if made else ()
