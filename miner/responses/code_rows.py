"""Find equal rows of codes: each row is packed into a few large integers, for speed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats, Rows

WORD = 8  # bytes
Words = NDArray[np.uint64]


def alike(rows: NDArray[np.signedinteger[Any]], times: Floats | None = None) -> tuple[Rows, Floats]:
    """The index of the first occurrence of each distinct row, in order, and the number of its occurrences.

    Args:
        rows: Shape (rows, columns), with a column at least: codes, or `miner.responses.responses.NOT_ASKED`.
        times: Shape (rows,): how often each occurs; once if None.
    """
    words = _words((rows + 1).astype(np.uint16))
    order = np.lexsort(words.T[::-1])
    found = words[order]
    places = np.flatnonzero((found[1:] != found[:-1]).any(axis=1)) + 1
    starts = np.append(np.zeros(min(len(rows), 1), np.intp), places)
    if times is None:
        return order[starts], np.diff(starts, append=len(rows)).astype(np.float64)
    return order[starts], np.add.reduceat(times[order], starts) if len(rows) else times


def _words(rows: NDArray[np.unsignedinteger[Any]]) -> Words:
    """The same rows, shape (rows, words): the earlier an entry the more it weighs."""
    side = WORD // rows.itemsize
    padded = np.zeros((len(rows), -(-rows.shape[1] // side) * side), rows.dtype.newbyteorder(">"))
    padded[:, : rows.shape[1]] = rows
    return padded.view(">u8").astype(np.uint64)
