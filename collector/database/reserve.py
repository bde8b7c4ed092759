"""Room on the disk that is kept for what must not wait until somebody makes room: withdrawals, and closing a survey."""

import os
from contextlib import suppress
from pathlib import Path

RESERVE = 2**20  # number of bytes that are kept
STEP = 2**15  # number of bytes that are given up at once; a withdrawal writes some pages of 4,096 bytes


class Reserve:
    """A file beside a store that only takes room, some of which is given up when the disk is full.

    What is given up can also be taken by other programs, and by responses; the rest stays for the next withdrawal.

    Args:
        path: Path of the store's file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}-reserve")

    def keep(self) -> None:
        """Take the room again, as far as the disk has it."""
        if not hasattr(os, "posix_fallocate"):
            return
        with suppress(OSError):
            file = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
            try:
                os.posix_fallocate(file, 0, RESERVE)
            finally:
                os.close(file)

    def give_up(self) -> bool:
        """Leave some of the room to the disk, and return whether any was left to leave."""
        try:
            left = self._path.stat().st_size
            os.truncate(self._path, max(0, left - STEP))
        except OSError:
            return False
        return left > 0
