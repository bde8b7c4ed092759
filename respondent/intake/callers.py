"""Limits on what one caller may ask for, and send. Callers are known by a short-lived hash of their address.

The hash is keyed with a salt. Salt and counts are in the worker's memory only, and both are thrown away when their
minute or hour is over, a sixth of it later at most: afterwards no one, the server included, can find out who called.
Each worker counts for itself.
"""

import re
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from socket import AF_INET, AF_INET6, inet_pton
from threading import Lock
from time import monotonic

SALT_BYTES = 32
NETWORK_BYTES = 8  # of an IPv6 address: one household or office has all that share them
MAPPED = bytes(10) + b"\xff\xff"  # what an IPv4 address begins with where it is written as an IPv6 one
PER_MINUTE = 600  # a lecture hall behind one address answers within a minute
HOUR = 3600.0  # seconds
SLOTS = 6  # of a window
GUESSES_PER_HOUR = 1000  # a code has 130 random bits, a receipt 256: no number of guesses finds one
SAMPLE = 500  # requests that are looked at together
ALIKE = 450  # requests of a sample from one address: then --proxy-hops is probably wrong
WITH_PORT = re.compile(r"([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.%]+)\](?::[0-9]+)?")
MOST_CALLERS = 100_000  # counted separately; whoever has more addresses is not slowed, and fills no memory


@dataclass(frozen=True)
class Limits:
    """Limits on callers, counted in each worker.

    Attributes:
        per_minute: Requests that one address may make, pages included, static files and pictures not.
        guesses_per_hour: Unknown invitations, or receipts, to one survey, from everywhere together, of which the
            operator is warned. No one is shut out for them: typing errors come in crowds too.
    """

    per_minute: int = PER_MINUTE
    guesses_per_hour: int = GUESSES_PER_HOUR


class _Slot:
    """A part of a window: counts under a salt of its own."""

    def __init__(self, end: float) -> None:
        self.end = end
        self._salt = secrets.token_bytes(SALT_BYTES)
        self.counts: Counter[bytes] = Counter()

    def key(self, caller: bytes) -> bytes:
        """The key by which a caller is known here, and nowhere else."""
        return blake2b(caller, key=self._salt, digest_size=16).digest()


class Window:
    """Counts callers within the last minute or hour, whenever that began, in slots.

    Counts and salt of each slot are forgotten when it is older than the window. At most one slot more than the window
    is counted, so that never more are let through than promised. Where there are too many callers all are forgotten.

    Args:
        most: How often one caller may be counted.
        seconds: How long a window lasts.
        clock: Seconds that only ever grow.
    """

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._slots: list[_Slot] = []  # the oldest first

    def admit(self, address: str, *, to: str = "", most: int | None = None) -> bool:
        """Whether a caller may go on; if so the request is counted.

        Args:
            address: Address of the caller.
            to: What is counted apart from everything else.
            most: In place of the window's own.
        """
        caller, now = network(address) + to.encode(), self._clock()
        with self._lock:
            self._slots = [each for each in self._slots if now < each.end + self._seconds]
            if not self._slots or now >= self._slots[-1].end:
                self._slots.append(_Slot(now + self._seconds / SLOTS))
            elif len(self._slots[-1].counts) >= MOST_CALLERS:
                self._slots = [_Slot(now + self._seconds / SLOTS)]
            if sum(each.counts[each.key(caller)] for each in self._slots) >= (self._most if most is None else most):
                return False
            last = self._slots[-1]
            last.counts[last.key(caller)] += 1
            return True

    def take_back(self, address: str, *, to: str = "") -> None:
        """Count once less, in the newest slot that has it: it came to nothing."""
        caller = network(address) + to.encode()
        with self._lock:
            for each in reversed(self._slots):
                key = each.key(caller)
                if each.counts[key] > 0:
                    each.counts[key] -= 1
                    return


class Sample:
    """Counts which callers make `SAMPLE` requests, to find out whether nearly all come from one address.

    Salt and counts are forgotten with each sample, and after an hour: fewer requests in an hour say nothing.

    Args:
        clock: Seconds that only ever grow.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._lock, self._clock = Lock(), clock
        self._slot = _Slot(clock() + HOUR)

    def ends_alike(self, caller: bytes) -> bool:
        """Count a request; whether it ends a sample of which one caller made `ALIKE` or more."""
        with self._lock:
            if self._clock() >= self._slot.end:
                self._slot = _Slot(self._clock() + HOUR)
            counts = self._slot.counts
            counts[self._slot.key(caller)] += 1
            if counts.total() < SAMPLE:
                return False
            self._slot = _Slot(self._clock() + HOUR)
            return max(counts.values()) >= ALIKE


def network(address: str) -> bytes:
    """The part of an address that distinguishes callers: all of an IPv4 one, the network of an IPv6 one.

    A port behind it is left out. Empty where it is no address.
    """
    if (found := WITH_PORT.fullmatch(address)) is not None:
        address = found[1] or found[2]
    try:
        return inet_pton(AF_INET, address)
    except (OSError, ValueError):
        pass
    try:
        packed = inet_pton(AF_INET6, address.partition("%")[0])
    except (OSError, ValueError):  # a local socket has none
        return b""
    return packed[len(MAPPED) :] if packed.startswith(MAPPED) else packed[:NETWORK_BYTES]
