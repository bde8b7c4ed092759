"""Find equal rows of codes, value indices or flags.

Each row of an array is converted to one whole number, which is fast to sort.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Flags, Floats, Indices

LARGEST_KEY = 2**62
DENSE, COUNTERS = 2**16, 4  # up to which each possible number has a place, and nothing is sorted; or for each row
Table = NDArray[np.integer[Any] | np.bool_]


def distinct_rows(rows: Table) -> tuple[Indices, Indices]:
    """Return the positions of the distinct rows, sorted by content, and for each row the index of its distinct row.

    Args:
        rows: Flags, or whole numbers from -1 up, shape (rows, columns).
    """
    columns = np.packbits(rows, axis=1).T if rows.dtype == np.bool_ else rows.T
    key, bound = np.zeros(len(rows), np.int64), 1
    for column in columns:
        radix = int(column.max(initial=0)) + 2
        if bound * radix > LARGEST_KEY:
            found, key = np.unique(key, return_inverse=True)
            bound = max(1, len(found))
        key, bound = key * radix + column + 1, bound * radix
    if bound <= max(DENSE, COUNTERS * len(key)):
        return _counted(key, bound)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first, which


def _counted(key: Indices, bound: int) -> tuple[Indices, Indices]:
    """Compute `distinct_rows` for whole numbers, with an array as long as the largest number."""
    firsts = np.full(bound, -1)
    firsts[key[::-1]] = np.arange(len(key))[::-1]  # of equal ones the last that is written stays
    there = firsts >= 0
    return firsts[there], (np.cumsum(there) - 1)[key]


def changes(columns: NDArray[np.generic]) -> Flags:
    """Return flags of the first column of an array, and of columns that differ from the column before.

    If columns are sorted, the first column of each group of equal columns is flagged.
    """
    differs = np.ones(columns.shape[1], np.bool_)
    differs[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    return differs


def alike(rows: Table, times: Floats | None = None) -> tuple[Indices, Floats]:
    """Return the position of each distinct row of an array, and the number of times that the row occurs.

    Args:
        rows: Flags, or whole numbers from -1 up, shape (rows, columns).
        times: Number of times that each row occurs, shape (rows,), or None if each row occurs once.
    """
    first, which = distinct_rows(rows)
    return first, np.bincount(which, times, minlength=len(first)).astype(np.float64)
