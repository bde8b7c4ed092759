"""What survives a fault: a store, responses to send to it, and the judgement afterwards."""

from __future__ import annotations

import secrets
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread

from benchmarks.collecting.traffic import LOST, any_codes, body, request, send
from benchmarks.results import ROOT
from collector.database.address import Place
from collector.store.store import Outcome, Sent, Store
from collector.survey_file.survey_file import read_survey_file

SURVEY = read_survey_file(ROOT / "examples" / "wellbeing.toml")
ADDRESS = f"/api/v1/surveys/{SURVEY.name}/responses"
REPEATED, STORED, REFUSED = 200, 201, 503
ACKNOWLEDGED = (REPEATED, STORED)
CONNECTIONS = 16


@dataclass(frozen=True)
class Fault:
    """What came of one fault.

    Attributes:
        name: What was broken.
        times: How often.
        sent: Responses, each perhaps several times.
        acknowledged: How many of them were acknowledged before everything was sent once more.
        lost: Acknowledged, and not in the store.
        twice: More rows than responses, once all were sent again.
        torn: Rows that nobody sent, and faults that SQLite finds.
        repeated: Answers that it was stored before.
        refused: Answers that nothing can be stored just now.
        broken: Connections that broke before there was an answer.
        bit: Whether the fault really happened, by the sign that it leaves.
    """

    name: str
    times: int
    sent: int
    acknowledged: int
    lost: int
    twice: int
    torn: int
    repeated: int
    refused: int
    broken: int
    bit: bool

    @property
    def holds(self) -> bool:
        """Whether the fault happened, something was acknowledged all the same, and nothing lost, doubled or torn."""
        return self.bit and self.acknowledged > 0 and not (self.lost or self.twice or self.torn)


class Bench:
    """A store, responses to send to it, and the judgement afterwards.

    Args:
        folder: For the store.
        count: Number of responses.
        place: Address of the store, if it is not to be a file in the folder.
    """

    def __init__(self, folder: Path, count: int, place: Place | None = None) -> None:
        self.path = folder / "faults.db"
        self.place = place or self.path
        with Store(self.place, create=True) as store:
            store.publish(SURVEY)
        drawn = [(any_codes(SURVEY), secrets.token_bytes(32)) for _ in range(count)]
        self.responses = [Sent(codes, receipt) for codes, receipt in drawn]
        self.requests = [request(ADDRESS, body(SURVEY, codes, receipt)) for codes, receipt in drawn]
        self.acknowledged: set[int] = set()
        self.statuses: Counter[int] = Counter()

    def send(self, port: int, first: int = 0, last: int | None = None) -> None:
        """Send some of the responses, and note which were acknowledged."""
        answers = send(port, self.requests[first:last], CONNECTIONS)
        self.acknowledged |= {first + each.number for each in answers if each.status in ACKNOWLEDGED}
        self.statuses.update(each.status for each in answers)

    def judge(self, name: str, times: int, sign: int | None = None) -> Fault:
        """Look what is in the store.

        Args:
            name: Name of the fault.
            times: How often it happened.
            sign: The status of at least one answer, unless the fault leaves no such sign.
        """
        with Store(self.place) as store:
            rows = store.rows(SURVEY)
            with ThreadPoolExecutor(CONNECTIONS) as threads:
                outcomes = list(threads.map(partial(store.receive, SURVEY), self.responses))
            known = {number for number in self.acknowledged if outcomes[number] is Outcome.REPEATED}
            twice = store.count(SURVEY) - len(self.responses)
        sent = {each.codes for each in self.responses}
        torn = sum(row not in sent for row in rows) + (faults_found(self.path) if self.place == self.path else 0)
        lost = len(self.acknowledged - known)
        return Fault(
            name,
            times,
            len(self.responses),
            len(self.acknowledged),
            lost,
            max(twice, 0),
            torn,
            self.statuses[REPEATED],
            self.statuses[REFUSED],
            self.statuses[LOST],
            bit=times > 0 and (sign is None or self.statuses[sign] > 0),
        )


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
