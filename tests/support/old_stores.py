"""Stores as earlier versions wrote them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from collector.store.invitation import pepper_path

STORES = Path(__file__).resolve().parents[1] / "stores"  # written by the versions of their time


ROWS = [(0, 1, 3, 2, 0, 1), (3, 0, 0, 0, 1, 0), (1, 1, 1, 1, 1, 1), (0, 0, 0, 0, 0, 0)]


def old_store(name: str, path: Path) -> Path:
    """A store as another version left it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((STORES / f"{name}.sql").read_text(encoding="utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    path.chmod(0o600)
    pepper_path(path).write_bytes(b"p" * 32)
    pepper_path(path).chmod(0o600)
    return path
