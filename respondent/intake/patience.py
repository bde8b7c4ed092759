"""Limits on how long one request may hold a thread: its sending, its answer and its end.

A thread reads what a caller sends, and waits for whoever sends slowly. `Patience` watches all requests from the moment
that something of them is there: after a while it ends the receiving of one, as if the caller had stopped sending, and
much later the sending of the answer too. Where every thread is taken, it waits for slow senders a short while only.
What has come by then, and waits for a thread, is still read: good requests behind slow ones are answered.
"""

import socket
from contextlib import suppress
from threading import Lock, Thread
from time import monotonic, sleep

SENDING = 10.0  # seconds that a request may take to come; a proxy that takes it in whole before is the better cure
CROWDED = 2.0  # the same where threads are scarce
ANSWERING = 30.0  # until the answer is with the caller, counted from the beginning too; longer than our page waits
HANGING_UP = 1.0  # that a caller has to close the connection once it is answered
LOOKING = 0.5
READ = 4096  # bytes at a time


class Patience:
    """Watches the requests that threads are busy with, or are to be.

    Args:
        threads: How many requests there may be at once; from then on slow senders are given up sooner.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._lock = Lock()
        self._begun: dict[socket.socket, float] = {}  # the oldest first

    def begin(self, caller: socket.socket) -> None:
        """Something of a request is there on this connection."""
        with self._lock:
            self._begun[caller] = monotonic()

    def end(self, caller: socket.socket) -> None:
        """Stop watching the connection: its thread has ended, and nothing closes it from here on."""
        with self._lock:
            self._begun.pop(caller, None)

    def watch(self) -> None:
        """Look again and again, in a thread that ends with the process."""

        def look() -> None:
            while True:
                sleep(LOOKING)
                self.look(monotonic())

        Thread(target=look, name="patience", daemon=True).start()

    def look(self, now: float) -> None:
        """End the receiving of what takes too long to come, and all of what takes too long altogether."""
        with self._lock:  # so that no connection is closed, and its number given to another, meanwhile
            sending = CROWDED if len(self._begun) >= self._threads else SENDING
            for caller, begun in self._begun.items():
                if now - begun < sending:
                    break
                with suppress(OSError):  # it may be gone
                    caller.shutdown(socket.SHUT_RDWR if now - begun >= ANSWERING else socket.SHUT_RD)


def hang_up(caller: socket.socket) -> None:
    """End a connection such that the last answer arrives: wait for the caller to close it, but not for long.

    Closing at once would take back what is on its way to somebody who is still sending (RFC 9112, section 9.6).
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
