"""A digest of a whole table that the order of its rows and columns does not change."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from operator import itemgetter

MODULUS = 2**512
BYTES = 64
BETWEEN = "\x1f"  # a cell that holds it is written with its own length, see `_text`


def table_digest(columns: Sequence[str], rows: Iterable[Sequence[str]], key: bytes) -> bytes:
    """The keyed digest of the header and of the rows as a multiset.

    Every row is hashed with its columns in the order of their names, and the hashes are added up modulo 2^512: the sum
    does not know the order of the rows, and counts a row as often as it is there. Spaces around a cell are left out.

    Args:
        columns: The header; every name once.
        rows: For each a cell for each column, as text.
        key: 32 bytes; without them no guess at the table can be tested.

    Returns:
        32 bytes.
    """
    order = sorted(range(len(columns)), key=columns.__getitem__)
    arranged = itemgetter(*order) if len(order) > 1 else tuple
    total = count = 0
    start = blake2b(key=key, digest_size=BYTES, person=b"row")
    for count, row in enumerate(rows, start=1):  # noqa: B007 - how many there were
        hashed = start.copy()
        hashed.update(_text(arranged(row)))
        total += int.from_bytes(hashed.digest(), "big")
    whole = blake2b(_text(sorted(columns)), key=key, digest_size=32, person=b"table")
    whole.update(count.to_bytes(8, "big") + (total % MODULUS).to_bytes(BYTES, "big"))
    return whole.digest()


def cohort_digest(digest: bytes, cohort: str | None) -> bytes:
    """What tells that a table was used as a cohort of this name, or as all rows (None), to whoever has the table.

    Args:
        digest: Of the table; only who knows it can test for a name.
        cohort: The name.

    Returns:
        32 bytes.
    """
    return blake2b((cohort or "").encode(), key=digest, digest_size=32, person=b"cohort").digest()


def _text(cells: Iterable[str]) -> bytes:
    """The cells as bytes that no other cells have."""
    stripped = list(map(str.strip, cells))
    joined = BETWEEN.join(stripped)
    if joined.count(BETWEEN) >= len(stripped):
        joined = BETWEEN.join(f"{len(cell)}{BETWEEN}{cell}" for cell in stripped)
    return joined.encode("utf-8", "surrogatepass")
