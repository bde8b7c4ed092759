"""Output files that are written completely or not at all.

An output file is first written as a draft in its folder. The draft of a killed command is removed by the next command
that writes the file.
"""

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from time import monotonic, sleep

from collector.errors import OutputError

OWNERS_ONLY = 0o600
PATIENCE = 20  # time limit of waiting for another command's lock, in seconds
PAUSE = 0.005  # seconds between two attempts to take a lock
DRAFT_BYTES = 4  # random bytes in the name of a draft
DRAFT = re.compile(rf"[0-9a-f]{{{2 * DRAFT_BYTES}}}")
BESIDE = ("-wal", "-shm", "-journal", "-reserve")  # suffixes of the files next to a store


def write_text(path: Path, pieces: Iterable[str], check: Callable[[], None] | None = None) -> None:
    """Write text to a file as UTF-8, completely or not at all (see `write_bytes`)."""
    write_bytes(path, (piece.encode() for piece in pieces), check)


def write_bytes(path: Path, pieces: Iterable[bytes], check: Callable[[], None] | None = None) -> None:
    """Write bytes to a file completely or not at all.

    A new file can be read only by its owner. A file that is replaced keeps its mode.

    Args:
        path: Path of the file.
        pieces: Pieces of the file's content.
        check: Function that is called just before the file is replaced, and may raise an error to keep the file
            unchanged.

    Raises:
        OutputError: If the file cannot be written.
    """
    try:
        if path.exists() and not path.is_file():  # a terminal or a pipe is not replaced
            with path.open("wb") as stream:
                stream.writelines(pieces)
        else:
            _replace(path.resolve(), pieces, check)
    except OSError as error:
        raise unwritable(path, error.errno) from None


def _replace(path: Path, pieces: Iterable[bytes], check: Callable[[], None] | None) -> None:
    with draft_of(path) as (draft, descriptor):
        with suppress(FileNotFoundError):
            before = path.stat()
            keep_owner(descriptor, before)
            os.fchmod(descriptor, stat.S_IMODE(before.st_mode))  # before the first byte
        with os.fdopen(os.dup(descriptor), "wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            os.fsync(descriptor)
        if check is not None:
            check()
        draft.replace(path)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file while the block runs, so that no other process writes the file.

    The lock is a second file in the folder of the file, which is removed when the block ends. The lock of a killed
    command does not block other commands.

    Raises:
        OutputError: If the lock cannot be created, or another process holds the lock for more than `PATIENCE` seconds.
    """
    path = path.resolve()
    lock = path.with_name(f".{path.name}.lock")
    try:
        descriptor = _hold(lock)
    except TimeoutError:
        problem = f"another command has held its lock for {PATIENCE} seconds"
        raise OutputError(str(path), problem, "try again, or stop the other command") from None
    except OSError as error:
        raise unwritable(path, error.errno) from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _hold(lock: Path) -> int:
    until = monotonic() + PATIENCE
    while monotonic() < until:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, OWNERS_ONLY)
        with suppress(OSError):  # somebody holds it, or it is gone by now: they removed it
            flock(descriptor, LOCK_EX | LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), lock.stat()):
                return descriptor
        os.close(descriptor)
        sleep(PAUSE)
    raise TimeoutError


def keep_owner(descriptor: int, before: os.stat_result) -> None:
    """Give an open file the owner and the group of another file, if the system allows it."""
    with suppress(PermissionError):
        os.fchown(descriptor, -1, before.st_gid)
        os.fchown(descriptor, before.st_uid, -1)


def check_empty(folder: Path) -> None:
    """Refuse a folder that exists and is not empty.

    Raises:
        OutputError: If the folder is not empty.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputError(str(folder), "a file of this name exists already", "name a new folder")
    if folder.exists() and any(folder.iterdir()):
        raise OutputError(str(folder), "the folder exists already and is not empty", "name a new folder")


@contextmanager
def draft_of(path: Path, *, is_folder: bool = False) -> Iterator[tuple[Path, int]]:
    """Create a draft (an empty file or folder) beside a path, and yield the draft with its file descriptor.

    The draft is private and locked while the block runs, and is removed when the block ends.

    Raises:
        OSError: If the draft cannot be created.
    """
    _clear(path)
    draft, descriptor = _locked(path, is_folder=is_folder)
    try:
        yield draft, descriptor
    finally:
        _remove(draft)
        os.close(descriptor)


def _locked(path: Path, *, is_folder: bool) -> tuple[Path, int]:
    while True:
        draft = path.with_name(f".{path.name}.{secrets.token_hex(DRAFT_BYTES)}")
        if is_folder:
            draft.mkdir(mode=0o700)
            descriptor = os.open(draft, os.O_RDONLY)
        else:
            descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNERS_ONLY)
        flock(descriptor, LOCK_EX)
        if draft.exists():
            return draft, descriptor
        os.close(descriptor)  # another command took it for a killed one's before it was locked


def _clear(path: Path) -> None:
    """Remove the drafts that killed commands left in the folder of a path, if the system allows it."""
    start = f".{path.name}."
    with suppress(OSError):  # a folder may be closed to readers
        names = [each.name for each in path.parent.iterdir() if each.name.startswith(start)]
        for name in names:
            if DRAFT.fullmatch(name.removeprefix(start)):
                _clear_draft(path.with_name(name))


def _clear_draft(draft: Path) -> None:
    with suppress(OSError):  # it belongs to somebody else, or a command that lives has locked it
        descriptor = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
            _remove(draft)
        finally:
            os.close(descriptor)


def _remove(draft: Path) -> None:
    if draft.is_dir():
        shutil.rmtree(draft, ignore_errors=True)
        return
    for each in (draft, *(draft.with_name(draft.name + end) for end in BESIDE)):
        each.unlink(missing_ok=True)


def unwritable(path: Path, number: int | None) -> OutputError:
    """Return the error for a path that cannot be written, given the error number of the system (errno)."""
    problem = f"it cannot be written ({os.strerror(number or errno.EIO)})"
    return OutputError(str(path), problem, "check the path and the disk")
