"""The register of scheduled training runs, with their settings, numbers of responses and results.

The register holds no times, because the time of a run and its number of responses would reveal when people answered.
Training runs that found too few new responses are only counted, so that the register does not reveal when people
answered.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from collector.database.session import Engine

Result = Literal["started", "promoted", "kept", "failed", "interrupted"]
STARTED: Final = "started"
PROMOTED: Final = "promoted"
KEPT: Final = "kept"
FAILED: Final = "failed"
INTERRUPTED: Final = "interrupted"

REGISTRY_SQL = (
    f"""
CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  settings TEXT NOT NULL,
  responses INTEGER NOT NULL CHECK (responses >= 0),
  result TEXT NOT NULL CHECK (result IN ({", ".join(f"'{each}'" for each in get_args(Result))})),
  figures TEXT NOT NULL DEFAULT '{{}}',
  model TEXT CHECK (length(model) = 64)
) STRICT
""",
    """
CREATE TABLE waits (
  fingerprint TEXT PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count > 0)
) STRICT, WITHOUT ROWID
""",
)
COLUMNS = "number, fingerprint, settings, responses, result, figures, model"
LISTED_SQL = f"SELECT {COLUMNS} FROM runs WHERE fingerprint = ? ORDER BY number"  # noqa: S608 - constants
START_SQL = "INSERT INTO runs (fingerprint, settings, responses, result) VALUES (?, ?, ?, 'started') RETURNING number"
ANNOUNCE_SQL = "UPDATE runs SET figures = ?, model = ? WHERE number = ? AND result = 'started'"
END_SQL = "UPDATE runs SET result = ?, figures = ? WHERE number = ? AND result = 'started'"
WAIT_SQL = """
INSERT INTO waits (fingerprint, count) VALUES (?, 1) ON CONFLICT (fingerprint) DO UPDATE SET count = waits.count + 1
"""
WAITS_SQL = "SELECT coalesce(sum(count), 0) FROM waits WHERE fingerprint = ?"


@dataclass(frozen=True)
class Run:
    """One training run.

    Attributes:
        number: Number of the run among all training runs in the store, from 1.
        fingerprint: Fingerprint of the published version whose responses were used.
        settings: Options of the training run.
        responses: Number of responses used for training.
        result: ``started`` during the run, and afterwards ``promoted``, ``kept`` (the champion stays), ``failed`` or
            ``interrupted``.
        figures: Measurements of the run, by name.
        model: SHA-256 of the model file that the run was about to promote, or None if the run ended before promotion.
    """

    number: int
    fingerprint: str
    settings: dict[str, Any]
    responses: int
    result: str
    figures: dict[str, Any]
    model: str | None


class Registry:
    """The part of the store that reads and writes the register of training runs.

    Methods raise `StoreError` for the reasons that the class `Store` lists.
    """

    def __init__(self, connections: Engine) -> None:
        self._connections = connections

    def runs(self, fingerprint: str) -> list[Run]:
        """Return every training run on one published version, the oldest first."""
        with self._connections.reading() as database:
            rows = database.execute(LISTED_SQL, (fingerprint,)).fetchall()
        return [Run(row[0], row[1], json.loads(row[2]), row[3], row[4], json.loads(row[5]), row[6]) for row in rows]

    def start(self, fingerprint: str, settings: Mapping[str, Any], responses: int) -> int:
        """Record a training run in the register before the run starts.

        Returns:
            The number of the training run.
        """
        with self._connections.writing() as database:
            return int(database.execute(START_SQL, (fingerprint, _text(settings), responses)).fetchone()[0])

    def announce(self, number: int, figures: Mapping[str, Any], model: str) -> None:
        """Record the model file that a training run will promote, so that a crash during promotion is noticed."""
        with self._connections.writing() as database:
            database.execute(ANNOUNCE_SQL, (_text(figures), model, number))

    def end(self, number: int, result: Result, figures: Mapping[str, Any]) -> None:
        """Record the result of a training run, if the run has no result yet."""
        with self._connections.writing() as database:
            database.execute(END_SQL, (result, _text(figures), number))

    def wait(self, fingerprint: str) -> None:
        """Count a training run that found too few new responses."""
        with self._connections.writing() as database:
            database.execute(WAIT_SQL, (fingerprint,))

    def waits(self, fingerprint: str) -> int:
        """Return the number of training runs that found too few new responses."""
        with self._connections.reading() as database:
            return int(database.execute(WAITS_SQL, (fingerprint,)).fetchone()[0])


def _text(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, ensure_ascii=False, allow_nan=False)
