"""Reading a SQLite file where nothing can be written: on a read-only mount, or in a folder that others own.

SQLite makes a write-ahead log and an index of it before it reads a file, unless both are there. Where it cannot make
them, and no log waits to be read, the file has everything: SQLite is then asked to read it as one that does not change.
"""

import os
from pathlib import Path

from collector.errors import StoreError

_Stamp = tuple[int, ...]
LOG_REMEDY = "copy it, with all files whose names begin with its name, to a folder that can be written"


class Frozen:
    """Whether a file is read as one that does not change, and whether it has changed all the same.

    Args:
        path: Path of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log, self._index = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
        self._stamp: _Stamp | None = None  # None until it is read so

    def mode(self) -> str:
        """The mode in which SQLite opens the file, as part of its address. It never makes one.

        Raises:
            StoreError: If a log waits that cannot be read without writing.
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
        """Make sure that nobody wrote a file that is read as one that does not change.

        Raises:
            StoreError: If somebody did: what was read may mix old and new.
        """
        if self._stamp is not None and self._stamp != self._found():
            raise StoreError(str(self._path), "another program wrote it while it was read", "run the command again")

    def _found(self) -> _Stamp:
        found = self._path.stat()
        return found.st_mtime_ns, found.st_size, _size(self._log)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
