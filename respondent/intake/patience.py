"""Limits on the time for which a request may occupy a thread while it is received and answered.

A caller who sends slowly keeps a thread waiting. After a time limit, receiving a request is stopped as if the caller
had stopped sending. After a longer time limit, sending the HTTP response is stopped, too. Requests that have arrived
completely are still answered, even if they waited behind slow requests.
"""

import socket
from contextlib import suppress
from threading import Lock, Thread
from time import monotonic, sleep

SENDING = 10.0  # seconds for a request to arrive. A proxy that receives it completely first is better protection
CROWDED = 2.0  # seconds for a request to arrive if threads are scarce
ANSWERING = 30.0  # seconds from the beginning until the response has arrived. The page gives up earlier
HANGING_UP = 1.0  # seconds in which a caller should close the connection after the response
LOOKING = 0.5
READ = 4096  # number of bytes that are read at a time


class Patience:
    """A watch over the time of all requests that occupy a thread or wait for a thread.

    Args:
        threads: Number of threads that handle requests. The time limit for slow senders is shorter if requests occupy
            all threads.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._lock = Lock()
        self._begun: dict[socket.socket, float] = {}  # the oldest first

    def begin(self, caller: socket.socket) -> None:
        """Start watching a connection on which a part of a request has arrived."""
        with self._lock:
            self._begun[caller] = monotonic()

    def end(self, caller: socket.socket) -> None:
        """Stop watching a connection whose request has been handled."""
        with self._lock:
            self._begun.pop(caller, None)

    def watch(self) -> None:
        """Check regularly whether requests exceed their time limits, in a thread that ends with the process."""

        def look() -> None:
            while True:
                sleep(LOOKING)
                self.look(monotonic())

        Thread(target=look, name="patience", daemon=True).start()

    def look(self, now: float) -> None:
        """Stop receiving requests that arrive too slowly, and close connections that take too long in total."""
        with self._lock:  # so that no connection is closed, and its number given to another, meanwhile
            sending = CROWDED if len(self._begun) >= self._threads else SENDING
            for caller, begun in self._begun.items():
                if now - begun < sending:
                    break
                with suppress(OSError):  # it may be gone
                    caller.shutdown(socket.SHUT_RDWR if now - begun >= ANSWERING else socket.SHUT_RD)


def hang_up(caller: socket.socket) -> None:
    """Wait a short time for the caller to close a connection, so that the HTTP response arrives, and then close it.

    Closing without waiting could destroy an HTTP response to a caller who is still sending (RFC 9112, section 9.6).
    """
    latest = monotonic() + HANGING_UP
    with suppress(OSError):
        caller.shutdown(socket.SHUT_WR)
        while (left := latest - monotonic()) > 0:
            caller.settimeout(left)
            if not caller.recv(READ):
                break
    with suppress(OSError):
        caller.shutdown(socket.SHUT_RD)
