"""The register of scheduled training runs, with their settings, numbers of responses and results.

The register holds no times, because the time of a run and its number of responses would reveal when people answered.
Training runs that found too few new responses are only counted, so that the register does not reveal when people
answered.

The figures of a run, minus those of the responses that are left, are those of the responses that were deleted since. A
deletion therefore erases, in its own transaction, every figure of each run that may have counted a deleted response,
and the digest of the run's model. The register keeps that the run was.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, Final, Literal, get_args

from collector.database.session import Engine, Session

Result = Literal["started", "promoted", "kept", "failed", "interrupted"]
STARTED: Final = "started"
PROMOTED: Final = "promoted"
KEPT: Final = "kept"
FAILED: Final = "failed"
INTERRUPTED: Final = "interrupted"
HOLDS: Final = "held"
"""The figure of a run whose challenger waits for a word: the digest of its file, or empty where there is none."""
ACCEPTED: Final = "accepted"
"""The figure of a run whose drift was accepted: the number of the run after which the accepted responses came."""
IMPORTS: Final = "imports"
"""The figure that has, by the digest of each file that was imported before the run, how many responses came in it."""
REPLACED: Final = "replaced"
"""The figure that has the file of the champion that the run replaced, so that it can be restored."""
OF_CHAMPION = (REPLACED, "champion", "gain", "drift", "why")
"""Figures that may be computed from a champion of another version, and so from responses to that version."""
WITHDRAWN: Final = "withdrawn"
"""The figure of a run whose other figures were erased: how many respondents withdrew since the run began."""

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
VERSION_SQL = "coalesce((SELECT version FROM revisions WHERE revisions.fingerprint = {0}), {0})"
"""The fingerprint of a version, given the fingerprint of one of its wordings."""
OF_VERSION_SQL = f"{VERSION_SQL.format('runs.fingerprint')} = {VERSION_SQL.format('?')}"
LISTED_SQL = f"SELECT {COLUMNS} FROM runs WHERE {OF_VERSION_SQL} ORDER BY number"  # noqa: S608 - constants
REMOVE_RUNS_SQL = f"DELETE FROM runs WHERE {OF_VERSION_SQL}"  # noqa: S608 - constants
TRAINED_SQL = f"SELECT coalesce(max(responses), 0) FROM runs WHERE {OF_VERSION_SQL}"  # noqa: S608 - constants
START_SQL = """
INSERT INTO runs (fingerprint, settings, responses, figures, result) VALUES (?, ?, ?, ?, 'started') RETURNING number
"""
FIGURES_SQL = "SELECT figures FROM runs WHERE number = ?"
FORGET_SQL = "UPDATE runs SET figures = ?, model = NULL WHERE number = ?"
OTHERS_SQL = """
SELECT fingerprint FROM surveys
WHERE name = (SELECT name FROM surveys WHERE fingerprint = ?) AND fingerprint <> ?
"""
KEEP_SQL = "UPDATE runs SET figures = ? WHERE number = ?"
DELETED_SQL = f"""
SELECT (SELECT count(*) FROM withdrawn JOIN surveys ON survey = name WHERE fingerprint = {VERSION_SQL.format("?")}),
  (SELECT coalesce(sum(responses * times), 0) FROM imports WHERE fingerprint = {VERSION_SQL.format("?")})
"""  # noqa: S608 - constants
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
        """Return every training run on one published version, given by any of its wordings, the oldest first."""
        with self._connections.reading() as database:
            return _runs(database, fingerprint)

    def start(
        self, fingerprint: str, settings: Mapping[str, Any], responses: int, imports: Mapping[str, int] | None = None
    ) -> int:
        """Record a training run in the register before the run starts.

        Returns:
            The number of the training run.
        """
        figures = {} if imports is None else {IMPORTS: dict(imports)}
        row = (fingerprint, _text(settings), responses, _text(figures))
        with self._connections.writing() as database:
            return int(database.execute(START_SQL, row).fetchone()[0])

    def announce(self, number: int, figures: Mapping[str, Any], model: str) -> bool:
        """Record the model file that a training run will promote, so that a crash during promotion is noticed.

        Returns:
            Whether it was recorded: not if a response was deleted since the run began.
        """
        with self._connections.writing() as database:
            if _erased(database, number) is not None:
                return False
            database.execute(ANNOUNCE_SQL, (_text(figures), model, number))
        return True

    def end(self, number: int, result: Result, figures: Mapping[str, Any]) -> bool:
        """Record the result of a training run, if the run has no result yet.

        If a response was deleted since the run began, the figures are not recorded, and a run that would have kept the
        champion counts as interrupted.

        Returns:
            Whether the figures were recorded.
        """
        with self._connections.writing() as database:
            erased = _erased(database, number)
            if erased is not None:
                figures, result = erased, INTERRUPTED if result == KEPT else result
            database.execute(END_SQL, (result, _text(figures), number))
        return erased is None

    def release(self, numbers: Iterable[int]) -> None:
        """Erase the replaced champions that runs keep, given by the numbers of the runs."""
        with self._connections.writing() as database:
            for number in numbers:
                figures = json.loads(database.execute(FIGURES_SQL, (number,)).fetchone()[0])
                if figures.pop(REPLACED, None) is not None:
                    database.execute(KEEP_SQL, (_text(figures), number))

    def deleted(self, fingerprint: str) -> tuple[int, int]:
        """Return two numbers that change if a response to a version is withdrawn, or a file imported or taken back."""
        with self._connections.reading() as database:
            withdrawn, imported = database.execute(DELETED_SQL, [fingerprint] * 4).fetchone()
        return int(withdrawn), int(imported)

    def wait(self, fingerprint: str) -> None:
        """Count a training run that found too few new responses."""
        with self._connections.writing() as database:
            database.execute(WAIT_SQL, (fingerprint,))

    def waits(self, fingerprint: str) -> int:
        """Return the number of training runs that found too few new responses."""
        with self._connections.reading() as database:
            return int(database.execute(WAITS_SQL, (fingerprint,)).fetchone()[0])


def forget_withdrawn(database: Session, fingerprint: str) -> None:
    """Erase every figure of all runs on a version, because a response to the version is withdrawn.

    Nobody knows which runs counted the response, because the store does not know when it arrived.
    """
    for run in _runs(database, fingerprint):
        _forget(database, run, run.figures.get(IMPORTS), withdrawn=1)
    _forget_champions(database, fingerprint)


def forget_import(database: Session, fingerprint: str, digest: bytes, left: int) -> None:
    """Erase every figure of the runs that counted the responses of a file, because these are taken back.

    The runs keep how many responses are gone, under a random name in place of the digest of the file.

    Args:
        database: Transaction that deletes the responses.
        fingerprint: Fingerprint of the version.
        digest: Digest of the file.
        left: Number of responses of the file that are left, because it was imported several times.
    """
    file, name = digest.hex(), token_hex(len(digest))
    for run in _runs(database, fingerprint):
        imports = dict(run.figures.get(IMPORTS, {}))
        gone = imports.pop(file, 0) - left
        if gone > 0:
            _forget(database, run, imports | ({file: left} if left else {}) | {name: gone}, withdrawn=0)
    _forget_champions(database, fingerprint)


def _forget_champions(database: Session, fingerprint: str) -> None:
    """Erase from the runs on other versions what may be computed from a champion of a version."""
    for (other,) in database.execute(OTHERS_SQL, (fingerprint, fingerprint)).fetchall():
        for run in _runs(database, other):
            if run.figures.keys() & OF_CHAMPION:
                figures = {name: figure for name, figure in run.figures.items() if name not in OF_CHAMPION}
                database.execute(KEEP_SQL, (_text(figures), run.number))


def _forget(database: Session, run: Run, imports: Mapping[str, int] | None, *, withdrawn: int) -> None:
    kept: dict[str, Any] = {WITHDRAWN: run.figures.get(WITHDRAWN, 0) + withdrawn}
    kept |= {ACCEPTED: run.figures[ACCEPTED]} if ACCEPTED in run.figures else {}
    kept |= {HOLDS: ""} if HOLDS in run.figures else {}
    kept |= {} if imports is None else {IMPORTS: imports}
    database.execute(FORGET_SQL, (_text(kept), run.number))


def _erased(database: Session, number: int) -> dict[str, Any] | None:
    """Return what is left of the figures of a run if they were erased, or None if they were not."""
    figures: dict[str, Any] = json.loads(database.execute(FIGURES_SQL, (number,)).fetchone()[0])
    return figures if WITHDRAWN in figures else None


def _runs(database: Session, fingerprint: str) -> list[Run]:
    rows = database.execute(LISTED_SQL, (fingerprint, fingerprint)).fetchall()
    return [Run(row[0], row[1], json.loads(row[2]), row[3], row[4], json.loads(row[5]), row[6]) for row in rows]


def _text(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, ensure_ascii=False, allow_nan=False)
