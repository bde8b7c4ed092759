"""Where a store rests: opened, known to be one of ours, made where there is none, and its key with it."""

from __future__ import annotations

from importlib import import_module

from collector.database.address import Address, Place
from collector.database.connections import Connections
from collector.database.session import Engine
from collector.errors import StoreError
from collector.store.invitation import create_pepper, keyed_hash, pepper_path, read_pepper
from collector.store.migrations import FORMAT, migrate
from collector.store.schema import TABLES_SQL
from collector.store.store_file import check_format, create_file

ABOUT_SQL = "CREATE TABLE about (format INTEGER NOT NULL, key_check BLOB NOT NULL CHECK (length(key_check) = 32))"
FILL_SQL = "INSERT INTO about (format, key_check) VALUES (?, ?)"
KEY_SQL = "SELECT key_check FROM about"


def open_engine(place: Place, *, create: bool, tests: bool = False) -> tuple[Engine, bool]:
    """The database of a store, which is there and of the present format from here on.

    Args:
        place: Of the store.
        create: Make it, and its key, if there is none.
        tests: Whether it has to be a store of test responses, which are kept in files.

    Returns:
        The database, and whether it is a store of test responses.

    Raises:
        StoreError: If it cannot be opened or made, or is none of ours.
    """
    if isinstance(place, Address):
        if tests:
            raise StoreError(str(place), "test responses are kept in a file", "give the path of one")
        return _open_database(place, create=create), False
    if create:
        create_file(place)
    elif not place.is_file():
        raise StoreError(str(place), "there is no such file", "give --store, or publish a survey first")
    connections = Connections(place)
    try:
        are_tests = check_format(place, connections, create=create, tests=tests)
    except BaseException:
        connections.close()
        raise
    return connections, are_tests


def _open_database(address: Address, *, create: bool) -> Engine:
    try:
        engine: Engine = import_module("collector.database.postgres").PostgresEngine(address)
    except ImportError:
        raise StoreError(str(address), "PostgreSQL needs psycopg", 'pip install "deniable[postgres]"') from None
    try:
        engine.check_settings()
        if _is_empty(address, engine, create=create):
            _create_tables(address, engine)
        migrate(address, engine)
    except BaseException:
        engine.close()
        raise
    return engine


def _is_empty(address: Address, engine: Engine, *, create: bool) -> bool:
    with engine.reading() as database:
        there = engine.tables(database)
    if there and "about" not in there:
        raise StoreError(str(address), "its tables are not a store's", "give a database of its own")
    if not there and not create:
        raise StoreError(str(address), "there is no store in this database", "publish a survey first")
    return not there


def _create_tables(address: Address, engine: Engine) -> None:
    try:
        create_pepper(address)
    except OSError as error:
        problem = f"its pepper cannot be made ({error.strerror})"
        raise StoreError(str(pepper_path(address)), problem, "check the folder's permissions") from None
    check = _key_check(read_pepper(address))
    with engine.writing() as database:
        if not engine.tables(database):  # another process may have been faster
            for sql in (ABOUT_SQL, *TABLES_SQL):
                database.execute(sql)
            database.execute(FILL_SQL, (FORMAT, check))


def _key_check(pepper: bytes) -> bytes:
    return keyed_hash(pepper, "key", "", b"")


def read_key(place: Place, connections: Engine) -> bytes:
    """The pepper of a store, known to be its own where web hosts have copies of it.

    Raises:
        StoreError: If it cannot be read, or is another store's.
    """
    pepper = read_pepper(place)
    if isinstance(place, Address):
        with connections.reading() as database:
            if bytes(database.execute(KEY_SQL).fetchone()[0]) != _key_check(pepper):
                problem = "it is not the pepper of the store in that database"
                raise StoreError(str(pepper_path(place)), problem, "copy the one that was made with the store here")
    return pepper
