"""The data types of a forest's compiled growth: records and plain tuples, which numba accepts.

A node's rows lie in *segments*: rows of one class whose signed copies share a weight. A split cuts every segment in
two; the first time a path asks a question of a disguised group, the group's copies are appended to the rows, and freed
again when the subtree is done. So counts are whole numbers times the weights of segments, and give an estimate, its
variance and the number of copies behind it.
"""

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.forest.kernels import Word, Words

Integers = NDArray[np.int64]
Indices = NDArray[np.int32]
Records = NDArray[Any]
Record = Any  # one of them: its fields are read by name
LEAF = -1
ANY_CLASS = -1
NEVER = -1e300  # the gain of a split that the rules forbid
ESTIMATE, SQUARES, COPIES = 0, 1, 2  # of a tally: estimated counts, sums of squared weights, copies counted
SIGNED, SHARES, BOUNDED = 0, 1, 2  # how counts are judged: `Rules.clipped`

SEGMENT = np.dtype(
    [
        ("start", np.int64),  # its rows: from here
        ("stop", np.int64),  # up to here
        ("weight", np.int64),  # how many responses they are
        ("factor", np.float64),  # the signed weight of one
        ("replaced", np.uint64),  # by place on the path: groups in which they are replaced by draws
        ("cls", np.int32),  # ANY_CLASS if spread over all
    ]
)
WAITING = np.dtype(
    [
        ("node", np.int64),
        ("first", np.int64),  # its segments: from here
        ("last", np.int64),  # up to here
        ("top", np.int64),  # rows in use while its subtree grows
        ("depth", np.int64),
    ]
)
NODE = np.dtype(
    [
        ("test", np.int32),  # LEAF for none
        ("child", np.int32),  # where rows go that fail the test; those that pass go to the next one
        ("parent", np.int32),
    ]
)
TEST = np.dtype(
    [
        ("group", np.int32),  # -1 where sent as it is
        ("question", np.int32),
        ("kinds", np.int32),  # how many values the question has
    ]
)
GROUP = np.dtype(
    [
        ("own", np.float64),  # signed weight of the copy as sent
        ("replaced", np.float64),  # that of the replaced one
        ("drawn", np.bool_),  # replaced by draws, not by the one partner of each code
    ]
)


class Table(NamedTuple):
    """Distinct responses, those of one kind together; a kind is a class and the class of its partner.

    Attributes:
        words: Shape (words, entries), weights 0. Twice as many words as tests need if partners are not simply the
            opposite outcomes: the second half are then the outcomes of the partners.
        begin: Shape (kinds + 1,): where each kind's entries begin.
        cls: Shape (kinds,).
        partner: Shape (kinds,).
        entry: Shape (places to draw from,), ascending: an entry stands there once for each response, or more often the
            more it weighs.
        draws: How many a bootstrap draws.
        times: Shape (entries,): how many units each entry counts in a tree without bootstrap.
        unit: What one of those counts.
    """

    words: Words
    begin: Integers
    cls: Indices
    partner: Indices
    entry: Indices
    draws: int
    times: NDArray[np.uint32]
    unit: float


class Channels(NamedTuple):
    """The disguise of the tests.

    Attributes:
        tests: Shape (tests,), of TEST.
        groups: Shape (groups,), of GROUP.
        masks: Shape (groups, words that tests need): the tests of each group.
        passes: Shape (tests, values): which values of its question pass a test.
        odds: Shape (questions, values): how often a draw gives each value, in whole numbers.
        shares: Shape (classes,): how often a draw gives each class; they add up to 1.
        target: The group of the class, or -1.
        plain: Whether nothing is disguised.
    """

    tests: Records
    groups: Records
    masks: Words
    passes: NDArray[np.bool_]
    odds: Floats
    shares: Floats
    target: int
    plain: bool


class Rules(NamedTuple):
    """Rules for when and how to split.

    Attributes:
        classes: How many there are.
        bootstrap: Whether each tree draws its responses with replacement.
        candidates: Tests looked at in each node, of those that are not constant there.
        max_depth: The longest path.
        least_gain: What a split must gain more than; below 0 to split whatever can be split.
        least_leaf: The smallest estimated count of a child.
        least_size: The smallest effective size of a child.
        kappa: How many times the noise is taken off the gain.
        shrinkage: Weight of the parent's prediction in a node's.
        clipped: How counts are judged: as they are (`SIGNED`); clipped, each by itself, and by the shares they make, as
            the paper does (`SHARES`); or at least 0 and at most the copies behind them (`BOUNDED`).
        most: The largest count there can be: of all responses.
        every: Whether tests that are constant in the node are drawn too.
    """

    classes: int
    bootstrap: bool
    candidates: int
    max_depth: int
    least_gain: float
    least_leaf: float
    least_size: float
    kappa: float
    shrinkage: float
    clipped: int
    most: float = inf
    every: bool = False


class Sides(NamedTuple):
    """Weights of a segment's responses on the passing side of a test, by the state of the test's group.

    A segment of w responses, one of them passing, counts ``factor (linear one + constant w)``; its squared weights
    add up to ``factor^2 (squared_linear one + squared_constant w)`` there and to ``factor^2 squared_both w`` on both
    sides together.

    Attributes:
        opened: Whether the path has opened the test's group, or there is none.
        place: The bit of the group among those on the path; 0 for none.
        drawn: Whether the group is replaced by draws.
        own: Signed weight of the copy as sent.
        replaced: That of the replaced one.
        share: The share of the draws still possible that pass; for groups replaced by draws.
        plane: The word of the outcomes of the partners, to be counted too; -1 if they are the opposite ones.
        linear: See above.
        constant: See above.
        squared_linear: See above.
        squared_constant: See above.
        squared_both: See above.
        copies_both: How many copies of a response both sides have together.
    """

    opened: bool
    place: Word
    drawn: bool
    own: float
    replaced: float
    share: float
    plane: int
    linear: float
    constant: float
    squared_linear: float
    squared_constant: float
    squared_both: float
    copies_both: float


class Two(NamedTuple):
    """The tally of two classes: everybody and the second class, in estimates, squared weights and copies."""

    size: float
    ones: float
    spread: float
    spread_ones: float
    copies: float
    copies_ones: float
