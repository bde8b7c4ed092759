"""Estimate class counts at the nodes of one level of a growing tree, from disguised responses.

A response is counted through its signed copies: the codes as sent, and as replaced (docs/guarantee.md, section 2). When
a path first asks a question of a group, a response is split into its copies of the group. Before the path asks a
question of a group, one entry stands for both copies of the group's codes, as sent and as replaced. Counting takes time
and memory exponential in the number of groups on a path, not in the number of groups of the survey. Each copy of a
response goes to one child, so that the counts of the children sum exactly to the count of the parent.

All answers of a plain row are known to be true. A level of a tree may hold disguised responses and plain rows. Compiled
loops over the copies of responses are in `miner.trees.tally`.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Flags, Floats
from miner.channels.registry import partner_codes
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Codes, Values, values_of_codes
from miner.trees.tally import NOWHERE, SENT, UNTOUCHED, Entries, Questions, Sums, Where, add_up, move
from miner.trees.tree import LEAF, Tree
from miner.weights.layout import Disguise, check_countable

FEW = 50_000  # number of entries times questions below which threads cost more time than they save
MOST_ENTRIES = 50_000_000  # largest number of entries in one level; they take two to four gigabytes


class Cells(NamedTuple):
    """Sums over the entries (copies of responses) of each node, by question and value.

    Attributes:
        counts: Signed estimates of class counts, shape (nodes, questions, values, classes). The estimates of a
            question's values add up to the estimate of the node.
        squares: Sums of squared weights of the copies that have exactly one value, shape (nodes, questions, values,
            classes).
        spread: Sums of squared weights of the copies that count in part for every possible value, shape (nodes,
            questions, classes). Copies that count for every value are shared out by the odds of the values
            (`Disguise.odds`).
        admitted: Flags of the values that are possible at each node, shape (nodes, questions, values).
    """

    counts: Floats
    squares: Floats
    spread: Floats
    admitted: Flags


@dataclass(frozen=True, eq=False)
class Level:
    """Responses at one level of a tree, as entries (copies with weights).

    Attributes:
        disguise: Disguise of the survey.
        values: Value of each code sent, shape (questions, responses).
        partners: Value of the partner of each code, such as its complement, shape (questions, responses).
        entries: Copies of responses (entries) at the nodes of the level. Each entry refers to a response, which is a
            column of `values`.
        admitted: Flags of the values that the path to a node admits, shape (nodes, questions, largest number of
            values).
        responses: Number of people in the whole tree, including people who are not at this level.
    """

    disguise: Disguise
    values: Values
    partners: Values
    entries: Entries
    admitted: Flags
    responses: int

    @classmethod
    def at_root(cls, survey: Survey, codes: Codes, target: str, plain: PlainRows | None = None) -> Self:
        """Return the first level of a tree, with all disguised responses and plain rows at the root.

        Args:
            survey: Published survey that collected the responses.
            codes: Codes that `miner.responses.responses.Responses` has checked, shape (responses, questions of the
                survey).
            target: Name of the class question, which may be disguised or not.
            plain: Plain rows, or None to count only the responses.

        Raises:
            QueryError: If single responses cannot be counted (`miner.weights.layout.uncountable`).
        """
        check_countable(survey, target)
        values = values_of_codes(survey.questions, codes)
        partners = values_of_codes(survey.questions, partner_codes(survey, codes))
        first = cls._opened(Disguise.of(survey, target), values, partners, np.ones(len(codes)), UNTOUCHED)
        if plain is None:
            return first
        second = cls.of_plain(survey, plain.values, target, plain.weights)
        below = second.entries._replace(response=second.entries.response + len(codes))
        return replace(
            first,
            values=np.concatenate([first.values, second.values], axis=1),
            partners=np.concatenate([first.partners, second.partners], axis=1),
            entries=Entries.joined([first.entries, below]),
            responses=round(len(codes) + float(plain.weights.sum())),
        )

    @classmethod
    def of_plain(cls, survey: Survey, values: Values, target: str, weight: Floats) -> Self:
        """Return the first level of a tree on undisguised rows, such as draws from a model or the analyst's table.

        Args:
            survey: Survey whose questions are the columns, in order.
            values: Value indices, shape (rows, questions of the survey).
            target: Name of the class question.
            weight: Weight of each row, shape (rows,). Rows of weight 0 are left out.
        """
        disguise = replace(Disguise.of(survey, target), routed=frozenset())  # rows are answers, none of them drawn
        return cls._opened(disguise, values, values, weight, SENT)

    @classmethod
    def _opened(cls, disguise: Disguise, values: Values, partners: Values, weight: Floats, state: int) -> Self:
        some = np.flatnonzero(weight)
        states = np.full((len(some), len(disguise.drawn)), state, np.int8)
        classes = np.zeros(len(some), np.int16)
        level = cls(
            disguise=disguise,
            values=np.require(values.T, np.int16, ["C", "W"]),
            partners=np.require(partners.T, np.int16, ["C", "W"]),
            entries=Entries(some, np.zeros_like(some), classes, weight[some].astype(np.float64), states),
            admitted=disguise.possible[None],
            responses=len(values),
        )
        child = np.full((1, max(disguise.kinds)), LEAF, np.int32)
        child[0, : disguise.classes] = np.arange(disguise.classes)
        found = level.descended(np.array([disguise.target], np.int32), child).entries
        return replace(level, entries=found._replace(cls=found.node.astype(np.int16), node=np.zeros_like(found.node)))

    def totals(self, nodes: int) -> Floats:
        """Return signed estimates of the class counts, shape (nodes, classes)."""
        return self._by_node(self.entries.weight, nodes)

    def squares(self, nodes: int) -> Floats:
        """Return sums of squared weights, which approximate the variance of the totals, shape (nodes, classes)."""
        return self._by_node(self.entries.weight**2, nodes)

    def _by_node(self, amounts: Floats, nodes: int) -> Floats:
        key, cells = self.entries.node * self.disguise.classes + self.entries.cls, nodes * self.disguise.classes
        return np.bincount(key, amounts, minlength=cells).astype(np.float64, copy=False).reshape(nodes, -1)

    def between(self, first: int, last: int) -> Self:
        """Return the entries (copies of responses) of nodes `first` to `last` - 1, with the nodes renumbered from 0."""
        some = self.entries.kept((self.entries.node >= first) & (self.entries.node < last))
        return replace(self, entries=some._replace(node=some.node - first), admitted=self.admitted[first:last])

    def portions(self) -> Iterator[tuple[int, int]]:
        """Return ranges of nodes of a level that are counted together."""
        yield 0, len(self.admitted)

    def counts(self, nodes: int, questions: Sequence[int]) -> Floats:
        """Return only the estimated counts of `cells`, shape (nodes, questions, values, classes)."""
        return self.cells(nodes, questions).counts

    def cells(self, nodes: int, questions: Sequence[int]) -> Cells:
        """Sum the entries (copies of responses) by node, question, value and class.

        Args:
            nodes: Number of nodes at this level.
            questions: Indices of the questions to count by.
        """
        kinds, classes = max((self.disguise.kinds[each] for each in questions), default=0), self.disguise.classes
        shape = (len(questions), nodes, kinds, classes)
        sums = Sums(np.zeros(shape), np.zeros(shape), np.zeros((*shape[:2], classes)), np.zeros((*shape[:2], classes)))
        admitted = self.admitted[:, list(questions), :kinds]

        def count(column: int) -> None:
            own = Sums(*(each[column] for each in sums))
            add_up(self.entries, self._questions, questions[column], own)
            possible = admitted[:, column] * self.disguise.odds[questions[column], :kinds]
            shares = possible / np.maximum(possible.sum(axis=1), 1)[:, None]
            np.add(own.counts, own.spread[:, None, :] * shares[:, :, None], out=own.counts)

        if len(self.entries.node) * len(questions) < FEW:
            for column in range(len(questions)):
                count(column)
        else:
            with ThreadPoolExecutor(os.cpu_count()) as threads:  # with separate sums: results do not depend on threads
                list(threads.map(count, range(len(questions))))
        counts, squares, spread = (np.moveaxis(each, 0, 1) for each in (sums.counts, sums.squares, sums.spread_squares))
        return Cells(counts, squares, spread, admitted)

    @property
    def _questions(self) -> Questions:
        drawn, home = np.array(self.disguise.drawn, np.bool_), np.array(self.disguise.home, np.intp)
        return Questions(self.values, self.partners, home, self.disguise.shares, drawn)

    def descended(self, question: NDArray[np.int32], child: NDArray[np.int32]) -> Self:
        """Return the next level of the tree, with each entry (copy of a response) at a child of its node.

        Args:
            question: Index of the question that each node splits on, or -1 to leave out the node's copies, shape
                (nodes,).
            child: Child that each value leads to, or -1 to leave out copies with the value, shape (nodes, values or
                more). Several values of a node's question may lead to one child.

        Raises:
            QueryError: If the next level would have more than `MOST_ENTRIES` entries.
        """
        child = np.ascontiguousarray(child[:, : max(self.disguise.kinds)])
        possible = self.admitted[np.arange(len(question)), question, : child.shape[1]]
        odds = self.disguise.odds[question, : child.shape[1]]
        where = Where(question, child, _fractions(child, possible, odds))
        count = move(self.entries, self._questions, where, self.entries, NOWHERE)
        if count > MOST_ENTRIES:
            problem = f"a tree this deep takes more than {MOST_ENTRIES:,} copies of responses"
            raise QueryError(
                "tree", problem, "lower the maximum depth, or use mode robust, which does not split on noise"
            )
        moved = Entries(
            np.empty(count, np.intp),
            np.empty(count, np.intp),
            np.empty(count, np.int16),
            np.empty(count, np.float64),
            np.empty((count, len(self.disguise.drawn)), np.int8),
        )
        move(self.entries, self._questions, where, moved, 0)
        return replace(self, entries=moved, admitted=self._admitted_below(question, child))

    def _admitted_below(self, question: NDArray[np.int32], child: NDArray[np.int32]) -> Flags:
        """Return flags of the values that are possible at each child, shape (children, questions, values)."""
        parents = np.flatnonzero(question != LEAF)
        place, value = np.nonzero(child[parents] != LEAF)
        below = child[parents][place, value]
        admitted = np.zeros((int(below.max(initial=-1)) + 1, *self.admitted.shape[1:]), np.bool_)
        admitted[below] = self.admitted[parents[place]]
        lets = np.zeros((len(admitted), child.shape[1]), np.bool_)
        lets[below, value] = True
        asked = np.zeros(len(admitted), np.intp)
        asked[below] = question[parents[place]]
        admitted[np.arange(len(admitted)), asked, : child.shape[1]] &= lets
        return admitted

    def at_leaves(self, tree: Tree) -> tuple[Floats, Floats]:
        """Return class counts and sums of squared weights at the leaves of a tree, shape (nodes of the tree, classes).

        Nodes that are not leaves have counts of 0.
        """
        landed = self.landed(tree)
        return landed.totals(len(tree)), landed.squares(len(tree))

    def landed(self, tree: Tree) -> Self:
        """Return the entries (copies of responses) at the leaves of a tree.

        The `node` of an entry (a copy of a response) is the index of its leaf in the tree.
        """
        child = np.full((len(tree), max(self.disguise.kinds)), LEAF, np.int32)
        for node, children in enumerate(tree.children()):
            child[node, : len(children)] = children
        level, parts = replace(self, admitted=np.repeat(self.admitted[:1], len(tree), axis=0)), []
        while len(level.entries.node):
            resting = tree.question[level.entries.node] == LEAF
            parts.append(level.entries.kept(resting))
            level = replace(level, entries=level.entries.kept(~resting)).descended(tree.question, child)
        return replace(self, entries=Entries.joined(parts)) if parts else self


def _fractions(child: NDArray[np.int32], possible: Flags, odds: Floats) -> Floats:
    """Return each child's share of the odds of a question's possible values, at the child's first value."""
    same = (child[:, :, None] == child[:, None, :]) & possible[:, :, None] & possible[:, None, :]
    first = possible & (same.argmax(axis=2) == np.arange(child.shape[1]))
    sums = (same * odds[:, None, :]).sum(axis=2), np.maximum((possible * odds).sum(axis=1), 1)[:, None]
    shares: Floats = np.where(first, sums[0] / sums[1], 0.0)
    return shares
