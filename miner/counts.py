"""Class counts at the nodes of one level of a growing tree, from disguised responses.

A response is counted through its signed copies (DESIGN section 5), and a copy is made only when a path first asks a
question of its group: until then one entry stands for all of them. So neither time nor memory is exponential in the
number of groups, only in those a path has touched. The copies of a node's responses are shared out among its children,
hence the children's counts add up to their parent's, exactly, whatever the disguise.

Plain rows, weighted or not, are entries whose groups are all known to be as they are: the same code counts them, and
both kinds may stand in one level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collector.survey import Survey
from miner.responses import Codes, Values, values_of_codes
from miner.tree import LEAF, Tree
from miner.weights import complemented, group_weights

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

UNTOUCHED, OWN, REPLACED = range(3)
"""What an entry stands for in one group: both copies of the response, the one as sent, or its replacement."""


@dataclass(frozen=True, eq=False)
class Disguise:
    """A survey as the counting needs it: sizes, groups and signed weights.

    Attributes:
        kinds: How many values each question has.
        target: Index of the class question.
        home: The group index of each question, -1 where it is sent as it is.
        shares: Shape (groups, 3, 2): the weights of the own and the replaced copy that an entry gives, by its state.
        uniform: Which groups are replaced by uniform draws, not by complements.
    """

    kinds: tuple[int, ...]
    target: int
    home: tuple[int, ...]
    shares: Floats
    uniform: tuple[bool, ...]

    @classmethod
    def of(cls, survey: Survey, target: str) -> Self:
        """Of a survey, to predict one of its questions."""
        homes = {name: number for number, group in enumerate(survey.groups) for name in group.questions}
        return cls(
            kinds=tuple(len(question.values) for question in survey.questions),
            target=survey.questions.index(survey.question(target)),
            home=tuple(homes.get(question.name, -1) for question in survey.questions),
            shares=np.array([[group_weights(group), (1.0, 0.0), (0.0, 1.0)] for group in survey.groups]).reshape(
                -1, 3, 2
            ),
            uniform=tuple(group.channel.name == "uniform" for group in survey.groups),
        )

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.kinds[self.target]

    @property
    def features(self) -> list[int]:
        """Every question but the target."""
        return [question for question in range(len(self.kinds)) if question != self.target]


@dataclass(frozen=True, eq=False)
class Copies:
    """Some entries of a level, seen through one question: the value each has there and the weight it has with it.

    Attributes:
        entry: Index of the entry in its level.
        value: Its value index; None if it is spread evenly over all values.
        weight: Signed.
        state: What the entry stands for from here on in the question's group.
    """

    entry: Indices
    value: NDArray[np.int16] | None
    weight: Floats
    state: int


@dataclass(frozen=True, eq=False)
class Level:
    """Responses on their way down a tree: (response, node, signed weight) entries, and what the groups stand for.

    Attributes:
        disguise: The survey.
        values: Shape (questions, responses): the values that the codes sent stand for.
        complements: Shape (questions, responses): those that the complemented codes stand for.
        response: Shape (entries,): column of `values`.
        node: Shape (entries,).
        cls: Shape (entries,): class index.
        weight: Shape (entries,): never 0.
        state: Shape (entries, groups): UNTOUCHED, OWN or REPLACED.
    """

    disguise: Disguise
    values: Values
    complements: Values
    response: Indices
    node: Indices
    cls: NDArray[np.int16]
    weight: Floats
    state: NDArray[np.int8]

    @classmethod
    def at_root(cls, survey: Survey, codes: Codes, target: str) -> Self:
        """Disguised responses at the root.

        Args:
            survey: Under which they were collected.
            codes: Shape (responses, questions of the survey), checked (`miner.responses.Responses` does).
            target: Name of the class question; it may be disguised or not.
        """
        values = values_of_codes(survey.questions, codes)
        complements = values_of_codes(survey.questions, complemented(survey, codes))
        return cls._opened(Disguise.of(survey, target), values, complements, np.ones(len(codes)), UNTOUCHED)

    @classmethod
    def of_plain(cls, survey: Survey, values: Values, target: str, weight: Floats) -> Self:
        """Undisguised rows at the root, such as soft copies or the analyst's own table.

        Args:
            survey: Whose questions the columns answer.
            values: Shape (rows, questions of the survey): value indices.
            target: Name of the class question.
            weight: Shape (rows,): what each counts.
        """
        return cls._opened(Disguise.of(survey, target), values, values, weight, OWN)

    @classmethod
    def _opened(cls, disguise: Disguise, values: Values, complements: Values, weight: Floats, state: int) -> Self:
        some = np.flatnonzero(weight)
        level = cls(
            disguise=disguise,
            values=np.ascontiguousarray(values.T),
            complements=np.ascontiguousarray(complements.T),
            response=some,
            node=np.zeros_like(some),
            cls=np.zeros(len(some), np.int16),
            weight=weight[some].astype(np.float64),
            state=np.full((len(some), len(disguise.uniform)), state, np.int8),
        )
        return level._with_classes()

    def _with_classes(self) -> Self:
        """The level in which every entry has a class: what the class question makes of it."""
        target = self.disguise.target
        spread = self._spread(self.copies(target), target)
        return self.joined([replace(self.taken(copies, target), cls=value) for copies, value in spread])

    @property
    def responses(self) -> int:
        """How many responses there are, here or elsewhere in the tree."""
        return len(self.values.T)

    def kept(self, which: Indices | NDArray[np.bool_]) -> Self:
        """Some of the entries."""
        return replace(
            self,
            response=self.response[which],
            node=self.node[which],
            cls=self.cls[which],
            weight=self.weight[which],
            state=self.state[which],
        )

    def taken(self, copies: Copies, question: int) -> Self:
        """The entries that these copies through a question are."""
        level = replace(self.kept(copies.entry), weight=copies.weight)
        home = self.disguise.home[question]
        if home >= 0:
            level.state[:, home] = copies.state
        return level

    def joined(self, parts: Sequence[Self]) -> Self:
        """Levels of the same responses as one."""
        if not parts:
            return self.kept(np.zeros(0, np.intp))
        return replace(
            self,
            response=np.concatenate([part.response for part in parts]),
            node=np.concatenate([part.node for part in parts]),
            cls=np.concatenate([part.cls for part in parts]),
            weight=np.concatenate([part.weight for part in parts]),
            state=np.concatenate([part.state for part in parts]),
        )

    def copies(self, question: int, among: Indices | None = None) -> list[Copies]:
        """These entries (all of them if None) through one question, opened in its group where they were not."""
        entries = np.arange(len(self.node)) if among is None else among
        home = self.disguise.home[question]
        if home < 0:
            return [Copies(entries, self.values[question][self.response[entries]], self.weight[entries], OWN)]
        shares = self.disguise.shares[home][self.state[entries, home]]
        opened = []
        for state, share, table in ((OWN, shares[:, 0], self.values), (REPLACED, shares[:, 1], self.complements)):
            weight = self.weight[entries] * share
            some = np.flatnonzero(weight)
            value = table[question][self.response[entries[some]]]
            spread = state == REPLACED and self.disguise.uniform[home]
            opened.append(Copies(entries[some], None if spread else value, weight[some], state))
        return opened

    def _spread(self, copies: Iterable[Copies], question: int) -> Iterator[tuple[Copies, Values]]:
        """The copies with their values; those that are spread over all values are written out, once for each."""
        kinds = self.disguise.kinds[question]
        for each in copies:
            if each.value is not None:
                yield each, each.value
                continue
            for value in range(kinds):
                yield replace(each, weight=each.weight / kinds), np.full(len(each.entry), value, np.int16)

    def totals(self, nodes: int) -> Floats:
        """Estimated class counts, shape (nodes, classes); signed."""
        return self._tally(self.node, self.cls, self.weight, (nodes, self.disguise.classes))

    def between(self, first: int, last: int) -> Self:
        """The entries of the nodes from `first` up to, not including, `last`; renumbered from 0."""
        level = self.kept((self.node >= first) & (self.node < last))
        return replace(level, node=level.node - first)

    def counts(self, nodes: int, questions: Sequence[int], *, squared: bool = False) -> Floats:
        """Estimated class counts by node, question, value and class.

        Args:
            nodes: How many there are at this level.
            questions: Indices of those to count by.
            squared: Whether to add up squared weights instead: the variance of the counts, about.

        Returns:
            Shape (nodes, questions given, largest number of values, classes); signed. For each node and question the
            values add up to the node's totals.
        """
        most = max((self.disguise.kinds[question] for question in questions), default=0)
        shape = (nodes, most, self.disguise.classes)
        counts = np.zeros((nodes, len(questions), *shape[1:]))
        for column, question in enumerate(questions):
            for copies in self.copies(question):
                node, cls = self.node[copies.entry], self.cls[copies.entry]
                kinds = self.disguise.kinds[question]
                if copies.value is None:
                    weight = (copies.weight / kinds) ** 2 if squared else copies.weight / kinds
                    even = self._tally(node, cls, weight, (nodes, shape[2]))
                    counts[:, column, :kinds] += even[:, None, :]
                else:
                    weight = copies.weight**2 if squared else copies.weight
                    counts[:, column] += self._tally(node * most + copies.value, cls, weight, shape)
        return counts

    @staticmethod
    def _tally(place: NDArray[np.integer], cls: NDArray[np.int16], weight: Floats, shape: tuple[int, ...]) -> Floats:
        key = place.astype(np.intp) * shape[-1] + cls
        return np.bincount(key, weight, minlength=int(np.prod(shape))).astype(np.float64, copy=False).reshape(shape)

    def descended(self, question: NDArray[np.int32], child: NDArray[np.int32]) -> Self:
        """The entries at the children of their nodes.

        Args:
            question: Shape (nodes,): what each node splits on; entries of nodes with -1 are left out.
            child: Shape (nodes, values at least): the child of each value; entries that come to -1 are left out.
        """
        asked = question[self.node]
        parts = []
        for each in np.unique(asked[asked != LEAF]).tolist():
            for copies, value in self._spread(self.copies(each, np.flatnonzero(asked == each)), each):
                part = self.taken(copies, each)
                part = replace(part, node=child[part.node, value].astype(np.intp))
                parts.append(part.kept(part.node != LEAF))
        return self.joined(parts)

    def landed(self, tree: Tree) -> Self:
        """The entries at the leaves of a tree that splits by every value of a question; nodes are the tree's."""
        child = np.full((len(tree), max(self.disguise.kinds)), LEAF, np.int32)
        for node, children in enumerate(tree.children()):
            child[node, : len(children)] = children
        level, parts = self, []
        while len(level.node):
            resting = tree.question[level.node] == LEAF
            parts.append(level.kept(resting))
            level = level.kept(~resting).descended(tree.question, child)
        return self.joined(parts)
