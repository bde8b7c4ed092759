"""Sum the weights of responses by answers, and transform and sum tensors, in compiled loops (`miner.trees.tensors`).

A cell of a tensor has two numbers: a sum of weights, and a sum of squared weights. Indices are unsigned, because Numba
spends much time on checking signed indices.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Flags, Floats, Indices
from miner.compiled import bare, compiled
from miner.responses.tally import Counts

Symbols = NDArray[np.unsignedinteger[Any]]
Word = np.uint64
ZERO, ONE = np.uint64(0), np.uint64(1)
BLOCK = 256  # number of responses handled at once; their intermediate results fit the fastest cache


class Weighing(NamedTuple):
    """Factors that weight responses, and the cells to which responses are added.

    Attributes:
        bundles: Indices of the bundles of axes (groups of questions) that have factors, shape (bundles with factors,).
        factors: Factor of a response for each symbol, and its square, shape (bundles with factors, symbols, 2).
        split: Index of the bundle that contains the axis of the split.
        layers: Set of cells (layer) for each symbol of the bundle in `split`, shape (symbols,).
        wanted: Flags of the bundles whose cells are filled, shape (all bundles,).
    """

    bundles: Symbols
    factors: Floats
    split: int
    layers: Symbols
    wanted: Flags


@bare
def add(  # noqa: PLR0913, PLR0917 - machine code takes flat arguments
    symbols: Symbols, start: int | Word, count: int | Word, layer: Symbols, before: Floats, after: Floats, cells: Floats
) -> None:
    """Add a block of responses to the sums of one bundle of groups of questions.

    Args:
        symbols: Combination of answers (symbol) of each response, shape (responses,).
        start: Index of the block's first response.
        count: Number of responses in the block.
        layer: Layer (set of cells with equal weights) that each response is added to, shape (block,).
        before: First factor of each response's weight, and its square, shape (block, 2).
        after: Second factor of each response's weight, and its square, shape (block, 2).
        cells: Cells that the responses are added to, shape (layers, symbols, 2).
    """
    for row in range(count):
        cell, above = symbols[start + row], layer[row] if len(cells) > 1 else ZERO
        cells[above, cell, 0] += before[row, 0] * after[row, 0]
        cells[above, cell, 1] += before[row, 1] * after[row, 1]


@compiled
def sweep(symbols: Symbols, counts: Counts, how: Weighing, unit: Floats, cells: Floats) -> None:
    """Add each response to the sums of each wanted bundle of questions, weighted by its answers in other bundles.

    Args:
        symbols: Combination of answers (symbol) of each response in each bundle, shape (all bundles, responses).
        counts: Number of times that each response occurs, shape (responses,).
        how: Factors of the responses' weights, and the sets of cells (layers) to fill.
        unit: Weight of one response, and the square of the weight.
        cells: Cells that are filled, shape (all bundles, layers, symbols, 2).
    """
    asked, responses, split = np.uint64(len(how.bundles)), np.uint64(len(counts)), np.uint64(how.split)
    own = np.zeros(len(symbols), np.bool_)
    layer, ones = np.empty(BLOCK, np.uint64), np.ones((BLOCK, 2))
    factor = np.empty((len(how.bundles), BLOCK, 2))
    before = np.empty((len(how.bundles) + 1, BLOCK, 2))
    after = before[asked]  # the product of all factors, and then of those that follow
    for start in range(ZERO, responses, np.uint64(BLOCK)):
        count = min(np.uint64(BLOCK), responses - start)
        for row in range(count):
            before[ZERO, row, 0] = counts[start + row] * unit[0]
            before[ZERO, row, 1] = counts[start + row] * unit[1]
            layer[row] = how.layers[symbols[split, start + row]]
        for each in range(asked):
            own[how.bundles[each]] = True
            for row in range(count):
                symbol = symbols[how.bundles[each], start + row]
                factor[each, row, 0] = how.factors[each, symbol, 0]
                factor[each, row, 1] = how.factors[each, symbol, 1]
                before[each + ONE, row, 0] = before[each, row, 0] * factor[each, row, 0]
                before[each + ONE, row, 1] = before[each, row, 1] * factor[each, row, 1]
        for some in range(np.uint64(len(symbols))):
            if how.wanted[some] and not own[some]:
                there = cells[some, :1] if some == split else cells[some]
                add(symbols[some], start, count, layer, after, ones, there)
        after[:count] = 1.0
        for each in range(asked):
            last = asked - ONE - each
            some = how.bundles[last]
            if how.wanted[some]:
                there = cells[some, :1] if some == split else cells[some]
                add(symbols[some], start, count, layer, before[last], after, there)
            for row in range(count):
                after[row, 0] *= factor[last, row, 0]
                after[row, 1] *= factor[last, row, 1]


@compiled
def select(symbols: Symbols, counts: Counts, some: Indices, chosen: Symbols, times: Counts) -> None:
    """Copy the chosen responses to another array.

    Args:
        symbols: Combination of answers (symbol) of each copy of a response, shape (copies, bundles, responses).
        counts: Number of times that each response occurs, shape (responses,).
        some: Indices of the chosen responses, shape (chosen responses,).
        chosen: Array that receives the symbols, shape (copies, bundles, chosen responses).
        times: Array that receives the numbers of occurrences, shape (chosen responses,).
    """
    for row in range(np.uint64(len(some))):
        times[row] = counts[np.uint64(some[row])]
    for copy in range(np.uint64(len(symbols))):
        for bundle in range(np.uint64(symbols.shape[1])):
            for row in range(np.uint64(len(some))):
                chosen[copy, bundle, row] = symbols[copy, bundle, np.uint64(some[row])]


@bare
def fill(  # noqa: PLR0913, PLR0917 - as above
    symbols: Symbols, counts: Counts, places: Symbols, factors: Floats, unit: Floats, cells: Floats
) -> None:
    """Add each response to the cell of a tensor that its answers determine.

    A response's weight is its number of occurrences times its factors.

    Args:
        symbols: Combination of answers (symbol) of each response in each bundle, shape (bundles, responses).
        counts: Number of times that each response occurs, shape (responses,).
        places: Number that each symbol adds to the index of the cell, shape (bundles, symbols).
        factors: Factor of a response for each symbol, and its square, shape (bundles, symbols, 2).
        unit: Weight of one response, and the square of the weight.
        cells: Cells that are filled, shape (cells, 2).
    """
    for row in range(np.uint64(len(counts))):
        total, squares, cell = counts[row] * unit[0], counts[row] * unit[1], ZERO
        for bundle in range(np.uint64(len(symbols))):
            symbol = np.uint64(symbols[bundle, row])
            total *= factors[bundle, symbol, 0]
            squares *= factors[bundle, symbol, 1]
            cell += places[bundle, symbol]
        cells[cell, 0] += total
        cells[cell, 1] += squares


@bare
def exclude(factors: Floats, digits: Symbols, others: Floats) -> None:
    """Compute, for each group, the product of the factors of all other groups, for given answers."""
    one, two, last = 1.0, 1.0, np.uint64(len(digits)) - ONE
    for axis in range(np.uint64(len(digits))):
        others[axis, 0], others[axis, 1] = one, two
        one *= factors[axis, digits[axis], 0]
        two *= factors[axis, digits[axis], 1]
    one, two = 1.0, 1.0
    for axis in range(np.uint64(len(digits))):
        others[last - axis, 0] *= one
        others[last - axis, 1] *= two
        one *= factors[last - axis, digits[last - axis], 0]
        two *= factors[last - axis, digits[last - axis], 1]


@compiled
def marginals(cells: Floats, weights: Floats, sizes: Symbols, factors: Floats, sums: Floats) -> None:
    """Sum the cells of a bundle by the answers of each group, weighted by the factors of the other groups.

    Args:
        cells: Cells of the bundle, shape (layers, symbols of all axes together, columns, 2).
        weights: Weight of each layer (cells with equal weights), and its square, shape (layers, 2).
        sizes: Number of symbols of each axis, shape (axes,).
        factors: Factor of each symbol, and its square, shape (axes, symbols, 2).
        sums: Array of zeros that receives the sums, shape (axes, symbols, columns, 2).
    """
    axes, columns = np.uint64(len(sizes)), np.uint64(cells.shape[2])
    digits, others, own = np.zeros(len(sizes), np.uint64), np.empty((len(sizes), 2)), np.empty((cells.shape[2], 2))
    for cell in range(np.uint64(cells.shape[1])):
        own[:] = 0.0
        for layer in range(np.uint64(len(cells))):
            for column in range(columns):
                own[column, 0] += weights[layer, 0] * cells[layer, cell, column, 0]
                own[column, 1] += weights[layer, 1] * cells[layer, cell, column, 1]
        exclude(factors, digits, others)
        for axis in range(axes):
            for column in range(columns):
                sums[axis, digits[axis], column, 0] += others[axis, 0] * own[column, 0]
                sums[axis, digits[axis], column, 1] += others[axis, 1] * own[column, 1]
        for back in range(axes):
            place = axes - ONE - back
            digits[place] += ONE
            if digits[place] < sizes[place]:
                break
            digits[place] = ZERO


@bare
def turn(cells: Floats, places: Indices, weights: Floats, turned: Floats) -> None:
    """Map the symbols (indices) of one axis of a tensor to new symbols (`miner.trees.axes.Steps`).

    Args:
        cells: Cells of the tensor, shape (before, old symbols, after, 2).
        places: New symbol (combination of answers) of each copy of a response, shape (copies, old symbols).
        weights: Weight of each copy of a response, and its square, shape (copies, old symbols, 2).
        turned: Array of zeros that receives the result, shape (before, new symbols, after, 2).
    """
    for before in range(np.uint64(cells.shape[0])):
        for copy in range(np.uint64(places.shape[0])):
            for old in range(np.uint64(places.shape[1])):
                total, squares, new = weights[copy, old, 0], weights[copy, old, 1], np.uint64(places[copy, old])
                if squares == 0.0:
                    continue
                for after in range(np.uint64(cells.shape[2])):
                    turned[before, new, after, 0] += total * cells[before, old, after, 0]
                    turned[before, new, after, 1] += squares * cells[before, old, after, 1]


@bare
def halve(cells: Floats, first: Floats, second: Floats) -> None:
    """Sum a tensor over the second half of its dimensions, and over the first half.

    Args:
        cells: Cells of the tensor, shape (one half, other half, numbers).
        first: Array of zeros that receives the sums over the second half, shape (one half, numbers).
        second: Array of zeros that receives the sums over the first half, shape (other half, numbers).
    """
    for one in range(np.uint64(cells.shape[0])):
        for other in range(np.uint64(cells.shape[1])):
            for number in range(np.uint64(cells.shape[2])):
                first[one, number] += cells[one, other, number]
                second[other, number] += cells[one, other, number]
