"""The one-time link to a page of the owner, which is valid for a short time and leads to a secret address."""

from collections.abc import Callable
from hmac import compare_digest
from secrets import token_urlsafe
from threading import Lock
from time import monotonic

GOOD_SECONDS = 600.0
BYTES = 32  # random bytes of each secret


class Link:
    """A one-time link, and the secret address to which it leads. All secrets are compared in constant time.

    Args:
        clock: Function that returns the time in seconds.

    Attributes:
        once: Secret part of the one-time link.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.once, self._inside = token_urlsafe(BYTES), token_urlsafe(BYTES)
        self._clock, self._until = clock, clock() + GOOD_SECONDS
        self._used, self._lock = False, Lock()

    def exchange(self, given: str) -> str | None:
        """Return the secret part of the page's address, or None for a wrong, used or expired link."""
        with self._lock:
            good = _same(given, self.once) and not self._used and self._clock() < self._until
            self._used |= good
        return self._inside if good else None

    def admits(self, given: str) -> bool:
        """Return whether a text is the secret part of the page's address."""
        return _same(given, self._inside)


def _same(given: str, secret: str) -> bool:
    return compare_digest(given.encode(errors="replace"), secret.encode())
