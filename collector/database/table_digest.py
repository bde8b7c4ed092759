"""A digest of a whole table that does not depend on the order of its rows and columns."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from operator import itemgetter

MODULUS = 2**512
BYTES = 64
BETWEEN = "\x1f"  # separator of cells. A cell that contains it is written with its length, see `_text`


def table_digest(columns: Sequence[str], rows: Iterable[Sequence[str]], key: bytes) -> bytes:
    """Return the keyed digest of a table with a header and rows.

    Each row is hashed with its columns sorted by name, and the hashes are added up modulo 2^512. The sum of hashes does
    not depend on the order of the rows, and counts every repetition of a row. Spaces around the text of a cell are
    ignored.

    Args:
        columns: Names of the columns, without duplicates.
        rows: Rows of text, one cell for each column.
        key: Key of 32 bytes. Only a holder of the key can test a guess at the table.

    Returns:
        The digest as 32 bytes.
    """
    order = _in_order(columns)
    arranged = itemgetter(*order) if len(order) > 1 else tuple
    return _digest(columns, (_text(arranged(row)) for row in rows), key)


def columns_digest(columns: Sequence[str], cells: Sequence[Iterable[str]], key: bytes) -> bytes:
    """Return the keyed digest of a table that is given by columns, equal to `table_digest` of its rows.

    Args:
        columns: Names of the columns, without duplicates.
        cells: Cells of each column, without surrounding spaces and without the character `BETWEEN`.
        key: Key of 32 bytes.

    Returns:
        The digest, 32 bytes.
    """
    rows = zip(*(cells[place] for place in _in_order(columns)), strict=True)
    return _digest(columns, map(str.encode, map(BETWEEN.join, rows)), key)


def _in_order(columns: Sequence[str]) -> list[int]:
    """Return the positions of a table's columns, in the order of their names."""
    return sorted(range(len(columns)), key=columns.__getitem__)


def _digest(columns: Sequence[str], texts: Iterable[bytes], key: bytes) -> bytes:
    """Return the digest of a header and of rows that are given as bytes."""
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
    """Return the digest of a table together with the name of a cohort.

    Args:
        digest: Digest of the table. Only a holder of the digest can test a guess at the cohort name.
        cohort: Name of the cohort, or None for all rows.

    Returns:
        The digest, 32 bytes.
    """
    return blake2b((cohort or "").encode(), key=digest, digest_size=32, person=b"cohort").digest()


def _text(cells: Iterable[str]) -> bytes:
    """Return a list of table cells as bytes that differ for different lists."""
    stripped = list(map(str.strip, cells))
    joined = BETWEEN.join(stripped)
    if joined.count(BETWEEN) >= len(stripped):
        joined = BETWEEN.join(f"{len(cell)}{BETWEEN}{cell}" for cell in stripped)
    return joined.encode("utf-8", "surrogatepass")
