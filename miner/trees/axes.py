"""Describe the axes of a tensor of counts, one for each group of questions.

An axis stands for one group's questions other than the class question, or for one plain question (sent as it is). A
symbol is an index along an axis. An axis is *closed* until the path from the root asks a question of the axis. After
that it is *open*. A symbol of a closed axis stands for codes as they were sent.

A symbol of an open axis stands for one copy of a response: the codes as sent, or as replaced. The symbol `SPREAD`
stands for a random replacement, which counts in part for every value.
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.channels.registry import partner_tables
from miner.responses.distinct import distinct_rows
from miner.responses.responses import value_table
from miner.trees.tally import UNTOUCHED
from miner.weights.layout import Disguise

SPREAD = -1
"""In place of each value of a symbol: a share of every value, by the odds of the draws."""
Places = NDArray[np.intp]
Layers = NDArray[np.uint16]
Key = TypeVar("Key")
Kept = TypeVar("Kept")
MOST_KEPT = 2**22  # largest number of symbols of cached steps; they take some 200 MB


class State(NamedTuple):
    """State of a group's questions (axis) at a node of a tree.

    Attributes:
        axis: Number of the axis.
        opened: Whether the path to the node asks a question of the axis, or the axis is a plain question.
        admitted: Values that the path admits, for each question of the axis.
    """

    axis: int
    opened: bool
    admitted: tuple[tuple[int, ...], ...]


class View(NamedTuple):
    """Weights that convert sums by combination of answers (symbol) of an axis to counts by value of one question.

    Attributes:
        counts: Weight of each symbol for each value, shape (values, symbols).
        squares: Squared weights of the copies of a response that have exactly one value, shape (values, symbols).
        spread: Squared weights of the copies of a response that count in part for every value, shape (symbols,).
    """

    counts: Floats
    squares: Floats
    spread: Floats


class Steps(NamedTuple):
    """Map from the combinations of answers (symbols) of an axis at one node to those at a node below.

    Attributes:
        size: Number of new symbols.
        places: New symbol of each copy of a response, shape (2 or 1, old symbols).
        weights: Weight of each copy of a response, and the square of the weight, shape (2 or 1, old symbols, 2).
    """

    size: int
    places: Places
    weights: Floats

    @classmethod
    def none(cls, size: int) -> Self:
        """Return the map that leaves every combination of answers (symbol) of an axis unchanged."""
        return cls(size, np.arange(size)[None], np.ones((1, size, 2)))

    @property
    def factors(self) -> Floats:
        """Return the weight of all copies of each old symbol together, and its square, shape (old symbols, 2)."""
        found: Floats = self.weights.sum(axis=0)
        return found

    @property
    def summed(self) -> "Steps":
        """Return the map that merges all combinations of answers (symbols) of an axis into one."""
        return Steps(1, np.zeros((1, len(self.factors)), np.intp), self.factors[None])


@dataclass(frozen=True, eq=False)
class Axes:
    """Axes of a survey: one for each group of questions, and one for each plain question.

    Attributes:
        survey: Published survey.
        disguise: Disguise of the survey, in the form that counting needs.
    """

    survey: Survey
    disguise: Disguise
    _symbols: dict[State, NDArray[np.intp]] = field(default_factory=dict)
    _views: dict[tuple[State, int], View] = field(default_factory=dict)
    _steps: dict[tuple[State, State], Steps] = field(default_factory=dict)
    _layers: dict[tuple[State, ...], tuple[Floats, Layers]] = field(default_factory=dict)

    @cached_property
    def members(self) -> list[tuple[int, ...]]:
        """Return the questions of each axis (a group, or one plain question)."""
        home, features = self.disguise.home, self.disguise.features
        groups = [tuple(each for each in features if home[each] == group) for group in range(len(self.disguise.drawn))]
        return [some for some in groups if some] + [(each,) for each in features if home[each] < 0]

    def values(self, question: int) -> tuple[Places, Places]:
        """Return the value of each code and the value of its replacement, as two arrays indexed by code."""
        own, partner = np.zeros((2, self.survey.questions[question].codes[-1] + 1), np.intp)
        codes = list(self.survey.questions[question].codes)
        own[codes], partner[codes] = np.array(self._by_code[question]).T
        return own, partner

    @cached_property
    def pairs(self) -> list[list[tuple[int, int]]]:
        """Return the distinct pairs (value of a code, value of its replacement) of each question."""
        return [sorted(set(each)) for each in self._by_code]

    @cached_property
    def _by_code(self) -> list[list[tuple[int, int]]]:
        found = []
        for question, partner in zip(self.survey.questions, partner_tables(self.survey), strict=True):
            values, codes = value_table(question), list(question.codes)
            found.append(list(zip(values[codes].tolist(), values[partner[codes]].tolist(), strict=True)))
        return found

    def places(self, question: int) -> Places:
        """Return the index in `pairs` of each code, shape (largest code + 1,)."""
        places = np.zeros(self.survey.questions[question].codes[-1] + 1, np.intp)
        places[list(self.survey.questions[question].codes)] = list(
            map(self.pairs[question].index, self._by_code[question])
        )
        return places

    @property
    def root(self) -> tuple[State, ...]:
        """Return the states of all groups of questions (axes) before any split."""
        kinds, home = self.disguise.kinds, self.disguise.home
        every = [tuple(tuple(range(kinds[each])) for each in some) for some in self.members]
        return tuple(State(axis, home[self.members[axis][0]] < 0, each) for axis, each in enumerate(every))

    def size(self, state: State) -> int:
        """Return the number of symbols of an axis (combinations of its values) at a node."""
        if not state.opened:
            return prod(len(self.pairs[each]) for each in self.members[state.axis])
        every = prod(map(len, state.admitted))
        return every + (self.is_drawn(state) and every > 1)

    def symbols(self, state: State) -> Places:
        """Return the answers that each symbol of an axis stands for, shape (symbols, questions of the axis).

        A symbol of an open axis is one value for each question, or `SPREAD` for all questions. A symbol of a closed
        axis is one index of `pairs` for each question.
        """
        if state not in self._symbols:
            lists = (
                state.admitted if state.opened else [range(len(self.pairs[each])) for each in self.members[state.axis]]
            )
            every = np.array(np.meshgrid(*map(np.array, lists), indexing="ij"), np.intp).reshape(len(lists), -1).T
            spread = np.full((self.size(state) - len(every), len(lists)), SPREAD)
            self._symbols[state] = np.concatenate([every, spread])
        return self._symbols[state]

    def is_drawn(self, state: State) -> bool:
        """Return whether replacements are drawn at random."""
        home = self.disguise.home[self.members[state.axis][0]]
        return home >= 0 and self.disguise.drawn[home]

    def _copies(self, state: State) -> list[tuple[Places, float]]:
        """Return the answers of each signed copy that a symbol stands for, with the copy's weight."""
        symbols, some = self.symbols(state), self.members[state.axis]
        if state.opened:
            return [(symbols, 1.0)]
        own, replaced = self.disguise.shares[self.disguise.home[some[0]], UNTOUCHED].tolist()
        pairs = [np.array(self.pairs[question])[column] for question, column in zip(some, symbols.T, strict=True)]
        values, others = (np.stack([each[:, side] for each in pairs], axis=1) for side in (0, 1))
        return [(values, own), (np.full_like(values, SPREAD) if self.is_drawn(state) else others, replaced)]

    def _share(self, question: int, among: tuple[int, ...], every: tuple[int, ...]) -> float:
        """Return P(random replacement is one of `among`, given that it is one of `every`), both sets of values."""
        odds = self.disguise.odds[question]
        return float(odds[list(among)].sum() / odds[list(every)].sum())

    def below(self, state: State, question: int, values: tuple[int, ...]) -> State:
        """Return the state of an axis at the child node that some values of a question lead to."""
        which = self._which(state, question)
        left = tuple(each for each in state.admitted[which] if each in values)
        return State(state.axis, True, (*state.admitted[:which], left, *state.admitted[which + 1 :]))  # noqa: FBT003 - it is open now

    def steps(self, above: State, state: State) -> Steps:
        """Return the map from a group's symbols at one node to its symbols at the same node or at one below."""
        if above == state:
            return Steps.none(self.size(state))
        found = self._steps.get((above, state))
        if found is None:
            found = self._stepped(above, state)
            self._keep(self._steps, (above, state), found)
        return found

    def _keep(self, kept: dict[Key, Kept], key: Key, value: Kept) -> None:
        """Cache a value, and drop all older values if the cache might take too much memory."""
        if len(kept) * max(map(self.size, self.root)) > MOST_KEPT:
            kept.clear()
        kept[key] = value

    def _stepped(self, above: State, state: State) -> Steps:
        some = self.members[state.axis]
        share = prod(map(self._share, some, state.admitted, above.admitted))
        places, weights = [], []
        for copies, weight in self._copies(above):
            spread = copies[:, 0] == SPREAD
            stays, place = np.ones(len(copies), np.bool_), np.zeros(len(copies), np.intp)
            for admitted, column in zip(map(np.array, state.admitted), copies.T, strict=True):
                index = np.minimum(np.searchsorted(admitted, column), len(admitted) - 1)
                stays &= admitted[index] == column
                place = place * len(admitted) + index
            places.append(np.where(spread, self.size(state) - 1, np.where(stays, place, 0)))
            factor = weight * np.where(spread, share, stays)
            weights.append(np.stack([factor, factor**2], axis=1))
        return Steps(self.size(state), np.array(places), np.array(weights))

    def layers(self, root: State, children: tuple[State, ...]) -> tuple[Floats, Layers]:
        """Group the combinations of answers (symbols) of an axis into sets of equal weights (layers).

        Args:
            root: State of the axis at the root.
            children: States of the axis at some nodes below the root.

        Returns:
            Two arrays: the weight of each layer at each child with its square, shape (layers, children, 2), and the
            layer of each symbol at the root, shape (symbols,).
        """
        found = self._layers.get((root, *children))
        if found is None:
            factors = [self.steps(root, child).factors for child in children]
            kinds = [np.unique(weights, return_inverse=True)[1] for each in factors for weights in each.T]
            first, layer = distinct_rows(np.stack(kinds, axis=1))
            found = np.stack(factors, axis=1)[first], layer.astype(np.uint16)
            self._keep(self._layers, (root, *children), found)
        return found

    def view(self, state: State, question: int) -> View:
        """Return the weights that convert sums by symbol of an axis to counts by value of one question."""
        if (state, question) not in self._views:
            self._views[state, question] = self._viewed(state, question)
        return self._views[state, question]

    def _viewed(self, state: State, question: int) -> View:
        which, values = self._which(state, question), self.admitted(state, question)
        counts, squares = np.zeros((2, self.disguise.kinds[question], self.size(state)))
        spread = np.zeros(self.size(state))
        for copies, weight in self._copies(state):
            drawn = copies[:, which] == SPREAD
            sure = np.flatnonzero(~drawn)
            counts[copies[sure, which], sure] += weight
            squares[copies[sure, which], sure] += weight * weight
            spread[drawn] += weight * weight
            for value in values:
                counts[value, drawn] += weight * self._share(question, (value,), values)
        return View(counts, squares, spread)

    def _which(self, state: State, question: int) -> int:
        return self.members[state.axis].index(question)

    def admitted(self, state: State, question: int) -> tuple[int, ...]:
        """Return the values of a question that are possible at a node."""
        return state.admitted[self._which(state, question)]

    @cached_property
    def axis_of(self) -> dict[int, int]:
        """Return the axis (group) of each question except the class question."""
        return {question: axis for axis, some in enumerate(self.members) for question in some}
