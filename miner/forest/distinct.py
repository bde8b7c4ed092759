"""Find the distinct packed rows of each class, and the number of times each occurs, in compiled loops."""

import numpy as np
from numpy.typing import NDArray

from miner.compiled import bare, compiled
from miner.forest.kernels import TEST_BITS, WEIGHT, ZERO, Words
from miner.forest.records import Indices, Integers, Table
from miner.responses.distinct import changes

TOP = np.uint64(8)  # number of bits of a class, for at most 256 classes
LOW_8 = np.uint64(2**8 - 1)
UNITS = 64  # number of units in which a weight of 1 is counted
PLACES = 8  # number of positions to draw from, per response, for weighted rows
Classes = NDArray[np.int16]


def weighted_table(words: Words, cls: Classes, partner: Classes, weights: NDArray[np.float64], responses: int) -> Table:
    """Return the distinct rows of weighted data.

    A bootstrap sample has as many rows as there are responses.
    """
    table, order = distinct_table(words, cls, partner), place_order(words, cls, partner)
    per_entry = np.bincount(table.entry, weights[order], minlength=table.words.shape[1])
    ends = np.cumsum(per_entry)
    places = (np.arange(PLACES * responses) + 0.5) / (PLACES * responses) * ends[-1]
    return table._replace(
        entry=np.searchsorted(ends, places, side="right").astype(np.int32),
        draws=responses,
        times=np.rint(per_entry * UNITS).astype(np.uint32),
        unit=1.0 / UNITS,
    )


def place_order(words: Words, cls: Classes, partner: Classes) -> NDArray[np.intp]:
    """Return the order in which a `Table` has the given rows."""
    if len(words) == 1:
        return np.argsort(keys_of(words[0], cls, partner), kind="stable")
    return np.lexsort((*words, partner, cls))


def distinct_table(words: Words, cls: Classes, partner: Classes) -> Table:
    """Merge equal rows, and sort them by class and by the class of their replacement answers.

    The kind of a row is its class together with the class of its partner (the row of replacement answers).
    """
    if len(words) == 1:  # the words say all: they can be sorted themselves, which is much faster
        keys = keys_of(words[0], cls, partner)
        keys.sort()
        rows, begin, kinds, entry, times = entries_of(keys)
        return Table(rows, begin, kinds[0], kinds[1], entry, len(keys), times, 1.0)
    order = place_order(words, cls, partner)
    every = np.stack([cls, partner]).astype(np.int32)[:, order]
    fresh = changes(every) | changes(words[:, order])
    kinds = every[:, fresh]
    fresh_kind = changes(kinds)
    return Table(
        words=np.ascontiguousarray(words[:, order[fresh]]),
        begin=np.append(np.flatnonzero(fresh_kind), kinds.shape[1]).astype(np.int64),
        cls=kinds[0, fresh_kind],
        partner=kinds[1, fresh_kind],
        entry=np.cumsum(fresh, dtype=np.int32) - np.int32(1),
        draws=len(fresh),
        times=np.diff(np.append(np.flatnonzero(fresh), len(fresh))).astype(np.uint32),
        unit=1.0,
    )


@compiled
def keys_of(word: Words, cls: Classes, partner: Classes) -> Words:
    """Return a sort key for each row of one word, whose upper bits hold the class and the partner's class."""
    keys = np.empty(len(word), np.uint64)
    for row in range(np.uint64(len(word))):
        kind = np.uint64(cls[row]) << TOP | np.uint64(partner[row])
        keys[row] = word[row] | kind << WEIGHT
    return keys


@bare
def count_changes(keys: Words, shift: np.uint64) -> int:
    """Return the number of distinct values of sorted keys after a bit shift."""
    count = min(len(keys), 1)
    for row in range(1, len(keys)):
        count += 1 if keys[row] >> shift != keys[row - 1] >> shift else 0
    return count


@compiled
def entries_of(keys: Words) -> tuple[Words, Integers, Indices, Indices, NDArray[np.uint32]]:
    """Convert sorted keys back to distinct rows.

    Returns:
        Arrays of a `Table`: `words`, `begin`, `cls` and `partner` (as one array of shape (2, kinds)), `entry` and
        `times`.
    """
    distinct, kinds = count_changes(keys, ZERO), count_changes(keys, WEIGHT)
    rows, times = np.empty((1, distinct), np.uint64), np.zeros(distinct, np.uint32)
    begin, classes = np.full(kinds + 1, distinct, np.int64), np.empty((2, kinds), np.int32)
    entry, at, kind = np.empty(len(keys), np.int32), -1, -1
    for row in range(len(keys)):
        if row == 0 or keys[row] != keys[row - 1]:
            at += 1
            rows[0, at] = keys[row] & TEST_BITS
            if row == 0 or keys[row] >> WEIGHT != keys[row - 1] >> WEIGHT:
                kind += 1
                begin[kind] = at
                classes[0, kind] = (keys[row] >> WEIGHT) >> TOP
                classes[1, kind] = (keys[row] >> WEIGHT) & LOW_8
        entry[row] = at
        times[at] += np.uint32(1)
    return rows, begin, classes, entry, times
