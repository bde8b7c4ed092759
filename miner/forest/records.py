"""Define the data types of a forest's compiled growth, as records and tuples.

The rows of a node are divided into *segments*. A segment holds rows of one class whose signed copies share a weight.
The split of a node cuts each of its segments in two. When a path first asks a question of a disguised group, copies of
the rows are appended to the array of rows. The copies appended for a subtree are freed when the subtree is finished.
The count of a segment is a whole number times the weight of the segment. Counts of segments add up to an estimated
class count, its variance and the number of copies.
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
NEVER = -1e300  # gain of a split that the rules forbid
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
    """Distinct responses, sorted by class and by the class of their replacement.

    The kind of a response is its class together with the class of its partner (its replacement answers).

    Attributes:
        words: Words of test outcomes, whose weight bits are 0, shape (words, entries). If replacement answers do not
            always have the opposite outcomes, a second half of the words holds their outcomes.
        begin: Index of the first entry of each kind, shape (kinds + 1,).
        cls: Class of each kind, shape (kinds,).
        partner: Class of each kind's partner, shape (kinds,).
        entry: Index of the distinct response at each position that can be drawn, ascending, shape (positions,). A
            distinct response has a position for each equal response, and more positions for a larger weight.
        draws: Number of responses that a bootstrap draws.
        times: Weight of each distinct response in a tree without bootstrap, as a number of units, shape (entries,).
        unit: Weight of one unit.
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
    """Disguise of the tests.

    Attributes:
        tests: Tests as records of type TEST, shape (tests,).
        groups: Groups as records of type GROUP, shape (groups,).
        masks: Bits of the tests of each group, shape (groups, words that tests need).
        passes: Flags of the values that pass a test, shape (tests, values).
        odds: Odds of each value in a random replacement, as whole numbers, shape (questions, values).
        shares: Probability of each class in a random replacement, shape (classes,).
        target: Index of the class question's group, or -1 without a group.
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
    """Rules of growth: when and how a node splits.

    Attributes:
        classes: Number of classes.
        bootstrap: Whether each tree draws its responses with replacement.
        candidates: Number of tests tried in each node. Tests with one outcome at the node do not count.
        max_depth: Largest number of splits on a path.
        least_gain: Gain that a split must exceed; below 0 to split whenever possible.
        least_leaf: Smallest estimated count of a child.
        least_size: Smallest effective size of a child.
        kappa: Factor of the noise that is subtracted from the gain.
        shrinkage: Weight of the parent's prediction in the prediction of a node.
        clipped: Treatment of estimated counts. The treatment `SIGNED` leaves counts unchanged. `SHARES` clips each
            count separately and judges splits by shares, as the paper does. `BOUNDED` limits each count to between 0
            and the number of its copies.
        most: Largest possible count, which is the number of all responses.
        every: Whether tests that are constant in a node may be drawn, too.
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
    """Weights of the rows of a segment that pass a test, by the state of the test's group.

    A segment of w rows, of which `one` pass the test, has the count ``factor (linear one + constant w)``. The squared
    weights of a segment's passing rows add up to ``factor^2 (squared_linear one + squared_constant w)``. The squared
    weights of both sides of a test add up to ``factor^2 squared_both w``.

    Attributes:
        opened: Whether an earlier test on the path asks a question of the test's group, or the test has no group.
        place: Bit of the test's group among the groups on the path, or 0 for no group.
        drawn: Whether the replacements of the group are drawn at random.
        own: Signed weight of the copy as sent.
        replaced: Signed weight of the copy as replaced.
        share: Share of the random replacements still possible that pass the test, for a drawn group.
        plane: Word of the replacement answers' outcomes, or -1 if replacements have the opposite outcomes.
        linear: Coefficient of the passing responses in the count.
        constant: Coefficient of all responses in the count.
        squared_linear: Coefficient of the passing responses in the sum of squared weights.
        squared_constant: Coefficient of all responses in the sum of squared weights.
        squared_both: Coefficient of all responses in the sum of squared weights on both sides of the test.
        copies_both: Number of copies of one response on both sides of the test together.
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
    """Sums of weights, of squared weights and of numbers of copies, for both classes and for the second class."""

    size: float
    ones: float
    spread: float
    spread_ones: float
    copies: float
    copies_ones: float
