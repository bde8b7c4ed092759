"""What a browser's profile holds on disk, as bytes in which a word can be searched for.

LevelDB, in which Chromium keeps `sessionStorage`, cuts the records of its logs at blocks of 32 KiB and compresses its
tables. Both are put back together here, removed values included, after
https://github.com/google/leveldb/blob/main/doc/log_format.md and table_format.md there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

LOG_BLOCK, LOG_HEADER = 32 * 1024, 7
FOOTER, HANDLES, TRAILER = 48, 40, 5
MAGIC = 0xDB4775248B80FB57.to_bytes(8, "little")
SNAPPY = 1


def contents(profile: Path) -> Iterator[tuple[str, bytes]]:
    """Each file of a profile: its path there, and its bytes, after which come those that LevelDB cut or compressed."""
    for path in sorted(path for path in profile.rglob("*") if path.is_file()):
        raw = path.read_bytes()
        yield path.relative_to(profile).as_posix(), raw + joined_log(path, raw) + unpacked_table(raw)


def joined_log(path: Path, raw: bytes) -> bytes:
    """The records of a LevelDB log without the headers that cut them; nothing if it is none."""
    if path.suffix != ".log" or not (path.parent / "CURRENT").exists():
        return b""
    found = bytearray()
    for start in range(0, len(raw), LOG_BLOCK):
        block = raw[start : start + LOG_BLOCK]
        at = 0
        while at + LOG_HEADER <= len(block):
            size = int.from_bytes(block[at + 4 : at + 6], "little")
            found += block[at + LOG_HEADER : at + LOG_HEADER + size]
            at += LOG_HEADER + size
    return bytes(found)


def unpacked_table(raw: bytes) -> bytes:
    """The blocks of a LevelDB table, unpacked; nothing if it is none."""
    if len(raw) < FOOTER or not raw.endswith(MAGIC):
        return b""
    footer = raw[-FOOTER:][:HANDLES]
    _, _, at = _handle(footer, 0)
    start, size, _ = _handle(footer, at)
    index = _block(raw, start, size)
    return b"".join(_block(raw, start, size) for start, size in _entries(index))


def _entries(index: bytes) -> Iterator[tuple[int, int]]:
    """Where each block of data is, and how long."""
    restarts = int.from_bytes(index[-4:], "little")
    at = 0
    while at < len(index) - 4 - 4 * restarts:
        _, at = _varint(index, at)
        key, at = _varint(index, at)
        value, at = _varint(index, at)
        start, size, _ = _handle(index, at + key)
        yield start, size
        at += key + value


def _block(raw: bytes, start: int, size: int) -> bytes:
    packed = raw[start : start + size]
    if raw[start + size] != SNAPPY:
        return packed
    from pyarrow import Codec  # noqa: PLC0415 - seldom needed, slow to import

    length, _ = _varint(packed, 0)
    unpacked: bytes = Codec("snappy").decompress(packed, decompressed_size=length).to_pybytes()
    return unpacked


def _handle(raw: bytes, at: int) -> tuple[int, int, int]:
    start, at = _varint(raw, at)
    size, at = _varint(raw, at)
    return start, size, at


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, the lowest first, and where the next one starts."""
    number = shift = 0
    while raw[at] >= 0x80:  # there is another group
        number += (raw[at] - 0x80) << shift
        shift += 7
        at += 1
    return number + (raw[at] << shift), at + 1
