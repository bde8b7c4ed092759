"""Receiving responses from respondents. A response that is sent several times is stored once.

A transaction stores a response and marks its invitation as used. While one thread commits a transaction, other threads
with responses wait in a queue. The first thread of the queue stores all waiting responses in one transaction, so that
the disk is written once (group commit; DeWitt and others, 1984).
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from threading import Lock
from time import monotonic

from collector.database.session import Engine, Session
from collector.errors import ResponseError, StoreError
from collector.store.gate import Gate, Outcome
from collector.store.invitation import Purpose, normalised
from collector.store.published import Designs, Published
from collector.store.registry import forget_withdrawn
from collector.store.schema import (
    IS_WITHDRAWN_SQL,
    STATE_SQL,
    USE_SQL,
    WITHDRAW_SQL,
    everybody_sql,
    insert_columns,
    withdraw_sql,
)
from collector.survey.survey import Row, Survey

Admit = Callable[[Survey], bool]
INTERRUPTED = StoreError("store", "the response could not be stored", "try again")
CROWDED = StoreError("store", "another program blocks the store", "try again later")
PATIENCE = 3.0  # seconds without a stored response after which new responses do not wait, to free threads for pages


@dataclass(frozen=True)
class Sent:
    """A response as it was sent by a respondent.

    Attributes:
        codes: Codes in question order, as `Survey.checked_codes` returns them.
        receipt: Receipt of 32 bytes that identifies the response when it is sent again or withdrawn, or None without a
            receipt.
        invitation: Invitation code as the person typed it, or None.
        by_hand: Whether a person disguised the answers with dice or coins.
    """

    codes: Row
    receipt: bytes | None
    invitation: str | None = None
    by_hand: bool = False


class _Waiting:
    """A response in the queue, whose outcome is set when its batch has been stored."""

    def __init__(
        self,
        published: Published,
        sent: Sent,
        receipt: bytes | None,
        invitation: bytes | None,
        admit: Admit | None = None,
    ) -> None:
        self.published = published
        self.sent = sent
        self.admit = admit
        self.receipt = receipt
        self.invitation = invitation
        self.outcome: Outcome | ResponseError | StoreError | None = None
        self.turn = Lock()  # released when there is an outcome, or when this one is to store the queue
        self.turn.acquire()

    def row(self, row_id: int) -> tuple[int | bytes | None, ...]:
        """Return the row that a table of responses stores for the response."""
        return (row_id, *self.sent.codes, self.receipt, int(self.sent.by_hand))


_Outcomes = dict[_Waiting, Outcome | ResponseError | StoreError]


def _again(error: ResponseError | StoreError) -> ResponseError | StoreError:
    """Return a copy of an error for each thread whose response was in the failed batch."""
    return type(error)(error.place, error.problem, error.remedy)


class Reception:
    """The part of the store that receives responses.

    Methods raise `StoreError` for the reasons that the class `Store` lists.
    """

    def __init__(
        self,
        connections: Engine,
        designs: Designs,
        hashed: Callable[[Purpose, str, bytes], bytes],
        draw_ids: Callable[[int], list[int]],
    ) -> None:
        self._connections = connections
        self._designs = designs
        self._hashed = hashed
        self._draw_ids = draw_ids
        self._queueing = Lock()
        self._led = False
        self._since = 0.0  # when the one who leads began
        self._queue: list[_Waiting] = []

    def receive(self, published: Published, sent: Sent, admit: Admit | None = None) -> Outcome:
        """Store a response, unless the response was stored before or must be refused.

        Args:
            published: Version that the response answers, which the transaction checks again.
            sent: Response as it was sent.
            admit: Last check before storing (see `collector.store.store.Store.receive`).
        """
        name = published.name
        receipt = None if sent.receipt is None else self._hashed("receipt", name, sent.receipt)
        code = None if sent.invitation is None else normalised(sent.invitation).encode()
        invitation = None if code is None else self._hashed("invitation", name, code)
        waiting = _Waiting(published, sent, receipt, invitation, admit)
        with self._queueing:
            if self._led and monotonic() - self._since > PATIENCE:
                raise _again(CROWDED)
            self._queue.append(waiting)
            leads, self._led = not self._led, True
            if leads:
                self._since = monotonic()
        if not leads and not waiting.turn.acquire(timeout=2 * PATIENCE):
            self._give_up(waiting)
        if waiting.outcome is None:
            self._store_queue()
        if isinstance(waiting.outcome, Outcome):
            return waiting.outcome
        raise _again(waiting.outcome or INTERRUPTED)

    def _give_up(self, waiting: _Waiting) -> None:
        """Remove a response from the queue, or wait for the outcome if the response is already being stored."""
        with self._queueing:
            if waiting in self._queue and not waiting.turn.acquire(blocking=False):
                self._queue.remove(waiting)
                waiting.outcome = CROWDED
                return
            appointed = waiting in self._queue
        if not appointed:
            waiting.turn.acquire()

    def _store_queue(self) -> None:
        """Store every response in the queue, and set each response's outcome once the responses are on the disk."""
        batch: list[_Waiting] = []
        outcomes: _Outcomes = {}
        try:
            with self._connections.turn():
                batch = self._drain()
                outcomes = self._store(batch)
        except StoreError as error:  # others kept the turn
            batch = self._drain()
            outcomes = dict.fromkeys(batch, error)
        finally:  # whatever happened, no thread is left waiting
            batch = batch or self._drain()
            self._hand_over()
            for each in batch:
                each.outcome = outcomes.get(each, INTERRUPTED)
                each.turn.release()

    def _drain(self) -> list[_Waiting]:
        with self._queueing:
            batch, self._queue = self._queue, []
        return batch

    def _store(self, batch: list[_Waiting]) -> _Outcomes:
        """Store a batch of responses, with one transaction for each wording of a survey."""
        versions: dict[str, list[_Waiting]] = {}
        for each in batch:
            versions.setdefault(each.published.survey.fingerprint, []).append(each)
        outcomes: _Outcomes = {}
        for group in versions.values():
            outcomes |= self._store_version(group[0].published, group)
        return outcomes

    def _store_version(self, published: Published, group: list[_Waiting]) -> _Outcomes:
        try:
            if self._keep_together(published, group):
                return dict.fromkeys(group, Outcome.STORED)
            with self._connections.writing() as database:
                gate = Gate(database, self._designs, published.survey)
                return {each: self._attempt(database, each, gate) for each in group}
        except StoreError as error:
            return dict.fromkeys(group, error)

    def _hand_over(self) -> None:
        """Let the first waiting thread store the waiting responses before any other thread continues."""
        with self._queueing:
            self._led, self._since = bool(self._queue), monotonic()
            if self._queue:
                self._queue[0].turn.release()

    def _keep_together(self, published: Published, group: list[_Waiting]) -> bool:
        """Store several responses in one SQL statement, and return False if a response needs a separate check."""
        study = published.survey.study
        if study is not None and (study.is_over or study.is_early or study.quota or study.quotas or study.per_address):
            return False
        questions = len(published.survey.questions)
        if any(each.invitation is not None or len(each.sent.codes) != questions for each in group):
            return False
        rows = [each.row(row_id) for row_id, each in zip(self._draw_ids(len(group)), group, strict=True)]
        rows.sort(key=itemgetter(0))  # so that the order they came in is not the order in the file
        is_receipt, receipts = self._connections.among("receipt", [each.receipt for each in group])
        version = [published.fingerprint, published.version, published.survey.fingerprint]
        values = [*version, published.name, *receipts]
        columns, guard = insert_columns(published.survey), everybody_sql(is_receipt)
        return self._connections.store_together(published.table, columns, rows, guard, values)

    def _attempt(self, database: Session, each: _Waiting, gate: Gate) -> Outcome | ResponseError:
        try:
            with database.fitting("response"):
                return (
                    self._seen(database, each, gate)
                    or gate.judge(database, each.sent.codes, each.invitation)
                    or (Outcome.TOO_MANY if each.admit and not each.admit(gate.newest) else None)
                    or self._keep(database, each, gate)
                )
        except ResponseError as error:  # the rest of the batch stands
            return error

    @staticmethod
    def _seen(database: Session, each: _Waiting, gate: Gate) -> Outcome | None:
        """Return `REPEATED` or `DELETED` if a response with this receipt was stored before, otherwise None.

        Codes are not compared with the stored codes, so that nobody can use a receipt to test the codes of a response.
        """
        execute = database.execute
        if gate.published is None:
            return None
        if execute(gate.lookup, (each.receipt,)).fetchone()[0]:  # NULL: no response has this receipt
            return Outcome.REPEATED
        withdrawn = execute(IS_WITHDRAWN_SQL, (each.published.name, each.receipt)).fetchone()[0]
        return Outcome.DELETED if withdrawn else None

    def _keep(self, database: Session, each: _Waiting, gate: Gate) -> Outcome:
        execute = database.execute
        while execute(gate.insert, each.row(*self._draw_ids(1))).rowcount == 0:
            seen = self._seen(database, each, gate)
            if seen is not None:
                return seen
            # the id is taken: draw another
        gate.count(each.sent.codes)
        if each.invitation is not None:
            execute(USE_SQL, (each.published.name, each.invitation))
        return Outcome.STORED

    def withdraw(self, name: str, receipt: bytes) -> Outcome:
        """Delete the response with a receipt from an open survey, whichever version the response answers.

        With it goes every figure of the register from which it could be computed (`collector.store.registry`).
        """
        hashed = self._hashed("receipt", name, receipt)
        with self._connections.writing() as database:
            execute = database.execute
            state = execute(STATE_SQL, (name,)).fetchone()
            if state is None:
                return Outcome.REMOVED
            if execute(IS_WITHDRAWN_SQL, (name, hashed)).fetchone()[0]:
                return Outcome.WITHDRAWN
            _, closed, _, _, shown, _ = state
            if closed or self._designs.survey(database, shown).is_over:
                return Outcome.CLOSED
            versions = self._designs.find(database, "name = ?", name)
            answered = [each for each in versions if execute(withdraw_sql(each.table), (hashed,)).rowcount]
            if not answered:
                return Outcome.UNKNOWN_RECEIPT
            for each in answered:
                forget_withdrawn(database, each.fingerprint)
            execute(WITHDRAW_SQL, (name, hashed))
        return Outcome.WITHDRAWN
