"""Count the copies of responses at a level of a tree by values, and move them to child nodes, in compiled loops.

An entry is a copy of a response (or plain row) at a node, with a signed weight (`miner.trees.counts`). For a question,
an entry stands for at most two copies: the answer as sent, and its replacement. A replaced answer counts for one value,
or in part for every value.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Flags, Floats, Indices
from miner.compiled import compiled

Shorts = NDArray[np.int16]

UNTOUCHED, SENT, REPLACED = range(3)
"""What an entry stands for in one group: both copies of the response, the one as sent, or its replacement."""
NOWHERE = -1


class Entries(NamedTuple):
    """Entries (copies of responses) of a level: response, node, class, signed weight, and state of each group.

    Attributes:
        response: Index of the response or plain row, shape (entries,).
        node: Index of the node, shape (entries,).
        cls: Index of the class, shape (entries,).
        weight: Signed weight, never 0, shape (entries,).
        state: State of each group, UNTOUCHED, SENT or REPLACED, shape (entries, groups).
    """

    response: Indices
    node: Indices
    cls: Shorts
    weight: Floats
    state: NDArray[np.int8]

    def kept(self, which: Indices | Flags) -> Self:
        """Return the entries (copies of responses) that indices or flags select."""
        kept: Any = (each[which] for each in self)
        return type(self)(*kept)

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """Join several lists of entries (copies of responses), one after the other."""
        joined: Any = map(np.concatenate, zip(*parts, strict=True))
        return cls(*joined)


class Questions(NamedTuple):
    """Values of the codes that responses sent, with the disguise of each question.

    Attributes:
        values: Value of each code sent, shape (questions, responses).
        partners: Value of the partner of each code, such as its complement, shape (questions, responses).
        home: Group of each question, or -1 for a plain question (sent as it is), shape (questions,).
        shares: Weights of the two copies of a response (as sent, as replaced) by the state of the entry, shape (groups,
            3, 2).
        drawn: Flags of the groups whose replacements are drawn at random and count in part for every value, shape
            (groups,).
    """

    values: Shorts
    partners: Shorts
    home: Indices
    shares: Floats
    drawn: NDArray[np.bool_]


class Where(NamedTuple):
    """Map from the entries (copies of responses) of nodes to child nodes.

    Attributes:
        question: Question that each node splits on, or -1 if the responses at the node are left out, shape (nodes,).
        child: Child that each value leads to, or -1 to leave out copies with the value, shape (nodes, values).
        fraction: Share of the drawn replacements that lead to each child, in the column of the child's first value and
            0 in other columns, shape (nodes, values).
    """

    question: NDArray[np.int32]
    child: NDArray[np.int32]
    fraction: Floats


class Sums(NamedTuple):
    """Sums of entries (copies of responses) at each node, for one question.

    Attributes:
        counts: Sums of the weights of the copies that have exactly one value, shape (nodes, values, classes).
        squares: Sums of the squared weights of the copies that have exactly one value, shape (nodes, values, classes).
        spread: Sums of the weights of the copies that count in part for every value, shape (nodes, classes).
        spread_squares: Sums of the squared weights of the copies that count in part for every value, shape (nodes,
            classes).
    """

    counts: Floats
    squares: Floats
    spread: Floats
    spread_squares: Floats


@compiled
def copy_weights(entries: Entries, entry: int, asked: Questions, question: int) -> tuple[float, float]:
    """Return the weights of an entry (a response at a node) for the answer as sent and as replaced."""
    home, weight = asked.home[question], entries.weight[entry]
    if home < 0:
        return weight, 0.0
    state = entries.state[entry, home]
    return weight * asked.shares[home, state, 0], weight * asked.shares[home, state, 1]


@compiled
def add_up(entries: Entries, asked: Questions, question: int, sums: Sums) -> None:
    """Add every entry (copy of a response) to the sums of its node."""
    spread = asked.home[question] >= 0 and asked.drawn[asked.home[question]]
    for entry in range(len(entries.weight)):
        own, replaced = copy_weights(entries, entry, asked, question)
        response, node, cls = entries.response[entry], entries.node[entry], entries.cls[entry]
        if own != 0.0:
            value = asked.values[question, response]
            sums.counts[node, value, cls] += own
            sums.squares[node, value, cls] += own * own
        if replaced != 0.0 and spread:
            sums.spread[node, cls] += replaced
            sums.spread_squares[node, cls] += replaced * replaced
        elif replaced != 0.0:
            value = asked.partners[question, response]
            sums.counts[node, value, cls] += replaced
            sums.squares[node, value, cls] += replaced * replaced


@compiled
def put(into: Entries, at: int, entries: Entries, entry: int, changed: tuple[int, float]) -> None:
    """Write an entry (a copy of a response) again, with another node and another weight."""
    into.response[at], into.cls[at] = entries.response[entry], entries.cls[entry]
    into.node[at], into.weight[at] = changed
    for group in range(entries.state.shape[1]):
        into.state[at, group] = entries.state[entry, group]


@compiled
def move(entries: Entries, asked: Questions, where: Where, into: Entries, start: int) -> int:
    """Move every copy of a response from its node to a child, and write the moved copies from `start` on.

    If `start` is NOWHERE, copies of responses are counted but not written.

    Returns:
        Number of entries (copies of responses) after the move.
    """
    count = 0
    for entry in range(len(entries.weight)):
        node, response = entries.node[entry], entries.response[entry]
        which = where.question[node]
        if which < 0:
            continue
        own, replaced = copy_weights(entries, entry, asked, which)
        home = asked.home[which]
        below = where.child[node, asked.values[which, response]]
        if own != 0.0 and below >= 0:
            if start >= 0:
                put(into, start + count, entries, entry, (below, own))
                if home >= 0:
                    into.state[start + count, home] = SENT
            count += 1
        if replaced == 0.0:
            continue
        spread = asked.drawn[home]
        other = asked.partners[which, response]
        for value in range(0 if spread else other, where.child.shape[1] if spread else other + 1):
            below, share = where.child[node, value], where.fraction[node, value] if spread else 1.0
            if below < 0 or share == 0.0:
                continue
            if start >= 0:
                put(into, start + count, entries, entry, (below, replaced * share))
                into.state[start + count, home] = REPLACED
            count += 1
    return count
