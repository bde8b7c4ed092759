"""Whose turn it is to write: within a time limit, and readers wait for nobody."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_UN, flock
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from time import sleep

import pytest
from flask.testing import FlaskClient

from collector.database import connections as connections_module
from collector.database.write_turns import Turns
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
            with pytest.raises(StoreError, match="another program has locked it; close that program, or try again"):
                act()
        assert store.count(wellbeing) == 0, "readers do not wait"
    assert store.receive(wellbeing, Sent(ROW, None)) is Outcome.STORED


def test_a_turn_that_came_too_late_is_given_back(path: Path, tmp_path: Path) -> None:
    turns, other = Turns(path), Turns(tmp_path / "deniable.db")
    with kept(path), pytest.raises(StoreError), turns.turn(0.05):
        pass
    sleep(0.1)  # it comes now, when nobody wants it
    with other.turn(1.0):
        pass
    with turns.turn(1.0), turns.turn(1.0):
        pass


def test_a_turn_that_is_late_serves_the_next_one_who_waits(path: Path) -> None:
    turns = Turns(path)
    with kept(path) as descriptor:
        with pytest.raises(StoreError), turns.turn(0.05):
            pass
        Thread(target=lambda: (sleep(0.1), flock(descriptor, LOCK_UN))).start()
        with turns.turn(5.0), pytest.raises(StoreError), Turns(path).turn(0.05):
            pass


def test_senders_do_not_fill_the_server_while_nothing_can_be_stored(
    store: Store, wellbeing: Survey, path: Path, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections_module, "BUSY_SECONDS", 2.0)
    monkeypatch.setattr(reception, "PATIENCE", 0.1)
    outcomes: list[str] = []

    def send() -> None:
        with pytest.raises(StoreError) as raised:
            store.receive(wellbeing, Sent(OTHER, None))
        outcomes.append(raised.value.problem)

    with kept(path):
        threads = [Thread(target=send) for _ in range(10)]
        for each in threads:
            each.start()
        sleep(0.3)
        send()
        assert client.get("/s/wellbeing").status_code == HTTPStatus.OK
        for each in threads:
            each.join()
    blocked = 10 * ["another program blocks the store"]
    assert sorted(outcomes) == [*blocked, "another program has locked it"]
    assert store.count(wellbeing) == 0, "who was refused was not stored"
    assert store.receive(wellbeing, Sent(ROW, None)) is Outcome.STORED
