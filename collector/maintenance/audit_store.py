"""Audit of a store's file, read byte by byte: what it contains and must not contain; each finding with a remedy."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from collector.database.address import Place, file_of
from collector.database.connections import RESTORE, Connections
from collector.database.sqlite import Database
from collector.errors import StoreError
from collector.ledger.schema import HOLDS as LEDGER_HOLDS
from collector.ledger.schema import LEDGER_SQL
from collector.maintenance.btree import PageFile
from collector.store.catalogue import Published
from collector.store.invitation import KEY_REMEDY, pepper_path
from collector.store.schema import TABLES_SQL, table_sql, view_sql
from collector.store.store import Store
from collector.survey.survey import Survey

TIDY = "run collector tidy"
OWNER_ONLY = stat.S_IRWXU
BUCKETS = 16
FEWEST_IDS = 200  # below this the spread of ids is not judged
SPREAD_LIMIT = 86.0  # chi-square with 15 degrees of freedom is above once in 10^11 sound stores
ROOTS_SQL = """
SELECT rootpage FROM sqlite_schema
WHERE rootpage > 0 AND (tbl_name IN ('invitations', 'withdrawn', 'imports') OR tbl_name GLOB 'responses_*')
ORDER BY name
"""
HOLDS = {
    ("surveys", "fingerprint"): "SHA-256 of the design",
    ("surveys", "name"): "name of the survey",
    ("surveys", "version"): "1, 2, ... in order of publication",
    ("surveys", "design"): "the published design",
    ("revisions", "fingerprint"): "SHA-256 of a later wording of a version",
    ("revisions", "version"): "SHA-256 of the version's first wording",
    ("revisions", "number"): "2, 3, ... in order of publication",
    ("revisions", "design"): "the published design in that wording",
    ("pictures", "name"): "SHA-256 of a picture that a survey shows, and its type",
    ("pictures", "content"): "its bytes",
    ("closed", "name"): "name of a survey that takes no responses",
    ("closed", "for_good"): "0, or 1 if its receipts are erased",
    ("invitations", "survey"): "name of the survey",
    ("invitations", "code"): "keyed hash of an invitation code",
    ("invitations", "used"): "0, or 1 once a response came with it",
    ("withdrawn", "survey"): "name of the survey",
    ("withdrawn", "receipt"): "keyed hash of the receipt of a response that was taken back",
    ("imports", "fingerprint"): "of the survey that a file has responses to",
    ("imports", "digest"): "keyed digest of all its rows, in no order",
    ("imports", "responses"): "how many there are",
    ("imports", "times"): "how often it was imported",
    ("imports", "simulated"): "whether it says that they are simulated, and with which coins",
    ("runs", "number"): "1, 2, ... in order of training",
    ("runs", "fingerprint"): "of the survey that was trained on",
    ("runs", "settings"): "the settings of the job",
    ("runs", "responses"): "how many there were",
    ("runs", "result"): "what came of it",
    ("runs", "figures"): "what it measured, and the digests of the files there were",
    ("runs", "model"): "SHA-256 of the model file",
    ("waits", "fingerprint"): "of a survey",
    ("waits", "count"): "how many runs found too few new responses",
    **LEDGER_HOLDS,
}
OWN = {
    "id": "random number of 63 bits",
    "_receipt": "keyed hash of the receipt, or nothing",
    "_by_hand": "1 if a person disguised it, else 0",
}


@dataclass(frozen=True)
class Column:
    """One column of the file.

    Attributes:
        table: Its table.
        name: Its name.
        holds: Its content, in words.
    """

    table: str
    name: str
    holds: str


@dataclass(frozen=True)
class Check:
    """One thing that must hold.

    Attributes:
        what: In words.
        green: Whether it holds.
        found: What was found.
        remedy: What to do if it does not.
    """

    what: str
    green: bool
    found: str
    remedy: str


@dataclass(frozen=True)
class Audit:
    """All that was found.

    Attributes:
        columns: Every column there is.
        checks: Every check.
    """

    columns: tuple[Column, ...]
    checks: tuple[Check, ...]

    @property
    def green(self) -> bool:
        """Whether every check holds."""
        return all(check.green for check in self.checks)


def audit_store(place: Place) -> Audit:
    """Look into a store.

    Raises:
        StoreError: If it is none, or cannot be read.
    """
    path = file_of(place, "audit of the file", "docs/serving.md says what PostgreSQL keeps")
    files = (*_permissions(path), _log(path))  # before anything is opened: that may fold the log into the file
    with Store(path) as store:
        versions = store.surveys()
    connections = Connections(path)
    try:
        with connections.reading() as database:
            columns = tuple(_columns(database, versions))
            inside = (_schema(database, versions), _integrity(database), _free_pages(database), _journal(database))
            ids = tuple(_ids(database, each) for each in versions)
            order = _order(path, database)
    finally:
        connections.close()
    return Audit(columns, (*files, *inside, *ids, order))


def _permissions(path: Path) -> Iterator[Check]:
    for each in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm")), pepper_path(path)):
        if each.exists():
            mode = stat.S_IMODE(each.stat().st_mode)
            private = mode & ~OWNER_ONLY == 0
            yield Check(f"{each.name} is its owner's only", private, f"mode {mode:03o}", f"run chmod 600 {each.name}")
    if not pepper_path(path).exists():
        yield Check("the pepper is beside the store", green=False, found="none", remedy=KEY_REMEDY)


def _log(path: Path) -> Check:
    log = path.with_name(f"{path.name}-wal")
    size = log.stat().st_size if log.exists() else 0
    return Check("the write-ahead log is empty", size == 0, f"{size} bytes", TIDY)


def _columns(database: Database, versions: list[Published]) -> Iterator[Column]:
    surveys = {each.table: each.survey for each in versions}
    for table in database.tables:
        for column in table.columns:
            holds = HOLDS.get((table.name, column.name))
            if table.name in surveys:
                holds = OWN.get(column.name) or _answer(surveys[table.name], column.name)
            yield Column(table.name, column.name, holds or "NOT KNOWN TO THIS PROJECT")


def _answer(survey: Survey, column: str) -> str | None:
    """The content of a question's column; None if there is no such question."""
    if all(column != question.name for question in survey.questions):
        return None
    code = "a disguised code" if survey.is_disguised(column) else "the answer as it is, not disguised"
    return f"{code}, or nothing: not asked" if survey.may_miss(column) else code


def _schema(database: Database, versions: list[Published]) -> Check:
    expected = {sql.strip() for sql in TABLES_SQL}
    expected |= {table_sql(each.table, each.survey) for each in versions}
    expected |= {view_sql(each.view, each.table, each.survey) for each in versions}
    found = {sql for (sql,) in database.execute("SELECT trim(sql, char(10)) FROM sqlite_schema WHERE sql IS NOT NULL")}
    ledger = {sql.strip() for sql in LEDGER_SQL}
    expected |= ledger if ledger & found else set()  # a store without trusted data has none
    extra, missing = len(found - expected), len(expected - found)
    return Check(
        "there are the tables and views of the published surveys, and nothing else",
        found == expected,
        f"{len(found)} of them, {extra} unknown, {missing} missing",
        f"find out who changed the file; {RESTORE}",
    )


def _integrity(database: Database) -> Check:
    lines = [line for (line,) in database.execute("PRAGMA integrity_check")]
    sound = lines == ["ok"]
    found = "sound" if sound else f"{len(lines)} faults"
    return Check("every row fits its table, codes and all", sound, found, RESTORE)


def _free_pages(database: Database) -> Check:
    free = database.execute("PRAGMA freelist_count").fetchone()[0]
    return Check("there are no free pages, where old rows could be", free == 0, f"{free} of them", TIDY)


def _journal(database: Database) -> Check:
    mode = database.execute("PRAGMA journal_mode").fetchone()[0]
    return Check("the journal is a write-ahead log", mode == "wal", mode, TIDY)


def _ids(database: Database, published: Published) -> Check:
    """Pearson's chi-square of the ids over equal intervals of their range."""
    counts = dict.fromkeys(range(BUCKETS), 0)
    counts.update(database.execute(f'SELECT id >> 59, count(*) FROM "{published.table}" GROUP BY 1').fetchall())  # noqa: S608 - a checked name
    total = sum(counts.values())
    spread = sum((count - total / BUCKETS) ** 2 for count in counts.values()) * BUCKETS / max(total, 1)
    return Check(
        f"the ids of {published.view} are spread over their whole range",
        len(counts) == BUCKETS and (total < FEWEST_IDS or spread < SPREAD_LIMIT),
        f"{total} ids, chi-square {spread:.1f}",
        "find out who wrote into the file",
    )


def _order(path: Path, database: Database) -> Check:
    """Compare where rows lie with a copy that was just written anew, in the order of ids and hashes."""
    with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        copy = Path(folder) / "copy.db"
        database.execute("VACUUM INTO ?", [str(copy)])
        found, fresh = _arrangement(path), _arrangement(copy)
    wrong = sum(here != there for here, there in zip_longest(found, fresh))
    return Check(
        "rows lie in the order of their ids or hashes inside every page, not in the order they came",
        wrong == 0,
        f"{wrong} of {len(found)} pages tell more",
        TIDY,
    )


def _arrangement(path: Path) -> list[tuple[int, ...]]:
    connections = Connections(path)
    try:
        with connections.reading() as database:
            roots = [root for (root,) in database.execute(ROOTS_SQL)]
        pages = PageFile(path)
    except OSError as error:
        raise StoreError(str(path), f"it cannot be read ({error.strerror})", "check its permissions") from None
    finally:
        connections.close()
    return [leaf for root in roots for leaf in pages.leaves(root)]
