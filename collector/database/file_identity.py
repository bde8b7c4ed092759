"""The identity of an open file, which shows whether SQLite writes to a file that was moved away."""

import os
from pathlib import Path

from collector.errors import StoreError

REMEDY = "stop the programs that use it, put the store in its place, and start them again"
_Identity = tuple[int, int] | None  # device and inode of a file, or None if there is no file


class Identity:
    """The identity of a store's file and of the file's write-ahead log."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log_path = path.with_name(f"{path.name}-wal")
        self._file = _identity(path)
        self._log: _Identity = None

    def check_file(self) -> None:
        """Check that the opened SQLite file is still at its path.

        Raises:
            StoreError: If the file was removed, moved away or replaced.
        """
        if self._file is None or _identity(self._path) != self._file:
            raise StoreError(str(self._path), "the file was removed or replaced after it was opened", REMEDY)

    def check(self) -> None:
        """Check that the opened file and its write-ahead log, which must be in use, are still at their paths.

        Raises:
            StoreError: If the file or the log was removed, moved away or replaced.
        """
        self.check_file()
        found = _identity(self._log_path)
        if self._log is not None and found != self._log:
            problem = "its write-ahead log was removed or replaced after it was opened"
            raise StoreError(str(self._path), problem, REMEDY)
        self._log = found

    def note_log(self) -> None:
        """Remember which file the write-ahead log is, for later checks."""
        if self._log is None:
            self._log = _identity(self._log_path)

    def forget_log(self) -> None:
        """Forget which file the write-ahead log is, because no connection uses the log any more."""
        self._log = None


def _identity(path: Path) -> _Identity:
    try:
        found = os.stat(path)  # noqa: PTH116 - opening the file would drop the locks SQLite has on it
    except OSError:
        return None
    return found.st_dev, found.st_ino
