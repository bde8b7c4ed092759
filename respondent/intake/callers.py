"""How much one caller may ask for, and send. Callers are known by a short-lived hash of their address.

The hash is keyed with a salt. Salt and counts are in the worker's memory only, and both are thrown away when their
minute or hour is over: afterwards no one, the server included, can find out who called. Each worker counts for itself.
"""

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
GUESSES_PER_HOUR = 1000  # a code has 130 random bits, a receipt 256: no number of guesses finds one
MOST_CALLERS = 100_000  # counted separately; whoever has more addresses is not slowed, and fills no memory


@dataclass(frozen=True)
class Limits:
    """What is counted in each worker.

    Attributes:
        per_minute: Requests that one address may make, pages included, static files and pictures not.
        guesses_per_hour: Unknown invitations, or receipts, to one survey, from everywhere together, of which the
            operator is warned. No one is shut out for them: typing errors come in crowds too.
    """

    per_minute: int = PER_MINUTE
    guesses_per_hour: int = GUESSES_PER_HOUR


class Window:
    """Counts callers for a while, or until there are too many, then forgets them, and the salt that distinguished them.

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
        self._begin()

    def _begin(self) -> None:
        self._end = self._clock() + self._seconds
        self._salt = secrets.token_bytes(SALT_BYTES)
        self._counts: Counter[bytes] = Counter()

    def admit(self, address: str, *, to: str = "", most: int | None = None) -> bool:
        """Whether a caller may go on, who is counted with this.

        Args:
            address: Of the caller.
            to: What is counted apart from everything else.
            most: In place of the window's own.
        """
        with self._lock:
            if self._clock() >= self._end or len(self._counts) >= MOST_CALLERS:
                self._begin()
            key = self._key(address, to)
            self._counts[key] += 1
            return self._counts[key] <= (self._most if most is None else most)

    def take_back(self, address: str, *, to: str = "") -> None:
        """Count once less: it came to nothing."""
        with self._lock:
            key = self._key(address, to)
            if self._counts[key] > 0:  # not in a window that began meanwhile
                self._counts[key] -= 1

    def _key(self, address: str, to: str) -> bytes:
        return blake2b(network(address) + to.encode(), key=self._salt, digest_size=16).digest()


def network(address: str) -> bytes:
    """What of an address tells one caller from another: all of an IPv4 one, the network of an IPv6 one."""
    try:
        return inet_pton(AF_INET, address)
    except (OSError, ValueError):
        pass
    try:
        packed = inet_pton(AF_INET6, address.partition("%")[0])
    except (OSError, ValueError):  # a local socket has none
        return b""
    return packed[len(MAPPED) :] if packed.startswith(MAPPED) else packed[:NETWORK_BYTES]
