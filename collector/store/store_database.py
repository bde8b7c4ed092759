"""Opening, checking and creating the database of a store."""

import os
from functools import partial
from importlib import import_module
from pathlib import Path

from collector.database.address import Address, Place
from collector.database.connections import Connections
from collector.database.session import Engine
from collector.errors import StoreError
from collector.store.invitation import create_pepper, keyed_hash, pepper_path, read_pepper
from collector.store.schema import TABLES_SQL
from collector.store.store_format import FORMAT, check_tables

APPLICATION = 0x44454E49  # "DENI", the application number of a SQLite file that is a store
TESTS = 0x44454E54  # "DENT", the application number of a store of test responses
BACKUP = 0x44454E42  # "DENB", the application number of a backup
ABOUT_SQL = "CREATE TABLE about (format INTEGER NOT NULL, key_check BLOB NOT NULL CHECK (length(key_check) = 32))"
FILL_SQL = "INSERT INTO about (format, key_check) VALUES (?, ?)"
KEY_SQL = "SELECT key_check FROM about"


def open_engine(place: Place, *, create: bool, tests: bool = False) -> tuple[Engine, bool]:
    """Open the database of a store, and check its format.

    Args:
        place: Address of the store.
        create: Whether to create a missing database and its pepper.
        tests: Whether the store must be a store of test responses, which is always a file.

    Returns:
        The database of the store, and whether the store is one of test responses.

    Raises:
        StoreError: If the database cannot be opened or created, or is not a store.
    """
    if isinstance(place, Address):
        if tests:
            raise StoreError(str(place), "test responses can only be kept in a file", "give the path of a file")
        return _open_database(place, create=create), False
    if create:
        create_file(place)
    elif not place.is_file():
        raise StoreError(str(place), "there is no such file", "give --store, or publish a survey first")
    connections = Connections(place)
    try:
        are_tests = connections.urgently(partial(check_format, place, connections, create=create, tests=tests))
    except BaseException:
        connections.close()
        raise
    return connections, are_tests


def create_file(path: Path) -> None:
    """Create the file of a store if the file does not exist.

    Raises:
        StoreError: If the file cannot be created or written.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        problem = f"it cannot be made or written ({error.strerror})"
        raise StoreError(str(path), problem, "check the path and its permissions") from None


def check_format(path: Path, connections: Connections, *, create: bool, tests: bool) -> bool:
    """Check that a file is a store of the present format.

    Returns:
        Whether the file is a store of test responses.

    Raises:
        StoreError: If the file is not a store of this format, or the pepper cannot be created.
    """
    with connections.reading() as database:
        empty = not database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if create and empty:
        _fill_file(path, connections, TESTS if tests else APPLICATION)
    with connections.reading() as database:
        application = database.execute("PRAGMA application_id").fetchone()[0]
    if application == BACKUP:
        raise StoreError(str(path), "the file is a backup, not a store", "restore the backup first (collector restore)")
    if application not in {APPLICATION, TESTS}:
        raise StoreError(str(path), "the file is not a store of Deniable", "give the path of a store")
    if tests and application != TESTS:
        remedy = "give test responses a store of their own, in a file that is not there yet"
        raise StoreError(str(path), "the store holds real responses, not tests", remedy)
    check_tables(path, connections)
    return bool(application == TESTS)


def _fill_file(path: Path, connections: Connections, application: int) -> None:
    _make_pepper(path)
    with connections.storing() as database:
        database.execute("PRAGMA journal_mode = WAL")
    with connections.writing() as database:
        if not database["surveys"].exists():  # another process may have been faster
            for sql in TABLES_SQL:
                database.execute(sql)
            database.execute(f"PRAGMA application_id = {application}")
            database.execute(f"PRAGMA user_version = {FORMAT}")


def _open_database(address: Address, *, create: bool) -> Engine:
    try:
        engine: Engine = import_module("collector.database.postgres").PostgresEngine(address)
    except ImportError:
        raise StoreError(
            str(address), "a store in PostgreSQL needs the package psycopg", 'pip install "deniable[postgres]"'
        ) from None
    try:
        engine.check_settings()
        if _is_empty(address, engine, create=create):
            _fill_database(address, engine)
        check_tables(address, engine)
    except BaseException:
        engine.close()
        raise
    return engine


def _is_empty(address: Address, engine: Engine, *, create: bool) -> bool:
    with engine.reading() as database:
        there = engine.tables(database)
    if there and "about" not in there:
        raise StoreError(str(address), "the tables of the database are not those of a store", "use a separate database")
    if not there and not create:
        raise StoreError(str(address), "there is no store in this database", "publish a survey first")
    return not there


def _fill_database(address: Address, engine: Engine) -> None:
    _make_pepper(address)
    check = _key_check(read_pepper(address))
    with engine.writing() as database:
        if not engine.tables(database):  # another process may have been faster
            for sql in (ABOUT_SQL, *TABLES_SQL):
                database.execute(sql)
            database.execute(FILL_SQL, (FORMAT, check))


def _make_pepper(place: Place) -> None:
    try:
        create_pepper(place)
    except OSError as error:
        problem = f"its pepper cannot be made ({error.strerror})"
        raise StoreError(str(pepper_path(place)), problem, "check the folder's permissions") from None


def _key_check(pepper: bytes) -> bytes:
    return keyed_hash(pepper, "key", "", b"")


def read_key(place: Place, connections: Engine) -> bytes:
    """Return the pepper of a store. In PostgreSQL, check that this web host has the right copy of the pepper.

    Raises:
        StoreError: If the pepper cannot be read, or belongs to another store.
    """
    pepper = read_pepper(place)
    if isinstance(place, Address):
        with connections.reading() as database:
            if bytes(database.execute(KEY_SQL).fetchone()[0]) != _key_check(pepper):
                problem = "it is not the pepper of the store in that database"
                raise StoreError(
                    str(pepper_path(place)), problem, "copy the key file that was made with the store to this place"
                )
    return pepper
