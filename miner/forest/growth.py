# ruff: noqa: PLR0913, PLR0917 - machine code takes flat arguments
"""Grow one tree of a forest from packed rows, depth first, in compiled code."""

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.compiled import bare, compiled
from miner.forest.counting import plain_sides, whole_many
from miner.forest.gain import finished, settle
from miner.forest.kernels import ONE, ZERO, Word, signed
from miner.forest.records import ESTIMATE, LEAF, NODE, SEGMENT, WAITING, Channels, Records, Rules, Table
from miner.forest.rows import cut, more_rows, root_rows, root_segments, times_drawn
from miner.forest.search import best_plain, choose

PIECES = 4  # largest number of parts that a segment is cut into: two copies on two sides
MOST_PLACES = 62  # largest number of groups on a path that may still split by a group with drawn replacements
ROOM = 1024  # initial number of nodes that there is memory for


@bare
def write_children(
    nodes: Records, values: Floats, node: int, child: int, test: int, passing: Floats, which: int, rules: Rules
) -> None:
    """Write a node's test and its two children, which are leaves at first, with counts and predictions."""
    nodes[node].test, nodes[node].child = test, child
    for side in range(2):
        nodes[child + side].test, nodes[child + side].parent = LEAF, node
        for cls in range(rules.classes):
            here = passing[which, ESTIMATE, cls]
            values[child + side, cls] = here if side == 1 else values[node, cls] - here
        settle(values, child + side, node, rules)


@compiled
def larger(records: Records, used: int, room: int) -> Records:
    """Copy records of the growing tree into a larger array."""
    more = np.zeros(room, records.dtype)
    more[:used] = records[:used]
    return more


@bare
def rows_of(segments: Records, first: int, last: int) -> int:
    """Return the total number of rows in some segments (ranges of rows)."""
    rows = 0
    for segment in range(first, last):
        rows += segments[segment].stop - segments[segment].start
    return rows


@bare
def wait(
    waiting: Records,
    height: int,
    node: int,
    first: int,
    top: int,
    depth: int,
    touched: NDArray[np.uint8],
    path: NDArray[np.uint8],
    segments: Records,
    parts: Records,
    side: int,
    count: int,
) -> None:
    """Push an unfinished node onto the stack, with its segments of rows."""
    here = waiting[height]
    here.node, here.first, here.last, here.top, here.depth = node, first, first + count, top, depth
    for part in range(count):
        segments[first + part] = parts[side, part]
    for group in range(len(path)):
        touched[height, group] = path[group]


@bare
def recall(touched: NDArray[np.uint8], height: int, path: NDArray[np.uint8]) -> int:
    """Restore the list of disguised groups on the path to an unfinished node.

    Return the number of disguised groups on the path.
    """
    places = 0
    for group in range(len(path)):
        path[group] = touched[height, group]
        if path[group] > places:
            places = signed(np.uint64(path[group]))
    return places


@compiled
def grow_tree(  # noqa: C901, PLR0915 - the one loop, with all its room
    table: Table, channels: Channels, rules: Rules, seed: Word
) -> tuple[Records, NDArray[np.float32]]:
    """Grow one tree.

    Returns:
        Nodes as records of type NODE, the root first, and their estimated counts and predictions, shape (nodes, 2 x
        classes).
    """
    random, classes = np.array([seed], np.uint64), rules.classes
    counts = times_drawn(table, rules.bootstrap, random)
    words = root_rows(table, counts, 1 if channels.target < 0 else 2)
    buffer = np.empty(words.shape[1], np.uint64)
    parts = np.zeros((2, 64 + 2 * len(table.cls)), SEGMENT)
    last, top = root_segments(table, counts, words, channels, 1.0 if rules.bootstrap else table.unit, parts)
    segments = parts[0].copy()
    found = np.zeros((2, 2, len(segments)), np.int64)
    tally = np.zeros((3, 3, classes))
    groups, listed = len(channels.groups), np.zeros(len(channels.tests), np.int64)
    waiting = np.zeros(len(listed) + 2, WAITING)
    touched, path = np.zeros((len(waiting), groups), np.uint8), np.zeros(groups, np.uint8)
    nodes, values = np.zeros(ROOM, NODE), np.zeros((ROOM, 2 * classes))
    whole_many(segments, 0, last, channels.shares, tally[0])
    nodes[0].test, nodes[0].parent = LEAF, LEAF
    values[0, :classes], values[0, classes:] = tally[0, ESTIMATE], 1.0 / classes
    settle(values, 0, 0, rules)
    if channels.target >= 0:
        path[channels.target] = 1
    wait(waiting, 0, 0, 0, top, 0, touched, path, segments, parts, 0, last)
    used, height, which, how = 1, 0 if finished(values, 0, 0, rules) else 1, 0, plain_sides()
    quick = classes == 2 and channels.plain and rules.kappa == 0.0 and rules.least_size == 0.0
    while height > 0:
        height -= 1
        node, first, last, top = waiting[height].node, waiting[height].first, waiting[height].last, waiting[height].top
        depth, places = waiting[height].depth + 1, recall(touched, height, path)
        if quick:
            test = best_plain(words, segments, first, last, listed, rules, random, found, tally)
        else:
            test, which, how = choose(
                words, segments, first, last, node, nodes, path, channels, rules, random, listed, tally, found
            )
        if test == LEAF or (how.drawn and places >= MOST_PLACES):
            continue
        if used + 2 > len(nodes):
            nodes, more = larger(nodes, used, 2 * len(nodes)), np.zeros((2 * len(nodes), 2 * classes))
            more[:used] = values[:used]
            values = more
        write_children(nodes, values, node, used, test, tally, which, rules)
        used += 2
        ends = finished(values, used - 2, depth, rules), finished(values, used - 1, depth, rules)
        if ends[0] and ends[1]:
            continue
        rows, room = top + rows_of(segments, first, last), first + 2 * PIECES * (last - first)
        if rows > words.shape[1] and not how.opened:
            words = more_rows(words, top, 2 * rows)
            buffer = np.empty(2 * rows, np.uint64)
        if room > len(segments):
            segments, parts = larger(segments, last, 2 * room), np.zeros((2, 2 * room), SEGMENT)
            wider = np.zeros((2, 2, 2 * room), np.int64)
            wider[:, :, : found.shape[2]] = found
            found = wider
        group, bit = channels.tests[test].group, ZERO
        if not how.opened:
            path[group] = places + 1
            bit = ONE << np.uint64(places + 1)
        fails, passes, top = cut(
            words, buffer, segments, first, last, test, how, channels.masks, group, bit, found, which, top, parts
        )
        if not ends[1]:
            wait(waiting, height, used - 1, first, top, depth, touched, path, segments, parts, 1, passes)
            first, height = first + passes, height + 1
        if not ends[0]:
            wait(waiting, height, used - 2, first, top, depth, touched, path, segments, parts, 0, fails)
            height += 1
    return nodes[:used].copy(), values[:used].astype(np.float32)
