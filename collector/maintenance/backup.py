"""Backups of a store and its key in one file, written while the server runs, and restoring from a backup.

A backup contains everything that the store acknowledged before the backup began. The rows of a backup are sorted by
random id, so that they do not reveal the order of arrival. A new backup is checked and sealed (see
`collector.maintenance.seal`) before it replaces an older backup.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from collector.database.address import Place, file_of
from collector.database.connections import RESTORE, Connections
from collector.database.sqlite import Database
from collector.errors import StoreError
from collector.ledger.schema import THERE_SQL
from collector.maintenance.audit_store import schema_check
from collector.maintenance.seal import seal, unsealed
from collector.output import BESIDE, draft_of, keep_owner
from collector.store.catalogue import Catalogue
from collector.store.invitation import create_pepper, pepper_path, read_pepper
from collector.store.store import Store
from collector.store.store_database import APPLICATION, BACKUP, check_format
from collector.survey.picture import is_picture

HEADER_BYTES, APPLICATION_AT = 72, 68
"""Length of the needed part of a SQLite header, and position of the application number."""
PICTURES_SQL = "SELECT name, content FROM pictures"
DAMAGED = ("it is damaged", "use another backup")


@dataclass(frozen=True)
class Kept:
    """The numbers of surveys, responses and other contents of a backup.

    Attributes:
        surveys: Number of published versions.
        responses: Number of responses to all versions.
        invitations: Number of invitations to all surveys.
        charges: Number of entries in the ledger of trusted data, or None if there is no ledger.
        digest: Digest of the file in hexadecimal (see `collector.maintenance.seal`).
    """

    surveys: int
    responses: int
    invitations: int
    charges: int | None
    digest: str = ""


def back_up(place: Place, target: Path) -> Kept:
    """Write a backup of a store, as a file that only its owner can read.

    Args:
        place: Address of the store, which other programs may use at the same time.
        target: Path of the backup. An existing backup at this path is replaced.

    Raises:
        StoreError: If the store or its key cannot be read, or the backup cannot be written.
    """
    path = file_of(place, "backup in one file", "run pg_dump, and copy the pepper")
    with Store(path) as checked:  # says what is wrong with it
        checked.refuse_tests()
    key = read_pepper(path)
    if target.exists() and _application(target) != BACKUP:
        raise StoreError(str(target), "the file exists already and is not a backup", "choose another name")
    with _draft(target) as draft:
        with _connected(path) as store, store.reading() as database:
            database.execute("VACUUM INTO ?", [str(draft)])
        with _connected(draft) as copy:
            with copy.writing() as database:
                database.execute(f"PRAGMA application_id = {BACKUP}")
            kept = _checked(draft, copy)
        kept = replace(kept, digest=seal(draft, key))
        flush(draft)
        draft.replace(target)
        flush(target.parent)
    return kept


def restore(backup: Path, place: Place) -> Kept:
    """Create a new store from a backup.

    Args:
        backup: Path of the backup, which is not changed.
        place: Address of the new store, next to which the key is written.

    Raises:
        StoreError: If the file is not an unchanged backup of a store, or if something exists at the address of the new
            store.
    """
    path = file_of(place, "restore from one file", "run pg_restore, and copy the pepper")
    _check_backup(backup)
    _check_room(path)
    with _draft(path) as draft:
        key, digest = unsealed(backup, draft)
        with _within(backup), _connected(draft) as copy:
            with copy.writing() as database:
                database.execute(f"PRAGMA application_id = {APPLICATION}")
            with copy.storing() as database:
                database.execute("PRAGMA journal_mode = WAL")
            check_format(draft, copy, create=False, tests=False)
            kept = replace(_checked(draft, copy), digest=digest)
            copy.tidy(())
        flush(draft)
        _place(draft, path, key)
    return kept


def _place(draft: Path, path: Path, key: bytes) -> None:
    """Move a new store and its key to their paths without replacing existing files."""
    create_pepper(path, key)
    if read_pepper(path) != key:
        problem = "there is another key beside where the store is to be"
        raise StoreError(str(pepper_path(path)), problem, "move the file away first, or give another --store")
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        raise _taken(path) from None
    flush(path.parent)


def _check_backup(backup: Path) -> None:
    if not backup.is_file():
        raise StoreError(str(backup), "there is no such file", "give the path of a backup (collector backup)")
    found = _application(backup)
    if found != BACKUP:
        problem = "it is a store, not a backup" if found == APPLICATION else "it is no backup"
        raise StoreError(str(backup), problem, "give the path of a backup (collector backup)")


def _check_room(path: Path) -> None:
    for each in (path, *(path.with_name(path.name + end) for end in BESIDE)):
        if each.exists():
            raise _taken(each)


def _taken(path: Path) -> StoreError:
    remedy = "stop the server and move it away, with the files beside it, or give another --store"
    return StoreError(str(path), "the file exists already", remedy)


def _application(path: Path) -> int:
    """Return the application number in the header of a SQLite file.

    The bytes of the file are read directly, because SQLite must not open a damaged backup.
    """
    with path.open("rb") as stream:
        header = stream.read(HEADER_BYTES)
    if int.from_bytes(header[APPLICATION_AT:], "big") == BACKUP:
        return BACKUP
    with _connected(path) as connections, connections.reading() as database:
        return int(database.execute("PRAGMA application_id").fetchone()[0])


def _checked(path: Path, connections: Connections) -> Kept:
    """Check a whole backup file, and return the numbers of its contents."""
    with connections.reading() as database:
        if database.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            raise StoreError(str(path), *DAMAGED)
    catalogue = Catalogue(path, connections)
    versions = catalogue.surveys()  # each design must have its fingerprint
    shown = {each.name for version in versions for survey in catalogue.revisions(version) for each in survey.pictures}
    with connections.reading() as database:
        schema = schema_check(database, versions)
        if not schema.green:
            raise StoreError(str(path), f"the tables are not those of a store ({schema.found})", schema.remedy)
        pictures = {name for name, content in database.execute(PICTURES_SQL) if is_picture(name, bytes(content))}
        if not shown <= pictures or _count(database, "pictures") > len(pictures):
            raise StoreError(str(path), "a picture of a published survey is missing or was changed", RESTORE)
        return Kept(
            len(versions),
            sum(_count(database, each.table) for each in versions),
            _count(database, "invitations"),
            _count(database, "charges") if database.execute(THERE_SQL).fetchone()[0] else None,
        )


def _count(database: Database, table: str) -> int:
    return int(database[table].count)


@contextmanager
def _connected(path: Path) -> Iterator[Connections]:
    connections = Connections(path)
    try:
        yield connections
    finally:
        connections.close()


@contextmanager
def _draft(path: Path) -> Iterator[Path]:
    """Yield an empty private file in the folder of another file, and remove it at the end of the block."""
    try:
        with draft_of(path) as (draft, descriptor):
            with suppress(FileNotFoundError):
                keep_owner(descriptor, path.stat())
            yield draft
    except OSError as error:
        problem = f"it cannot be written ({error.strerror})"
        raise StoreError(str(path), problem, "check the folder, its permissions and the free space") from None


@contextmanager
def _within(backup: Path) -> Iterator[None]:
    """In the block, turn errors about a working copy of a backup into errors about the backup."""
    try:
        yield
    except StoreError as error:
        raise StoreError(str(backup), error.problem, error.remedy) from None


def flush(path: Path) -> None:
    """Write the content of a file (or the names in a folder) to the disk to survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
