"""The command that opens the desk: it listens to this machine only, logs nothing, and ends with Ctrl-C."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest

from collector.errors import QueryError
from collector.maintenance.running import BATCH
from collector.store.store import Store
from collector.survey.survey import Survey
from miner.desk import desk as room
from miner.desk.desk import Desk
from owner.server import listen
from store_rows import ROW
from workshop import call


def ask(address: str, path: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    connection.request("GET", path)
    return connection.getresponse()


def test_the_command_prints_a_link_serves_and_ends_quietly(store: Store) -> None:
    line = [Path(sys.executable).parent / "miner", "desk", "wellbeing", "--store", str(store.path)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        try:
            assert process.stdout is not None
            link, explained = process.stdout.readline().strip(), process.stdout.readline()
            assert urlsplit(link).hostname == "127.0.0.1"
            answer = ask(link, urlsplit(link).path)
            assert answer.status == 303
            assert answer.headers["Server"] == "deniable"
            assert ask(link, answer.headers["Location"]).status == 200
            assert ask(link, urlsplit(link).path).status == 404
            process.send_signal(signal.SIGINT)
            rest, complaints = process.communicate(timeout=60)
        finally:
            process.kill()  # where something above fails, or leaving would wait for it without end
    assert "once" in explained
    assert (process.returncode, rest, complaints.strip()) == (0, "", "")


def test_it_listens_to_this_machine_only() -> None:
    with listen(0) as listener:
        host, port = listener.getsockname()
        assert host == "127.0.0.1"
        with pytest.raises(QueryError, match=f"--port {port}: "):
            listen(port)


def test_a_desk_for_no_survey_is_refused_in_a_line(store: Store) -> None:
    result = call("miner", "desk", "nothing", "--store", str(store.path))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert 'no survey "nothing"' in result.stderr


def test_it_looks_again_and_again_whatever_happens_to_the_store(
    store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "LOOK_SECONDS", 0.001)
    desk, stopped, looked = Desk(store, "wellbeing"), Event(), Event()
    look = desk.look

    def counted() -> object:
        looked.set()
        return look()

    monkeypatch.setattr(desk, "look", counted)
    thread = Thread(target=desk.keep_looking, args=[stopped])
    thread.start()
    store.remove("wellbeing")
    looked.clear()
    assert looked.wait(30)
    store.publish(wellbeing)
    store.add(wellbeing, [ROW] * BATCH)
    looked.clear()
    assert looked.wait(30)
    looked.clear()
    assert looked.wait(30)
    stopped.set()
    thread.join(30)
    state = store.state("wellbeing")
    assert state is not None
    assert desk.shown(state) is not None
