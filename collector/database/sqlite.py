"""Connections to SQLite through sqlite_utils, without its imports of pandas and numpy.

If pandas and numpy are installed, sqlite_utils imports both to recognise their scalars, which the store never uses.
Importing pandas and numpy would cost each web worker and each ``collector`` command 85 MB and 0.36 s (measured).
"""

import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from collector.database.session import StoredRow
from collector.errors import ResponseError

MISFITS = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, OverflowError)
UNUSED = ("pandas", "numpy")


@contextmanager
def _hidden(names: tuple[str, ...]) -> Iterator[None]:
    """Make libraries look missing while the block runs, unless Python has already imported the libraries."""
    absent = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type] # None is documented, not typed
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


with _hidden(UNUSED):
    from sqlite_utils import Database as Base


class Database(Base):
    """A connection to SQLite that implements the protocol `collector.database.session.Session`."""

    def executemany(self, sql: str, rows: Iterable[StoredRow], /) -> sqlite3.Cursor:
        """Run an SQL statement once for each row of values."""
        return self.conn.executemany(sql, rows)

    def rewritten(self) -> "Database":
        """Return a copy of the database in memory, in which tables are written in the order of their keys."""
        copy = Database(memory=True, execute_plugins=False)
        self.conn.backup(copy.conn)
        copy.conn.execute("VACUUM")
        return copy

    @contextmanager
    def fitting(self, place: str, /) -> Iterator[None]:
        """Raise an error that names an invalid row without its content."""
        try:
            yield
        except MISFITS:
            raise ResponseError(
                place,
                "the response does not have one code for each question",
                "check the response against the survey first",
            ) from None
