"""Files that are written whole or not at all."""

import errno
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from collector.errors import OutputError

OWNERS_ONLY = 0o600


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Write text to a file as UTF-8; otherwise as `write_bytes`."""
    write_bytes(path, (piece.encode() for piece in pieces))


def write_bytes(path: Path, pieces: Iterable[bytes]) -> None:
    """Write bytes to a file, whole or not at all.

    A new file is readable by its owner only, from the first byte; one that was there before keeps its mode.

    Raises:
        OutputError: If the file cannot be written; one that was there before is left as it was.
    """
    try:
        if path.exists() and not path.is_file():  # a terminal or a pipe is not replaced
            _fill(path, pieces)
        else:
            _replace(path.resolve(), pieces)
    except OSError as error:
        raise unwritable(path, error.errno) from None


def _replace(path: Path, pieces: Iterable[bytes]) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        _fill(draft, pieces, _mode(path))
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _mode(path: Path) -> int:
    """The permissions of the file, or those of a new one: its owner's alone."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return OWNERS_ONLY


def _fill(path: Path, pieces: Iterable[bytes], mode: int | None = None) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNERS_ONLY), "wb") as stream:
        if mode is not None:
            os.fchmod(stream.fileno(), mode)  # before the first byte
        stream.writelines(pieces)
        stream.flush()
        if path.is_file():
            os.fsync(stream.fileno())


def unwritable(path: Path, number: int | None) -> OutputError:
    """The error for a path that cannot be written, for the reason with this number (errno)."""
    problem = f"it cannot be written ({os.strerror(number or errno.EIO)})"
    return OutputError(str(path), problem, "check the path and the disk")
