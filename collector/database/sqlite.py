"""A connection to SQLite, by sqlite_utils, which is kept from importing pandas and numpy.

Where they are installed it imports both, to know the types of their scalars. The store is given none of these; each web
worker and each ``collector`` command would take 85 MB and 0.36 s more (109 MB for 24, 0.44 s for 0.08: measured).
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
    """Have libraries that are not imported yet found missing meanwhile: None in ``sys.modules`` says so."""
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
    """A connection, as `collector.database.session.Session` has it."""

    def executemany(self, sql: str, rows: Iterable[StoredRow], /) -> sqlite3.Cursor:
        """Run a statement for each row."""
        return self.conn.executemany(sql, rows)

    def rewritten(self) -> "Database":
        """A copy in memory, written in the order of the tables' keys."""
        copy = Database(memory=True, execute_plugins=False)
        self.conn.backup(copy.conn)
        copy.conn.execute("VACUUM")
        return copy

    @contextmanager
    def fitting(self, place: str, /) -> Iterator[None]:
        """Say which row does not fit its table, not what it holds. SQLite has undone the one statement."""
        try:
            yield
        except MISFITS:
            raise ResponseError(place, "it is not one code per question", "check it with the survey first") from None
