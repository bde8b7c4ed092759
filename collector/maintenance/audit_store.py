"""The audit of a store, which reads the bytes of the file or queries the database."""

import stat
from collections.abc import Iterator
from contextlib import closing
from itertools import zip_longest
from pathlib import Path

from collector.database.address import Address, Place
from collector.database.connections import RESTORE, Connections
from collector.database.session import Session
from collector.database.sqlite import Database
from collector.errors import StoreError
from collector.ledger.schema import DEPOSITS_SQL, LEDGER_SQL
from collector.maintenance.audit import TIDY, Check, StoreAudit, ids_check, known_columns
from collector.maintenance.audit_database import audit_database, database_schema_check
from collector.maintenance.btree import PageFile
from collector.store.invitation import KEY_REMEDY, pepper_path
from collector.store.published import Published
from collector.store.schema import TABLES_SQL, table_sql, view_sql
from collector.store.store import Store
from collector.store.store_database import open_engine

OWNER_ONLY = stat.S_IRWXU
WRITE_VERSION_AT, LOGGED = 18, 2  # position in the file's header, and its value (SQLite file format, section 1.3.3)
ROOTS_SQL = """
SELECT rootpage FROM sqlite_schema
WHERE rootpage > 0 AND (tbl_name IN ('invitations', 'withdrawn', 'imports') OR tbl_name GLOB 'responses_*')
ORDER BY name
"""


def audit_store(place: Place) -> StoreAudit:
    """Return the findings of an audit of a store.

    Raises:
        StoreError: If the file is not a store, or cannot be read.
    """
    return audit_database(place) if isinstance(place, Address) else _audit_file(place)


def _audit_file(path: Path) -> StoreAudit:
    files = (*_permissions(path), _log(path))  # before anything is opened: that may fold the log into the file
    with Store(path) as store:
        versions = store.surveys()
    connections = Connections(path)
    try:
        with connections.reading() as database:
            there = ((table.name, column.name) for table in database.tables for column in table.columns)
            columns = tuple(known_columns(there, versions))
            content = _content(path)
            inside = (schema_check(database, versions), _integrity(database), _free_pages(database), _journal(content))
            ids = tuple(ids_check(database, each) for each in versions)
            order = _order(content, database)
    finally:
        connections.close()
    return StoreAudit(columns, (*files, *inside, *ids, order))


def _permissions(path: Path) -> Iterator[Check]:
    for each in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-reserve")), pepper_path(path)):
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


def check_schema(place: Place) -> None:
    """Check that a store has exactly the tables of this project, and no triggers.

    Raises:
        StoreError: If the store has other tables or triggers, or cannot be read.
    """
    with Store(place) as store:
        versions = store.surveys()
    engine = open_engine(place, create=False)[0]
    try:
        with engine.reading() as session:
            ask = database_schema_check if isinstance(place, Address) else schema_check
            check = ask(session, versions)
    finally:
        engine.close()
    if not check.green:
        raise StoreError(str(place), f"the tables are not those of a store ({check.found})", check.remedy)


def schema_check(database: Session, versions: list[Published]) -> Check:
    """Check that the tables, indices and triggers of the file are those that this version creates."""
    expected = {sql.strip() for sql in TABLES_SQL}
    expected |= {table_sql(each.table, each.survey) for each in versions}
    expected |= {view_sql(each.view, each.table, each.survey) for each in versions}
    found = {sql for (sql,) in database.execute("SELECT trim(sql, char(10)) FROM sqlite_schema WHERE sql IS NOT NULL")}
    for optional in ({sql.strip() for sql in LEDGER_SQL}, {DEPOSITS_SQL.strip()}):
        expected |= optional if optional & found else set()  # a store without trusted data or deposits has none
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


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StoreError(
            str(path), f"it cannot be read ({error.strerror})", "check the permissions of the file"
        ) from None


def _journal(content: bytes) -> Check:
    """Check the journal mode that the header of the file states."""
    logged = content[WRITE_VERSION_AT] == LOGGED
    found = "wal" if logged else "a rollback journal"
    return Check("the journal is a write-ahead log", logged, found, TIDY)


def _order(content: bytes, database: Database) -> Check:
    """Check that rows have the positions that they have in a copy of the store sorted by ids and hashes."""
    roots = [root for (root,) in database.execute(ROOTS_SQL)]
    with closing(database.rewritten()) as copy:
        fresh_roots = [root for (root,) in copy.execute(ROOTS_SQL)]
        found = PageFile(content).arrangement(roots)
        fresh = PageFile(copy.conn.serialize()).arrangement(fresh_roots)
    wrong = sum(here != there for here, there in zip_longest(found, fresh))
    return Check(
        "rows lie in the order of their ids or hashes inside every page, not in the order they came",
        wrong == 0,
        f"{wrong} of {len(found)} pages tell more",
        TIDY,
    )
