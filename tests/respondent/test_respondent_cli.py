"""``respondent serve``: the real server, its one-line errors, and what it says of its callers, which is nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest
from click.testing import CliRunner

from collector.errors import StoreError
from collector.page.static_files import disguise_hash, static_files
from collector.store.invitation import pepper_path
from collector.store.store import Store
from collector.survey.survey import Survey
from respondent.cli import main
from respondent.headers import HEADERS, INTEGRITY
from respondent.server import app

AGENT = "heron-browser/9.7"
CODES = {"year": 0, "cannabis": 0, "drinking": 0, "income": 0, "debt": 0, "distress": 0}
WAIT = 30  # seconds


@pytest.fixture
def path(tmp_path: Path, wellbeing: Survey) -> Path:
    path = tmp_path / "deniable.db"
    with Store(path, create=True) as store:
        store.publish(wellbeing)
    return path


@dataclass(frozen=True)
class Server:
    """A running server."""

    process: subprocess.Popen[str]
    greeting: str
    port: int

    def ask(self, path: str, body: bytes | None = None) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of one answer."""
        headers = {"User-Agent": AGENT, "Content-Type": "application/json", "X-Forwarded-For": "203.0.113.77"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=WAIT) as answer:  # noqa: S310 - http to ourselves
                return answer.status, dict(answer.headers), answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, dict(error.headers), error.read().decode()

    def shout(self, line: bytes, *, whole: bool = False) -> str:
        """Whatever is answered to these bytes, after which nothing comes if that is the whole of it."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=WAIT) as connection:
            connection.sendall(line)
            if whole:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while part := connection.recv(65536):
                answer += part
            return answer.decode()

    def stop(self) -> tuple[int, str]:
        """Interrupt it, as Ctrl-C does; its exit code and all that it printed after the greeting."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=WAIT)
        return self.process.returncode, out + err


@pytest.fixture
def server(path: Path) -> Iterator[Server]:
    with serving(path) as running:
        yield running


@contextmanager
def serving(path: Path, *options: str) -> Iterator[Server]:
    """Serve a store, as the command does."""
    command = [sys.executable, "-m", "respondent", "serve", "--port", "0", "--store", str(path), *options]
    environment = {**os.environ, "GUNICORN_CMD_ARGS": "--access-logfile=-"}  # to be ignored
    with subprocess.Popen(  # noqa: S603 - our own command
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            greeting = process.stdout.readline() + process.stdout.readline()
            port = re.search(r":(\d+)/", greeting)
            assert port is not None, process.communicate(timeout=WAIT)
            yield Server(process, greeting, int(port[1]))
        finally:
            if process.poll() is None:
                process.terminate()


def test_it_says_where_it_serves_and_what(server: Server) -> None:
    known = disguise_hash(static_files())
    where = f"Serving 1 survey on http://127.0.0.1:{server.port}/\n"
    assert server.greeting == f"{where}SHA-384 of static/disguise: {known}\n"
    status, headers, text = server.ask("/s/wellbeing")
    assert known in text
    assert status == 200
    assert "Student wellbeing" in text
    policy = "Content-Security-Policy"
    assert headers | HEADERS == headers | {policy: HEADERS[policy]}
    assert headers["Integrity-Policy"] == INTEGRITY


@pytest.mark.parametrize("workers", [1, 3])
def test_it_serves_with_as_many_workers_as_are_asked_for(workers: int, path: Path) -> None:
    with serving(path, "--workers", str(workers)) as server:
        assert server.ask("/s/wellbeing")[0] == 200
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        limit = monotonic() + WAIT
        while len(children.read_text(encoding="utf-8").split()) < workers and monotonic() < limit:
            sleep(0.05)
        assert len(children.read_text(encoding="utf-8").split()) == workers
        assert server.stop() == (0, "")


def test_it_stores_what_it_acknowledges_and_says_nothing_about_who_called(
    server: Server, path: Path, wellbeing: Survey
) -> None:
    body = json.dumps({"fingerprint": wellbeing.fingerprint, "codes": CODES, "receipt": "A" * 43}).encode()
    assert server.ask("/api/v1/surveys/wellbeing/responses", body)[0] == 201
    assert server.ask("/api/v1/surveys/wellbeing/responses", b'{"secret": "heron"}')[0] == 400
    assert server.ask("/s/heron?answer=heron")[0] == 404
    with Store(path) as store:
        assert store.rows(wellbeing) == [(0, 0, 0, 0, 0, 0)]
    code, printed = server.stop()
    assert (code, printed) == (0, "")


def test_what_is_no_http_is_answered_alike_and_not_logged(server: Server) -> None:
    for line in (b"heron\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nbad heron\r\n\r\n"):
        answer = server.shout(line)
        assert answer.startswith("HTTP/1.1 400 Bad Request\r\n")
        assert "heron" not in answer
        for name, value in HEADERS.items():
            assert f"\r\n{name}: {value}\r\n" in answer
        assert json.loads(answer.split("\r\n\r\n", 1)[1])["error"].startswith("request: this is not HTTP; ")
    assert server.stop() == (0, "")


RESPONSES = b"POST /api/v1/surveys/wellbeing/responses HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("rest", "status"),
    [
        (b"Transfer-Encoding: chunked\r\n\r\nheron\r\n{}\r\n0\r\n\r\n", "400 BAD REQUEST"),
        (b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}heron", "400 BAD REQUEST"),
        (b"Content-Length: 100\r\n\r\n{heron", "408 REQUEST TIMEOUT"),
    ],
)
def test_a_body_that_does_not_come_whole_is_the_sender_s_fault(rest: bytes, status: str, server: Server) -> None:
    answer = server.shout(RESPONSES + rest, whole=True)
    assert answer.startswith(f"HTTP/1.1 {status}\r\n")
    assert "heron" not in answer
    assert server.stop() == (0, "")


@pytest.mark.slow
def test_callers_who_stall_are_not_waited_for_and_not_logged(server: Server) -> None:
    begun = [b"POST /heron", RESPONSES + b"Content-Length: 100\r\n\r\n{heron"]
    with ThreadPoolExecutor(len(begun)) as callers:
        for answer in callers.map(server.shout, begun):
            assert "heron" not in answer, "the server hangs up, or this waits for too long"
    assert server.stop() == (0, "")


def test_the_operator_is_told_when_the_store_cannot_be_used(server: Server, path: Path, wellbeing: Survey) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("DROP TABLE responses_wellbeing_1")
    body = json.dumps({"fingerprint": wellbeing.fingerprint, "codes": CODES, "receipt": "A" * 43}).encode()
    status, headers, text = server.ask("/api/v1/surveys/wellbeing/responses", body)
    assert (status, headers["Retry-After"]) == (503, "10")
    assert str(path) not in text
    _, printed = server.stop()
    assert str(path) in printed
    assert AGENT not in printed
    assert "127.0.0.1" not in printed


def test_a_store_on_a_network_file_system_is_refused_before_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 0:1 / / rw - ext4 a rw\n2 1 0:2 / {tmp_path} rw - cifs //server/share rw\n")
    monkeypatch.setattr("collector.database.file_system.MOUNTS", mounts)
    path = tmp_path / "a.db"
    said = f"{path}: it lies on a network file system (cifs), where SQLite cannot keep a served store safe; "
    assert complaint("--store", str(path)) == f"{said}move the store to a local disk, or keep it in PostgreSQL\n"
    with pytest.raises(StoreError, match="network file system"):
        app(str(path))


def complaint(*arguments: str) -> str:
    """The one line that a command that cannot start prints on stderr, exiting with 2."""
    result = CliRunner().invoke(main, ["serve", *arguments])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_store_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    line = complaint("--store", str(tmp_path / "none.db"))
    assert "none.db: there is no such file" in line
    assert not (tmp_path / "none.db").exists()


def test_a_file_that_is_no_store_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("notes", encoding="utf-8")
    assert "notes.txt: it is not" in complaint("--store", str(tmp_path / "notes.txt"))


@pytest.mark.parametrize(("pepper", "said"), [(None, "the pepper cannot be read"), (b"short", "is not 32 bytes")])
def test_a_store_without_its_pepper_is_said_before_anybody_answers(pepper: bytes | None, said: str, path: Path) -> None:
    pepper_path(path).unlink()
    if pepper is not None:
        pepper_path(path).write_bytes(pepper)
    line = complaint("--store", str(path))
    assert said in line
    assert "(collector restore)" in line
    with pytest.raises(StoreError, match=said):
        app(str(path))


def test_a_port_that_is_taken_is_said_in_one_line(path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = complaint("--store", str(path), "--port", str(port))
    assert line.startswith(f"127.0.0.1, port {port}: ")
    assert "--port" in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--host", "203.0.113.7"], "203.0.113.7, port 8000: this machine has no such address"),
        (["--host", "nothing.invalid"], "host nothing.invalid: the address cannot be used on this machine"),
        (["--port", "70000"], "Invalid value for '--port'"),
        (["--port", "web"], "Invalid value for '--port'"),
        (["--prot", "80"], "No such option"),
    ],
)
def test_an_address_that_cannot_be_is_said_in_one_line(arguments: list[str], said: str, path: Path) -> None:
    assert said in complaint("--store", str(path), *arguments)
