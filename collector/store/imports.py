"""Responses that come in files: a file is imported once, unless told otherwise, and can be taken back.

What is kept of a file is one keyed digest of its rows, whatever their order and the file's name or format, how many
there are, and how often it was imported. Nothing is kept of single rows, and nothing ties a stored response to a file:
to take an import back the same file is given again. Responses with equal codes that came in files are alike in all that
is kept of them but their random ids, so that it makes no difference which of them is deleted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from collector.database.connections import Connections, fitting
from collector.database.sqlite import Database
from collector.database.table_digest import table_digest
from collector.errors import StoreError
from collector.store.catalogue import Published
from collector.store.schema import FORGET_IMPORT_SQL, IMPORTED_SQL, REMEMBER_IMPORT_SQL, imported_sql, insert_sql
from collector.survey.survey import Row


class Imports:
    """Brings responses of files in and out of the store, each file in one transaction.

    Args:
        connections: To the store.
        key_of: The 32 bytes that key the digests of files with responses to the design of a fingerprint.
        draw_ids: Draws so many ids of responses.
    """

    def __init__(
        self, connections: Connections, key_of: Callable[[str], bytes], draw_ids: Callable[[int], list[int]]
    ) -> None:
        self._connections = connections
        self._key_of = key_of
        self._draw_ids = draw_ids

    def bring_in(self, published: Published, rows: Sequence[Row], *, again: bool = False) -> int:
        """Store the responses of a file, all of them or none.

        Args:
            published: What they are responses to.
            rows: Codes in question order.
            again: Whether they are known to be other people's than those of a file with the very same rows.

        Returns:
            How many were stored.

        Raises:
            StoreError: If a file with these rows was imported before, and it was not said that these are others.
        """
        if not rows:
            return 0
        digest = self._digest(published, rows)
        with self._connections.writing() as database:
            if not again and self._is_known(database, published, digest):
                problem = f"its {len(rows)} responses were imported before, in this order or another"
                remedy = "leave it out, or they count twice; if they are other people's, say --again"
                raise StoreError("file", problem, remedy)
            self._insert(database, published, rows)
            database.conn.execute(REMEMBER_IMPORT_SQL, (published.fingerprint, digest, len(rows)))
        return len(rows)

    def _insert(self, database: Database, published: Published, rows: Sequence[Sequence[int | None]]) -> None:
        ids = self._draw_ids(len(rows))
        insert, cursor = insert_sql(published.table, published.survey), database.conn.cursor()
        for number, codes in enumerate(rows, start=1):
            with fitting(f"response number {number}"):
                while cursor.execute(insert, (ids.pop(), *codes, None, 0)).rowcount == 0:
                    ids += self._draw_ids(1)  # the one it had is taken

    def take_back(self, published: Published, rows: Sequence[Row]) -> int:
        """Delete the responses of a file that was imported, once if it was imported several times.

        Returns:
            How many were deleted.

        Raises:
            StoreError: If no file with these rows was imported, or its responses are no longer there.
        """
        digest = self._digest(published, rows)
        with self._connections.writing() as database:
            if not self._is_known(database, published, digest):
                problem = "no import of its rows into this version is remembered"
                raise StoreError("file", problem, "give the very file, and its --version; older stores remember none")
            found: dict[Row, list[int]] = {}
            for number, *codes in database.execute(imported_sql(published.table, published.survey)):
                found.setdefault(tuple(codes), []).append(number)
            wanted = Counter(rows)
            if any(len(found.get(codes, ())) < times for codes, times in wanted.items()):
                raise StoreError("file", "responses of it are no longer in the store", "nothing was changed")
            ids = sorted(each for codes, times in wanted.items() for each in found[codes][:times])
            database.conn.executemany(f'DELETE FROM "{published.table}" WHERE id = ?', [(each,) for each in ids])  # noqa: S608 - a checked name
            for sql in FORGET_IMPORT_SQL:
                database.conn.execute(sql, (published.fingerprint, digest))
        return len(ids)

    @staticmethod
    def _is_known(database: Database, published: Published, digest: bytes) -> bool:
        return database.execute(IMPORTED_SQL, (published.fingerprint, digest)).fetchone() is not None

    def _digest(self, published: Published, rows: Sequence[Row]) -> bytes:
        names = [question.name for question in published.survey.questions]
        cells = (["" if code is None else str(code) for code in row] for row in rows)
        return table_digest(names, cells, self._key_of(published.fingerprint))
