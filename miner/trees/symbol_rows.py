"""Sum the responses of one block, each stored as one number for each bundle (several questions that share a number).

A *bundle* is a set of groups of questions whose answers are stored as one number (`miner.trees.packed_rows`). One
number stands for all codes of a response in a bundle.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Flags, Floats
from miner.responses.blocks import processors
from miner.responses.tally import Counts, Tally
from miner.trees.tensor_loops import Symbols, Weighing, fill, marginals, select, sweep

PART = 2**20  # number of responses that one thread numbers and sums together
BUNDLE = 2**12  # largest number of cells of a bundle; several bundles fit into the cache


class Bundle(NamedTuple):
    """Several axes (groups of questions) whose codes are stored as one number.

    The lowest digit of a response's number in a bundle stands for its class.

    Attributes:
        axes: Numbers of the axes (groups of questions) in the bundle.
        sizes: Number of combinations of answers (symbols) of each axis at the root.
    """

    axes: tuple[int, ...]
    sizes: tuple[int, ...]

    def table(self, factors: Mapping[int, Floats], columns: int) -> Floats:
        """Return the product of some axes' factors for each combination of answers (cell), shape (cells, 2)."""
        joint = np.ones((1, 2))
        for axis, size in zip(self.axes, self.sizes, strict=True):
            joint = (joint[:, None] * factors.get(axis, np.ones((size, 2)))).reshape(-1, 2)
        return np.repeat(joint, columns, axis=0)

    def places(self, strides: Mapping[int, int], columns: int) -> NDArray[np.uint64]:
        """Return the position in a tensor of each combination of answers (cell) of a bundle, shape (cells,)."""
        joint = np.zeros(1, np.uint64)
        for axis, size in zip(self.axes, self.sizes, strict=True):
            joint = np.add.outer(joint, np.arange(size, dtype=np.uint64) * np.uint64(strides.get(axis, 0))).ravel()
        return np.repeat(joint, columns)


def bundled(sizes: Sequence[int], columns: int) -> list[list[int]]:
    """Combine neighbouring axes (groups of questions) to bundles with at most `BUNDLE` combinations of answers.

    Every axis (group of questions) is in exactly one bundle.
    """
    found: list[list[int]] = [[]]
    cells = columns
    for axis, size in enumerate(sizes):
        if cells * size > BUNDLE and found[-1]:
            found.append([])
            cells = columns
        found[-1].append(axis)
        cells *= size
    return found


class SymbolRows(NamedTuple):
    """Some of the distinct responses of a block, with their numbers of occurrences.

    Attributes:
        counts: Number of times that each response occurs, shape (responses,).
        symbols: Number of each response in each bundle of axes, shape (copies, bundles, responses). The class
            `PackedRows` explains why a response may have two copies (as sent, and as replaced).
    """

    counts: Counts
    symbols: Symbols

    def kept(self, some: Flags) -> "SymbolRows":
        """Return the flagged responses."""
        places = np.flatnonzero(some)
        found = np.empty((*self.symbols.shape[:2], len(places)), self.symbols.dtype)
        counts = np.empty(len(places), self.counts.dtype)
        select(self.symbols, self.counts, places, found, counts)
        return SymbolRows(counts, found)


class Margin(NamedTuple):
    """Factors for summing a bundle over all its axes but one (`miner.trees.tensor_loops.marginals`).

    Attributes:
        bundle: Number of the bundle.
        weights: Weight of each layer (cells with equal weights), and its square, shape (layers, 2).
        sizes: Number of symbols of each axis, shape (axes,).
        factors: Factor of each symbol, and its square, shape (axes, symbols, 2).
    """

    bundle: int
    weights: Floats
    sizes: Symbols
    factors: Floats


class PackedField(NamedTuple):
    """Table that turns the codes of a question into parts of the response's number in a bundle.

    Attributes:
        word: Index of the word that holds the question.
        shift: Lowest bit of the question in the word.
        mask: Mask of the question's bits after the shift.
        table: Part of the number in the bundle for each code, shape (codes,).
    """

    word: int
    shift: np.uint64
    mask: np.uint64
    table: NDArray[np.uint32]


def numbered(
    tally: Tally, fields: Sequence[Sequence[Sequence[PackedField]]], kind: type[np.uint16 | np.uint32]
) -> SymbolRows:
    """Convert the responses of a block to one number for each bundle of questions.

    Args:
        tally: Distinct responses of a block, with their numbers.
        fields: Tables of what each code adds to a response's number, for each copy of the response and each bundle.
        kind: Data type of the numbers.
    """
    words, counts = tally.words, tally.occurrences
    symbols = np.empty((len(fields), len(fields[0]), len(counts)), kind)
    for copies, own in zip(symbols, fields, strict=True):
        for numbers, adding in zip(copies, own, strict=True):
            for start in range(0, len(counts), PART):
                some = slice(start, start + PART)
                total = np.zeros(len(numbers[some]), np.uint32)
                for field in adding:
                    total += field.table[(words[field.word, some] >> field.shift) & field.mask]
                numbers[some] = total
    return SymbolRows(counts, symbols)


def alive_count(rows: SymbolRows, bundle: int, alive: Flags) -> int:
    """Return the number of responses whose answers to one bundle of questions are possible at a node."""
    return int(np.count_nonzero(np.any(alive[rows.symbols[:, bundle]], axis=0)))


def alive_only(rows: SymbolRows, bundle: int, alive: Flags, fewer: bool) -> SymbolRows:  # noqa: FBT001 - sent by place
    """Remove the responses whose answers to one bundle of questions are impossible at a node, if `fewer` is set."""
    return rows.kept(np.any(alive[rows.symbols[:, bundle]], axis=0)) if fewer else rows


def swept(rows: SymbolRows, units: Sequence[Floats], how: Weighing, shape: tuple[int, ...]) -> Floats:
    """Sum the responses of a block into cells (`miner.trees.tensor_loops.sweep`)."""
    cells, parts = np.zeros(shape), max(1, len(rows.counts) // PART)
    ends = [len(rows.counts) * each // parts for each in range(parts + 1)]

    def counted(part: int) -> Floats:
        some, sums = slice(ends[part], ends[part + 1]), np.zeros(shape)
        for unit, symbols in zip(units, rows.symbols, strict=True):
            sweep(symbols[:, some], rows.counts[some], how, unit, sums)
        return sums

    if parts == 1:
        return counted(0)
    with ThreadPoolExecutor(processors.get()) as threads:
        for sums in threads.map(counted, range(parts)):  # in their order: rounding depends on no thread
            cells += sums
    return cells


def summed(
    rows: SymbolRows,
    sweeping: tuple[Sequence[Floats], Weighing, tuple[int, ...]],
    margins: Sequence[Sequence[Margin]],
    classes: Floats,
) -> list[dict[int, Floats]]:
    """Sum the weights of a block of responses for each child node, by the answers of each group."""
    cells, columns = swept(rows, *sweeping), classes.shape[1]
    found: list[dict[int, Floats]] = []
    for child in margins:
        found.append({})
        for margin in child:
            sums = np.zeros((*margin.factors.shape[:2], columns, 2))
            size = int(np.prod(margin.sizes)) * columns
            filled_cells = cells[margin.bundle, : len(margin.weights), :size]
            shape = len(margin.weights), -1, columns, 2
            marginals(filled_cells.reshape(shape), margin.weights, margin.sizes, margin.factors, sums)
            found[-1][margin.bundle] = np.stack([sums[..., kind] @ classes[:, :, kind].T for kind in range(2)], axis=-1)
    return found


def added(one: list[dict[int, Floats]], other: list[dict[int, Floats]]) -> list[dict[int, Floats]]:
    """Add the sums over two blocks of responses."""
    return [{number: here[number] + there[number] for number in here} for here, there in zip(one, other, strict=True)]


def filled(rows: SymbolRows, units: Sequence[Floats], places: Symbols, tables: Floats, size: int) -> Floats:
    """Sum the responses of a block in a tensor (`miner.trees.tensor_loops.fill`)."""
    cells = np.zeros((size, 2))
    for unit, symbols in zip(units, rows.symbols, strict=True):
        fill(symbols, rows.counts, places, tables, unit, cells)
    return cells


def length(rows: SymbolRows) -> int:
    """Return the number of distinct responses."""
    return len(rows.counts)
