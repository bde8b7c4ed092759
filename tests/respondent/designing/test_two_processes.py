"""Two processes and two windows of each edit one file, and are killed: no edit that was acknowledged is gone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from threading import Lock, Thread
from time import sleep
from typing import Any
from urllib.parse import urlsplit

import pytest

from collector.errors import OutputError
from collector.output import locked
from respondent.designing.document import OvertakenError, SurveyDocument
from respondent.designing.edits import values_of

WINDOWS = 4  # two of each process
QUESTION = '[[questions]]\nname = "q{0}"\nlabel = "Edits:"\nkind = "yes_no"\nsensitive = false\n\n'
SURVEY = 'name = "shared"\ntitle = "Shared"\nlanguages = ["en"]\n\n' + "".join(map(QUESTION.format, range(WINDOWS)))
LABEL = "label"
Answer = tuple[int, dict[str, Any]]


class Designer:
    """A process of `respondent design`, started again once it was killed."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        self._process: subprocess.Popen[str] | None = None
        self._address = ("", "")

    def address(self) -> tuple[str, str]:
        """Host and secret address of a process that runs."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                command = [sys.executable, "-m", "respondent", "design", str(self._path)]
                self._close()
                self._process = subprocess.Popen(  # noqa: S603 - our own command
                    command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
                )
                assert self._process.stdout is not None
                link = urlsplit(self._process.stdout.readline().strip())
                connection = HTTPConnection(link.netloc, timeout=20)
                connection.request("GET", link.path)
                self._address = (link.netloc, connection.getresponse().headers["Location"])
                connection.close()
            return self._address

    def ask(self, address: tuple[str, str], name: str, body: dict[str, Any] | None = None) -> Answer:
        """Get or post something."""
        host, inside = address
        connection = HTTPConnection(host, timeout=20)
        sent = None if body is None else json.dumps(body)
        connection.request("GET" if body is None else "POST", f"{inside}{name}", sent, {"Origin": f"http://{host}"})
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found

    def kill(self) -> None:
        """Kill it in the middle of whatever it does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def end(self) -> None:
        """Kill it for good."""
        self.kill()
        self._close()

    def _close(self) -> None:
        if self._process is not None and self._process.stdout is not None:
            self._process.stdout.close()


@contextmanager
def designers(path: Path) -> Iterator[list[Designer]]:
    both = [Designer(path), Designer(path)]
    try:
        yield both
    finally:
        for each in both:
            each.end()


def write(designer: Designer, question: int, edits: int, acknowledged: list[str]) -> None:
    """A window: adds a word to the label of its own question, and offers it again until it is acknowledged."""
    for number in range(edits):
        word = f"{question}x{number}"
        while True:
            with suppress(OSError, HTTPException, ValueError, TypeError):
                address = designer.address()
                state = designer.ask(address, "state")[1]
                label = state["document"]["questions"][question][LABEL]
                if word in label.split():  # it was written, and killed before it could say so
                    break
                edit = {"op": "set", "path": ["questions", question, LABEL], "value": f"{label} {word}"}
                sent = {"version": state["version"], "edits": [edit]}
                if designer.ask(address, "edit", sent)[0] == 200:
                    break
            sleep(0.002)
        acknowledged.append(word)


def edited_by_two(path: Path, edits: int, kills: int) -> tuple[list[str], list[str]]:
    """The words that were acknowledged, and those that the file has."""
    path.write_text(SURVEY, "utf-8")
    acknowledged, random = list[str](), Random(edits)  # noqa: S311 - when to kill
    with designers(path) as both:
        args = [(both[at % 2], at, edits // WINDOWS, acknowledged) for at in range(WINDOWS)]
        threads = [Thread(target=write, args=each, daemon=True) for each in args]
        for thread in threads:
            thread.start()
        for number in range(kills):
            until = (number + 1) * edits // (kills + 1)
            while len(acknowledged) < until:
                sleep(0.01)
            sleep(random.random() / 20)
            both[number % 2].kill()
        for thread in threads:
            thread.join()
    labels = [each[LABEL] for each in values_of(path.read_text("utf-8"))["questions"]]
    return acknowledged, [word for label in labels for word in label.split()[1:]]


@pytest.mark.parametrize(("edits", "kills"), [(40, 2), pytest.param(500, 10, marks=pytest.mark.soak)])
def test_no_acknowledged_edit_of_two_processes_and_two_windows_is_gone(edits: int, kills: int, tmp_path: Path) -> None:
    acknowledged, there = edited_by_two(tmp_path / "shared.toml", edits, kills)
    assert len(acknowledged) == edits
    assert sorted(there) == sorted(acknowledged)
    left = {each.name for each in tmp_path.iterdir()} - {"shared.toml", ".shared.toml.lock"}
    assert len(left) <= kills, "drafts of killed processes at most"


def test_a_change_between_the_last_look_and_the_rename_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "shared.toml"
    path.write_text(SURVEY, "utf-8")
    document, theirs = SurveyDocument(path), SURVEY.replace("Shared", "Theirs")
    monkeypatch.setattr("collector.output.os.fsync", lambda _: path.write_text(theirs, "utf-8"))
    with pytest.raises(OvertakenError, match="another program changed this survey"):
        document.edit(1, [{"op": "set", "path": ["title"], "value": "Ours"}])
    assert path.read_text("utf-8") == theirs
    assert (document.text, document.version, [each.name for each in tmp_path.iterdir()]) == (theirs, 2, [path.name])


def test_a_lock_that_another_command_holds_is_waited_for_and_given_up_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "shared.toml"
    (tmp_path / ".shared.toml.lock").touch()  # of a killed command
    with locked(path):
        monkeypatch.setattr("collector.output.PATIENCE", 0.2)
        with pytest.raises(OutputError, match="held its lock"), locked(path):
            pass
    assert list(tmp_path.iterdir()) == []
    with locked(path):
        pass
