"""The axes of a tensor of counts: what its symbols are, what a split makes of them, and what they count for a value.

An axis is a group's questions but the class, or one question that is sent as it is. Until a path asks a question of the
group, its symbols are what was sent: for each question a value, and the value of its partner. Then they are what copies
stand for: a value of each question that the path still admits, or, of a replacement by draws, a share of every value
(`SPREAD`). Where one combination of values is left, the axis has one symbol: what was sent there does not matter below.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.channels.registry import partner_tables
from miner.responses.responses import value_table
from miner.trees.tally import UNTOUCHED
from miner.weights.layout import Disguise

BUNDLE = 2**12  # cells of a bundle: so that those of several fit a cache
SPREAD = ()
Symbol = tuple[int, ...]
"""Of each question of the axis an index of `Axes.pairs` until it is opened, then a value; or `SPREAD`."""


class State(NamedTuple):
    """An axis at a node.

    Attributes:
        axis: Its number.
        opened: Whether the path asks a question of it, or it is sent as it is.
        admitted: Of each question the values that are possible.
    """

    axis: int
    opened: bool
    admitted: tuple[tuple[int, ...], ...]


class View(NamedTuple):
    """What the symbols of an axis count for one question.

    Attributes:
        counts: Shape (values, symbols): for a value.
        squares: The same shape: the squares of copies that have the value.
        spread: Shape (symbols,): as squares of copies that have a share of every value.
    """

    counts: Floats
    squares: Floats
    spread: Floats


@dataclass(frozen=True, eq=False)
class Axes:
    """The axes of a survey.

    Attributes:
        survey: The published design.
        disguise: The same, as counting needs it.
    """

    survey: Survey
    disguise: Disguise
    _symbols: dict[State, list[Symbol]] = field(default_factory=dict)
    _views: dict[tuple[State, int], View] = field(default_factory=dict)
    _below: dict[tuple[State, int, tuple[int, ...]], tuple[State, Floats]] = field(default_factory=dict)

    @cached_property
    def members(self) -> list[tuple[int, ...]]:
        """The questions of each axis."""
        home, features = self.disguise.home, self.disguise.features
        groups = [tuple(each for each in features if home[each] == group) for group in range(len(self.disguise.drawn))]
        return [some for some in groups if some] + [(each,) for each in features if home[each] < 0]

    def values(self, question: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The value of each code, and that of the code sent in its place, to index with codes; 0 where none."""
        own, partner = np.zeros((2, self.survey.questions[question].codes[-1] + 1), np.intp)
        codes = list(self.survey.questions[question].codes)
        own[codes], partner[codes] = np.array(self._by_code[question]).T
        return own, partner

    @cached_property
    def pairs(self) -> list[list[tuple[int, int]]]:
        """For each question what codes say that may be sent: their value, and that of the code sent in its place."""
        return [sorted(set(each)) for each in self._by_code]

    @cached_property
    def _by_code(self) -> list[list[tuple[int, int]]]:
        found = []
        for question, partner in zip(self.survey.questions, partner_tables(self.survey), strict=True):
            values, codes = value_table(question), list(question.codes)
            found.append(list(zip(values[codes].tolist(), values[partner[codes]].tolist(), strict=True)))
        return found

    def places(self, question: int) -> NDArray[np.intp]:
        """Shape (largest code + 1,): the index in `pairs` of each code; 0 for none."""
        places = np.zeros(self.survey.questions[question].codes[-1] + 1, np.intp)
        places[list(self.survey.questions[question].codes)] = list(
            map(self.pairs[question].index, self._by_code[question])
        )
        return places

    @property
    def root(self) -> tuple[State, ...]:
        """The axes before any split."""
        kinds, home = self.disguise.kinds, self.disguise.home
        every = [tuple(tuple(range(kinds[each])) for each in some) for some in self.members]
        return tuple(State(axis, home[self.members[axis][0]] < 0, each) for axis, each in enumerate(every))

    def symbols(self, state: State) -> list[Symbol]:
        """The symbols of an axis at a node."""
        if state not in self._symbols:
            self._symbols[state] = list(self._listed(state))
        return self._symbols[state]

    def _listed(self, state: State) -> Iterator[Symbol]:
        if not state.opened:
            yield from product(*(range(len(self.pairs[each])) for each in self.members[state.axis]))
            return
        every = list(product(*state.admitted))
        yield from every
        if self.is_drawn(state) and len(every) > 1:
            yield SPREAD

    def is_drawn(self, state: State) -> bool:
        """Whether replacements are drawn, not the one partner of each code."""
        home = self.disguise.home[self.members[state.axis][0]]
        return home >= 0 and self.disguise.drawn[home]

    def _copies(self, state: State, symbol: Symbol) -> Iterator[tuple[Symbol, float]]:
        """What a symbol stands for once its axis is open, and the weight of each."""
        if state.opened:
            yield symbol, 1.0
            return
        some = self.members[state.axis]
        own, replaced = self.disguise.shares[self.disguise.home[some[0]], UNTOUCHED].tolist()
        pairs = [self.pairs[question][place] for question, place in zip(some, symbol, strict=True)]
        yield tuple(value for value, _ in pairs), own
        yield SPREAD if self.is_drawn(state) else tuple(other for _, other in pairs), replaced

    def _share(self, question: int, among: tuple[int, ...], every: tuple[int, ...]) -> float:
        """The share of the draws among some values that have one of a few of these."""
        odds = self.disguise.odds[question]
        return float(odds[list(among)].sum() / odds[list(every)].sum())

    def below(self, state: State, question: int, values: tuple[int, ...]) -> tuple[State, Floats]:
        """The axis at a child, to which these values of a question lead; and what each symbol becomes there.

        Returns:
            The state, and shape (new symbols, old symbols, 2): the weights, and their squares.
        """
        if (state, question, values) not in self._below:
            self._below[state, question, values] = self._stepped(state, question, values)
        return self._below[state, question, values]

    def _stepped(self, state: State, question: int, values: tuple[int, ...]) -> tuple[State, Floats]:
        which = self._which(state, question)
        left = tuple(each for each in state.admitted[which] if each in values)
        child = State(state.axis, True, (*state.admitted[:which], left, *state.admitted[which + 1 :]))  # noqa: FBT003 - it is open now
        old, place = self.symbols(state), {each: number for number, each in enumerate(self.symbols(child))}
        steps = np.zeros((len(place), len(old), 2))
        for number, symbol in enumerate(old):
            for copy, weight in self._copies(state, symbol):
                factor = weight
                if copy == SPREAD:
                    factor *= self._share(question, left, state.admitted[which])
                elif copy[which] not in left:
                    continue
                steps[place.get(copy, 0), number] += factor, factor * factor
        return child, steps

    def view(self, state: State, question: int) -> View:
        """What the symbols of an axis count for one of its questions."""
        if (state, question) not in self._views:
            self._views[state, question] = self._viewed(state, question)
        return self._views[state, question]

    def _viewed(self, state: State, question: int) -> View:
        which, symbols, values = self._which(state, question), self.symbols(state), self.admitted(state, question)
        counts, squares = np.zeros((2, self.disguise.kinds[question], len(symbols)))
        spread = np.zeros(len(symbols))
        for number, symbol in enumerate(symbols):
            for copy, weight in self._copies(state, symbol):
                if copy != SPREAD:
                    counts[copy[which], number] += weight
                    squares[copy[which], number] += weight * weight
                    continue
                spread[number] += weight * weight
                for value in values:
                    counts[value, number] += weight * self._share(question, (value,), values)
        return View(counts, squares, spread)

    def _which(self, state: State, question: int) -> int:
        return self.members[state.axis].index(question)

    def admitted(self, state: State, question: int) -> tuple[int, ...]:
        """The values of a question that are possible."""
        return state.admitted[self._which(state, question)]

    @cached_property
    def axis_of(self) -> dict[int, int]:
        """The axis of each question but the target."""
        return {question: axis for axis, some in enumerate(self.members) for question in some}


class Bundle(NamedTuple):
    """Axes whose symbols are one number together, the column of the target in its lowest place.

    Attributes:
        axes: Their numbers.
        sizes: How many symbols each has at the root.
    """

    axes: tuple[int, ...]
    sizes: tuple[int, ...]

    def table(self, factors: Mapping[int, Floats], columns: int) -> Floats:
        """Shape (cells, 2): the product of the factors of these axes, each of shape (symbols, 2); 1 for other axes."""
        joint = np.ones((1, 2))
        for axis, size in zip(self.axes, self.sizes, strict=True):
            joint = (joint[:, None] * factors.get(axis, np.ones((size, 2)))).reshape(-1, 2)
        return np.repeat(joint, columns, axis=0)

    def places(self, strides: Mapping[int, int], columns: int) -> NDArray[np.uint64]:
        """Shape (cells,): the symbols of these axes, each times its stride; 0 for other axes."""
        joint = np.zeros(1, np.uint64)
        for axis, size in zip(self.axes, self.sizes, strict=True):
            joint = np.add.outer(joint, np.arange(size, dtype=np.uint64) * np.uint64(strides.get(axis, 0))).ravel()
        return np.repeat(joint, columns)


def bundled(sizes: Sequence[int], columns: int) -> list[list[int]]:
    """Neighbouring axes together, as many as have `BUNDLE` cells at most; each in one bundle, of which there is one."""
    found: list[list[int]] = [[]]
    cells = columns
    for axis, size in enumerate(sizes):
        if cells * size > BUNDLE and found[-1]:
            found.append([])
            cells = columns
        found[-1].append(axis)
        cells *= size
    return found


def joined(steps: Floats, path: Floats | None) -> Floats:
    """What symbols become by a path and steps after it, shape (new symbols, old symbols, 2); the steps if no path."""
    whole: Floats = steps if path is None else np.einsum("nmk,mok->nok", steps, path)
    return whole
