"""What respondents send is stored once, with its invitation, or not at all."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from fcntl import LOCK_EX, flock
from pathlib import Path
from threading import Barrier, Event, Thread
from time import sleep
from typing import Any

import pytest

from collector.errors import ResponseError, StoreError
from collector.store import reception
from collector.store.reception import _Waiting
from collector.store.schema import receipt_sql
from collector.store.store import Invitations, Outcome, Sent, Store
from collector.survey.study import Study
from collector.survey.survey import Survey
from collector.survey.text import Text
from store_rows import OTHER, ROW, query

RECEIPT = bytes(range(32))
SENT = Sent(ROW, RECEIPT)


def receipt(number: int) -> bytes:
    return number.to_bytes(32, "big")


def second_wave(survey: Survey) -> Survey:
    return replace(survey, title=Text.of(en="Second wave"))


def while_another_has_its_turn(store: Store, senders: Sequence[Thread]) -> int:
    """Start senders, each once the one before waits. Returns what ends that turn when it is closed."""
    descriptor = os.open(store.path.parent, os.O_RDONLY)
    flock(descriptor, LOCK_EX)
    for number, sender in enumerate(senders, start=1):
        sender.start()
        while len(store._reception._queue) < number:  # noqa: SLF001 - who waits does not show from outside
            sleep(0.001)
    return descriptor


def received_together(store: Store, batch: list[tuple[Survey, Sent]]) -> list[str]:
    """What became of responses that wait for the same turn, in the order they came."""
    outcomes: dict[int, str] = {}

    def work(number: int, survey: Survey, sent: Sent) -> None:
        try:
            outcomes[number] = store.receive(survey, sent).name
        except ResponseError as error:
            outcomes[number] = type(error).__name__

    threads = [Thread(target=work, args=(number, *each)) for number, each in enumerate(batch)]
    os.close(while_another_has_its_turn(store, threads))
    for thread in threads:
        thread.join()
    return [outcomes[number] for number in range(len(batch))]


def test_a_repeat_is_recognised_by_its_receipt_whatever_its_codes_are(store: Store, wellbeing: Survey) -> None:
    assert store.receive(wellbeing, SENT) is Outcome.STORED
    assert store.receive(wellbeing, SENT) is Outcome.REPEATED
    assert store.receive(wellbeing, replace(SENT, codes=OTHER)) is Outcome.REPEATED
    assert store.rows(wellbeing) == [ROW]


def test_the_same_codes_with_another_receipt_are_another_response(store: Store, wellbeing: Survey) -> None:
    for number in range(3):
        assert store.receive(wellbeing, Sent(ROW, receipt(number))) is Outcome.STORED
    assert store.count(wellbeing) == 3


def test_responses_without_receipt_are_never_repeats(store: Store, wellbeing: Survey) -> None:
    for _ in range(2):
        assert store.receive(wellbeing, Sent(ROW, None, by_hand=True)) is Outcome.STORED
    assert query(store.path, "SELECT _receipt, _by_hand FROM responses_wellbeing_1") == [(None, 1)] * 2


def test_only_a_keyed_hash_of_the_receipt_is_kept(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, SENT)
    (((kept, by_hand),)) = query(store.path, "SELECT _receipt, _by_hand FROM responses_wellbeing_1")
    assert isinstance(kept, bytes)
    assert len(kept) == 32
    assert kept != RECEIPT
    assert by_hand == 0


def test_an_id_that_is_taken_is_drawn_again_and_is_no_repeat(tmp_path: Path, wellbeing: Survey) -> None:
    ids = iter([5, 5, 5, 7])
    with Store(tmp_path / "a.db", create=True, draw_ids=lambda count: [next(ids) for _ in range(count)]) as store:
        store.publish(wellbeing)
        assert store.receive(wellbeing, Sent(ROW, receipt(1))) is Outcome.STORED
        assert store.receive(wellbeing, Sent(ROW, receipt(2))) is Outcome.STORED
        assert query(store.path, "SELECT id FROM responses_wellbeing_1 ORDER BY id") == [(5,), (7,)]


def test_a_row_that_does_not_fit_is_refused_and_spoils_no_other(store: Store, wellbeing: Survey) -> None:
    with pytest.raises(ResponseError, match="response: "):
        store.receive(wellbeing, Sent((9, 9, 9, 9, 9, 9), RECEIPT))
    assert store.receive(wellbeing, SENT) is Outcome.STORED


def test_many_threads_send_at_once_and_each_response_is_stored_once(store: Store, wellbeing: Survey) -> None:
    outcomes: list[Outcome] = []
    together = Barrier(16)

    def work(start: int) -> None:
        together.wait(10)
        outcomes.extend(store.receive(wellbeing, Sent(ROW, receipt(number))) for number in range(start, start + 20))

    threads = [Thread(target=work, args=(20 * (number // 2),)) for number in range(16)]  # every response comes twice
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(Outcome.STORED) == outcomes.count(Outcome.REPEATED) == 160
    assert store.count(wellbeing) == 160


def test_a_failure_fails_everybody_in_the_batch_and_the_next_one_goes_on(
    store: Store, wellbeing: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collector.database.connections.BUSY_SECONDS", 0.2)
    failures: list[str] = []
    with (
        Store(tmp_path / "deniable.db") as impatient,
        closing(sqlite3.connect(store.path, isolation_level=None)) as other,
    ):
        impatient.surveys()
        other.execute("BEGIN IMMEDIATE")

        def work(number: int) -> None:
            try:
                impatient.receive(wellbeing, Sent(ROW, receipt(number)))
            except StoreError as error:
                failures.append(error.problem)

        threads = [Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        other.execute("ROLLBACK")
        assert failures == ["another program has locked it"] * 8
        assert impatient.count(wellbeing) == 0
        assert impatient.receive(wellbeing, SENT) is Outcome.STORED


def test_who_waits_too_long_gives_up_and_is_not_stored_later(
    store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "monotonic", lambda: 0.0)  # nobody is sent away before the queue
    monkeypatch.setattr(reception, "PATIENCE", 0.05)
    failures: list[str] = []

    def give_up() -> None:
        with pytest.raises(StoreError) as raised:
            store.receive(wellbeing, Sent(ROW, receipt(2)))
        failures.append(str(raised.value))

    first, second = Thread(target=store.receive, args=(wellbeing, SENT)), Thread(target=give_up)
    descriptor = while_another_has_its_turn(store, [first, second])
    second.join()
    monkeypatch.setattr(reception, "monotonic", lambda: 1.0)
    with pytest.raises(StoreError, match="another program blocks the store"):
        store.receive(wellbeing, Sent(ROW, receipt(3)))
    os.close(descriptor)
    first.join()
    assert failures == [str(reception.CROWDED)]
    assert store.has(wellbeing, RECEIPT)
    assert store.count(wellbeing) == 1


def test_who_is_being_stored_waits_for_what_becomes_of_it(
    store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "monotonic", lambda: 0.0)
    monkeypatch.setattr(reception, "PATIENCE", 0.05)
    keep, given_up = store._reception._store, Event()  # noqa: SLF001 - slowed down
    give_up = store._reception._give_up  # noqa: SLF001 - watched

    def slowly(batch: list[Any]) -> Any:  # noqa: ANN401 - what it returns is not looked at
        given_up.wait(60)
        return keep(batch)

    class Watched:
        def __init__(self, turn: Any) -> None:  # noqa: ANN401 - a lock
            self.release, self._acquire = turn.release, turn.acquire

        def acquire(self) -> None:
            given_up.set()
            self._acquire()

    def watched(waiting: Any) -> None:  # noqa: ANN401 - passed on
        waiting.turn = Watched(waiting.turn)
        give_up(waiting)

    monkeypatch.setattr(store._reception, "_store", slowly)  # noqa: SLF001 - as said
    monkeypatch.setattr(store._reception, "_give_up", watched)  # noqa: SLF001 - as said
    outcomes: list[Outcome] = []
    senders = [
        Thread(target=lambda number=number: outcomes.append(store.receive(wellbeing, Sent(ROW, receipt(number)))))
        for number in range(2)
    ]
    os.close(while_another_has_its_turn(store, senders))
    for sender in senders:
        sender.join()
    assert given_up.is_set()
    assert outcomes == [Outcome.STORED] * 2
    assert store.count(wellbeing) == 2


def test_who_is_appointed_while_giving_up_stores_the_queue(store: Store, wellbeing: Survey) -> None:
    waiting = _Waiting(store.published("wellbeing"), SENT, RECEIPT, None)
    store._reception._queue.append(waiting)  # noqa: SLF001 - as if it had waited
    waiting.turn.release()
    store._reception._give_up(waiting)  # noqa: SLF001 - as `receive` does
    assert waiting.outcome is None
    store._reception._store_queue()  # noqa: SLF001 - likewise
    assert waiting.outcome is Outcome.STORED
    assert store.count(wellbeing) == 1


def test_a_folder_that_cannot_be_locked_is_told_and_nobody_is_left_waiting(
    store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.receive(wellbeing, SENT)  # the pepper is read by now
    with monkeypatch.context() as patched:
        turns = store._connections._turns  # noqa: SLF001 - so that opening the folder fails
        patched.setattr(turns, "_path", store.path.parent / "gone" / "a.db")
        for number in range(2):
            with pytest.raises(StoreError, match="gone: it cannot be opened"):
                store.receive(wellbeing, Sent(ROW, receipt(number)))
    assert store.receive(wellbeing, Sent(ROW, receipt(1))) is Outcome.STORED


def test_a_repeat_costs_the_same_statements_whatever_its_codes_are(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, SENT)
    with store._connections.one() as database:  # noqa: SLF001 - the one connection there is, watched
        statements: list[str] = []
        database.conn.set_trace_callback(statements.append)
    traces = []
    for codes in (ROW, OTHER, ROW):
        statements.clear()
        store.receive(wellbeing, replace(SENT, codes=codes))
        traces.append([each for each in statements if "INSERT" not in each])
    assert len(traces[0]) == 5, "begin, the version, the state, whether it is there, commit"
    assert traces == [traces[0]] * 3
    plan = query(store.path, f"EXPLAIN QUERY PLAN {receipt_sql('responses_wellbeing_1')}", (RECEIPT,))
    assert any("COVERING INDEX" in str(line) for line in plan), "the row itself is not read"


def test_a_batch_with_a_repeat_a_change_and_a_misfit_in_it_is_told_apart(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, SENT)
    batch = [Sent(OTHER, receipt(1)), SENT, replace(SENT, codes=OTHER), Sent((9,) * 6, receipt(2)), Sent(ROW, None)]
    assert received_together(store, [(wellbeing, each) for each in batch]) == [
        "STORED",
        "REPEATED",
        "REPEATED",
        "ResponseError",
        "STORED",
    ]
    assert sorted(store.rows(wellbeing)) == sorted([ROW, OTHER, ROW])


def test_a_batch_of_good_ones_is_one_statement(store: Store, wellbeing: Survey) -> None:
    with store._connections.one() as database:  # noqa: SLF001 - the one connection there is, watched
        statements: list[str] = []
        database.conn.set_trace_callback(statements.append)
    outcomes = received_together(store, [(wellbeing, Sent(ROW, receipt(number))) for number in range(8)])
    assert outcomes == ["STORED"] * 8
    assert len(statements) == 1
    assert store.count(wellbeing) == 8


def test_codes_of_two_responses_are_never_mixed_up(store: Store, wellbeing: Survey) -> None:
    short, long = Sent(ROW[:-1], receipt(1)), Sent((*ROW, 1), receipt(2))  # together as many as two responses have
    assert received_together(store, [(wellbeing, short), (wellbeing, long)]) == ["ResponseError"] * 2
    assert store.count(wellbeing) == 0


def test_a_batch_of_two_surveys_goes_to_each(store: Store, wellbeing: Survey) -> None:
    other = replace(wellbeing, name="other")
    store.publish(other)
    batch = [(wellbeing, Sent(ROW, receipt(1))), (other, Sent(ROW, receipt(1))), (wellbeing, Sent(OTHER, receipt(2)))]
    assert received_together(store, batch) == ["STORED"] * 3
    assert (store.count(wellbeing), store.count(other)) == (2, 1)


# Opening and closing


def test_a_closed_survey_takes_nothing_until_it_is_opened(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, SENT)
    store.close_survey("wellbeing")
    assert store.receive(wellbeing, Sent(ROW, receipt(1))) is Outcome.CLOSED
    assert store.receive(wellbeing, SENT) is Outcome.REPEATED, "it was stored: that stays true"
    assert store.withdraw(wellbeing, RECEIPT) is Outcome.CLOSED
    state = store.state("wellbeing")
    assert state is not None
    assert not state.is_open
    store.open_survey("wellbeing")
    assert store.receive(wellbeing, Sent(ROW, receipt(1))) is Outcome.STORED
    assert [each.is_open for each in store.states()] == [True]


def test_closing_for_good_erases_receipts_and_is_for_good(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, SENT)
    store.receive(wellbeing, Sent(ROW, receipt(1)))
    store.withdraw(wellbeing, receipt(1))
    store.close_survey("wellbeing", for_good=True)
    store.close_survey("wellbeing")
    assert query(store.path, "SELECT _receipt FROM responses_wellbeing_1") == [(None,)]
    assert query(store.path, "SELECT * FROM withdrawn") == []
    assert store.rows(wellbeing) == [ROW]
    assert store.receive(wellbeing, SENT) is Outcome.CLOSED
    with pytest.raises(StoreError, match=r'survey "wellbeing": .*closed for good'):
        store.open_survey("wellbeing")
    with pytest.raises(StoreError, match="closed for good"):
        store.publish(second_wave(wellbeing), new_version=True)


def test_an_outdated_version_takes_nothing_new_but_knows_what_it_has(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, SENT)
    store.publish(second_wave(wellbeing), new_version=True)
    assert store.receive(wellbeing, SENT) is Outcome.REPEATED
    assert store.receive(wellbeing, Sent(ROW, receipt(1))) is Outcome.OUTDATED
    assert store.withdraw(wellbeing, RECEIPT) is Outcome.WITHDRAWN


def test_a_receipt_takes_its_response_back_once(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, SENT)
    store.receive(wellbeing, Sent(OTHER, receipt(1)))
    assert store.withdraw(wellbeing, receipt(2)) is Outcome.UNKNOWN_RECEIPT
    assert store.withdraw(wellbeing, RECEIPT) is Outcome.WITHDRAWN
    assert store.withdraw(wellbeing, RECEIPT) is Outcome.WITHDRAWN, "the answer to the first may have been lost"
    assert store.withdraw(wellbeing, receipt(2)) is Outcome.UNKNOWN_RECEIPT
    assert store.rows(wellbeing) == [OTHER]


def test_a_receipt_takes_back_what_came_to_any_version(store: Store, wellbeing: Survey) -> None:
    newer = second_wave(wellbeing)
    store.receive(wellbeing, SENT)
    store.publish(newer, new_version=True)
    store.receive(newer, Sent(OTHER, receipt(1)))
    assert store.withdraw(newer, RECEIPT) is Outcome.WITHDRAWN
    assert store.withdraw(wellbeing, receipt(1)) is Outcome.WITHDRAWN
    assert (store.rows(wellbeing), store.rows(newer)) == ([], [])


def test_a_receipt_of_another_survey_takes_nothing_back(store: Store, wellbeing: Survey) -> None:
    other = replace(wellbeing, name="other")
    store.publish(other)
    store.receive(wellbeing, SENT)
    assert store.withdraw(other, RECEIPT) is Outcome.UNKNOWN_RECEIPT
    assert store.receive(other, SENT) is Outcome.STORED


def test_what_was_taken_back_is_not_stored_again_alone_or_among_others(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, SENT)
    store.withdraw(wellbeing, RECEIPT)
    assert store.receive(wellbeing, SENT) is Outcome.DELETED
    batch = [(wellbeing, each) for each in (Sent(OTHER, receipt(1)), SENT, Sent(OTHER, receipt(2)))]
    assert received_together(store, batch) == ["STORED", "DELETED", "STORED"]
    assert store.rows(wellbeing) == [OTHER, OTHER]


def test_what_is_kept_of_a_withdrawal_is_one_hash_in_no_order(store: Store, wellbeing: Survey) -> None:
    receipts = [bytes([number]) + RECEIPT[1:] for number in range(20)]
    for each in receipts:
        store.receive(wellbeing, Sent(ROW, each))
        store.withdraw(wellbeing, each)
    store.tidy()
    kept = query(store.path, "SELECT * FROM withdrawn")
    assert len(kept) == 20
    assert kept == sorted(kept)
    assert {(name, len(hashed)) for name, hashed in kept} == {("wellbeing", 32)}
    assert RECEIPT[1:] not in store.path.read_bytes()


# The last day


def lasting_until(survey: Survey, year: int) -> Survey:
    return replace(survey, study=Study(until=date(year, 6, 30)))


def at(monkeypatch: pytest.MonkeyPatch, year: int) -> None:
    """Set the clock to the first of January of a year."""
    monkeypatch.setattr("collector.survey.study.time", datetime(year, 1, 1, tzinfo=UTC).timestamp)


def test_nothing_is_taken_or_given_back_once_the_last_day_is_over(
    store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = lasting_until(wellbeing, 2030)
    store.publish(survey)
    at(monkeypatch, 2030)
    store.receive(survey, SENT)
    at(monkeypatch, 2031)
    batch = [(survey, Sent(ROW, receipt(1))), (survey, SENT), (survey, Sent(OTHER, receipt(2)))]
    assert received_together(store, batch) == ["CLOSED", "REPEATED", "CLOSED"]
    assert store.receive(survey, Sent(OTHER, None, by_hand=True)) is Outcome.CLOSED
    assert store.withdraw(survey, RECEIPT) is Outcome.CLOSED
    assert [each.is_open for each in store.states()] == [False]
    assert store.rows(survey) == [ROW]
    store.add(survey, [OTHER])  # from paper


def test_a_revision_with_a_later_day_opens_the_survey_again(
    store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey, later = lasting_until(wellbeing, 2030), lasting_until(wellbeing, 2031)
    store.publish(survey)
    store.receive(survey, SENT)
    at(monkeypatch, 2031)
    with pytest.raises(StoreError, match="2030-06-30"):
        store.open_survey("wellbeing")
    store.publish(later)
    assert store.receive(later, Sent(ROW, receipt(1))) is Outcome.STORED
    assert store.receive(survey, Sent(ROW, receipt(2))) is Outcome.STORED, "from a page of before"
    assert store.withdraw(later, RECEIPT) is Outcome.WITHDRAWN, "the newest wording says until when"


def test_a_revision_with_an_earlier_day_closes_the_survey(
    store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = lasting_until(wellbeing, 2031)
    store.publish(survey)
    store.publish(lasting_until(wellbeing, 2030))
    at(monkeypatch, 2031)
    assert store.receive(survey, SENT) is Outcome.CLOSED


# Invitations


def test_an_invitation_is_good_for_one_response(store: Store, wellbeing: Survey) -> None:
    first, second = store.invite("wellbeing", 2)
    sent = replace(SENT, invitation=first.lower())
    assert store.receive(wellbeing, sent) is Outcome.STORED
    assert store.receive(wellbeing, sent) is Outcome.REPEATED
    assert store.receive(wellbeing, replace(sent, codes=OTHER)) is Outcome.REPEATED
    assert store.receive(wellbeing, replace(sent, invitation=second)) is Outcome.REPEATED, "which is not used up"
    assert store.receive(wellbeing, replace(sent, invitation=None)) is Outcome.REPEATED
    assert store.receive(wellbeing, Sent(ROW, receipt(1), first)) is Outcome.USED_INVITATION
    assert store.invitations("wellbeing") == Invitations(issued=2, used=1)
    assert store.receive(wellbeing, Sent(ROW, receipt(1), second)) is Outcome.STORED
    assert store.invitations("wellbeing") == Invitations(issued=2, used=2)
    assert store.count(wellbeing) == 2


@pytest.mark.parametrize("invitation", [None, "", "no code", "7ZQ4K-0B1CD-EFGHJ-KMNPQ-RSTVWX"])
def test_an_invitation_that_nobody_was_given_is_unknown(
    invitation: str | None, store: Store, wellbeing: Survey
) -> None:
    store.invite("wellbeing", 1)
    assert store.receive(wellbeing, Sent(ROW, RECEIPT, invitation)) is Outcome.UNKNOWN_INVITATION
    assert store.count(wellbeing) == 0


def test_a_survey_without_invitations_knows_none(store: Store, wellbeing: Survey) -> None:
    assert store.receive(wellbeing, Sent(ROW, RECEIPT, "7ZQ4K")) is Outcome.UNKNOWN_INVITATION


def test_an_invitation_is_not_used_where_its_response_is_not_stored(store: Store, wellbeing: Survey) -> None:
    (code,) = store.invite("wellbeing", 1)
    with pytest.raises(ResponseError):
        store.receive(wellbeing, Sent((9,) * 6, RECEIPT, code))
    assert store.receive(wellbeing, Sent(ROW, RECEIPT, code)) is Outcome.STORED


def test_one_invitation_sent_by_many_at_once_is_used_once(store: Store, wellbeing: Survey) -> None:
    (code,) = store.invite("wellbeing", 1)
    outcomes: list[Outcome] = []

    def work(number: int) -> None:
        outcomes.append(store.receive(wellbeing, Sent(ROW, receipt(number), code)))

    threads = [Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each.name for each in outcomes) == ["STORED", *["USED_INVITATION"] * 7]
    assert store.count(wellbeing) == 1


def test_unknown_malformed_and_used_invitations_cost_the_same_statements(store: Store, wellbeing: Survey) -> None:
    used, _ = store.invite("wellbeing", 2)
    store.receive(wellbeing, Sent(ROW, RECEIPT, used))
    traces = []
    for invitation in ("7ZQ4K-0B1CD-EFGHJ-KMNPQ-RSTVWX", "no code", "", used):
        statements: list[str] = []
        with store._connections.one() as database:  # noqa: SLF001 - the one connection there is, watched
            database.conn.set_trace_callback(statements.append)
        store.receive(wellbeing, Sent(ROW, receipt(1), invitation))
        with store._connections.one() as database:  # noqa: SLF001 - as above
            database.conn.set_trace_callback(None)
        traces.append([statement.split("code = ")[0].split("_receipt = ")[0] for statement in statements])
    assert len(traces[0]) > 4
    assert traces == [traces[0]] * 4


def test_neither_the_code_nor_the_order_it_was_printed_in_is_kept(store: Store) -> None:
    codes = store.invite("wellbeing", 200)
    store.close()
    content = b"".join(each.read_bytes() for each in store.path.parent.iterdir())
    assert not any(code.encode() in content or code.replace("-", "").encode() in content for code in codes)
