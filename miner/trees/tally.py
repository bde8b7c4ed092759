"""Compiled: count the entries of a level by the values of a question, and move them to child nodes.

An entry is a response, or a plain row, at a node with a signed weight (`miner.trees.counts`). Seen through a question
it is at most two copies: the one as sent, and its replacement, with either one value or a share of every value.
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
    """The entries of a level: (response, node, class, signed weight, state of each group).

    Attributes:
        response: Shape (entries,): which response, or row.
        node: Shape (entries,).
        cls: Shape (entries,): class index.
        weight: Shape (entries,): never 0.
        state: Shape (entries, groups): UNTOUCHED, SENT or REPLACED.
    """

    response: Indices
    node: Indices
    cls: Shorts
    weight: Floats
    state: NDArray[np.int8]

    def kept(self, which: Indices | Flags) -> Self:
        """A selection of them, given as indices or flags."""
        kept: Any = (each[which] for each in self)
        return type(self)(*kept)

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """All entries of at least one part, one part after the other."""
        joined: Any = map(np.concatenate, zip(*parts, strict=True))
        return cls(*joined)


class Questions(NamedTuple):
    """The answers in responses, and how they are disguised.

    Attributes:
        values: Shape (questions, responses): the values that the codes sent stand for.
        partners: Shape (questions, responses): those of the codes sent in their place, such as complements.
        home: Shape (questions,): the group of each, -1 where it is sent as it is.
        shares: Shape (groups, 3, 2): the weights of the own and the replaced copy that an entry gives, by its state.
        drawn: Shape (groups,): whether replacements are drawn, and so have a share of every value.
    """

    values: Shorts
    partners: Shorts
    home: Indices
    shares: Floats
    drawn: NDArray[np.bool_]


class Where(NamedTuple):
    """The child that entries go to.

    Attributes:
        question: Shape (nodes,): what each node asks; entries of nodes with -1 are left out.
        child: Shape (nodes, values): the child of each value; copies that come to -1 are left out.
        fraction: Shape (nodes, values): at one value of each child the share of the replacements that lead there, at
            others 0.
    """

    question: NDArray[np.int32]
    child: NDArray[np.int32]
    fraction: Floats


class Sums(NamedTuple):
    """Sums of entries at each node, for one question.

    Attributes:
        counts: Shape (nodes, values, classes): sums of the weights of copies that have one value.
        squares: The same shape: sums of their squared weights.
        spread: Shape (nodes, classes): sums of the weights of copies that have a share of every value.
        spread_squares: The same shape: sums of their squared weights.
    """

    counts: Floats
    squares: Floats
    spread: Floats
    spread_squares: Floats


@compiled
def copy_weights(entries: Entries, entry: int, asked: Questions, question: int) -> tuple[float, float]:
    """The weights of an entry's two copies, seen through a question: as sent, and replaced."""
    home, weight = asked.home[question], entries.weight[entry]
    if home < 0:
        return weight, 0.0
    state = entries.state[entry, home]
    return weight * asked.shares[home, state, 0], weight * asked.shares[home, state, 1]


@compiled
def add_up(entries: Entries, asked: Questions, question: int, sums: Sums) -> None:
    """Add every entry to the sums of its node."""
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
    """Write one entry, which is like another but for its node and weight."""
    into.response[at], into.cls[at] = entries.response[entry], entries.cls[entry]
    into.node[at], into.weight[at] = changed
    for group in range(entries.state.shape[1]):
        into.state[at, group] = entries.state[entry, group]


@compiled
def move(entries: Entries, asked: Questions, where: Where, into: Entries, start: int) -> int:
    """Move every entry to the children of its node, each copy to its own, behind `start`; NOWHERE only counts them.

    Returns:
        How many there are.
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
