"""After a whole survey nothing that the server wrote, searched as bytes, says who answered, when, or what was true.

The search for times fails by chance once in 20,000 runs: `searching` has the reckoning.
"""

from __future__ import annotations

import json
import os
import random
import re
import secrets
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from collector.store.store import Store
from collector.survey.survey import Survey
from searching import encodings, times_in, written

AGENT = "heron-browser/9.7"
ADDRESS = "203.0.113.77"
TRUTH = "an undisguised value: grey heron"
CODES = {"year": 0, "cannabis": 0, "drinking": 0, "income": 0, "debt": 0, "distress": 0}
WAIT = 30  # seconds
PEOPLE = 12
ROOT = Path(__file__).resolve().parents[2]


def command(name: str, folder: Path) -> list[str]:
    bin_folder = Path(sys.executable).parent
    if name == "respondent":
        return [str(bin_folder / name), "serve", "--port", "0", "--store", str(folder / "a.db"), "--proxy-hops", "1"]
    app = f"respondent.server:app({str(folder / 'a.db')!r}, proxy_hops=1)"
    conf = ROOT / "examples" / "deploy" / "gunicorn.conf.py"
    return [str(bin_folder / name), "--config", str(conf), "--bind", "127.0.0.1:0", "--log-level", "error", app]


@contextmanager
def serving(name: str, folder: Path) -> Iterator[int]:
    """The server, all that it prints in a file, its temporary files in a folder; gives its port."""
    temporary = folder / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}
    with (
        (folder / "printed.log").open("wb") as log,
        subprocess.Popen(  # noqa: S603 - our own command
            command(name, folder), env=environment, stdout=log, stderr=log
        ) as process,
    ):
        try:
            yield _port_of(process.pid)
        finally:
            process.terminate()
            process.wait(WAIT)


def _port_of(process: int) -> int:
    """The port that a process listens on, from the kernel's table."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        sockets = {str(each.readlink()) for each in Path(f"/proc/{process}/fd").iterdir() if each.is_symlink()}
        for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                return int(fields[1].split(":")[1], 16)
        time.sleep(0.05)
    raise AssertionError("the server does not listen")


def ask(port: int, path: str, body: bytes | None = None, method: str | None = None) -> int:
    headers = {"User-Agent": AGENT, "Content-Type": "application/json", "X-Forwarded-For": ADDRESS}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=WAIT) as answer:  # noqa: S310 - http to ourselves
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def answer_survey(port: int, survey: Survey, invitations: list[str]) -> list[bytes]:
    """Everybody answers, some wrongly, twice or with second thoughts; what must not be found afterwards."""
    path = f"/api/v1/surveys/{survey.name}/responses"
    secret: list[bytes] = []
    for number, code in enumerate(invitations):
        receipt = secrets.token_bytes(32)
        text = urlsafe_b64encode(receipt).decode().rstrip("=")
        body = {"fingerprint": survey.fingerprint, "codes": CODES, "receipt": text, "invitation": code}
        assert ask(port, f"/s/{survey.name}") == 200
        wrong = json.dumps(body | {"codes": CODES | {"distress": TRUTH}}).encode()
        assert ask(port, f"{path}?answer={TRUTH.rsplit(maxsplit=1)[-1]}", wrong) == 400
        assert [ask(port, path, json.dumps(body).encode()) for _ in range(2)] == [201, 200]
        if number % 3 == 0:
            wish = json.dumps({"fingerprint": survey.fingerprint, "receipt": text}).encode()
            assert ask(port, path, wish, "DELETE") == 204
        plain = code.replace("-", "")
        secret += [each.encode() for each in (code, plain, code.lower(), plain.lower(), text)]
        secret += [receipt, receipt[:8], receipt[::-1], receipt.hex().encode()]
    assert ask(port, "/s/heron") == 404
    return secret


def traces(folder: Path, patterns: list[bytes]) -> dict[str, list[bytes]]:
    """Which of the patterns are in which file, by name."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    assert {"a.db", "printed.log"} <= {each.name for each in files}
    found = {each.name: [word for word in patterns if word in each.read_bytes()] for each in files}
    return {name: words for name, words in found.items() if words}


def moments(folder: Path, since: float, until: float) -> dict[str, set[str]]:
    """In which files there is a number that is a time of the run, by name, and how it is written there."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    found = {each.name: times_in(each.read_bytes(), since, until) for each in files}
    return {name: encodings for name, encodings in found.items() if encodings}


def times() -> list[bytes]:
    """How a time of today might be written: as a date, and in seconds, the last three digits open."""
    now = datetime.now(UTC)
    words = [now.strftime(form) for form in ("%Y-%m-%d", "%Y/%m/%d", "%d/%b/%Y", "%a, %d %b", "%Y%m%d")]
    words.append(str(int(now.timestamp()))[:7])
    return [word.encode() for word in words]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["respondent", "gunicorn"])
def test_nothing_that_was_written_tells_who_answered_when_or_the_truth(
    name: str, tmp_path: Path, wellbeing: Survey
) -> None:
    with Store(tmp_path / "a.db", create=True) as store:
        store.publish(wellbeing)
        invitations = store.invite("wellbeing", PEOPLE)
    since = time.time()
    with serving(name, tmp_path) as port:
        patterns = answer_survey(port, wellbeing, invitations)
        until = time.time()
        patterns += [AGENT.encode(), b"heron", *written(ADDRESS), *written("127.0.0.1"), *times()]
        greeting = re.sub(
            rb"Serving .*\nSHA-384 of static/disguise: .*\n", b"", (tmp_path / "printed.log").read_bytes()
        )
        assert greeting == b"", "nothing is printed but where it serves, and what script"
        (tmp_path / "printed.log").write_bytes(b"")
        assert (tmp_path / "a.db-wal").stat().st_size > 0
        assert traces(tmp_path, patterns) == {}, "while it runs, the write-ahead log included"
        assert moments(tmp_path, since, until) == {}
    assert traces(tmp_path, patterns) == {}, "after it has ended"
    assert moments(tmp_path, since, until) == {}
    with Store(tmp_path / "a.db") as store:
        assert store.count(wellbeing) == PEOPLE - PEOPLE // 3
    assert [each.name for each in (tmp_path / "temporary").rglob("*") if each.is_file()] == []


def test_the_search_finds_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"...heron...")
    (tmp_path / "printed.log").write_bytes(times()[0])
    assert traces(tmp_path, [b"heron", b"stork", *times()]) == {"a.db": [b"heron"], "printed.log": [times()[0]]}


@pytest.mark.parametrize("name", encodings(0))
def test_the_search_finds_a_time_however_it_is_written(name: str) -> None:
    now = 1_800_000_000.25
    content = b"\x00\x00\x81" + encodings(now)[name] + b"\xff\x02"
    assert name in times_in(content, now - 2, now + 2)
    assert name not in times_in(content, now + 2, now + 9)


def test_the_search_finds_times_and_addresses_that_sqlite_wrote(tmp_path: Path) -> None:
    now = 1_800_000_000.25
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as database:
        database.execute("CREATE TABLE seen (at INTEGER PRIMARY KEY, stored ANY, address BLOB)")
        database.execute("INSERT INTO seen VALUES (?, ?, ?)", (int(now * 1e3), int(now), written(ADDRESS)[1]))
        database.execute("INSERT INTO seen VALUES (?, ?, ?)", (int(now * 1e9), int(now * 1e6), None))
    content = (tmp_path / "a.db").read_bytes()
    assert times_in(content, now - 2, now + 2) == {
        "milliseconds, varint",
        "nanoseconds, varint",
        "seconds, 4 bytes, big-endian",
        "microseconds, 8 bytes, big-endian",
    }
    assert written(ADDRESS)[1] in content


def test_the_search_finds_nothing_in_random_bytes() -> None:
    # Seeded. Two encodings of 32 bits, four seconds, 10^5 offsets: 2e-4 expected of any other seed.
    content = random.Random(1).randbytes(100_000)  # noqa: S311 - seeded
    assert times_in(content, 1_800_000_000, 1_800_000_003) == set()
