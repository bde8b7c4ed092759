"""A PostgreSQL server to test on: Debian's package, in a folder of its own, on a socket that nobody else knows."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from collector.database.address import Address

USER = "postgres"  # as whom the server runs where we are root, which it refuses to run as
INITDB = ("--username=deniable", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
OPTIONS = "-c listen_addresses='' -c shared_buffers=16MB -c max_connections=200 -c unix_socket_directories={folder}"


def programs() -> Path | None:
    """Where PostgreSQL's programs are; None if they are not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    there = shutil.which("initdb") or (found[-1] if found else None)
    return None if there is None else Path(there).resolve().parent


class PostgresServer:
    """A server.

    Args:
        folder: That it has to itself.
        settings: More than its own, as ``name=value``.
    """

    def __init__(self, folder: Path, *settings: str) -> None:
        self._folder = folder
        self._options = " ".join([OPTIONS.format(folder=folder), *(f"-c {each}" for each in settings)])
        self._run("initdb", *INITDB)

    def _run(self, program: str, *arguments: str) -> None:
        folder = programs()
        if folder is None:
            raise RuntimeError("PostgreSQL is not installed: apt-get install postgresql")
        command = [str(folder / program), "--pgdata", str(self._folder / "data"), *arguments]
        user = USER if os.geteuid() == 0 else None
        subprocess.run(  # noqa: S603 - PostgreSQL's own
            command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=user, cwd=self._folder
        )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._run("pg_ctl", "start", "--wait", "--log", str(self._folder / "log"), "--options", self._options)

    def stop(self, mode: str = "fast") -> None:
        """Stop it: ``immediate`` as a power cut would."""
        self._run("pg_ctl", "stop", "--wait", "--mode", mode)

    @property
    def log(self) -> str:
        """All that it has logged."""
        return (self._folder / "log").read_text()

    def address(self, database: str) -> Address:
        """Of one of its databases."""
        return Address(f"postgresql://deniable@/{database}?host={self._folder}")

    def new_database(self) -> Address:
        """The address of a new and empty database."""
        import psycopg  # noqa: PLC0415 - which is not everywhere

        name = f"store_{secrets.token_hex(4)}"
        with psycopg.connect(self.address("postgres").url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.address(name)


@contextmanager
def postgres_server(*settings: str) -> Iterator[PostgresServer]:
    """A server that runs until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="deniable-postgres."))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, USER)
        server = PostgresServer(folder, *settings)
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
