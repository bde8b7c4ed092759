"""How much one caller may ask for. Callers are told apart by a hash of their address that nothing outlives.

The hash is keyed with a salt. Salt and counts are in the worker's memory only, and both are thrown away when their
minute or hour is over: nobody, the server included, can tell afterwards who called. Each worker counts for itself.
"""

from __future__ import annotations

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
UNKNOWN_PER_HOUR = 20
MOST_CALLERS = 100_000  # that are told apart; whoever has more addresses than that is not slowed, and fills no memory


@dataclass(frozen=True)
class Limits:
    """What one address may ask for, in each worker.

    Attributes:
        per_minute: Requests, pages included and static files not.
        unknown_per_hour: Requests that are answered with 404 by the intake: guesses at invitations and receipts.
    """

    per_minute: int = PER_MINUTE
    unknown_per_hour: int = UNKNOWN_PER_HOUR


class Window:
    """Counts callers for a while, or until there are too many, then forgets them, and the salt that told them apart.

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

    def admit(self, address: str, *, counting: bool = True) -> bool:
        """Whether a caller may go on; the request counts unless said."""
        with self._lock:
            if self._clock() >= self._end or len(self._counts) >= MOST_CALLERS:
                self._begin()
            if not (counting or self._counts):
                return True
            key = blake2b(network(address), key=self._salt, digest_size=16).digest()
            before = self._counts.get(key, 0)
            if counting:
                self._counts[key] = before + 1
            return before < self._most


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
