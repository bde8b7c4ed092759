"""Different responses, packed, with how often each occurs; and tensors of them, counted in passes over all."""

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.responses.tally import Counts, Packing, Words
from miner.trees.axes import Axes, State
from miner.trees.tally import UNTOUCHED
from miner.trees.tensor_loops import Fields, fill, turn

FIELD = 10  # bits that are looked up at once
PARTS, PART = 8, 2**20  # that are counted side by side, if one has so many responses
MOST_FACTORS = 2**10  # that are looked up at once
SMALL = 2**16  # cells, of which each part may have its own
Places = NDArray[np.intp]


class Copy(NamedTuple):
    """One reading of all responses: as they were sent, or replaced.

    Attributes:
        unit: Shape (2,): what a response counts, and its square.
        places: For each question what each code adds to the symbol of its axis; of the target, to the column.
    """

    unit: Floats
    places: dict[int, Places]


class PackedRows:
    """Different responses, packed, with how often each occurs.

    Args:
        axes: Of the survey.
        packing: Of all questions.
        words: Shape (words, different responses).
        counts: Shape (different responses,).
        room: How many cells a tensor of them may have, for each.

    Attributes:
        axes: As given.
        room: As given.
        root: The axes before any split.
        classes: Shape (classes, columns, 2): what a column of a tensor counts for a class, and its square.
    """

    def __init__(self, axes: Axes, packing: Packing, words: Words, counts: Counts, room: float) -> None:
        self.axes, self.room = axes, room
        self._packing, self._words, self._counts = packing, words, counts
        disguise = axes.disguise
        home = disguise.home[disguise.target]
        beside = [each for each in axes.root if 0 <= home == disguise.home[axes.members[each.axis][0]]]
        self.root: tuple[State, ...] = tuple(
            each._replace(opened=True) if each in beside else each for each in axes.root
        )
        if beside:
            self._copies, self.classes = self._opened(self.root[beside[0].axis])
        else:
            self._copies, self.classes = [Copy(np.ones(2), self._sent(self.root))], self._columns()

    def __len__(self) -> int:
        return len(self._counts)

    def _sent(self, states: Iterable[State]) -> dict[int, Places]:
        """The places of codes as sent."""
        target = self.axes.disguise.target
        places = {target: self.axes.places(target)}
        for state in states:
            stride = 1
            for question in reversed(self.axes.members[state.axis]):
                places[question] = self.axes.places(question) * stride
                stride *= len(self.axes.pairs[question])
        return places

    def _columns(self) -> Floats:
        """`classes`, where a column is what was sent of the target."""
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

    def _opened(self, state: State) -> tuple[list[Copy], Floats]:
        """Copies and classes, where the coin of the target is that of an axis, and so is open from the start."""
        disguise, members, target = self.axes.disguise, self.axes.members[state.axis], self.axes.disguise.target
        home, count, drawn = disguise.home[target], disguise.classes, self.axes.is_drawn(state)
        others = self._sent(each for each in self.root if each is not state)
        copies = [
            Copy(np.array([each, each * each]), dict(others)) for each in disguise.shares[home, UNTOUCHED].tolist()
        ]
        stride = 1
        for question in reversed(members):
            for copy, values in zip(copies, self.axes.values(question), strict=True):
                copy.places[question] = values * stride
            stride *= disguise.kinds[question]
        for copy, values in zip(copies, self.axes.values(target), strict=True):
            copy.places[target] = values
        classes = np.zeros((count, count + drawn, 2))
        classes[range(count), range(count)] = 1.0
        if drawn:
            shares = disguise.odds[target, :count] / disguise.odds[target, :count].sum()
            classes[:, count] = np.column_stack([shares, shares**2])
            for question, place in ((target, count), *zip(members, (stride, *[0] * len(members)), strict=False)):
                copies[1].places[question][:] = place
        return copies, classes

    def tensor(self, dims: Mapping[int, int], paths: Mapping[int, Floats]) -> Floats:
        """Sums by the symbols of some axes, and by column.

        Args:
            dims: The axes, in the order of the result, with the number of their symbols at the root; 1 to sum over one.
            paths: What the symbols at the root became on the path to a node, of each axis that was asked: shape (new
                symbols, old symbols, 2).

        Returns:
            Shape (new symbols of all these axes together, columns, 2).
        """
        columns = self.classes.shape[1]
        kept = {axis: size for axis, size in dims.items() if size > 1}
        cells = np.zeros((prod(kept.values()) * columns, 2))
        strides, stride = {}, columns
        for axis in reversed(list(kept)):
            strides[axis], stride = stride, stride * kept[axis]
        factors = {axis: each.sum(axis=0) for axis, each in paths.items() if axis not in kept}
        for copy in self._copies:
            self._filled(self._fields(copy, strides, factors), copy.unit, cells)
        before = 1
        for axis, size in kept.items():
            if axis not in paths:
                before *= size
                continue
            old = cells.reshape(before, size, -1, 2)
            cells = np.zeros((before, len(paths[axis]), *old.shape[2:]))
            turn(old, paths[axis], cells)
            before *= len(paths[axis])
        return cells.reshape(-1, columns, 2)

    def _filled(self, fields: Fields, unit: Floats, cells: Floats) -> None:
        parts = min(PARTS, len(self) // PART) if len(cells) <= SMALL else 1
        if parts <= 1:
            fill(self._words, self._counts, fields, unit, cells)
            return
        ends = [len(self) * each // parts for each in range(parts + 1)]

        def counted(part: int) -> Floats:
            own, some = np.zeros_like(cells), slice(ends[part], ends[part + 1])
            fill(self._words[:, some], self._counts[some], fields, unit, own)
            return own

        with ThreadPoolExecutor(os.cpu_count()) as threads:
            for own in threads.map(counted, range(parts)):  # in their order: rounding depends on no thread
                cells += own

    def _fields(self, copy: Copy, strides: Mapping[int, int], factors: Mapping[int, Floats]) -> Fields:
        """What to read of each response for the cell and for the factors."""
        target, members = self.axes.disguise.target, self.axes.members
        wanted = [{target: copy.places[target]}]
        wanted[0] |= {each: copy.places[each] * stride for axis, stride in strides.items() for each in members[axis]}
        together = []  # of several axes at once
        for some in bundles(list(factors), {axis: len(each) for axis, each in factors.items()}, 1, MOST_FACTORS):
            joint: Floats = np.ones((1, 2))
            places: dict[int, Places] = {}
            for axis in reversed(some):
                places |= {each: copy.places[each] * len(joint) for each in members[axis]}
                joint = (factors[axis][:, None] * joint[None]).reshape(-1, 2)
            wanted.append(places)
            together.append(joint)
        found: list[tuple[int, int, int, Places]] = []
        begin = [0]
        for each in wanted:
            found += self._lookups(each)
            begin.append(len(found))
        padded = np.zeros((len(wanted), max(map(len, together), default=1), 2))
        for number, joint in enumerate(together, 1):
            padded[number, : len(joint)] = joint
        table = np.zeros((len(found), max(len(each[3]) for each in found)), np.uint64)
        for number, (*_, adds) in enumerate(found):
            table[number, : len(adds)] = adds
        return Fields(
            np.array([each[0] for each in found], np.uint64),
            np.array([each[1] for each in found], np.uint64),
            np.array([(1 << each[2]) - 1 for each in found], np.uint64),
            table,
            np.array(begin, np.uint64),
            padded,
        )

    def _lookups(self, places: Mapping[int, Places]) -> list[tuple[int, int, int, Places]]:
        """Neighbouring questions looked up together: word, lowest bit, bits, and what the bits add to the index."""
        found: list[tuple[int, int, int, Places]] = []
        for question, (word, shift, bits) in enumerate(self._packing.fields):
            if question not in places:
                continue
            own = np.zeros(1 << bits, np.intp)
            own[: len(places[question])] = places[question][: len(own)]
            if found and found[-1][0] == word and found[-1][1] + found[-1][2] - shift <= FIELD:
                _, low, wide, above = found.pop()
                gap = low - shift - bits
                joint = np.add.outer(above, np.zeros(1 << gap, np.intp)).ravel()
                found.append((word, shift, wide + low - shift, np.add.outer(joint, own).ravel()))
            else:
                found.append((word, shift, bits, own))
        return found


def bundles(axes: Sequence[int], dims: Mapping[int, int], columns: int, most: int) -> list[list[int]]:
    """Some axes together, as many as have so many cells at most; each in one bundle."""
    found: list[list[int]] = []
    size = most + 1
    for axis in axes:
        if size * dims[axis] > most:
            found.append([])
            size = columns
        found[-1].append(axis)
        size *= dims[axis]
    return found
