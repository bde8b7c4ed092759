"""The formats that stores have had, and how a store of an older one is brought to the present: here and nowhere else.

    1   responses without receipts; its designs are of a kind that is no longer read
    2   receipts, closing and invitations; from some day on also the register of runs
    3   as 2, and the register is always there
    4   receipts of what was withdrawn
    5   digests of the files that were imported
    6   which of them were simulated
    7   revisions: later wordings of a version
    8   pictures

A change of the tables gets the next number: its tables go into `collector.store.schema` for new stores, and the
statements that make them out of the format before go into `MIGRATIONS`. All steps of one opening are one transaction: a
store is of one format or of another, never between them.
"""

from collector.database.address import Place
from collector.database.connections import RESTORE
from collector.database.session import Engine
from collector.errors import StoreError
from collector.store.pictures import PICTURES_SQL
from collector.store.registry import REGISTRY_SQL
from collector.store.schema import REVISIONS_TABLE_SQL, TABLES_SQL, WITHDRAWN_SQL

OLDEST = 2  # that can still be brought to the present


FIRST_IMPORTS_SQL = """
CREATE TABLE imports (
  fingerprint TEXT NOT NULL,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  responses INTEGER NOT NULL CHECK (responses > 0),
  times INTEGER NOT NULL CHECK (times > 0),
  PRIMARY KEY (fingerprint, digest)
) STRICT, WITHOUT ROWID
"""
SIMULATED_SQL = "ALTER TABLE imports ADD COLUMN simulated TEXT CHECK (simulated IN ('seeded', 'unseeded'))"
MIGRATIONS: dict[int, tuple[str, ...]] = {  # format: what makes it out of the one before
    3: tuple(sql.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ") for sql in REGISTRY_SQL),  # some had them
    4: (WITHDRAWN_SQL,),
    5: (FIRST_IMPORTS_SQL,),
    6: (SIMULATED_SQL,),
    7: (REVISIONS_TABLE_SQL,),
    8: (PICTURES_SQL,),
}
FORMAT = max(MIGRATIONS)
TABLES = tuple(sql.split()[2] for sql in TABLES_SQL)  # CREATE TABLE name


def migrate(place: Place, connections: Engine) -> None:
    """Bring a store to the present format, and make sure that it has the tables of it.

    Raises:
        StoreError: If its format is too old or too new, or it lacks a table of its format.
    """
    with connections.reading() as database:
        found = connections.found_format(database)
        if found == FORMAT:
            _check_tables(place, connections.tables(database))
            return
    if found > FORMAT:
        raise StoreError(
            str(place), f"a newer version of this project made it (format {found})", "use that version to read it"
        )
    if found < OLDEST:
        remedy = "export its responses with that version, and import them into a new store"
        raise StoreError(str(place), f"a version of this project before 0.1 made it (format {found})", remedy)
    with connections.writing() as database:
        begun = connections.found_format(database)  # asked again: another process may have been faster
        for number in range(begun + 1, FORMAT + 1):
            for sql in MIGRATIONS[number]:
                database.execute(sql)
            connections.set_format(database, number)
        _check_tables(place, connections.tables(database))


def _check_tables(place: Place, there: set[str]) -> None:
    missing = [name for name in TABLES if name not in there]
    if missing:
        raise StoreError(str(place), f"it lacks its table {', '.join(missing)}", RESTORE)
