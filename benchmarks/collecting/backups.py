"""Backups under load: what was acknowledged before a backup began is in the store that is made of it, and nothing torn.

    python -m benchmarks.collecting.backups [--quick] [--json]

In each round some responses are acknowledged first; then, while 64 connections send more, a backup is written and
restored elsewhere. The restored store must know every receipt acknowledged before, and hold no row that nobody sent.
"""

from __future__ import annotations

import secrets
import sqlite3
import sys
import tempfile
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread
from time import sleep

import click

from benchmarks.collecting.load import CONNECTIONS
from benchmarks.collecting.serving import running
from benchmarks.collecting.survival import ACKNOWLEDGED, ADDRESS, SURVEY, faults_found
from benchmarks.collecting.traffic import Answer, any_codes, body, request, send
from benchmarks.record import record
from collector.commands.command import print_json
from collector.maintenance.backup import back_up, restore
from collector.store.invitation import keyed_hash, read_pepper
from collector.store.store import Sent, Store


@dataclass(frozen=True)
class Backups:
    """What was found.

    Attributes:
        rounds: Backups, each restored.
        before: Responses acknowledged before the backups began, in all rounds.
        during: Responses acknowledged while backups were written.
        unfinished: Rounds in which sending went on when the backup was finished: it was written under load.
        missing: Acknowledged before, and not in the restored store.
        torn: Rows that nobody sent, and faults that SQLite finds.
        refused: Requests that were not answered with an acknowledgement.
    """

    rounds: int
    before: int
    during: int
    unfinished: int
    missing: int
    torn: int
    refused: int

    @property
    def holds(self) -> bool:
        """Whether every backup was written under load, nothing is missing or torn, and no sender was turned away."""
        under_load = self.unfinished == self.rounds and self.before > 0
        return under_load and not (self.missing or self.torn or self.refused)


def measure(rounds: int, before: int, during: int, folder: Path) -> Backups:
    """Write so many backups under load.

    Args:
        rounds: Backups to write, of one store that grows.
        before: Responses to have acknowledged before each.
        during: Responses to send while each is written.
        folder: For the store, the backups and what is made of them.
    """
    path = folder / "a.db"
    with Store(path, create=True) as store:
        store.publish(SURVEY)
    known: list[Sent] = []
    sent: list[Sent] = []
    answers: list[Answer] = []
    unfinished = missing = torn = 0
    with running(path) as server:
        for number in range(rounds):
            first, more = _draw(before), _draw(during)
            _send(server.port, first, answers)
            known += first
            sent += first + more
            others = Thread(target=_send, args=(server.port, more, answers))
            others.start()
            sleep(0.05)
            back_up(path, folder / f"{number}.backup")
            unfinished += others.is_alive()
            others.join()
            lost, broken = _judge(folder / f"{number}.backup", folder / f"{number}.db", known, sent)
            missing, torn = missing + lost, torn + broken
            known += more
    refused = sum(each.status not in ACKNOWLEDGED for each in answers)
    return Backups(rounds, rounds * before, rounds * during - refused, unfinished, missing, torn, refused)


def _draw(count: int) -> list[Sent]:
    return [Sent(any_codes(SURVEY), secrets.token_bytes(32)) for _ in range(count)]


def _send(port: int, sent: list[Sent], answers: list[Answer]) -> None:
    requests = [request(ADDRESS, body(SURVEY, each.codes, each.receipt or b"")) for each in sent]  # type: ignore[arg-type] # none is missing
    answers += send(port, requests, CONNECTIONS)


def _judge(backup: Path, path: Path, known: list[Sent], sent: list[Sent]) -> tuple[int, int]:
    """How many are missing from the store that is made of a backup, and how many rows of it are torn."""
    restore(backup, path)
    names = ", ".join(f'"{each.name}"' for each in SURVEY.questions)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(f"SELECT _receipt, {names} FROM responses_{SURVEY.name}_1").fetchall()  # noqa: S608 - ours
    found = {receipt: tuple(codes) for receipt, *codes in rows}
    pepper = read_pepper(path)
    expected = {keyed_hash(pepper, "receipt", SURVEY.name, each.receipt or b""): tuple(each.codes) for each in sent}
    torn = sum(expected.get(receipt) != codes for receipt, codes in found.items()) + faults_found(path)
    hashes = [keyed_hash(pepper, "receipt", SURVEY.name, each.receipt or b"") for each in known]
    return sum(each not in found for each in hashes), torn


@click.command()
@click.option("--quick", is_flag=True, help="Two backups instead of ten.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Measure, print, and exit with 1 if it does not hold."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(2 if quick else 10, 300, 1_500, Path(folder))
    if as_json:
        command = f"python -m benchmarks.collecting.backups{' --quick' if quick else ''}"
        print_json(record(command, connections=CONNECTIONS, **asdict(found), holds=found.holds))
    else:
        print(f"{found.rounds} backups, {found.unfinished} finished while {CONNECTIONS} connections still sent")
        print(f"{found.before} responses acknowledged before, {found.during} meanwhile, {found.refused} refused")
        print(f"{found.missing} missing, {found.torn} torn")
    sys.exit(not found.holds)


if __name__ == "__main__":
    main()
