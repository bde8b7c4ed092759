"""The lock that lets one run of a survey's retraining work at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from collector.database.address import Place
from collector.errors import OutputError
from collector.output import OWNERS_ONLY
from collector.store.invitation import pepper_path


@contextmanager
def run_lock(place: Place, name: str) -> Iterator[bool]:
    """Lock the runs of a survey, and return whether no other run is active.

    The lock is a file beside the store, whichever name the store is opened by. The operating system releases the lock
    when the process ends.

    Raises:
        OutputError: If the file of the lock is a link, or cannot be opened.
    """
    store = (place if isinstance(place, Path) else pepper_path(place)).resolve()  # one run at a time on each host
    path = store.with_name(f".{store.name}.{name}.retrain")
    try:
        turn = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, OWNERS_ONLY)
    except OSError as error:
        remedy = "remove it, or let this user write in its folder"
        problem = f"the lock of the runs cannot be opened ({os.strerror(error.errno or 0)})"
        raise OutputError(str(path), problem, remedy) from None
    try:
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(turn)
