"""Turns in which threads and processes may write to a store, in the order of arrival and with limited waiting times.

Writers cannot rely on SQLite's own locks, with which one process might always get the turn. The system call `flock`
keeps the order of arrival, but has no time limit. Therefore a helper thread waits for `flock`, and the writer waits for
the helper with a time limit.

Every commit, and every checkpoint of the write-ahead log, happens in a writer's turn. Writing in turns also avoids a
defect of SQLite before version 3.51.3 (https://sqlite.org/wal.html#walresetbug).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from threading import Event, Lock, RLock, Thread
from time import monotonic

from collector.errors import StoreError

LOCKED = ("another program has locked it", "close that program, or try again later")


class _Waiter:
    """A helper that takes a free lock of a store at once, and otherwise waits for the lock in a thread."""

    def __init__(self, folder: Path) -> None:
        self.descriptor = os.open(folder, os.O_RDONLY)
        self.there = Event()
        self._deciding = Lock()
        self._needed = True
        try:
            flock(self.descriptor, LOCK_EX | LOCK_NB)
            self.there.set()
        except BlockingIOError:
            Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        flock(self.descriptor, LOCK_EX)
        with self._deciding:
            if self._needed:
                self.there.set()
            else:
                self.close()

    def need(self, *, needed: bool) -> bool:
        """Set whether the writer still needs the lock, and return whether the helper can provide the lock."""
        with self._deciding:
            self._needed = needed or self.there.is_set()
            return self.descriptor >= 0

    def close(self) -> None:
        """Release the lock on the store so that the next writer gets the turn."""
        os.close(self.descriptor)
        self.descriptor = -1


class Turns:
    """The turns in which the threads of one process may write to a store.

    Args:
        path: Path of the store. Processes lock the store's folder, because SQLite locks the file itself.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.reset()

    def reset(self) -> None:
        """Forget all waiting writers, in a child process after a fork."""
        self._mine = RLock()
        self._depth = 0
        self._late: _Waiter | None = None  # that came too late for the one who needed it

    @contextmanager
    def turn(self, seconds: float) -> Iterator[None]:
        """Let only the calling thread write to the store while the block, which may be nested, runs.

        Args:
            seconds: Longest time to wait for the turn, in seconds.

        Raises:
            StoreError: If other writers hold the turn for longer than `seconds`.
        """
        until = monotonic() + seconds
        if not self._mine.acquire(timeout=seconds):
            raise StoreError(str(self._path), *LOCKED)
        try:
            waiter = self._acquired(until) if self._depth == 0 else None
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if waiter:
                    waiter.close()
        finally:
            self._mine.release()

    def _acquired(self, until: float) -> _Waiter:
        late, self._late = self._late, None
        try:
            waiter = late if late and late.need(needed=True) else _Waiter(self._path.parent)
        except OSError as error:
            place, problem = str(self._path.parent), f"it cannot be opened ({error.strerror})"
            raise StoreError(place, problem, "check the permissions of the folder") from None
        if not waiter.there.wait(max(0.0, until - monotonic())):
            waiter.need(needed=False)
            if not waiter.there.is_set():
                self._late = waiter
                raise StoreError(str(self._path), *LOCKED)
        return waiter
