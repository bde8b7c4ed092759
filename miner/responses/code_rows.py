"""Sort rows of codes and find equal rows: each row is packed into a few large integers, for speed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

WORD = 8  # bytes
Words = NDArray[np.uint64]
Counts = NDArray[np.intp]


def in_order(rows: NDArray[np.unsignedinteger[Any]]) -> NDArray[np.unsignedinteger[Any]]:
    """Rows sorted by their first entry, then by their second, and so on.

    Args:
        rows: Shape (rows, columns).
    """
    words = _words(rows)
    if words.shape[1] == 1:
        words.sort(axis=0)
    else:
        words = words[np.lexsort(words.T[::-1])]
    entries = words.astype(">u8").view(rows.dtype.newbyteorder(">"))
    return entries[:, : rows.shape[1]]


def alike(rows: NDArray[np.signedinteger[Any]]) -> tuple[Counts, Counts]:
    """The index of the first occurrence of each distinct row, in order, and the number of its occurrences.

    Args:
        rows: Shape (rows, columns), with a column at least: codes, or `miner.responses.responses.NOT_ASKED`.
    """
    words = _words((rows + 1).astype(np.uint16))
    order = np.lexsort(words.T[::-1])
    found = words[order]
    places = np.flatnonzero((found[1:] != found[:-1]).any(axis=1)) + 1
    starts = np.append(np.zeros(min(len(rows), 1), np.intp), places)
    return order[starts], np.diff(starts, append=len(rows))


def _words(rows: NDArray[np.unsignedinteger[Any]]) -> Words:
    """The same rows, shape (rows, words): the earlier an entry the more it weighs."""
    side = WORD // rows.itemsize
    padded = np.zeros((len(rows), -(-rows.shape[1] // side) * side), rows.dtype.newbyteorder(">"))
    padded[:, : rows.shape[1]] = rows
    return padded.view(">u8").astype(np.uint64)
