"""The same faults with the store in PostgreSQL, and its server stopped under load, as by a power cut too.

python -m benchmarks.collecting.postgres_faults [--quick] [--json]
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import sleep

import click

from benchmarks.collecting.faults import dropping_client, killed_server, killed_worker, report, two_servers
from benchmarks.collecting.postgres_server import PostgresServer, postgres_server
from benchmarks.collecting.serving import running
from benchmarks.collecting.survival import REFUSED, REPEATED, Bench, Fault, under_load
from benchmarks.collecting.traffic import LOST
from collector.store.invitation import KEY_VARIABLE

Happen = Callable[[Bench, int, PostgresServer], int]


def restarted_database(bench: Bench, times: int, database: PostgresServer) -> int:
    """PostgreSQL is stopped under load, every other time as a power cut would, and started again."""
    with running(bench.place) as server:
        for number in range(times):
            with under_load(bench, server.port):
                sleep(0.1)
                database.stop("immediate" if number % 2 else "fast")
                sleep(0.3)
                database.start()
        bench.send(server.port)
    return times


FAULTS: dict[str, tuple[Happen, int, int, int | None]] = {  # what happens, how often, quick and long; its sign
    "kill -9 of a worker": (lambda bench, times, _: killed_worker(bench, times), 3, 50, LOST),
    "kill -9 of the web server": (lambda bench, times, _: killed_server(bench, times), 2, 50, LOST),
    "a restart of PostgreSQL": (restarted_database, 2, 20, REFUSED),
    "two web servers": (lambda bench, times, _: two_servers(bench, times), 1, 3, REPEATED),
    "clients that go away": (lambda bench, times, _: dropping_client(bench, times), 50, 500, REPEATED),
}


def measure(name: str, responses: int, server: PostgresServer, *, quick: bool) -> Fault:
    """Let one fault happen to a new store."""
    happen, short, long, sign = FAULTS[name]
    with tempfile.TemporaryDirectory() as folder:
        os.environ[KEY_VARIABLE] = str(Path(folder) / "deniable.pepper")
        bench = Bench(Path(folder), responses, server.new_database())
        happened = happen(bench, short if quick else long, server)
        return bench.judge(name, happened, sign)


@click.command()
@click.option("--quick", is_flag=True, help="Each fault a few times.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Let every fault happen, print, and exit with 1 if anything was lost, doubled or torn."""
    with postgres_server() as server:
        found = [measure(name, 600 if quick else 6000, server, quick=quick) for name in FAULTS]
    report("postgres_faults", found, quick=quick, as_json=as_json)


if __name__ == "__main__":
    main()
