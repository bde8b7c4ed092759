"""The store of published designs and disguised responses: one SQLite file, or one PostgreSQL database.

Nothing in it says when a response came, from where or in which order (`collector.store.schema` has the tables). This
module and its parts alone read and write it: `store_database`, `store_format`, `connections`, `catalogue` (what is
published), `reception` (what is sent), `staging` (what is imported), `registry` (what was trained) and `backup`.
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
from collector.store.schema import SENT_TABLES, batch_sql, count_sql, receipt_sql
from collector.store.staging import move_in, random_ids
from collector.store.store_database import open_engine, read_key
from collector.survey.survey import Row, Survey

__all__ = ["Invitations", "Outcome", "Published", "Sent", "Store", "SurveyState"]

BATCH = 2**16  # responses
HASHES = 2**256  # that a keyed hash may be


class Store(Catalogue):
    """The store, also as a context manager that closes it. May be shared between threads.

    Args:
        path: The SQLite file, or the address of a PostgreSQL database; text is read as either.
        create: Make it and its pepper, files that their owner alone may read, if there is none.
        tests: Make it a store of test responses, and refuse one of others. They count as simulated.
        draw_ids: Draws so many ids of responses. One is drawn again where it is taken.

    Raises:
        StoreError: From every method, if the file is missing, is no store, is locked, cannot be written or is damaged.
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
        """Make sure that responses can be taken: without the pepper a receipt or an invitation means nothing.

        Raises:
            StoreError: If the pepper cannot be read, or is not one; or if nothing can be written.
        """
        self._hashed("receipt", "", b"")
        with self._connections.writing() as database:
            database.execute("DELETE FROM withdrawn WHERE 1 = 0")  # changes nothing, and fails where nothing can change

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection. The last program to do so also folds the write-ahead log into the file."""
        self._connections.close()

    def picture(self, name: str) -> bytes | None:
        """The bytes of a picture that a survey shows, by its name in the design; None where it is not here."""
        with self._connections.reading() as database:
            return picture(database, name)

    def close_survey(self, name: str, *, for_good: bool = False) -> None:  # noqa: D102 - as `Catalogue` says
        super().close_survey(name, for_good=for_good)
        if for_good:
            self.tidy()

    def add(self, survey: Survey, rows: Iterable[Sequence[int | None]]) -> int:
        """Store disguised responses collected elsewhere, all of them or none. They have no receipts.

        Args:
            survey: A published survey.
            rows: Codes in question order, as `Survey.checked_codes` gives them.

        Returns:
            How many were stored, for good: they survive a power cut from here on.

        Raises:
            ResponseError: If a row is not one code per question.
        """
        published, batch = self.published_as(survey.fingerprint), batch_from(survey, rows)
        move_in(self._connections, published, batch, self._draw_ids)
        return len(batch) // len(survey.questions)

    def receive(self, survey: Survey, sent: Sent, admit: Admit | None = None) -> Outcome:
        """Store one response as a respondent sent it, and use its invitation with it, in one transaction.

        What is published is asked for in the same transaction, so that nothing comes into a survey that was removed,
        nor into another version's table.

        Args:
            survey: The design that is answered.
            sent: The response.
            admit: Called just before it is stored, with the newest wording of the survey, where a wording limits what
                one address sends. Where it says False the outcome is `Outcome.TOO_MANY`.

        Returns:
            `Outcome.STORED` or `REPEATED` if it is there for good, else why it is not.

        Raises:
            ResponseError: If it is not one code per question.
        """
        published = self.version_of(survey.name, survey.fingerprint)
        if published is None:
            return Outcome.REMOVED if self.state(survey.name) is None else Outcome.OUTDATED
        return self._reception.receive(published, sent, admit)

    def sealed(self, name: str, what: bytes) -> bytes:
        """32 bytes that only a holder of the pepper can make of a name and `what` (`respondent.intake.proof`)."""
        return self._hashed("form", name, what)

    def has(self, survey: Survey, receipt: bytes) -> bool:
        """Whether a response with this receipt is there."""
        published = self.published_as(survey.fingerprint)
        hashed = self._hashed("receipt", published.name, receipt)
        with self._connections.reading() as database:
            return bool(database.execute(receipt_sql(published.table), (hashed,)).fetchone()[0])

    def withdraw(self, survey: Survey, receipt: bytes) -> Outcome:
        """Delete the response with this receipt, to whichever version of the survey it came.

        Returns:
            `Outcome.WITHDRAWN`, also where it was deleted before; `UNKNOWN_RECEIPT` or, where it is too late, `CLOSED`
            or `REMOVED`.
        """
        return self._reception.withdraw(survey.name, receipt)

    def rows(self, survey: Survey) -> list[Row]:
        """Every response of a published survey: codes in question order, by random id."""
        return [row for batch in self.batches(survey) for row in rows_of(survey, batch)]

    def batches(self, survey: Survey, rows: int = BATCH) -> Iterator[Batch]:
        """Every response of a published survey by random id, at most so many rows at once, all of one moment.

        Between batches the store is kept from being tidied, so take the next one soon.
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
        """Every response, as for `batches`, and for each of a batch 1 where it is held out, 0 where it is learnt from.

        A keyed hash of its random id deals a response, so that it never moves from one part to the other, whatever
        comes in or is withdrawn, and without the pepper it is not possible to send one that will be held out.

        Args:
            survey: Published here.
            share: Share of the responses that are held out, on average: from 0 to 1.
            rows: At most so many at once.
        """
        below = share.numerator * HASHES // share.denominator
        for batch, ids in self._batches(survey, rows, with_ids=True):
            words = (int(each).to_bytes(8, "big") for each in ids.split(","))
            hashes = (self._hashed("hold-out", survey.name, word) for word in words)
            yield batch, bytes(int.from_bytes(each, "big") < below for each in hashes)

    def count(self, survey: Survey) -> int:
        """The number of responses of a published survey."""
        published = self.published_as(survey.fingerprint)
        with self._connections.reading() as database:
            return int(database.execute(count_sql(published.table)).fetchone()[0])

    def invite(self, name: str, count: int) -> list[str]:
        """Make one-use codes for a survey, which from then on takes responses with a code only.

        Returns:
            The codes. They cannot be shown again: the store keeps keyed hashes alone.
        """
        self.published(name)
        return invite(self._connections, self._hashed, name, count)

    def invitations(self, name: str) -> Invitations:
        """Numbers of invitations to a survey: all, and those used."""
        return invitations(self._connections, name)

    def remove(self, name: str) -> int:
        """Delete a survey with all its versions, responses, receipts, invitations, training runs; then tidy the file.

        Returns:
            How many responses there were.

        Raises:
            StoreError: If there is no survey of this name, or a program that reads the store keeps what was deleted.
        """
        responses = super().remove(name)
        self.tidy()
        return responses

    def refuse_tests(self) -> None:
        """Refuse a store of test responses."""
        if self.imports.are_tests:
            raise StoreError(str(self.path), "its responses are tests", "give a store of its own (--store)")

    def tidy(self) -> None:
        """Rewrite the file in the order of its random ids and empty the write-ahead log.

        Afterwards nothing is left of the order in which rows came and lie in pages and log.

        Raises:
            StoreError: If a program that reads the store keeps the log from being emptied.
        """
        self._connections.tidy([*((each.table, "id") for each in self.surveys()), *SENT_TABLES])

    def _hashed(self, purpose: Purpose, survey: str, secret: bytes) -> bytes:
        return keyed_hash(self._pepper, purpose, survey, secret)

    @cached_property
    def _pepper(self) -> bytes:
        return read_key(self.path, self._connections)
