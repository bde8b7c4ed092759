"""Pack distinct responses, with their numbers of occurrences, and sum them in one pass.

A *bundle* is a set of groups of questions (axes) whose answers are stored together as one number. A packed response has
one number for each bundle, which stands for the answers to all questions of the bundle. Storing several groups as one
number reduces the number of look-ups for each response. The responses are divided into blocks
(`miner.responses.blocks`). Each block is summed on the worker or thread that holds the block.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property, reduce
from math import prod
from typing import Self
from weakref import WeakValueDictionary, finalize

import numpy as np

from miner.arrays import Floats
from miner.responses.blocks import Blocks
from miner.responses.responses import Data
from miner.responses.tally import Packing, Tally
from miner.trees.axes import Axes, Places, State, Steps
from miner.trees.symbol_rows import (
    Bundle,
    Margin,
    PackedField,
    SymbolRows,
    added,
    alive_count,
    alive_only,
    bundled,
    filled,
    length,
    numbered,
    summed,
)
from miner.trees.tally import UNTOUCHED
from miner.trees.tensor_loops import Weighing, turn

LARGEST = 2**23  # largest number of cells of a tensor; they take 128 MiB
MOST_HELD = 2  # largest number of copies of responses that nodes hold, per response
STAYING = 3 / 4  # share of the responses below which the responses that count at a node are copied


class Selection:
    """Selection of distinct responses in all blocks.

    The selected responses are copied when they are first summed.

    Args:
        states: States of the axes (groups of questions) that the responses were selected by.
        counts: Number of selected responses in each block.
        copy_blocks: Function that copies the selected responses, given their number in each block.
    """

    def __init__(
        self,
        states: frozenset[State],
        counts: Iterable[int],
        copy_blocks: Callable[[Sequence[int]], Blocks[SymbolRows]],
    ) -> None:
        self.states, self._counts, self._copy_blocks = states, counts, copy_blocks

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Return the number of selected responses in each block."""
        return tuple(self._counts)

    @cached_property
    def blocks(self) -> Blocks[SymbolRows]:
        """Return the selected responses of each block.

        Responses that are not selected may be included, with a weight of 0.
        """
        return self._copy_blocks(self.sizes)

    @property
    def count(self) -> int:
        """Return the number of selected responses."""
        return sum(self.sizes)


class Held:
    """Counter of the responses that are copied into memory."""

    def __init__(self) -> None:
        self.count = 0

    def hold(self, blocks: Blocks[SymbolRows], count: int) -> Blocks[SymbolRows]:
        """Count blocks of responses that were copied towards the memory limit as long as they are in use."""
        self.count += count
        finalize(blocks, self._release, count)
        return blocks

    def _release(self, count: int) -> None:
        self.count -= count


class PackedRows:
    """Distinct responses and their weights at the root of a tree.

    If the class question shares its coin with other questions, each response has two copies: as sent, and as replaced.

    Args:
        axes: Axes of the survey.
        responses: Disguised responses.
        room: Largest number of cells of a tensor, as a multiple of the number of distinct responses.

    Attributes:
        root: States of the axes before any split.
        classes: Weight of each column of a tensor for each class, and its square, shape (classes, columns, 2).
        people: Number of responses.
        rows: Selection of all responses.
    """

    def __init__(self, axes: Axes, responses: Data, room: float) -> None:
        blocks = responses.in_blocks()
        self.axes, self.room, self.people, self.sizes = axes, room, len(responses), [*blocks.results(Tally.people)]
        disguise = axes.disguise
        home = disguise.home[disguise.target]
        shared = [each for each in axes.root if 0 <= home == disguise.home[axes.members[each.axis][0]]]
        self.root: tuple[State, ...] = tuple(
            each._replace(opened=True) if each in shared else each for each in axes.root
        )
        if shared:
            copies, self.classes = self._opened(self.root[shared[0].axis])
        else:
            copies, self.classes = [(np.ones(2), self._sent(self.root))], self._columns()
        self._units = [unit for unit, _ in copies]
        sizes = [axes.size(state) for state in self.root]
        columns = self.classes.shape[1]
        self._bundles = [Bundle(tuple(some), tuple(sizes[each] for each in some)) for some in bundled(sizes, columns)]
        self._home = {axis: number for number, each in enumerate(self._bundles) for axis in each.axes}
        self._cells = columns * max((prod(each.sizes) for each in self._bundles), default=1)
        kind = np.uint16 if self._cells <= np.iinfo(np.uint16).max else np.uint32
        packing = Packing(axes.survey, range(len(axes.survey.questions)))
        fields = [[self._fields(packing, bundle, places) for bundle in self._bundles] for _, places in copies]
        self._hold(blocks.each(numbered, fields, kind))

    def _hold(self, blocks: Blocks[SymbolRows]) -> None:
        sizes = list(blocks.results(length))
        self.rows, self._held = Selection(frozenset(), sizes, lambda _: blocks), Held()
        self._selections = WeakValueDictionary[frozenset[State], Selection]()

    def on(self, blocks: Blocks[SymbolRows]) -> Self:
        """Return packed responses with equal axes (groups of questions) on other blocks of responses."""
        found = copy(self)
        found._hold(blocks)  # noqa: SLF001 - of this class
        return found

    def _fields(self, packing: Packing, bundle: Bundle, places: Mapping[int, Places]) -> list[PackedField]:
        """Return the tables that turn codes into the number of a response in each bundle."""
        strides, stride = {self.axes.disguise.target: 1}, self.classes.shape[1]
        for axis, size in zip(reversed(bundle.axes), reversed(bundle.sizes), strict=True):
            strides.update((question, stride) for question in self.axes.members[axis])
            stride *= size
        found = []
        for question, times in strides.items():
            word, shift, bits = packing.fields[question]
            table = np.zeros(1 << bits, np.uint32)
            table[: len(places[question])] = (places[question] * times)[: len(table)]
            found.append(PackedField(word, np.uint64(shift), np.uint64((1 << bits) - 1), table))
        return found

    def _sent(self, states: Iterable[State]) -> dict[int, Places]:
        """Return the index in `Axes.pairs` of each code of the questions."""
        target = self.axes.disguise.target
        places = {target: self.axes.places(target)}
        for state in states:
            stride = 1
            for question in reversed(self.axes.members[state.axis]):
                places[question] = self.axes.places(question) * stride
                stride *= len(self.axes.pairs[question])
        return places

    def _columns(self) -> Floats:
        """Return the class weights of a class question that does not share its coin, or has no coin."""
        disguise, target = self.axes.disguise, self.axes.disguise.target
        home, pairs = disguise.home[target], self.axes.pairs[target]
        own, replaced = disguise.shares[home, UNTOUCHED].tolist() if home >= 0 else (1.0, 0.0)
        classes = np.zeros((disguise.classes, len(pairs), 2))
        odds = disguise.odds[target, : disguise.classes]
        for column, (value, partner) in enumerate(pairs):
            classes[value, column] += own, own * own
            if home >= 0 and disguise.drawn[home]:
                each = replaced * odds / odds.sum()
                classes[:, column] += np.column_stack([each, each**2])
            else:
                classes[partner, column] += replaced, replaced * replaced
        return classes

    def _opened(self, state: State) -> tuple[list[tuple[Floats, dict[int, Places]]], Floats]:
        """Return the copies (sent, replaced) and the class weights of a class question that shares its coin."""
        disguise, members, target = self.axes.disguise, self.axes.members[state.axis], self.axes.disguise.target
        home, count, drawn = disguise.home[target], disguise.classes, self.axes.is_drawn(state)
        others = self._sent(each for each in self.root if each is not state)
        shares = disguise.shares[home, UNTOUCHED].tolist()
        copies = [(np.array([each, each * each]), dict(others)) for each in shares]
        stride = 1
        for question in reversed(members):
            for (_, places), values in zip(copies, self.axes.values(question), strict=True):
                places[question] = values * stride
            stride *= disguise.kinds[question]
        for (_, places), values in zip(copies, self.axes.values(target), strict=True):
            places[target] = values
        classes = np.zeros((count, count + drawn, 2))
        classes[range(count), range(count)] = 1.0
        if drawn:
            odds = disguise.odds[target, :count] / disguise.odds[target, :count].sum()
            classes[:, count] = np.column_stack([odds, odds**2])
            for question, place in ((target, count), *zip(members, (stride, *[0] * len(members)), strict=False)):
                copies[1][1][question][:] = place
        return copies, classes

    def sums(
        self, axes: Iterable[int], states: Sequence[State], rows: Selection, split: tuple[int, Sequence[State]]
    ) -> Callable[[], list[dict[int, Floats]]]:
        """Sum the responses at all children of a node in one pass, by class and by the answers of each wanted group.

        Workers begin to sum at once, while the result is not awaited yet.

        Args:
            axes: Axes (groups of questions) whose sums are wanted.
            states: States of all axes at the node of the tree.
            rows: All responses that count at the node.
            split: Axis (group) of the split question, and the state of this axis at each child.

        Returns:
            Function that waits for the sums of each child and axis, shape (symbols at the root, classes, 2).
        """
        columns, chosen, (axis, children) = self.classes.shape[1], set(axes), split
        factors = {each: self.path(state).factors for each, state in self.asked(states) if each != axis}
        layers, layer = self.axes.layers(self.root[axis], tuple(children))
        home = self._home[axis]
        wanted = np.array([bool(chosen & {*each.axes}) for each in self._bundles])
        asked = [number for number, each in enumerate(self._bundles) if factors.keys() & {*each.axes}]
        tables = np.zeros((len(asked), self._cells, 2))
        for table, number in zip(tables, asked, strict=True):
            known = self._bundles[number].table(factors, columns)
            table[: len(known)] = known
        places = self._bundles[home].places({axis: 1}, columns)
        how = Weighing(np.array(asked, np.uint64), tables, home, layer[places], wanted)
        margins = [
            [
                self._margin(number, {**factors, axis: self.path(state).factors}, axis, layers[:, child])
                for number in wanted.nonzero()[0].tolist()
            ]
            for child, state in enumerate(children)
        ]
        shape = len(self._bundles), len(layers), self._cells, 2
        sums = rows.blocks.results(summed, (self._units, how, shape), margins, self.classes)
        return lambda: [self._by_axis(each) for each in reduce(added, sums)]

    def asked(self, states: Sequence[State]) -> list[tuple[int, State]]:
        """Return the groups of questions (axes) that the path to a node asks, with their states at the node."""
        return [(axis, state) for axis, state in enumerate(states) if state != self.root[axis]]

    def path(self, state: State) -> Steps:
        """Return the map from a group's combinations of answers at the root to those in a given state."""
        return self.axes.steps(self.root[state.axis], state)

    def _margin(self, number: int, factors: Mapping[int, Floats], split: int, layers: Floats) -> Margin:
        """Return the factors for summing a bundle of groups of questions over all groups but one, at one child."""
        bundle = self._bundles[number]
        own = np.ones((len(bundle.axes), max(bundle.sizes), 2))
        for place, (axis, size) in enumerate(zip(bundle.axes, bundle.sizes, strict=True)):
            own[place, :size] = factors.get(axis, 1.0)
        weights = np.ones((1, 2)) if split in bundle.axes else layers
        return Margin(number, weights, np.array(bundle.sizes, np.uint64), own)

    def _by_axis(self, sums: Mapping[int, Floats]) -> dict[int, Floats]:
        """Convert sums for each bundle to sums for each axis."""
        found = dict[int, Floats]()
        for number, each in sums.items():
            axes = zip(self._bundles[number].axes, self._bundles[number].sizes, strict=True)
            found |= {axis: each[place, :size] for place, (axis, size) in enumerate(axes)}
        return found

    def tensor(self, dims: Mapping[int, int], states: Sequence[State], rows: Selection) -> Floats:
        """Sum the responses by the class that was sent and by combinations of answers of some groups.

        Args:
            dims: Length at the root of each axis of the tensor, or 1 for an axis to sum over, in order.
            states: States of all axes at a node.
            rows: All responses that count at the node.

        Returns:
            Sums, shape (new symbols of all these axes together, columns, 2).
        """
        columns, asked = self.classes.shape[1], dict(self.asked(states))
        kept = {axis: size for axis, size in dims.items() if size > 1}
        cells = np.zeros((prod(kept.values()) * columns, 2))
        strides, stride = {}, columns
        for axis in reversed(list(kept)):
            strides[axis], stride = stride, stride * kept[axis]
        factors = {axis: self.path(state).factors for axis, state in asked.items() if axis not in kept}
        tables = np.ones((len(self._bundles), self._cells, 2))
        places = np.zeros((len(self._bundles), self._cells), np.uint64)
        for number, bundle in enumerate(self._bundles):
            own, some = bundle.table(factors, columns), bundle.places(strides, columns)
            tables[number, : len(own)], places[number, : len(some)] = own, some
            if number == 0:
                places[number, : len(some)] += np.arange(len(some), dtype=np.uint64) % np.uint64(columns)
        for sums in rows.blocks.results(filled, self._units, places, tables, len(cells)):
            cells += sums
        before = 1
        for axis, size in kept.items():
            if axis in asked:
                cells = turned(cells.reshape(before, size, -1, 2), self.path(asked[axis]))
            before *= self.axes.size(asked[axis]) if axis in asked else size
        return cells.reshape(-1, columns, 2)

    def staying(self, rows: Selection, state: State) -> Selection:
        """Select the responses that count at a child, in blocks where their number clearly decreases.

        Args:
            rows: Responses that count at the parent.
            state: State at the child of the axis (group) that the parent splits on.
        """
        factor, number = self.path(state).factors, self._home[state.axis]
        if factor[:, 1].all():
            return rows
        states = frozenset(each for each in rows.states if each.axis != state.axis) | {state}
        if (found := self._selections.get(states)) is not None:
            return found
        alive = self._bundles[number].table({state.axis: factor}, self.classes.shape[1])[:, 1] > 0
        there = rows.blocks.results(alive_count, number, alive)
        sizes = (few if few <= STAYING * size else size for few, size in zip(there, rows.sizes, strict=True))

        def copied(sizes: Sequence[int]) -> Blocks[SymbolRows]:
            if sizes == rows.sizes or self._held.count + sum(sizes) > MOST_HELD * self.rows.count:
                return rows.blocks
            fewer = [(size < all_of,) for size, all_of in zip(sizes, rows.sizes, strict=True)]
            return self._held.hold(rows.blocks.each(alive_only, number, alive, own=fewer), sum(sizes))

        found = self._selections[states] = Selection(states, sizes, copied)
        return found


def turned(cells: Floats, steps: Steps) -> Floats:
    """Map the combinations of answers (symbols) along one axis of a tensor to new ones."""
    found = np.zeros((len(cells), steps.size, *cells.shape[2:]))
    turn(cells, steps.places, steps.weights, found)
    return found
