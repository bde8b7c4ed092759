"""Connections to one PostgreSQL database for any number of threads and web hosts.

Several processes can store responses at the same time. Writers of anything other than responses take a lock in the
database and work alone. A request is answered only after PostgreSQL has written the data to the disk
(``synchronous_commit``). SQL statements of the intake never fail because of their values, because PostgreSQL would log
the values with the time.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from select import POLLIN, poll
from threading import Lock
from time import monotonic, sleep
from typing import Any

import psycopg
from psycopg import Connection, errors

from collector.database.address import Address
from collector.database.postgres_session import MISFITS, PostgresSession, array_of
from collector.database.session import Result, Session, StoredRow
from collector.database.write_turns import LOCKED
from collector.errors import StoreError

OLDEST = 140_000  # number of the oldest supported version of PostgreSQL (14)
SECONDS = 10  # time limit for connecting, and for waiting for a lock, in seconds
PAUSE_SECONDS = 0.2
KEY = 0x44454E49  # key of this project's locks: "DENI"
ALONE, BESIDE = (f"SELECT pg_advisory_xact_lock{kind}({KEY}, 1)" for kind in ("", "_shared"))
"""Locks of a writer that works alone, and of one that shares."""
TIDYING = f"SELECT pg_advisory_xact_lock({KEY}, 2)"
NOT_TIDYING, AGAIN = f"SELECT pg_advisory_lock_shared({KEY}, 2)", f"SELECT pg_advisory_unlock_shared({KEY}, 2)"
SETTINGS = f"""
SET synchronous_commit = on; SET lock_timeout = '{SECONDS}s'; SET client_min_messages = warning;
SET synchronize_seqscans = off
"""
WRONG = {  # setting: (what it must not be, as SQL; what is wrong then; what to set)
    "fsync": ("= 'off'", "it acknowledges what a power cut loses", "on"),
    "server_encoding": ("<> 'UTF8'", "it cannot hold every text", "UTF8, when the database is created"),
    "track_commit_timestamp": ("= 'on'", "it keeps when each response came", "off"),
    "log_statement": ("IN ('mod', 'all')", "its log says when each response came", "none"),
    "log_min_duration_statement": ("<> '-1'", "its log says when responses came", "-1"),
    "log_min_duration_sample": ("<> '-1'", "its log says when responses came", "-1"),
    "log_transaction_sample_rate": ("<> '0'", "its log says when responses came", "0"),
}
WRONG_SQL = " UNION ALL ".join(
    f"SELECT name FROM pg_settings WHERE name = '{name}' AND setting {wrong}"  # noqa: S608 - constants
    for name, (wrong, _, _) in WRONG.items()
)
HOLDING_SQL = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND age(backend_xmin) >= age(?::xid)
"""
INDEX_SQL = "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = ?::regclass AND indisprimary"
TABLES_SQL = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
GONE = (errors.UndefinedTable, errors.UndefinedColumn)
"""Errors after a survey was removed, or published again in another order."""
DOUBTS = (*MISFITS, *GONE, errors.DeadlockDetected)
ADDRESS = "write postgresql://user@host/database"
DATABASE = "check the address, and that PostgreSQL runs"
TROUBLE: dict[type[psycopg.Error], tuple[str, str]] = {
    errors.LockNotAvailable: LOCKED,
    errors.DiskFull: ("the disk is full", "make room; nothing of this was stored"),
    errors.InsufficientPrivilege: ("its user may not do that", "grant the user all on this database's schema"),
    errors.ReadOnlySqlTransaction: ("it cannot be written", "give the address of the primary server"),
}


class PostgresEngine:
    """The pool of connections to one PostgreSQL database.

    Raises:
        StoreError: From every method, if PostgreSQL reports an error.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._lock = Lock()
        self._process = os.getpid()
        self._idle: list[Connection] = []
        self._inherited: list[list[Connection]] = []
        self._closed = False

    def check_settings(self) -> None:
        """Check that PostgreSQL keeps every acknowledged commit, and does not record the time of a commit.

        Raises:
            StoreError: If a setting of the PostgreSQL server does not allow safe or anonymous commits.
        """
        with self.reading() as session:
            if session.connection.info.server_version < OLDEST:
                problem = f"its PostgreSQL is older than {OLDEST // 10_000}"
                raise StoreError(str(self._address), problem, "use a database on a newer PostgreSQL server")
            wrong = session.execute(WRONG_SQL).fetchone()
        if wrong:
            _, problem, right = WRONG[wrong[0]]
            raise StoreError(str(self._address), f"{problem} ({wrong[0]})", f"set {wrong[0]} = {right}")

    def keep_room(self) -> None:
        """Do nothing, because the disk is that of the PostgreSQL server."""

    def urgently(self, act: Callable[[], Result]) -> Result:
        """Call a function, which gets no room of its own on the disk of the PostgreSQL server."""
        return act()

    def tables(self, session: Session) -> set[str]:
        """Return the names of the tables in the database."""
        return {name for (name,) in session.execute(TABLES_SQL)}

    def found_format(self, session: Session) -> int:
        """Return the format number in the table ``about``."""
        return int(session.execute("SELECT format FROM about").fetchone()[0])

    def turn(self) -> AbstractContextManager[None]:
        """Run the block without waiting, because several processes can store batches at the same time."""
        return nullcontext()

    @contextmanager
    def reading(self) -> Iterator[PostgresSession]:
        """Yield a database session without a transaction."""
        connection = self._take()
        try:
            yield PostgresSession(connection)
        except psycopg.Error as error:
            raise self._trouble(error) from None
        finally:
            self._give_back(connection)

    def _trouble(self, error: psycopg.Error) -> StoreError:
        known = next((words for kind, words in TROUBLE.items() if isinstance(error, kind)), None)
        if known is None and isinstance(error, psycopg.OperationalError):
            known = ("the connection to it was lost", DATABASE)
        return StoreError(
            str(self._address), *(known or (f"PostgreSQL gives error {error.sqlstate}", "look that up in its manual"))
        )

    @contextmanager
    def snapshot(self) -> Iterator[PostgresSession]:
        """Yield a session that sees the store as it is now, even if other sessions write until the block ends."""
        with self.reading() as session:
            session.execute(NOT_TIDYING)
            try:
                session.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield session
            finally:
                with suppress(psycopg.Error):  # of a connection that was lost
                    session.execute("ROLLBACK")
                    session.execute(AGAIN)

    @contextmanager
    def writing(self, *, on: PostgresSession | None = None) -> Iterator[PostgresSession]:
        """Yield a session in a transaction that is the only writer, and roll the transaction back on an error."""
        with self.reading() if on is None else nullcontext(on) as session, session.connection.transaction():
            session.execute(ALONE)
            yield session

    def store_together(
        self, table: str, columns: Sequence[str], rows: Sequence[StoredRow], guard: str, values: Sequence[Any]
    ) -> bool:
        """Store rows, all of them or none, while other processes may store rows, too."""
        given = dict(zip((f"c{number}" for number in range(len(columns))), zip(*rows, strict=True), strict=True))
        kinds = {name: next((type(each) for each in cells if each is not None), None) for name, cells in given.items()}
        there = [name for name, kind in kinds.items() if kind]
        arrays = ", ".join("?::bytea[]" if kinds[name] is bytes else "?::bigint[]" for name in there)
        listed = ", ".join(name if kind else "NULL" for name, kind in kinds.items())
        sql = f"""
            INSERT INTO "{table}" ({", ".join(columns)})
            SELECT {listed} FROM unnest({arrays}) AS given ({", ".join(there)}) WHERE {guard} ON CONFLICT DO NOTHING
        """  # noqa: S608 - checked names
        values_of = [array_of(given[name]) for name in there]
        with self.reading() as session, suppress(*DOUBTS):
            return session.keep_all_or_none(("BEGIN", BESIDE), sql, [*values_of, *values], len(rows))
        return False

    def stage(
        self,
        table: str,
        cells: Mapping[str, str],
        width: int,
        rows: Iterable[StoredRow],
        first: Callable[[Session], None],
    ) -> bool:
        """Store many rows from a temporary table, all of them or none (see `collector.database.session.Engine`)."""
        stored, waiting = False, ", ".join(["id bigint", *(f"w{word} bigint" for word in range(width))])
        move = f'INSERT INTO "{table}" ({", ".join(cells)}) SELECT {", ".join(cells.values())} FROM waiting ORDER BY id'  # noqa: S608 - checked names
        with self.reading() as session:
            session.execute(f"CREATE TEMPORARY TABLE waiting ({waiting})")
            try:
                with suppress(*MISFITS):
                    with session.connection.cursor() as cursor, cursor.copy(b"COPY waiting FROM STDIN") as copy:
                        for row in rows:
                            copy.write_row(row)
                    with self.writing(on=session):
                        first(session)
                        session.execute(move)
                    stored = True
            finally:
                with suppress(psycopg.OperationalError):
                    session.execute("DROP TABLE waiting")
        return stored

    def among(self, column: str, values: StoredRow) -> tuple[str, list[Any]]:
        """Return the SQL condition that a column has one of some values, and the values for its placeholders."""
        return f"{column} = ANY(?::bytea[])", [array_of(values)]

    def as_text(self, cells: Sequence[str]) -> str:
        """Return SQL that joins numbers from all rows into one text, with a character for each number."""
        return f"string_agg({' || '.join(f'chr({each})' for each in cells)}, '' ORDER BY id)"

    def as_list(self, column: str) -> str:
        """Return SQL that joins the values of a column with commas."""
        return f"string_agg({column}::text, ',' ORDER BY id)"

    def tidy(self, tables: Sequence[tuple[str, str]]) -> None:
        """Rewrite the rows of each table in one transaction, sorted by the keys of the table.

        After the rewrite, neither the order of rows nor the ids of transactions show the order of arrival, and no
        deleted row is left.

        Raises:
            StoreError: If an open transaction of another program keeps PostgreSQL from removing the deleted rows.
        """
        for table, order in tables:
            with self.writing() as session:
                session.execute(TIDYING)
                session.execute(f'LOCK TABLE "{table}" IN EXCLUSIVE MODE')
                session.execute(f'CREATE TEMPORARY TABLE kept ON COMMIT DROP AS SELECT * FROM "{table}"')  # noqa: S608 - a checked name
                session.execute(f'DELETE FROM "{table}"')  # noqa: S608 - a checked name
                session.execute(f'INSERT INTO "{table}" OVERRIDING SYSTEM VALUE SELECT * FROM kept ORDER BY {order}')  # noqa: S608 - checked names
                (number,) = session.execute("SELECT pg_current_xact_id()::xid::text").fetchone()
                (index,) = session.execute(INDEX_SQL, [f'"{table}"']).fetchone()
            self._wait_for_readers(number)
            with self.reading() as session:
                session.execute(f'CLUSTER "{table}" USING {index}')

    def _wait_for_readers(self, number: str) -> None:
        """Wait until no other session can see the rows that a transaction (given by its number) deleted."""
        until = monotonic() + SECONDS
        while True:
            with self.reading() as session:
                if not session.execute(HOLDING_SQL, [number]).fetchone()[0]:
                    return
            if monotonic() > until:
                problem = "a program that reads it keeps rows that were deleted, and the order in which rows came"
                raise StoreError(str(self._address), problem, "close that program, then run collector tidy")
            sleep(PAUSE_SECONDS)

    def _take(self) -> Connection:
        with self._lock:
            if self._closed:
                raise StoreError(str(self._address), "the store is closed", "open the store again")
            if self._process != os.getpid():  # after a fork the parent's connections are left alone
                self._inherited.append(self._idle)
                self._process, self._idle = os.getpid(), []
            idle, self._idle = self._idle, []
            while idle:
                connection = idle.pop()
                if _is_alive(connection):
                    self._idle = idle
                    return connection
                connection.close()
        return self._open()

    def _open(self) -> Connection:
        try:
            connection = psycopg.connect(
                self._address.url,
                autocommit=True,
                connect_timeout=SECONDS,
                tcp_user_timeout=1000 * SECONDS,
                client_encoding="utf8",
                application_name="deniable",
            )
            connection.execute(SETTINGS.encode())
        except psycopg.ProgrammingError:  # whose words may hold a password
            raise StoreError(str(self._address), "the database address is not valid", ADDRESS) from None
        except psycopg.Error as error:
            line = (str(error).splitlines() or [""])[-1].strip()
            raise StoreError(str(self._address), f"it cannot be reached ({line})", DATABASE) from None
        return connection

    def _give_back(self, connection: Connection) -> None:
        idle = connection.info.transaction_status is psycopg.pq.TransactionStatus.IDLE
        with self._lock:
            if idle and not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def _is_alive(connection: Connection) -> bool:
    """Return whether the PostgreSQL server still keeps an idle connection open."""
    if connection.closed:
        return False
    watch = poll()
    watch.register(connection.fileno(), POLLIN)
    return not watch.poll(0)
