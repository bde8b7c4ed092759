"""Where rows lie in the pages of a SQLite file: in the order they came, until the file is vacuumed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from collector.maintenance.btree import PageFile

KEYS = [number * 7919 % 5003 for number in range(1, 3000)]  # a fixed disorder


def leaves(path: Path, table: str) -> list[tuple[int, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", [table]).fetchone()
    return PageFile(path.read_bytes()).arrangement([root])


@pytest.fixture(params=[512, 4096, 65536])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {request.param}")
        connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)")
        connection.execute("CREATE TABLE hashes (hash TEXT PRIMARY KEY) WITHOUT ROWID")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO rows VALUES (?, 'the same')", [(key,) for key in KEYS])
        connection.executemany("INSERT INTO hashes VALUES (?)", [(f"{key:08d}",) for key in KEYS])
        connection.execute("COMMIT")
    return path


def in_order(pages: list[tuple[int, ...]]) -> float:
    """The share of neighbours of which the later key was written later."""
    pairs = [pair for page in pages for pair in pairwise(page)]
    return sum(one > other for one, other in pairs) / len(pairs)


def test_every_row_of_a_table_is_seen(path: Path) -> None:
    assert sum(map(len, leaves(path, "rows"))) == len(KEYS)


def test_rows_lie_in_the_order_they_came_until_the_file_is_vacuumed(path: Path) -> None:
    assert in_order(leaves(path, "rows")) < 1
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM")
    assert in_order(leaves(path, "rows")) == 1
    assert in_order(leaves(path, "hashes")) > 0.9


def test_a_vacuumed_file_lies_as_it_would_if_its_rows_had_come_in_any_other_order(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM INTO ?", [str(other)])
        connection.execute("VACUUM")
    for table in ("rows", "hashes"):
        assert leaves(path, table) == leaves(other, table)
