"""Protocols of a store's database: sessions that run SQL, and engines that provide sessions.

The SQL of `collector.store` works in both SQLite and PostgreSQL, with ``?`` as placeholder. An engine translates the
SQL, and has methods that create tables, store many rows at once and rewrite tables.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

Value = int | str | bytes | None
StoredRow = Sequence[Value]
Result = TypeVar("Result")


class StatementResult(Protocol):
    """The result of an SQL statement, with the rows found or the number of rows changed."""

    @property
    def rowcount(self) -> int:
        """The number of rows that the SQL statement changed."""

    def fetchone(self) -> Any:  # noqa: ANN401 - what SQL selects
        """Return the next row of a query's result, or None after the last row."""

    def fetchall(self) -> list[Any]:
        """Return all remaining rows of a query's result."""

    def __iter__(self) -> Iterator[Any]: ...


class Session(Protocol):
    """A connection for one thread that runs SQL statements one after another."""

    def execute(self, sql: str, parameters: StoredRow = ..., /) -> StatementResult:
        """Run a statement."""

    def executemany(self, sql: str, rows: Iterable[StoredRow], /) -> object:
        """Run an SQL statement once for each row of values."""

    def fitting(self, place: str, /) -> AbstractContextManager[None]:
        """Raise an error that names an invalid row without its content, and roll back the changes of the block.

        Raises:
            ResponseError: If a row is not valid.
        """


class Engine(Protocol):
    """The database of a store, for any number of threads, which keeps committed changes through a power cut.

    Methods raise `StoreError` if the database reports an error.
    """

    def turn(self) -> AbstractContextManager[None]:
        """Wait for a limited time until this process may store a batch of responses.

        Responses that arrive while a batch waits are added to the batch.
        """

    def reading(self) -> AbstractContextManager[Session]:
        """Yield a database session without a transaction."""

    def snapshot(self) -> AbstractContextManager[Session]:
        """Yield a session that sees the store as it is now, even if other sessions write until the block ends."""

    def writing(self) -> AbstractContextManager[Session]:
        """Yield a session in a transaction that is the only writer, and roll the transaction back on an error."""

    def store_together(
        self, table: str, columns: Sequence[str], rows: Sequence[StoredRow], guard: str, values: Sequence[Any]
    ) -> bool:
        """Store some rows in a table, all of them or none, if an SQL condition is true.

        Args:
            table: Table that takes the rows.
            columns: Columns of the table, as SQL.
            rows: Rows with a value for each column.
            guard: SQL condition under which the rows may be stored.
            values: Values for the placeholders of the SQL condition.

        Returns:
            Whether the rows were stored, which is false if the SQL condition is false or a row is not valid.
        """

    def stage(
        self,
        table: str,
        cells: Mapping[str, str],
        width: int,
        rows: Iterable[StoredRow],
        first: Callable[[Session], None],
    ) -> bool:
        """Collect many rows in memory and store them in a table, all of them or none.

        Other writers wait only while the rows are moved from memory into the table.

        Args:
            table: Table that takes the rows.
            cells: SQL for each column of the table, from the columns id, w0, w1, ... of the rows in memory.
            width: Number of columns of a row in memory after the id.
            rows: Rows of whole numbers of at most 64 bits, sorted by id. All rows must satisfy the constraints of the
                table.
            first: Function that runs first in the transaction, and may raise an error to store nothing.

        Returns:
            Whether the rows were stored, which is false if the table already has one of the ids.
        """

    def among(self, column: str, values: StoredRow) -> tuple[str, list[Any]]:
        """Return the SQL condition that a column has one of some values, and the values for its placeholders."""

    def as_text(self, cells: Sequence[str]) -> str:
        """Return SQL that joins the numbers of several columns and all selected rows into one text."""

    def as_list(self, column: str) -> str:
        """Return SQL that joins the values of a column of the selected rows with commas."""

    def tidy(self, tables: Sequence[tuple[str, str]]) -> None:
        """Rewrite tables so that the order in which rows came is no longer visible.

        Args:
            tables: Tables that take responses, each with the columns to sort by, as SQL.
        """

    def check_settings(self) -> None:
        """Check that the database keeps every acknowledged commit, and does not record the time of a commit."""

    def tables(self, session: Session, /) -> set[str]:
        """Return the names of the tables in the database."""

    def found_format(self, session: Session, /) -> int:
        """Return the format number of the store."""

    def keep_room(self) -> None:
        """Keep room on the disk for what `urgently` calls."""

    def urgently(self, act: Callable[[], Result], /) -> Result:
        """Call a function that writes, on a full disk with the room that is kept for it."""

    def close(self) -> None:
        """Close every connection."""
