# ruff: noqa: PLR0913, PLR0917 - machine code takes flat arguments
"""Arrange the rows at the root of a tree, and divide rows between two child nodes, in compiled loops."""

import numpy as np
from numpy.typing import NDArray

from miner.compiled import bare, compiled
from miner.forest.kernels import (
    HEAVIEST,
    ONE,
    WEIGHT,
    ZERO,
    Word,
    Words,
    copy_flipped,
    copy_rows,
    drawn_counts,
    partition,
    weigh,
)
from miner.forest.records import ANY_CLASS, Channels, Integers, Record, Records, Sides, Table

Counts = NDArray[np.uint32]


@compiled
def times_drawn(table: Table, bootstrap: bool, random: Words) -> Counts:  # noqa: FBT001 - machine code takes no names
    """Return how often each distinct row was drawn or, without bootstrap, its number of units."""
    counts = np.zeros(table.words.shape[1], np.uint32)
    if bootstrap:
        drawn_counts(random, table.entry, table.draws, counts)
    else:
        counts[:] = table.times
    return counts


@compiled
def more_rows(words: Words, used: int, room: int) -> Words:
    """Copy rows into a larger array."""
    more = np.empty((len(words), room), np.uint64)
    more[:, :used] = words[:, :used]
    return more


@compiled
def root_rows(table: Table, counts: Counts, copies: int) -> Words:
    """Return the drawn rows, sorted by class and by the class of their replacements, each with its weight.

    The array of drawn rows has free space for copies of rows.
    """
    drawn, heaviest = 0, np.uint32(HEAVIEST)
    for entry in range(len(counts)):
        drawn += (counts[entry] + heaviest - np.uint32(1)) // heaviest
    words = np.empty((len(table.words), copies * drawn), np.uint64)
    top = 0
    for entry in range(len(counts)):
        left = counts[entry]
        while left > 0:
            weight = min(left, heaviest)
            for plane in range(len(words)):
                words[plane, top] = table.words[plane, entry] | (np.uint64(weight) << WEIGHT)
            left -= weight
            top += 1
    return words


@bare
def write_part(
    into: Records, side: int, at: int, like: Record, start: int, stop: int, weight: int, factor: float, replaced: Word
) -> int:
    """Write the segment of rows on one side of a cut, unless the segment is empty.

    Return the next free position for a segment.
    """
    if start == stop or factor == 0.0:
        return at
    into[side, at].start = start
    into[side, at].stop = stop
    into[side, at].weight = weight
    into[side, at].factor = factor
    into[side, at].replaced = replaced
    into[side, at].cls = like.cls
    return at + 1


@bare
def root_segments(
    table: Table, counts: Counts, words: Words, channels: Channels, unit: float, parts: Records
) -> tuple[int, int]:
    """Divide the rows at the root into segments, written to `parts[0]`.

    Return the number of segments (rows of equal class and weight) and the number of rows in use.
    """
    start, at, heaviest, target = 0, 0, np.uint32(HEAVIEST), channels.target
    top = words.shape[1] if target < 0 else words.shape[1] // 2
    spread = top
    for kind in range(len(table.cls)):
        stop = start
        for entry in range(table.begin[kind], table.begin[kind + 1]):
            stop += (counts[entry] + heaviest - np.uint32(1)) // heaviest
        weight = weigh(words, start, stop)
        parts[0, at].cls = table.cls[kind]
        own = unit if target < 0 else unit * channels.groups[target].own
        at = write_part(parts, 0, at, parts[0, at], start, stop, weight, own, ZERO)
        if target >= 0 and channels.groups[target].drawn:
            copy_rows(words, start, stop, top)
            top += stop - start
        elif target >= 0:
            copy_flipped(words, start, stop, top, channels.masks, target)
            parts[0, at].cls = table.partner[kind]
            end = top + stop - start
            at = write_part(parts, 0, at, parts[0, at], top, end, weight, unit * channels.groups[target].replaced, ZERO)
            top = end
        start = stop
    if target >= 0 and channels.groups[target].drawn:
        parts[0, at].cls = ANY_CLASS
        weight, replaced = weigh(words, spread, top), unit * channels.groups[target].replaced
        at = write_part(parts, 0, at, parts[0, at], spread, top, weight, replaced, ONE << ONE)
    return at, top


@bare
def cut(
    words: Words,
    buffer: Words,
    segments: Records,
    first: int,
    last: int,
    test: int,
    how: Sides,
    masks: Words,
    group: int,
    bit: Word,
    found: Integers,
    which: int,
    top: int,
    parts: Records,
) -> tuple[int, int, int]:
    """Cut every segment of a node in two by a test.

    For a disguised group's first test on the path, copies of the rows are appended.

    Return the number of segments on each side of the test, and the number of rows in use.
    """
    fails, passes = 0, 0
    for segment in range(first, last):
        here = segments[segment]
        start, stop, total, replaced = here.start, here.stop, here.weight, here.replaced
        factor, one = here.factor, found[which, 0, segment - first]
        if how.opened and (replaced & how.place) != ZERO:  # spread: the same rows for both children
            fails = write_part(parts, 0, fails, here, start, stop, total, factor * (1.0 - how.share), replaced)
            passes = write_part(parts, 1, passes, here, start, stop, total, factor * how.share, replaced)
            continue
        own = factor if how.opened else factor * how.own
        middle = partition(words, start, stop, test, buffer)
        fails = write_part(parts, 0, fails, here, start, middle, total - one, own, replaced)
        passes = write_part(parts, 1, passes, here, middle, stop, one, own, replaced)
        if how.opened:
            continue
        factor *= how.replaced
        end = top + stop - start
        if how.drawn:
            copy_rows(words, start, stop, top)
            fails = write_part(parts, 0, fails, here, top, end, total, factor * (1.0 - how.share), replaced | bit)
            passes = write_part(parts, 1, passes, here, top, end, total, factor * how.share, replaced | bit)
        else:
            other = found[which, 1, segment - first] if how.plane >= 0 else total - one
            copy_flipped(words, start, stop, top, masks, group)
            middle = partition(words, top, end, test, buffer)
            fails = write_part(parts, 0, fails, here, top, middle, total - other, factor, replaced)
            passes = write_part(parts, 1, passes, here, middle, end, other, factor, replaced)
        top = end
    return fails, passes, top
