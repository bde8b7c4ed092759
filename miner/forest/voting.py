"""Let a forest vote on rows of test outcomes, in compiled loops.

Trees are rewritten so that one word holds two levels: three tests, and the position of the four grandchildren. Tests of
leaves read bits that are set in no row, so that rows stay at leaves.
"""

import numpy as np
from numpy.typing import NDArray

from miner.compiled import bare, compiled
from miner.forest.kernels import ONE, TESTS, ZERO, Word, Words

NOTHING = np.uint64(63)  # a bit that is 0 in every word of outcomes
PART, CHILD = np.uint64(12), np.uint64(36)  # bits of a test; where the place of the grandchildren begins in a word
LOW_6 = np.uint64(2**6 - 1)
BIT = np.uint64(6)  # number of bits that identify a bit of a word
TWO = np.uint64(2)
MOST_TESTS = 48 * 64
LANES = np.uint64(64)  # number of rows that go down a tree together: while one waits for memory, others move
AT, OUTCOMES, SEEN = LANES, TWO * LANES, np.uint64(3) * LANES  # where in their state these begin; the words come first
LINE = 64  # number of bytes of a cache line


@bare
def place_of(test: int) -> Word:
    """Return the position of a test's outcome in a packed row: its word and bit."""
    if test < 0:
        return NOTHING
    return (np.uint64(test // TESTS) << BIT) | np.uint64(test % TESTS)


@compiled
def doubled(
    begin: NDArray[np.int64], test: NDArray[np.int32], child: NDArray[np.int32]
) -> tuple[Words, Words, NDArray[np.int32]]:
    """Rewrite trees so that each 64-bit word holds two levels of a tree.

    Args:
        begin: Index of the first node of each tree, shape (trees + 1,).
        test: Test of each node, or -1 for a leaf, shape (nodes,).
        child: Child of each node, counted from the tree's root, shape (nodes,).

    Returns:
        Index of the first word of each tree, the words, and the node that each word begins with. Each word has the
        position of its grandchildren among the words of all trees.
    """
    room = 4 * len(test) + 4
    words, origin = np.zeros(room, np.uint64), np.zeros(room, np.int32)
    starts, used = np.zeros(len(begin), np.uint64), 0
    for tree in range(len(begin) - 1):
        root, here = begin[tree], used
        starts[tree], origin[used] = used, root
        used += 1
        while here < used:
            node = origin[here]
            left, right = root + child[node], root + child[node] + 1
            if test[node] < 0:
                words[here] = (np.uint64(here) << CHILD) | (NOTHING << PART << PART) | (NOTHING << PART) | NOTHING
            else:
                places = place_of(test[left]) << PART | place_of(test[right]) << PART << PART | place_of(test[node])
                words[here] = (np.uint64(used) << CHILD) | places
                for side in range(2):
                    below = root + child[node] + side
                    for grandchild in range(2):
                        leaf = test[below] < 0
                        origin[used + 2 * side + grandchild] = below if leaf else root + child[below] + grandchild
                used += 4
            here += 1
    starts[len(begin) - 1] = used
    return starts, words[:used].copy(), origin[:used].copy()


@bare
def outcome(rows: Words, place: Word, row: Word) -> Word:
    """Return the outcome of a test, 0 or 1."""
    plane = (place >> BIT) & LOW_6 if len(rows) > 1 else ZERO
    outcomes: Word = rows[plane, row]
    return (outcomes >> (place & LOW_6)) & ONE


@bare
def step(rows: Words, word: Word, row: Word) -> Word:
    """Return the word that a row reaches from another word, two levels down the tree."""
    first: Word = outcome(rows, word, row)
    return (word >> CHILD) + TWO * first + outcome(rows, word >> (PART + PART * first), row)


@bare
def resting_place(rows: Words, words: Words, root: Word, row: Word) -> Word:
    """Return the word of the leaf that a row reaches."""
    at, to = root, step(rows, words[root], row)
    while to != at:
        at, to = to, step(rows, words[to], row)
    return at


@bare
def fall(words: Words, state: Words) -> None:
    """Move rows whose test outcomes fit into one word down a tree, until all rows are at leaves.

    Args:
        words: Words of the trees.
        state: Words that the rows are at, the position of these words, and the rows' outcomes, shape (SEEN + 1,). A
            single array holds words, positions and outcomes, so that the compiler can move many rows with one
            instruction.
    """
    moving = ONE
    while moving != ZERO:
        for lane in range(LANES):
            state[lane] = words[state[AT + lane]]
        moving = ZERO
        for lane in range(LANES):
            word, row = state[lane], state[OUTCOMES + lane]
            first = (row >> (word & LOW_6)) & ONE
            second = (row >> ((word >> (PART + PART * first)) & LOW_6)) & ONE
            to = (word >> CHILD) + TWO * first + second
            moving |= to ^ state[AT + lane]
            state[AT + lane] = to


@bare
def rest(rows: Words, words: Words, root: Word, block: Word, state: Words) -> Word:
    """Move a block of rows down a tree, and return the number of rows in the block.

    The leaf that each row reaches is written to `state`.
    """
    lanes = min(LANES, np.uint64(rows.shape[1]) - block)
    if len(rows) > 1:
        for lane in range(lanes):
            state[AT + lane] = resting_place(rows, words, root, block + lane)
        return lanes
    for lane in range(LANES):
        state[AT + lane] = root
    for lane in range(lanes):  # lanes without a row repeat those of the block before
        state[OUTCOMES + lane] = rows[ZERO, block + lane]
    fall(words, state)
    return lanes


@bare
def seen(words: Words, says: NDArray[np.float32], begin: Word, end: Word) -> Word:
    """Read the words of a tree from beginning to end, so that they are in the processor's cache."""
    total, sum_of_says = ZERO, np.float32(0.0)
    for word in range(begin, end, np.uint64(LINE // 8)):
        total |= words[word]
        for column in range(says.shape[1]):
            sum_of_says += says[word, column]
    return total if sum_of_says >= np.float32(0.0) else ZERO


@compiled
def vote_sums(rows: Words, starts: Words, words: Words, says: NDArray[np.float32]) -> NDArray[np.float64]:
    """Sum the predictions of trees for rows.

    Args:
        rows: Test outcomes, shape (words, rows).
        starts: Index of the first word of each tree, and one after the last word, from `doubled`.
        words: Words of all trees, from `doubled`.
        says: Prediction at the leaf that each word stands for, shape (words of all trees, columns).

    Returns:
        Sums of predictions, shape (rows, columns).
    """
    state, sums = np.zeros(SEEN + ONE, np.uint64), np.zeros((rows.shape[1], says.shape[1]))
    for tree in range(len(starts) - 1):
        if np.uint64(rows.shape[1] * LINE) > starts[tree + 1] - starts[tree]:
            state[SEEN] = seen(words, says, starts[tree], starts[tree + 1])
        for block in range(ZERO, np.uint64(rows.shape[1]), LANES):
            lanes = rest(rows, words, starts[tree], np.uint64(block), state)
            for column in range(says.shape[1]):
                for lane in range(lanes):
                    sums[block + lane, column] += says[state[AT + lane], column]
    return sums
