"""Limits on the requests of one caller, who is identified by a short-lived hash of the address.

The hash of an address is keyed with a salt. Salts and counts exist only in a worker's memory, and are deleted soon
after the minute or the hour that they cover. After a salt is deleted, not even the server can find out who called. Each
worker process counts requests separately.
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
NETWORK_BYTES = 8  # bytes of an IPv6 address that one household or office shares
MAPPED = bytes(10) + b"\xff\xff"  # first bytes of an IPv4 address that is written as an IPv6 address
PER_MINUTE = 600  # default limit of requests per minute and address, enough for a lecture hall
HOUR = 3600.0  # number of seconds of an hour
SLOTS = 6  # number of slots of a window
GUESSES_PER_HOUR = 1000  # default number of wrong codes or receipts per hour above which the operator is warned
SAMPLE = 500  # number of requests in a sample
ALIKE = 450  # number of requests in a sample from one address that suggests a wrong --proxy-hops
WITH_PORT = re.compile(r"([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.%]+)\](?::[0-9]+)?")
MOST_CALLERS = 100_000  # maximum number of callers that are counted separately, to limit the memory


@dataclass(frozen=True)
class Limits:
    """The limits on the requests of callers, which each worker process counts separately.

    Attributes:
        per_minute: Number of requests that one address may make in a minute, except for static files and pictures.
        guesses_per_hour: Number of unknown invitations or receipts for one survey, from all addresses together, above
            which the operator is warned. Callers are never locked out for wrong guesses, because many people may
            mistype at the same time.
    """

    per_minute: int = PER_MINUTE
    guesses_per_hour: int = GUESSES_PER_HOUR


class _Slot:
    """A part of the last minute or hour, with counts of callers and the salt of their hashes."""

    def __init__(self, end: float) -> None:
        self.end = end
        self._salt = secrets.token_bytes(SALT_BYTES)
        self.counts: Counter[bytes] = Counter()

    def key(self, caller: bytes) -> bytes:
        """Return the hash of a caller's address, whose key changes after each slot of time."""
        return blake2b(caller, key=self._salt, digest_size=16).digest()


class Window:
    """The numbers of requests of each caller in the last minute or hour, divided into slots of time.

    All counts are deleted if the memory would hold too many callers.

    Args:
        most: Largest number of requests that one caller may make in the time.
        seconds: Length of the time for which requests are counted, in seconds.
        clock: Function that returns a time in seconds that never decreases.
    """

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._lock = Lock()
        self._slots: list[_Slot] = []  # the oldest first

    def admit(self, address: str, *, to: str = "", most: int | None = None) -> bool:
        """Return whether a caller may make a request now, and count the request if so.

        Args:
            address: Address of the caller.
            to: Name under which requests are counted separately, such as the name of a survey.
            most: Largest number of requests, if it differs from the usual limit.
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
        """Subtract a request that had no effect from the count of its caller."""
        caller = network(address) + to.encode()
        with self._lock:
            for each in reversed(self._slots):
                key = each.key(caller)
                if each.counts[key] > 0:
                    each.counts[key] -= 1
                    return


class CallerSample:
    """The counts of requests by caller in a sample, to detect that nearly all requests come from one address.

    The salt and the counts are deleted after each sample, and at the latest after an hour.

    Args:
        clock: Function that returns a time in seconds that never decreases.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._lock, self._clock = Lock(), clock
        self._slot = _Slot(clock() + HOUR)

    def ends_alike(self, caller: bytes) -> bool:
        """Count a request, and return whether it ends a sample of requests that nearly all come from one caller."""
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
    """Return the whole IPv4 address, or the network of an IPv6 address, which identifies a caller.

    The returned bytes are empty if the text is not an address.
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
