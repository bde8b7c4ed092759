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
    order = _in_order(columns)
    arranged = itemgetter(*order) if len(order) > 1 else tuple
    return _digest(columns, (_text(arranged(row)) for row in rows), key)


def columns_digest(columns: Sequence[str], cells: Sequence[Iterable[str]], key: bytes) -> bytes:
    """The `table_digest` of a table given by its columns.

    Args:
        columns: The header; every name once.
        cells: For each column its cells, without spaces around them and without `BETWEEN`.
        key: 32 bytes.

    Returns:
        32 bytes.
    """
    rows = zip(*(cells[place] for place in _in_order(columns)), strict=True)
    return _digest(columns, map(str.encode, map(BETWEEN.join, rows)), key)


def _in_order(columns: Sequence[str]) -> list[int]:
    """Positions of the columns, in the order of their names."""
    return sorted(range(len(columns)), key=columns.__getitem__)


def _digest(columns: Sequence[str], texts: Iterable[bytes], key: bytes) -> bytes:
    """The digest of a header and of rows, each as bytes."""
    total = count = 0
    start = blake2b(key=key, digest_size=BYTES, person=b"row")
    for count, text in enumerate(texts, start=1):  # noqa: B007 - how many there were
        hashed = start.copy()
        hashed.update(text)
        total += int.from_bytes(hashed.digest(), "big")
    whole = blake2b(_text(sorted(columns)), key=key, digest_size=32, person=b"table")
    whole.update(count.to_bytes(8, "big") + (total % MODULUS).to_bytes(BYTES, "big"))
    return whole.digest()


def cohort_digest(digest: bytes, cohort: str | None) -> bytes:
    """Digest by which a holder of the table can tell that it was used as a cohort of this name, or as all rows (None).

    Args:
        digest: Digest of the table; a name can be tested for only by those who know it.
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
