"""Looking for times and addresses in bytes, however a program might have written them there.

A time within a run of some seconds is looked for at every offset, in every encoding below. Random bytes may look like
such a time: in a run of t seconds, t of the 2^32 values of four bytes are times in each of two encodings, so n
different windows of four bytes hold one with a chance of about 2nt / 2^32. With the 4,300 windows that were counted
after a run of the tests, and its 11 seconds, that is once in 40,000 runs of one server. Encodings of 40 bits and more
add less than a hundredth of that.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from ipaddress import IPv4Address
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}
EPOCH_DAY = 2440587.5  # Julian day of 1970, as SQLite's julianday() has it
DAY = 86_400
EIGHT_BITS, SEVEN_BITS = 8, 7
FIXED = (4, 6, 8)  # bytes of a whole number: 6 is SQLite's own, for milliseconds
VARINT = range(5, 10)  # bytes that a time takes as SQLite writes row numbers


def times_in(content: bytes, since: float, until: float) -> set[str]:
    """The encodings in which a time from ``since`` to ``until``, in seconds since 1970, is somewhere in these bytes."""
    return {
        name for name, found, low, high in _numbers(content, since, until) if ((found >= low) & (found <= high)).any()
    }


def _numbers(content: bytes, since: float, until: float) -> Iterator[tuple[str, NDArray[Any], float, float]]:
    """The numbers at every offset, encoding by encoding, with the bounds within which they would be such times."""
    for unit, per_second in UNITS.items():
        low, high = int(since * per_second), int(until * per_second)
        for width in FIXED:
            if high < 1 << (EIGHT_BITS * width - 1):
                yield f"{unit}, {width} bytes, big-endian", _whole(content, width), low, high
                yield f"{unit}, {width} bytes, little-endian", _whole(content, width, reverse=True), low, high
        for width in VARINT:
            if (low >> (SEVEN_BITS * (width - 1))) and not (high >> (SEVEN_BITS * width)):
                yield f"{unit}, varint", _varint(content, width), low, high
        for order in "<>":
            yield f"{unit}, float {order}", _floats(content, order), since * per_second, until * per_second
    for order in "<>":
        yield f"Julian day, float {order}", _floats(content, order), EPOCH_DAY + since / DAY, EPOCH_DAY + until / DAY


def _windows(content: bytes, width: int) -> NDArray[np.uint8]:
    if len(content) < width:
        return np.empty((0, width), np.uint8)
    return np.lib.stride_tricks.sliding_window_view(np.frombuffer(content, np.uint8), width)


def _whole(content: bytes, width: int, *, reverse: bool = False) -> NDArray[Any]:
    windows = _windows(content, width)
    total = np.zeros(len(windows), np.uint64)
    for column in windows.T[::-1] if reverse else windows.T:
        total = total << np.uint64(EIGHT_BITS) | column
    return total


def _varint(content: bytes, width: int) -> NDArray[Any]:
    """Seven bits a byte, the highest bit set on all but the last; nine bytes have eight bits in the last."""
    windows = _windows(content, width)
    last = EIGHT_BITS if width == VARINT[-1] else SEVEN_BITS
    total = np.zeros(len(windows), np.uint64)
    for column in windows.T[:-1]:
        total = total << np.uint64(SEVEN_BITS) | (column & 0x7F)
    total = total << np.uint64(last) | (windows.T[-1] & ((1 << last) - 1))
    marked = (windows[:, :-1] >= 0x80).all(axis=1) & ((windows[:, -1] < 0x80) | (last == EIGHT_BITS))
    return np.where(marked, total, np.uint64(0))


def _floats(content: bytes, order: str) -> NDArray[Any]:
    count = max(0, len(content) - 7)
    with np.errstate(invalid="ignore"):
        return np.ndarray((count,), f"{order}f8", content, strides=(1,)) if count else np.empty(0)


def written(address: str) -> list[bytes]:
    """An IPv4 address as text, as its four bytes in either order, as a number, and in hexadecimal."""
    packed = IPv4Address(address).packed
    number = int(IPv4Address(address))
    return [address.encode(), packed, packed[::-1], str(number).encode(), packed.hex().encode(), f"{number:X}".encode()]


def encodings(moment: float) -> dict[str, bytes]:
    """A time in each of the encodings that are looked for, by hand: for the test of the search itself."""
    found = {
        f"{unit}, 8 bytes, {name}": struct.pack(f"{order}q", int(moment * per_second))
        for unit, per_second in UNITS.items()
        for order, name in ((">", "big-endian"), ("<", "little-endian"))
    }
    found["seconds, 4 bytes, big-endian"] = struct.pack(">i", int(moment))
    found["seconds, 4 bytes, little-endian"] = struct.pack("<i", int(moment))
    found["milliseconds, 6 bytes, big-endian"] = struct.pack(">q", int(moment * 1000))[2:]
    found |= {f"seconds, float {order}": struct.pack(f"{order}d", moment) for order in "<>"}
    found |= {f"Julian day, float {order}": struct.pack(f"{order}d", EPOCH_DAY + moment / DAY) for order in "<>"}
    return found
