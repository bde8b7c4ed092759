"""Load with the store in PostgreSQL, against the same in SQLite, and how long an import takes.

    python -m benchmarks.collecting.postgres_load [--workers N] [--quick] [--json]

Four gunicorn workers each unless said, and 64 connections. Rounds of both alternate. Afterwards every response must be
in its store, once.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import click

from benchmarks.collecting.load import ACCEPTED, CONNECTIONS, ROUND, SURVEY, WARMING, requests_to, send_round
from benchmarks.collecting.postgres_server import PostgresServer, postgres_server
from benchmarks.collecting.serving import running
from benchmarks.collecting.traffic import any_codes
from benchmarks.record import record
from collector.commands.command import print_json
from collector.database.address import Place
from collector.store.invitation import KEY_VARIABLE
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file

SERVER = ("shared_buffers=128MB",)  # PostgreSQL's own default; tests run with less


@dataclass(frozen=True)
class PostgresLoad:
    """What was measured.

    Attributes:
        responses: How many were sent to each store.
        stored: How many rows PostgreSQL has.
        errors: Answers that were not 201, of both.
        rate: Responses accepted a second with PostgreSQL, median over the rounds.
        sqlite_rate: The same with SQLite.
        ratio: The one over the other, median over the pairs of rounds.
        imported: Responses imported afterwards.
        import_seconds: That took.
    """

    responses: int
    stored: int
    errors: int
    rate: float
    sqlite_rate: float
    ratio: float
    imported: int
    import_seconds: float

    @property
    def holds(self) -> bool:
        """Whether nothing was lost or stored twice, and PostgreSQL was as fast."""
        return self.errors == 0 and self.stored == self.responses and self.ratio >= 1


def measure(responses: int, imported: int, workers: int, folder: Path, server: PostgresServer) -> PostgresLoad:
    """Send so many responses to each of two new stores, then import so many into the one in PostgreSQL."""
    survey, errors = read_survey_file(SURVEY), 0
    os.environ[KEY_VARIABLE] = str(folder / "deniable.pepper")
    places: tuple[Place, Place] = (server.new_database(), folder / "load.db")
    rates: tuple[list[float], list[float]] = ([], [])
    with ExitStack() as stack:
        for place in places:
            with Store(place, create=True) as store:
                store.publish(survey)
        ports = [stack.enter_context(running(place, "--workers", str(workers))).port for place in places]
        for port in ports:
            errors += _round(port, survey, WARMING)[1]
        for _ in range(0, responses, ROUND):
            for port, each in zip(ports, rates, strict=True):
                rate, wrong = _round(port, survey, ROUND)
                each.append(rate)
                errors += wrong
    with Store(places[0]) as store:
        stored = store.count(survey) - WARMING
        rows = [any_codes(survey)] * imported
        started = perf_counter()
        store.add(survey, rows)
        seconds = perf_counter() - started
    ratio = statistics.median(one / other for one, other in zip(*rates, strict=True))
    rate, sqlite_rate = (statistics.median(each) for each in rates)
    return PostgresLoad(len(rates[0]) * ROUND, stored, errors, rate, sqlite_rate, ratio, imported, seconds)


def _round(port: int, survey: Survey, count: int) -> tuple[float, int]:
    rate, answers = send_round(port, requests_to(survey, count))
    return rate, sum(each.status != ACCEPTED for each in answers)


@click.command()
@click.option("--workers", default=4, show_default=True, help="Processes that serve each store.")
@click.option("--quick", is_flag=True, help="20,000 responses instead of 200,000, and 100,000 imported, not 2,000,000.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, workers: int, quick: bool, as_json: bool) -> None:
    """Measure, print, and exit with 1 if it does not hold."""
    sizes = (20_000, 100_000) if quick else (200_000, 2_000_000)
    with tempfile.TemporaryDirectory() as folder, postgres_server(*SERVER) as server:
        load = measure(*sizes, workers, Path(folder), server)
    if as_json:
        command = f"python -m benchmarks.collecting.postgres_load --workers {workers}{' --quick' if quick else ''}"
        print_json(record(command, connections=CONNECTIONS, workers=workers, **asdict(load), holds=load.holds))
    else:
        print(f"{load.responses} responses, {load.stored} stored, {load.errors} errors")
        print(f"{load.rate:.0f} a second; SQLite {load.sqlite_rate:.0f}; ratio {load.ratio:.2f}")
        print(f"{load.imported} imported in {load.import_seconds:.1f} s")
    sys.exit(not load.holds)


if __name__ == "__main__":
    main()
