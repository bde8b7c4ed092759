"""The store of published designs and disguised responses in a SQLite file or a PostgreSQL database.

The store does not record the time, origin or order of responses. The class `Store` combines `catalogue` (published
surveys), `reception` (sent responses), `imports` (imported responses) and `registry` (training runs).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Self

from collector.database.address import Place, read_place
from collector.database.batch import Batch, batch_from, batch_of, rows_of
from collector.errors import StoreError
from collector.store.catalogue import Catalogue
from collector.store.gate import Outcome
from collector.store.imports import Imports
from collector.store.invitation import Invitations, Purpose, invitations, invite, keyed_hash
from collector.store.pictures import picture
from collector.store.published import Published, SurveyState
from collector.store.reception import Admit, Reception, Sent
from collector.store.registry import Registry
from collector.store.schema import SENT_TABLES, batch_sql, cells_sql, count_sql, receipt_sql
from collector.store.staging import move_in, random_ids
from collector.store.store_database import open_engine, read_key
from collector.survey.survey import Row, Survey

__all__ = ["Invitations", "Outcome", "Published", "Sent", "Store", "SurveyState"]

BATCH = 2**16  # number of responses in a batch
HASHES = 2**256  # number of values of a keyed hash


class Store(Catalogue):
    """The store of published designs and disguised responses, which threads may share.

    Used as a context manager, the store is closed at the end of the block.

    Args:
        path: Path of the SQLite file, or address of a PostgreSQL database.
        create: Whether to create a missing store and its pepper, as files that only the owner can read.
        tests: Whether to open or create a store of test responses. Test responses count as simulated.
        draw_ids: Function that draws a number of random ids for responses, and is called again if an id is taken.

    Raises:
        StoreError: From every method, if the file is missing, locked, damaged, not a store, or cannot be written.
    """

    def __init__(
        self,
        path: Place | str,
        *,
        create: bool = False,
        tests: bool = False,
        draw_ids: Callable[[int], list[int]] = random_ids,
    ) -> None:
        self.path = path = read_place(path) if isinstance(path, str) else path
        self._draw_ids = draw_ids
        connections, are_tests = open_engine(path, create=create, tests=tests)
        super().__init__(path, connections)
        self.registry = Registry(self._connections)
        self.imports = Imports(self._connections, lambda survey: self._hashed("import", survey, b""), draw_ids)
        self._reception = Reception(self._connections, self._designs, self._hashed, draw_ids)
        self.imports.are_tests = are_tests

    def check_intake(self) -> None:
        """Check that the store can take responses, and that its pepper can be read.

        Raises:
            StoreError: If the pepper cannot be read or is not valid, or the store cannot be written.
        """
        self._hashed("receipt", "", b"")
        with self._connections.writing() as database:
            database.execute("DELETE FROM withdrawn WHERE 1 = 0")  # changes nothing, and fails where nothing can change
        self._connections.keep_room()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection.

        When the last program closes a SQLite file, the write-ahead log is moved into the file.
        """
        self._connections.close()

    def picture(self, name: str) -> bytes | None:
        """Return the bytes of a picture, given its name in the design, or None if the picture is not stored."""
        with self._connections.reading() as database:
            return picture(database, name)

    def close_survey(self, name: str, *, for_good: bool = False) -> None:  # noqa: D102 - as `Catalogue` says
        self._connections.urgently(lambda: Catalogue.close_survey(self, name, for_good=for_good))
        if for_good:
            self.tidy()

    def add(self, survey: Survey, rows: Iterable[Sequence[int | None]]) -> int:
        """Store disguised responses that were collected elsewhere, all of them or none, without receipts.

        Args:
            survey: Published survey that the responses answer.
            rows: Codes in question order, as `Survey.checked_codes` returns them.

        Returns:
            The number of responses stored. Stored responses are safe from a power cut when the method returns.

        Raises:
            ResponseError: If a row does not have a code for each question.
        """
        published, batch = self.published_as(survey.fingerprint), batch_from(survey, rows)
        move_in(self._connections, published, batch, self._draw_ids)
        return len(batch) // len(survey.questions)

    def receive(self, survey: Survey, sent: Sent, admit: Admit | None = None) -> Outcome:
        """Store one response as a respondent sent it, and mark its invitation as used, in one transaction.

        The transaction also checks that the survey is still published in the version of the response.

        Args:
            survey: Design that the response answers.
            sent: Response as it was sent.
            admit: Function that is called with the newest wording just before the response is stored, if a wording
                limits the responses per address; it returns False to refuse the response (`Outcome.TOO_MANY`).

        Returns:
            `Outcome.STORED` or `Outcome.REPEATED` if the response is stored, otherwise the reason for the refusal.

        Raises:
            ResponseError: If the response does not have a code for each question.
        """
        published = self.version_of(survey.name, survey.fingerprint)
        if published is None:
            return Outcome.REMOVED if self.state(survey.name) is None else Outcome.OUTDATED
        return self._reception.receive(published, sent, admit)

    def sealed(self, name: str, what: bytes) -> bytes:
        """Return 32 bytes for a survey's name and a text, which only a holder of the pepper can compute.

        The returned bytes prove that a form was made with this store (see `respondent.intake.proof`).
        """
        return self._hashed("form", name, what)

    def has(self, survey: Survey, receipt: bytes) -> bool:
        """Return whether a response with this receipt is stored."""
        published = self.published_as(survey.fingerprint)
        hashed = self._hashed("receipt", published.name, receipt)
        with self._connections.reading() as database:
            return bool(database.execute(receipt_sql(published.table), (hashed,)).fetchone()[0])

    def withdraw(self, survey: Survey, receipt: bytes) -> Outcome:
        """Delete the response with this receipt from any version of the survey.

        Returns:
            `Outcome.WITHDRAWN` if the response was withdrawn now or before, `Outcome.UNKNOWN_RECEIPT` if no response
            has this receipt, or `CLOSED` or `REMOVED` if the survey no longer allows withdrawals.
        """
        return self._connections.urgently(lambda: self._reception.withdraw(survey.name, receipt))

    def rows(self, survey: Survey) -> list[Row]:
        """Return all responses to a published survey as codes in question order, sorted by random id."""
        return [row for batch in self.batches(survey) for row in rows_of(survey, batch)]

    def batches(self, survey: Survey, rows: int = BATCH) -> Iterator[Batch]:
        """Yield every response of a published survey, sorted by random id, in batches of at most `rows` responses.

        All batches show the store as it was at one moment. Other programs cannot tidy the store until you have taken
        the last batch.
        """
        return (batch for batch, _ in self._batches(survey, rows))

    def _batches(self, survey: Survey, rows: int, *, with_ids: bool = False) -> Iterator[tuple[Batch, str]]:
        table = self.published_as(survey.fingerprint).table
        sql, last = batch_sql(table, survey, self._connections, with_ids=with_ids), -1
        with self._connections.snapshot() as database:
            while (found := database.execute(sql, [last, rows]).fetchone())[0] is not None:
                last, text, ids = found
                yield batch_of(survey, text), ids

    def dealt(self, survey: Survey, share: Fraction, rows: int = BATCH) -> Iterator[tuple[Batch, bytes]]:
        """Yield all responses in batches, with 1 for a response kept out of training and 0 for any other response.

        A keyed hash of the random id decides which responses are kept out of training, so the choice does not change
        when other responses are stored or withdrawn.

        Args:
            survey: Published survey.
            share: Mean share of responses that are kept out of training, from 0 to 1.
            rows: Largest number of responses in a batch.
        """
        below = share.numerator * HASHES // share.denominator
        for batch, ids in self._batches(survey, rows, with_ids=True):
            words = (int(each).to_bytes(8, "big") for each in ids.split(","))
            hashes = (self._hashed("hold-out", survey.name, word) for word in words)
            yield batch, bytes(int.from_bytes(each, "big") < below for each in hashes)

    def count(self, survey: Survey) -> int:
        """Return the number of responses of a published survey."""
        published = self.published_as(survey.fingerprint)
        with self._connections.reading() as database:
            return int(database.execute(count_sql(published.table)).fetchone()[0])

    def cells(self, survey: Survey) -> list[tuple[int | None, ...]]:
        """Return the number of responses in each combination of what a published survey does not disguise.

        Returns:
            The number of responses, whether a person disguised them by hand, the codes of each undisguised question
            (None if it was not asked), and 1 or 0 for each disguised question that not everybody is asked.
        """
        table = self.published_as(survey.fingerprint).table
        with self._connections.reading() as database:
            return [tuple(row) for row in database.execute(cells_sql(table, survey)).fetchall()]

    def invite(self, name: str, count: int) -> list[str]:
        """Make one-use codes for a survey, which afterwards takes responses only with a code.

        Returns:
            The codes, which cannot be shown again because the store keeps only keyed hashes of the codes.
        """
        self.published(name)
        return invite(self._connections, self._hashed, name, count)

    def invitations(self, name: str) -> Invitations:
        """Return the numbers of issued and of used invitations to a survey."""
        return invitations(self._connections, name)

    def remove(self, name: str) -> int:
        """Delete a survey with its versions, responses, receipts, invitations and training runs, and tidy the store.

        Returns:
            The number of responses deleted.

        Raises:
            StoreError: If no survey has this name, or another program is still reading the deleted rows.
        """
        responses = super().remove(name)
        self.tidy()
        return responses

    def remove_version(self, name: str, version: int) -> None:
        """Delete a version that has no responses, and tidy the store.

        The number and the fingerprints of the version are never given to another.

        Raises:
            StoreError: If the version does not exist, is the only one, has responses, or was trained on responses.
        """
        super().remove_version(name, version)
        self.tidy()

    def refuse_tests(self) -> None:
        """Raise an error if the store is a store of test responses."""
        if self.imports.are_tests:
            raise StoreError(str(self.path), "the store holds test responses", "use another store (--store)")

    def tidy(self) -> None:
        """Rewrite the store in the order of random ids, which hides in which order responses came.

        Raises:
            StoreError: If another program reads the store, so that the write-ahead log cannot be emptied.
        """
        self._connections.tidy([*((each.table, "id") for each in self.surveys()), *SENT_TABLES])

    def _hashed(self, purpose: Purpose, survey: str, secret: bytes) -> bytes:
        return keyed_hash(self._pepper, purpose, survey, secret)

    @cached_property
    def _pepper(self) -> bytes:
        return read_key(self.path, self._connections)
