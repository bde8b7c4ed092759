"""Protocols of a store's database: sessions that run SQL, and engines that provide sessions.

The SQL of `collector.store` works in both SQLite and PostgreSQL, with ``?`` for a value. An engine translates what
differs, and has methods to make tables, store many rows at once and rewrite tables.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Value = int | str | bytes | None
StoredRow = Sequence[Value]


class StatementResult(Protocol):
    """The result of a statement: the rows that it found, and the number of rows that it changed."""

    @property
    def rowcount(self) -> int:
        """The number of rows that were changed."""

    def fetchone(self) -> Any:  # noqa: ANN401 - what SQL selects
        """Return the next row, or None after the last."""

    def fetchall(self) -> list[Any]:
        """Return all remaining rows."""

    def __iter__(self) -> Iterator[Any]: ...


class Session(Protocol):
    """A connection for one thread that runs SQL statements one after another."""

    def execute(self, sql: str, parameters: StoredRow = ..., /) -> StatementResult:
        """Run a statement."""

    def executemany(self, sql: str, rows: Iterable[StoredRow], /) -> object:
        """Run a statement for each row."""

    def fitting(self, place: str, /) -> AbstractContextManager[None]:
        """Name the row that does not fit its table, without its content. The changes of the block are rolled back.

        Raises:
            ResponseError: If a row does not fit. The error names the place of the row.
        """


class Engine(Protocol):
    """The database of one store, for any number of threads. The changes of a writing block survive a power cut.

    Methods raise `StoreError` if the database cannot do what it was asked to do.
    """

    def turn(self) -> AbstractContextManager[None]:
        """Wait for a limited time until a batch can be stored. Responses that come during the wait join the batch."""

    def reading(self) -> AbstractContextManager[Session]:
        """Yield a session outside any transaction."""

    def snapshot(self) -> AbstractContextManager[Session]:
        """Yield a session that sees the store as it is now, whatever others write until the block ends."""

    def writing(self) -> AbstractContextManager[Session]:
        """Yield a session in a transaction that is alone in writing. The transaction is rolled back on an error."""

    def store_together(
        self, table: str, columns: Sequence[str], rows: Sequence[StoredRow], guard: str, values: Sequence[Any]
    ) -> bool:
        """Store rows, all of them or none.

        Args:
            table: Table that takes the rows.
            columns: Columns of the table, as SQL.
            rows: Rows with a value for each column.
            guard: SQL condition that is checked in the same statement.
            values: Values of the condition.

        Returns:
            Whether the rows were stored. Nothing is stored if the condition is false, or a row does not fit.
        """

    def stage(
        self,
        table: str,
        cells: Mapping[str, str],
        width: int,
        rows: Iterable[StoredRow],
        first: Callable[[Session], None],
    ) -> bool:
        """Store many rows, all of them or none. Other writers go on until the rows are moved in, sorted by id.

        Args:
            table: Table that takes the rows.
            cells: SQL for each column of the table, over the columns id, w0, w1, ... of the waiting rows.
            width: Number of columns of a waiting row after the id.
            rows: Waiting rows of whole numbers of at most 64 bits, sorted by id, which are known to pass the checks of
                the table.
            first: Function that runs first in the same transaction, and may raise an error to stop.

        Returns:
            Whether the rows were stored. Nothing is stored if an id is taken.
        """

    def among(self, column: str, values: StoredRow) -> tuple[str, list[Any]]:
        """Return the SQL condition that a column has one of these values, and the values of the condition."""

    def as_text(self, cells: Sequence[str]) -> str:
        """Return SQL that joins the numbers of all cells of rows with ids into one text, with a character for each."""

    def as_list(self, column: str) -> str:
        """Return SQL that joins the values of a column of rows with ids, with commas."""

    def tidy(self, tables: Sequence[tuple[str, str]]) -> None:
        """Rewrite the tables so that they do not show the order in which rows came.

        Args:
            tables: Tables that take responses, each with the columns to sort by, as SQL.
        """

    def check_settings(self) -> None:
        """Check that the database keeps every commit that it acknowledges, and records no time of it."""

    def tables(self, session: Session, /) -> set[str]:
        """Return the names of the tables in the database."""

    def found_format(self, session: Session, /) -> int:
        """Return the number of the store's format."""

    def close(self) -> None:
        """Close every connection."""
