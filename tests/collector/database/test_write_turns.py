"""Whose turn it is to write: within a time limit, and readers wait for nobody."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_UN, flock
from http import HTTPStatus
from pathlib import Path
from threading import Semaphore, Thread
from threading import enumerate as threads

import pytest
from flask.testing import FlaskClient

from collector.database import connections as connections_module
from collector.database.write_turns import Turns, _Waiter
from collector.errors import StoreError
from collector.store import reception
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Survey
from store_rows import OTHER, ROW


@contextmanager
def kept(path: Path) -> Iterator[int]:
    """Another program has the turn, and stops there."""
    descriptor = os.open(path.parent, os.O_RDONLY)
    flock(descriptor, LOCK_EX)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def test_a_turn_that_is_never_given_back_is_told_after_waiting(
    store: Store, wellbeing: Survey, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections_module, "BUSY_SECONDS", 0.1)
    with kept(path):
        for act in (lambda: store.receive(wellbeing, Sent(ROW, None)), lambda: store.add(wellbeing, [ROW]), store.tidy):
            with pytest.raises(StoreError, match="another program has locked it"):
                act()
        assert store.count(wellbeing) == 0, "readers do not wait"
    assert store.receive(wellbeing, Sent(ROW, None)) is Outcome.STORED


def test_a_turn_that_came_too_late_is_given_back(path: Path, tmp_path: Path) -> None:
    turns, other, before = Turns(path), Turns(tmp_path / "deniable.db"), set(threads())
    with kept(path):
        with pytest.raises(StoreError), turns.turn(0.05):
            pass
        (waiting,) = set(threads()) - before
    waiting.join(60)  # its turn comes now, when nobody wants it
    assert not waiting.is_alive()
    with other.turn(1.0):
        pass
    with turns.turn(1.0), turns.turn(1.0):
        pass


def test_a_turn_that_is_late_serves_the_next_one_who_waits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns, need, served = Turns(path), _Waiter.need, list[bool]()
    with kept(path) as descriptor:
        with pytest.raises(StoreError), turns.turn(0.05):
            pass

        def needed_again(waiter: _Waiter, *, needed: bool) -> bool:
            served.append(need(waiter, needed=needed))
            flock(descriptor, LOCK_UN)
            return served[-1]

        with monkeypatch.context() as patch:
            patch.setattr(_Waiter, "need", needed_again)
            turn = turns.turn(60.0)
            turn.__enter__()
        with pytest.raises(StoreError), Turns(path).turn(0.05):
            pass
        turn.__exit__(None, None, None)
    assert served == [True]


def test_senders_do_not_fill_the_server_while_nothing_can_be_stored(
    store: Store, wellbeing: Survey, path: Path, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections_module, "BUSY_SECONDS", 600.0)
    monkeypatch.setattr(reception, "PATIENCE", 0.1)
    outcomes: list[str] = []
    refused = Semaphore(0)

    def send() -> None:
        try:
            outcomes.append(store.receive(wellbeing, Sent(OTHER, None)).name)
        except StoreError as error:
            outcomes.append(error.problem)
            refused.release()

    with kept(path):
        senders = [Thread(target=send) for _ in range(10)]
        for each in senders:
            each.start()
        for _ in senders[1:]:  # the first waits for the turn, and the others give up
            assert refused.acquire(timeout=60)
        send()
        assert client.get("/s/wellbeing").status_code == HTTPStatus.OK
        assert store.count(wellbeing) == 0
    for each in senders:
        each.join()
    assert sorted(outcomes) == ["STORED", *10 * [reception.CROWDED.problem]]
    assert store.count(wellbeing) == 1, "who was refused was not stored"
    assert store.receive(wellbeing, Sent(ROW, None)) is Outcome.STORED
