"""Load: how many responses a second the server accepts, against an empty Flask view on the same server.

    python -m benchmarks.collecting.load [--quick] [--json]

Two gunicorn workers on the loopback and 64 connections. Rounds of both kinds alternate, so that whatever else the
machine does slows both. Afterwards every response must be in the store, once.
"""

from __future__ import annotations

import secrets
import statistics
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import click

from benchmarks.collecting.serving import running
from benchmarks.collecting.traffic import Answer, any_codes, body, request, send
from benchmarks.record import record
from benchmarks.results import ROOT
from collector.commands.command import print_json
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from respondent.server import WORKERS

SURVEY = ROOT / "examples" / "wellbeing.toml"
CONNECTIONS = 64
ROUND = 2_000
LEAST_RATIO = 0.5
ACCEPTED = 201
WARMING = 500


@dataclass(frozen=True)
class Load:
    """What was measured.

    Attributes:
        responses: How many were sent.
        stored: How many rows the store has.
        errors: Answers that were not 201.
        rate: Responses accepted a second, median over the rounds.
        empty_rate: Answers of the empty view a second, likewise.
        ratio: The one over the other.
        p50: Median milliseconds from sending a response to its answer.
        p99: The same for the slowest in a hundred.
    """

    responses: int
    stored: int
    errors: int
    rate: float
    empty_rate: float
    ratio: float
    p50: float
    p99: float

    @property
    def holds(self) -> bool:
        """Whether nothing was lost or stored twice, and it was fast enough."""
        return self.errors == 0 and self.stored == self.responses and self.ratio >= LEAST_RATIO


def measure(responses: int, folder: Path) -> Load:
    """Send so many responses, in rounds, to a new store in a folder."""
    survey = read_survey_file(SURVEY)
    path = folder / "load.db"
    with Store(path, create=True) as store:
        store.publish(survey)
    empty = request("/empty/", body(survey, any_codes(survey), secrets.token_bytes(32)))
    rates: list[float] = []
    empty_rates: list[float] = []
    answers: list[Answer] = []
    with running(path) as server:
        send(server.port, [empty] * WARMING, CONNECTIONS)
        for start in range(0, responses, ROUND):
            count = min(ROUND, responses - start)
            empty_rates.append(send_round(server.port, [empty] * count)[0])
            rate, answered = send_round(server.port, requests_to(survey, count))
            rates.append(rate)
            answers += answered
    with Store(path) as store:
        stored = store.count(survey)
    return _load(answers, stored, statistics.median(rates), statistics.median(empty_rates))


def requests_to(survey: Survey, count: int) -> list[bytes]:
    """Requests that send made-up responses to a survey."""
    path = f"/api/v1/surveys/{survey.name}/responses"
    return [request(path, body(survey, any_codes(survey), secrets.token_bytes(32))) for _ in range(count)]


def send_round(port: int, requests: list[bytes]) -> tuple[float, list[Answer]]:
    """Send requests over all connections: how many were answered a second, and the answers."""
    started = perf_counter()
    answers = send(port, requests, CONNECTIONS)
    return len(requests) / (perf_counter() - started), answers


def _load(answers: list[Answer], stored: int, rate: float, empty_rate: float) -> Load:
    statuses = Counter(answer.status for answer in answers)
    seconds = statistics.quantiles((answer.seconds for answer in answers), n=100, method="inclusive")
    errors = len(answers) - statuses[ACCEPTED]
    return Load(
        len(answers), stored, errors, rate, empty_rate, rate / empty_rate, 1000 * seconds[49], 1000 * seconds[98]
    )


@click.command()
@click.option("--quick", is_flag=True, help="20,000 responses instead of 200,000.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Measure, print, and exit with 1 if it does not hold."""
    with tempfile.TemporaryDirectory() as folder:
        load = measure(20_000 if quick else 200_000, Path(folder))
    if as_json:
        command = f"python -m benchmarks.collecting.load{' --quick' if quick else ''}"
        print_json(record(command, connections=CONNECTIONS, workers=WORKERS, **asdict(load), holds=load.holds))
    else:
        print(f"{load.responses} responses, {load.stored} stored, {load.errors} errors")
        print(f"{load.rate:.0f} a second; the empty view {load.empty_rate:.0f}; ratio {load.ratio:.2f}")
        print(f"p50 {load.p50:.1f} ms, p99 {load.p99:.1f} ms")
    sys.exit(not load.holds)


if __name__ == "__main__":
    main()
