"""Access to a SQLite file that cannot be written, such as a file on a read-only mount or of another user.

Before SQLite reads a file, it creates a write-ahead log and an index unless both exist. If no log exists and SQLite
cannot create a log, all data are in the file, and the file is opened as unchanging.
"""

import os
from pathlib import Path

from collector.errors import StoreError

_Stamp = tuple[int, ...]
LOG_REMEDY = "copy it, with all files whose names begin with its name, to a folder that can be written"


class Frozen:
    """The decision to open a SQLite file as unchanging, and the check that nobody has changed the file.

    Args:
        path: Path of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log, self._index = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
        self._stamp: _Stamp | None = None  # None until it is read so

    def mode(self) -> str:
        """Return the mode in which SQLite opens the file, as part of a URI.

        Raises:
            StoreError: If the file has a write-ahead log that SQLite cannot read without writing.
        """
        if os.access(self._path.parent, os.W_OK) or (self._log.exists() and self._index.exists()):
            return "mode=rw"
        if _size(self._log):
            problem = "a write-ahead log waits beside it, which cannot be read in a folder that cannot be written"
            raise StoreError(str(self._path), problem, LOG_REMEDY)
        if self._stamp is None:
            self._stamp = self._found()
        return "mode=ro&immutable=1"

    def check(self) -> None:
        """Check that nobody wrote to a file that was opened as unchanging.

        Raises:
            StoreError: If the file was written, so that rows may have been read from both old and new content.
        """
        if self._stamp is not None and self._stamp != self._found():
            raise StoreError(
                str(self._path), "another program changed the file while it was read", "run the command again"
            )

    def _found(self) -> _Stamp:
        found = self._path.stat()
        return found.st_mtime_ns, found.st_size, _size(self._log)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
