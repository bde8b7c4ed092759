"""Protocols that any database of a store meets: sessions that run SQL, and engines that give sessions.

The SQL of `collector.store` is what SQLite and PostgreSQL both take, with ``?`` for a value. An engine translates the
rest, or does it itself: making tables, storing many rows at once, and rewriting what is stored.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Value = int | str | bytes | None
StoredRow = Sequence[Value]


class StatementResult(Protocol):
    """Rows found by a statement, and how many it changed."""

    @property
    def rowcount(self) -> int:
        """Rows that were changed."""

    def fetchone(self) -> Any:  # noqa: ANN401 - what SQL selects
        """The next row found; None after the last."""

    def fetchall(self) -> list[Any]:
        """All of them."""

    def __iter__(self) -> Iterator[Any]: ...


class Session(Protocol):
    """Runs SQL, one statement after another, for one thread."""

    def execute(self, sql: str, parameters: StoredRow = ..., /) -> StatementResult:
        """Run a statement."""

    def executemany(self, sql: str, rows: Iterable[StoredRow], /) -> object:
        """Run a statement for each row."""

    def fitting(self, place: str, /) -> AbstractContextManager[None]:
        """Say which row does not fit its table, not what it holds. What the block did is undone, the rest stands.

        Raises:
            ResponseError: Naming the place.
        """


class Engine(Protocol):
    """One store's database, for any number of threads. What a block that writes has done survives a power cut.

    Methods raise `StoreError` where the database cannot do what was asked of it.
    """

    def turn(self) -> AbstractContextManager[None]:
        """Wait until it makes sense to store a batch, and not without end. What came meanwhile belongs to the batch."""

    def reading(self) -> AbstractContextManager[Session]:
        """A session outside any transaction."""

    def snapshot(self) -> AbstractContextManager[Session]:
        """A session that sees the store as it is now, whatever others write until the block ends."""

    def writing(self) -> AbstractContextManager[Session]:
        """A session in a transaction that alone may write: kept when the block ends, undone when it raises."""

    def store_together(
        self, table: str, columns: Sequence[str], rows: Sequence[StoredRow], guard: str, values: Sequence[Any]
    ) -> bool:
        """Store rows, all of them or none.

        Args:
            table: The table that takes them.
            columns: Its columns as SQL.
            rows: A value for each column.
            guard: A condition as SQL, asked in the same statement.
            values: Its own.

        Returns:
            Whether they are stored. They are not if the condition does not hold, or one of them does not fit.
        """

    def stage(
        self,
        table: str,
        cells: Mapping[str, str],
        width: int,
        rows: Iterable[StoredRow],
        first: Callable[[Session], None],
    ) -> bool:
        """Store many rows, all of them or none. Others write until they are moved in, in the order of their ids.

        Args:
            table: The table that takes them.
            cells: What each of its columns takes, as SQL of the columns id, w0, w1, ... of rows that wait.
            width: How many columns these have after the id.
            rows: A whole number of at most 64 bits for each of these, in the order of the ids. They are known to fit
                the checks of the table.
            first: Done in the same transaction before them. It may raise a reason against them.

        Returns:
            Whether they are stored. They are not if an id is taken.
        """

    def among(self, column: str, values: StoredRow) -> tuple[str, list[Any]]:
        """A condition as SQL: a column has one of these values; and the condition's own values."""

    def as_text(self, cells: Sequence[str]) -> str:
        """An expression of SQL over rows with ids: the numbers of all cells as one text, a character for each."""

    def as_list(self, column: str) -> str:
        """An expression of SQL over rows with ids: the values of a column with commas between them."""

    def tidy(self, tables: Sequence[tuple[str, str]]) -> None:
        """Rewrite what is stored so that nothing is left of the order in which rows came.

        Args:
            tables: The tables that take responses, and the columns to order each by, as SQL.
        """

    def check_settings(self) -> None:
        """Make sure that the database keeps what is acknowledged, and no time of it."""

    def tables(self, session: Session, /) -> set[str]:
        """The names of the tables there are."""

    def found_format(self, session: Session, /) -> int:
        """The number of the store's format, which stands next to the tables."""

    def close(self) -> None:
        """Close every connection."""
