"""Two responses to the example survey, and what a store's file holds."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

ROW = (0, 1, 3, 2, 0, 1)
OTHER = (3, 0, 0, 0, 1, 0)


def query(path: Path, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """The rows that some SQL finds, read past the store."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql, parameters).fetchall()
