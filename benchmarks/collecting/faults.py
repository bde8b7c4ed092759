"""Faults: whatever breaks, each acknowledged response is in the store once, and no row is torn.

    python -m benchmarks.collecting.faults [--quick] [--json]

After every fault the store is opened anew and every response is sent to it once more: it must know each that it has
acknowledged, and there must then be exactly as many rows as responses. A fault that left no sign of itself, such as
refusals while the store was locked, did not happen, and that counts as a failure too.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from time import sleep
from typing import NoReturn

import click

from benchmarks.collecting.serving import Running, running
from benchmarks.collecting.survival import REFUSED, REPEATED, SURVEY, Bench, Fault, faults_found, under_load
from benchmarks.collecting.traffic import LOST
from benchmarks.record import record
from collector.commands.command import print_json, print_table
from collector.errors import StoreError
from collector.store.invitation import pepper_path
from collector.store.store import Store

NOBODY = 65534
WAL_HEADER, FRAME_HEADER, PAGE = 32, 24, 4096
COLUMNS = ("times", "sent", "acknowledged", "lost", "twice", "torn", "repeated", "refused", "broken")


def workers(server: Running) -> list[int]:
    """The workers' process numbers."""
    listed = subprocess.run(  # noqa: S603 - a fixed command
        ["/usr/bin/pgrep", "-P", str(server.process.pid)], capture_output=True, text=True, check=False
    )
    return [int(each) for each in listed.stdout.split()]


def killed_worker(bench: Bench, times: int) -> int:
    """``kill -9`` of a worker under load, which the server replaces."""
    killed = 0
    with running(bench.place) as server:
        bench.send(server.port, 0, 1)  # until a worker is there to be killed
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
        with running(bench.place) as server:
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
        with running(bench.place) as one, running(bench.place) as other, under_load(bench, one.port):
            bench.send(other.port)
    return times


def dropping_client(bench: Bench, times: int) -> int:
    """The client goes away as soon as it has sent, and sends again later."""
    with running(bench.place) as server:
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


FAULTS: dict[Callable[[Bench, int], int], tuple[int, int, int | None]] = {  # how often, quick and long; its sign
    killed_worker: (5, 50, LOST),
    killed_server: (3, 50, LOST),
    full_disk: (1, 5, REFUSED),
    locked: (1, 5, REFUSED),
    two_servers: (1, 3, REPEATED),
    dropping_client: (50, 500, REPEATED),
    read_only: (1, 3, None),  # is refused by the store itself, or raises
    cut_log: (20, 200, None),  # every cut is looked at, or raises
}


def measure(fault: Callable[[Bench, int], int], times: int, responses: int) -> Fault:
    """Let one fault happen to a new store."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), responses)
        happened = fault(bench, times)
        return bench.judge((fault.__doc__ or "").splitlines()[0], happened, FAULTS[fault][2])


@click.command()
@click.option("--quick", is_flag=True, help="Each fault a few times.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Let every fault happen, print, and exit with 1 if anything was lost, doubled or torn."""
    responses = 600 if quick else 6000
    found = [measure(fault, short if quick else long, responses) for fault, (short, long, _) in FAULTS.items()]
    report("faults", found, quick=quick, as_json=as_json)


def report(module: str, found: Sequence[Fault], *, quick: bool, as_json: bool) -> NoReturn:
    """Print what faults did, and exit with 1 if anything was lost, doubled or torn."""
    if as_json:
        command = f"python -m benchmarks.collecting.{module}{' --quick' if quick else ''}"
        print_json(record(command, faults=[asdict(each) | {"holds": each.holds} for each in found]))
    else:
        print_table(
            ("fault", *COLUMNS), [(each.name, *(str(getattr(each, name)) for name in COLUMNS)) for each in found]
        )
    sys.exit(not all(each.holds for each in found))


if __name__ == "__main__":
    main()
