"""The format of stores: the format number in each store, and the tables of the format."""

from collector.database.address import Place
from collector.database.connections import RESTORE
from collector.database.session import Engine
from collector.errors import StoreError
from collector.store.schema import TABLES_SQL

FORMAT = 1
TABLES = tuple(sql.split()[2] for sql in TABLES_SQL)  # names of the tables of a store


def check_tables(place: Place, connections: Engine) -> None:
    """Check that a store has the present format and all its tables.

    Raises:
        StoreError: If the store has another format, or a table is missing.
    """
    with connections.reading() as database:
        found, there = connections.found_format(database), connections.tables(database)
    if found != FORMAT:
        remedy = "use that version to read it"
        raise StoreError(str(place), f"another version of this project made it (format {found})", remedy)
    missing = [name for name in TABLES if name not in there]
    if missing:
        raise StoreError(str(place), f"the store lacks the table {', '.join(missing)}", RESTORE)
