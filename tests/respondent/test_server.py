"""``respondent.server``: the server stops when it is told to, whatever it is doing at that moment."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config

from respondent.intake.patience import SENDING
from respondent.server import SETTINGS, STOPS, QuietArbiter, QuietWorker


class BusyPool:
    """Threads whose lock is held by the thread that a signal interrupts, as while it hands a request to them."""

    def shutdown(self, **_: object) -> None:
        """What would wait for ever."""
        pytest.fail("a handler of signals waits for a lock that its own thread holds")


@pytest.fixture
def worker() -> Iterator[QuietWorker]:
    """A worker that has not begun to serve."""
    made = QuietWorker(1, 1, [], None, 30, Config(), None)
    made.method_queue.init()
    made.tpool = BusyPool()
    yield made
    made.method_queue.close()
    made.tmp.close()


def test_a_worker_that_is_interrupted_while_it_takes_a_request_in_stops(worker: QuietWorker) -> None:
    worker.handle_quit(signal.SIGINT, None)
    assert not worker.alive


def test_signals_wait_until_a_worker_that_is_being_born_can_hear_them(
    monkeypatch: pytest.MonkeyPatch, worker: QuietWorker
) -> None:
    def blocked() -> set[int]:
        return signal.pthread_sigmask(signal.SIG_BLOCK, ())

    before, held = blocked(), []
    monkeypatch.setattr(Arbiter, "__init__", lambda *_: None)
    monkeypatch.setattr(Arbiter, "spawn_worker", lambda _: held.append(blocked()))
    QuietArbiter(SimpleNamespace()).spawn_worker()
    assert set(STOPS) <= held[0]
    assert blocked() == before

    monkeypatch.setattr("gunicorn.workers.base.Worker.init_signals", lambda _: None)
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    worker.init_signals()
    assert not set(STOPS) & blocked()


def test_whoever_stalls_is_given_up_before_the_worker_is() -> None:
    assert SETTINGS["graceful_timeout"] > SENDING
