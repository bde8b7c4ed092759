"""Faults: whatever breaks, each acknowledged response is in the store once, and no row is torn.

    python -m benchmarks.faults [--quick] [--json]

After every fault the store is opened anew and every response is sent to it once more: it must know each that it has
acknowledged, and there must then be exactly as many rows as responses.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from time import sleep

import click

from benchmarks.serving import Running, running
from benchmarks.traffic import any_codes, body, request, send
from collector.command import print_json, print_table
from collector.errors import StoreError
from collector.invitation import pepper_path
from collector.store import Outcome, Sent, Store
from collector.survey_file import read_survey_file

SURVEY = read_survey_file(Path(__file__).resolve().parent.parent / "examples" / "wellbeing.toml")
ADDRESS = f"/api/v1/surveys/{SURVEY.name}/responses"
ACKNOWLEDGED = (200, 201)
CONNECTIONS = 16
NOBODY = 65534
WAL_HEADER, FRAME_HEADER, PAGE = 32, 24, 4096


@dataclass(frozen=True)
class Fault:
    """What came of one fault.

    Attributes:
        name: What was broken.
        times: How often.
        sent: Responses, each perhaps several times.
        acknowledged: Of them, before everything was sent once more.
        lost: Acknowledged, and not in the store.
        twice: More rows than responses, once all were sent again.
        torn: Rows that nobody sent, and faults that SQLite finds.
    """

    name: str
    times: int
    sent: int
    acknowledged: int
    lost: int
    twice: int
    torn: int

    @property
    def holds(self) -> bool:
        """Whether nothing was lost, doubled or torn, and the fault was not that nothing worked."""
        return not (self.lost or self.twice or self.torn)


class Bench:
    """A store, responses to send to it, and the judgement afterwards.

    Args:
        folder: For the store.
        count: Of responses.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self.path = folder / "faults.db"
        with Store(self.path, create=True) as store:
            store.publish(SURVEY)
        self.responses = [Sent(any_codes(SURVEY), secrets.token_bytes(32)) for _ in range(count)]
        self.requests = [request(ADDRESS, body(SURVEY, each.codes, each.receipt or b"")) for each in self.responses]
        self.acknowledged: set[int] = set()

    def send(self, port: int, first: int = 0, last: int | None = None) -> None:
        """Send some of the responses, and note which were acknowledged."""
        answers = send(port, self.requests[first:last], CONNECTIONS)
        self.acknowledged |= {first + each.number for each in answers if each.status in ACKNOWLEDGED}

    def judge(self, name: str, times: int) -> Fault:
        """Look what is in the store."""
        with Store(self.path) as store:
            rows = store.rows(SURVEY)
            with ThreadPoolExecutor(CONNECTIONS) as threads:
                outcomes = list(threads.map(partial(store.receive, SURVEY), self.responses))
            known = {number for number in self.acknowledged if outcomes[number] is Outcome.REPEATED}
            twice = store.count(SURVEY) - len(self.responses)
        sent = {each.codes for each in self.responses}
        torn = sum(row not in sent for row in rows) + faults_found(self.path)
        lost = len(self.acknowledged - known)
        return Fault(name, times, len(self.responses), len(self.acknowledged), lost, max(twice, 0), torn)


def faults_found(path: Path) -> int:
    """How many faults SQLite finds in a file."""
    with closing(sqlite3.connect(path)) as connection:
        return sum(line != "ok" for (line,) in connection.execute("PRAGMA integrity_check"))


@contextmanager
def under_load(bench: Bench, port: int) -> Iterator[Thread]:
    """Everything is sent while the block runs, and once it has ended the rest of it."""
    thread = Thread(target=bench.send, args=(port,))
    thread.start()
    yield thread
    thread.join()


def workers(server: Running) -> list[int]:
    """The workers' process numbers."""
    listed = subprocess.run(  # noqa: S603 - a fixed command
        ["/usr/bin/pgrep", "-P", str(server.process.pid)], capture_output=True, text=True, check=False
    )
    return [int(each) for each in listed.stdout.split()]


def killed_worker(bench: Bench, times: int) -> int:
    """``kill -9`` of a worker under load, which the server replaces."""
    killed = 0
    with running(bench.path) as server:
        while killed < times:
            with under_load(bench, server.port) as load:
                while load.is_alive() and killed < times:
                    sleep(0.25)
                    for victim in workers(server)[:1]:
                        with suppress(ProcessLookupError):
                            os.kill(victim, signal.SIGKILL)
                            killed += 1
    return killed


def killed_server(bench: Bench, times: int) -> int:
    """``kill -9`` of the whole server under load, which is then started again."""
    share = max(1, len(bench.requests) // times)
    for number in range(times):
        with running(bench.path) as server:
            first, last = number * share, (number + 1) * share
            bench.send(server.port, first, first + 1)  # until a worker is there to be killed
            thread = Thread(target=bench.send, args=(server.port, first + 1, last))
            thread.start()
            sleep(0.15)
            os.killpg(server.process.pid, signal.SIGKILL)
            thread.join()
    return times


def full_disk(bench: Bench, times: int) -> int:
    """No file may grow any more: log and store are at their limit."""
    for _ in range(times):
        limit = max(bench.path.stat().st_size, 1) + 64 * 1024
        with running(bench.path, "--largest-file", str(limit)) as server:
            bench.send(server.port)
    return times


def locked(bench: Bench, times: int) -> int:
    """Another process holds the lock for longer than the server waits."""
    with running(bench.path, "--busy", "0.2") as server:
        for _ in range(times):
            connection = sqlite3.connect(bench.path, isolation_level=None, timeout=10)
            with closing(connection) as other, under_load(bench, server.port):
                sleep(0.1)
                other.execute("BEGIN IMMEDIATE")
                sleep(0.8)
                other.execute("ROLLBACK")
    return times


def two_servers(bench: Bench, times: int) -> int:
    """Two servers on one store, to which every response is sent at once."""
    for _ in range(times):
        with running(bench.path) as one, running(bench.path) as other, under_load(bench, one.port):
            bench.send(other.port)
    return times


def dropping_client(bench: Bench, times: int) -> int:
    """The client goes away as soon as it has sent, and sends again later."""
    with running(bench.path) as server:
        for sent in bench.requests[:times]:
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(sent)
        bench.send(server.port)
    return min(times, len(bench.requests))


def read_only(bench: Bench, times: int) -> int:
    """The store cannot be written: a process that may not is refused, and says so."""
    with running(bench.path) as server:
        bench.send(server.port, 0, len(bench.requests) // 2)
    for _ in range(times):
        child = os.fork()
        if child == 0:
            os._exit(_refused(bench))
        if os.waitpid(child, 0)[1]:
            raise RuntimeError("a store that cannot be written took a response")
    return times


def _refused(bench: Bench) -> int:
    for each in bench.path.parent.iterdir():
        each.chmod(0o444)
    bench.path.parent.chmod(0o555)
    os.seteuid(NOBODY)
    try:
        with Store(bench.path) as store:
            store.receive(SURVEY, bench.responses[-1])
    except StoreError:
        return 0
    finally:
        os.seteuid(0)
        bench.path.parent.chmod(0o755)
    return 1


def cut_log(bench: Bench, times: int) -> int:
    """Power loss: the log of a recorded run is cut at every frame, and in the middle of every one."""
    log = bench.path.with_name(f"{bench.path.name}-wal")
    sizes = []
    with Store(bench.path) as store, tempfile.TemporaryDirectory() as folder:
        store.tidy()
        for each in bench.responses[:times]:
            store.receive(SURVEY, each)
            sizes.append(log.stat().st_size)
        for original in (bench.path, log, pepper_path(bench.path)):
            shutil.copy(original, folder)
        recorded = Path(folder) / log.name
        whole = recorded.read_bytes()
        cuts = range(WAL_HEADER, len(whole) + 1, (FRAME_HEADER + PAGE) // 2)
        for cut in cuts:
            recorded.write_bytes(whole[:cut])
            _check_cut(Path(folder) / bench.path.name, bench, sum(size <= cut for size in sizes))
    bench.acknowledged = set(range(times))
    return len(cuts)


def _check_cut(recorded: Path, bench: Bench, acknowledged: int) -> None:
    """Exactly those that were acknowledged before the cut are there, whole."""
    with tempfile.TemporaryDirectory() as folder:
        for each in recorded.parent.iterdir():
            shutil.copy(each, folder)
        path = Path(folder) / recorded.name
        with Store(path) as store:
            found = sorted(store.rows(SURVEY))
        expected = sorted(each.codes for each in bench.responses[:acknowledged])
        if found != expected or faults_found(path):
            raise RuntimeError(f"after the cut {len(found)} rows are there instead of {acknowledged}")


FAULTS: dict[Callable[[Bench, int], int], tuple[int, int]] = {  # how often, quick and long
    killed_worker: (5, 50),
    killed_server: (3, 50),
    full_disk: (1, 5),
    locked: (1, 5),
    two_servers: (1, 3),
    dropping_client: (50, 500),
    read_only: (1, 3),
    cut_log: (20, 200),
}


def measure(fault: Callable[[Bench, int], int], times: int, responses: int) -> Fault:
    """Let one fault happen to a new store."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), responses)
        happened = fault(bench, times)
        return bench.judge((fault.__doc__ or "").splitlines()[0], happened)


@click.command()
@click.option("--quick", is_flag=True, help="Each fault a few times.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Let every fault happen, print, and exit with 1 if anything was lost, doubled or torn."""
    responses = 600 if quick else 6000
    found = [measure(fault, times[0 if quick else 1], responses) for fault, times in FAULTS.items()]
    if as_json:
        print_json({"faults": [asdict(each) | {"holds": each.holds} for each in found]})
    else:
        columns = ("times", "sent", "acknowledged", "lost", "twice", "torn", "fault")
        rows = [(each.times, each.sent, each.acknowledged, each.lost, each.twice, each.torn) for each in found]
        print_table(columns, [(*map(str, row), each.name) for row, each in zip(rows, found, strict=True)])
    sys.exit(not all(each.holds for each in found))


if __name__ == "__main__":
    main()
