"""Two responses to the example survey, and what a store's file holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path

from collector.database.batch import batch_from, rows_of
from collector.store.simulated import Coins
from collector.store.store import Published, Store
from collector.survey.survey import Row, Survey

ROW = (0, 1, 3, 2, 0, 1)
OTHER = (3, 0, 0, 0, 1, 0)


def query(path: Path, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """The rows that some SQL finds, read past the store."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql, parameters).fetchall()


def dealt_rows(store: Store, survey: Survey, share: Fraction, rows: int = 7) -> tuple[list[Row], list[Row]]:
    """The responses to learn from, and those held out."""
    parts: tuple[list[Row], list[Row]] = ([], [])
    for batch, held_out in store.dealt(survey, share, rows):
        for row, which in zip(rows_of(survey, batch), held_out, strict=True):
            parts[which].append(row)
    return parts


def bring_in(  # noqa: PLR0913 - as for the store's own
    store: Store,
    published: Published,
    rows: Sequence[Row],
    *,
    simulated: Coins | None = None,
    again: bool = False,
    mix: bool = False,
) -> int:
    """Import responses, given as rows."""
    batch = batch_from(published.survey, rows)
    return store.imports.bring_in(published, batch, simulated=simulated, again=again, mix=mix)


def take_back(store: Store, published: Published, rows: Sequence[Row]) -> int:
    """Take an import of responses back, given as rows."""
    return store.imports.take_back(published, batch_from(published.survey, rows))
