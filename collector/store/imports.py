"""Import of responses from files, and removal of imported responses. By default, a file can be imported only once.

For each imported file, the store keeps a keyed digest of the rows, the number of rows, the number of imports, and
whether the responses are simulated. The digest does not depend on the order of the rows, or on the name or the format
of the file. The store keeps nothing about single rows, and links no stored response to a file. Removing an import needs
the imported file, and deletes one stored response with equal codes for each row of the file.
"""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from collector.database.batch import CODES, Batch, rows_of
from collector.database.session import Engine, Session
from collector.database.table_digest import columns_digest
from collector.errors import StoreError
from collector.store.published import Published
from collector.store.registry import forget_import
from collector.store.schema import (
    FORGET_IMPORT_SQL,
    IMPORTED_ELSEWHERE_SQL,
    IMPORTED_SQL,
    IMPORTS_COUNTED_SQL,
    MARKED_SQL,
    REMEMBER_IMPORT_SQL,
    count_sql,
    imported_sql,
)
from collector.store.simulated import UNDO, Coins, Simulated
from collector.store.staging import move_in
from collector.survey.survey import Row, Survey


class _Known(NamedTuple):
    responses: int
    times: int
    simulated: str | None


def _count(database: Session, published: Published) -> int:
    return int(database.execute(count_sql(published.table)).fetchone()[0])


class Imports:
    """The part of the store that imports files of responses and removes them, each file in one transaction.

    Args:
        connections: Connections to the store.
        key_of: Function that returns the key (32 bytes) for digests of files with responses to a design.
        draw_ids: Function that draws a given number of ids for responses.
    """

    def __init__(
        self, connections: Engine, key_of: Callable[[str], bytes], draw_ids: Callable[[int], list[int]]
    ) -> None:
        self._connections = connections
        self._key_of = key_of
        self._draw_ids = draw_ids
        self.are_tests = False  # whether all responses of the store are tests, which count as simulated

    def bring_in(
        self,
        published: Published,
        batch: Batch,
        *,
        simulated: Coins | None = None,
        again: bool = False,
        mix: bool = False,
    ) -> int:
        """Store the responses of a file, all of them or none.

        Args:
            published: Published version that the responses answer.
            batch: Responses of the file.
            simulated: How the coins of simulated responses were drawn, or None if the file does not say that its
                responses are simulated.
            again: Whether to store the responses of a file that was imported before.
            mix: Whether a version may have simulated responses as well as other responses.

        Returns:
            The number of responses stored.

        Raises:
            StoreError: If the file was imported before and `again` is not set, or if simulated and other responses
                would be mixed and `mix` is not set.
        """
        if not batch:
            return 0
        count = len(batch) // len(published.survey.questions)
        digest = self._digest(published.survey, batch, published.fingerprint)

        def remember(database: Session) -> None:
            self._check_known(database, published, batch, digest, simulated, again=again)
            if not mix:
                self._check_alike(database, published, simulated)
            database.execute(REMEMBER_IMPORT_SQL, (published.fingerprint, digest, count, simulated))

        move_in(self._connections, published, batch, self._draw_ids, remember)
        return count

    def simulated(self, published: Published) -> Simulated | None:
        """Return how many responses to a version are simulated, or None if no response is known to be simulated."""
        with self._connections.reading() as database:
            return self._simulated(database, published)

    def counts(self, published: Published) -> dict[str, int]:
        """Return the number of responses from each imported file, by the digest of the file in hexadecimal."""
        with self._connections.reading() as database:
            found = database.execute(IMPORTS_COUNTED_SQL, (published.fingerprint,)).fetchall()
        return {digest.hex(): count for digest, count in found}

    def _simulated(self, database: Session, published: Published) -> Simulated | None:
        if self.are_tests:
            count = _count(database, published)
            return Simulated(count, 0, count) if count else None
        found = dict(database.execute(MARKED_SQL, (published.fingerprint,)).fetchall())
        if not found:
            return None
        return Simulated(sum(found.values()), found.get(Coins.SEEDED, 0), _count(database, published))

    def _check_known(  # noqa: PLR0913 - all that is to be compared
        self,
        database: Session,
        published: Published,
        batch: Batch,
        digest: bytes,
        simulated: Coins | None,
        *,
        again: bool,
    ) -> None:
        count = len(batch) // len(published.survey.questions)
        known = self._known(database, published, digest)
        if known is None:
            if not again:
                self._refuse_elsewhere(database, published, batch, count)
            return
        if known.simulated != simulated:
            said = "without saying" if known.simulated is None else f"saying with {known.simulated} coins"
            raise StoreError("file", f"its rows were imported before, {said} that they are simulated", UNDO)
        if not again:
            problem = f"its {count} responses were imported before, in this order or another"
            remedy = "leave the file out, or they count twice; if they come from other people, give --again"
            raise StoreError("file", problem, remedy)

    def _refuse_elsewhere(self, database: Session, published: Published, batch: Batch, count: int) -> None:
        wanted = (published.name, count, published.fingerprint)
        for fingerprint, version, digest in database.execute(IMPORTED_ELSEWHERE_SQL, wanted).fetchall():
            if digest == self._digest(published.survey, batch, fingerprint):
                problem = f"its {count} responses were imported before, into version {version}"
                remedy = "name the version they belong to (--version); if they come from other people, give --again"
                raise StoreError("file", problem, remedy)

    def _check_alike(self, database: Session, published: Published, simulated: Coins | None) -> None:
        there = self._simulated(database, published)
        if simulated is None and there is not None:
            problem = f"it does not say that its responses are simulated, but in the store {there.line}"
            raise StoreError("file", problem, f"{UNDO}, or give --mix")
        if simulated is None:
            return
        others = _count(database, published) - (there.responses if there else 0)
        if others > 0:
            problem = f"its responses are simulated, and {others} in the store are not said to be"
            raise StoreError("file", problem, "import the responses into a separate store (--store), or give --mix")

    def take_back(self, published: Published, batch: Batch) -> int:
        """Delete the responses of an imported file.

        If the file was imported several times, only one import is deleted.

        Returns:
            The number of responses deleted.

        Raises:
            StoreError: If the file was not imported, or its responses are no longer stored.
        """
        digest = self._digest(published.survey, batch, published.fingerprint)
        with self._connections.writing() as database:
            known = self._known(database, published, digest)
            if known is None:
                problem = "no import of its rows into this version is remembered"
                raise StoreError("file", problem, "give the file that was imported, and its --version")
            found: dict[Row, list[int]] = {}
            for number, *codes in database.execute(imported_sql(published.table, published.survey)):
                found.setdefault(tuple(codes), []).append(number)
            wanted = Counter(rows_of(published.survey, batch))
            if any(len(found.get(codes, ())) < times for codes, times in wanted.items()):
                raise StoreError(
                    "file",
                    "some responses of the file are no longer in the store",
                    "nothing was changed; restore a backup that has these responses, and take the import back in it",
                )
            ids = sorted(each for codes, times in wanted.items() for each in found[codes][:times])
            database.executemany(f'DELETE FROM "{published.table}" WHERE id = ?', [(each,) for each in ids])  # noqa: S608 - a checked name
            for sql in FORGET_IMPORT_SQL:
                database.execute(sql, (published.fingerprint, digest))
            forget_import(database, published.fingerprint, digest, known.responses * (known.times - 1))
        return len(ids)

    @staticmethod
    def _known(database: Session, published: Published, digest: bytes) -> _Known | None:
        found = database.execute(IMPORTED_SQL, (published.fingerprint, digest)).fetchone()
        return None if found is None else _Known(*found)

    def _digest(self, survey: Survey, batch: Batch, fingerprint: str) -> bytes:
        """Return the keyed digest of a file's rows, which is different for each published version."""
        names = [question.name for question in survey.questions]
        texts = ["" if code is None else str(code) for code in CODES[: max(batch) + 1]]  # by the number in a batch
        cells = [map(texts.__getitem__, batch[start :: len(names)]) for start in range(len(names))]
        return columns_digest(names, cells, self._key_of(fingerprint))
