"""Compiled: fill, transform and sum tensors (`miner.trees.tensors`). A cell is a sum of weights and one of squares."""

from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.compiled import bare
from miner.responses.tally import Counts, Words

Word = np.uint64
ZERO, ONE = np.uint64(0), np.uint64(1)


class Fields(NamedTuple):
    """Which fields of a packed response are read, and what the codes in them count.

    All are unsigned: an index that might be negative is looked after at five times the price.

    Attributes:
        word: Shape (fields,): which word of a response.
        shift: Shape (fields,): where the lowest bit is there.
        mask: Shape (fields,): all bits of the field, shifted to the lowest.
        table: Shape (fields, codes): what each code adds to the index that the field is part of.
        begin: Shape (indices + 1,): where the fields of each index begin. The first index is that of the cell; each
            further one is a place in `factors`.
        factors: Shape (indices, places, 2): what a response is multiplied by, and its square. The first is unused.
    """

    word: Words
    shift: Words
    mask: Words
    table: Words
    begin: Words
    factors: Floats


@bare
def place(words: Words, row: int, fields: Fields, index: int) -> Word:
    """The index that some fields of a response make."""
    total: Word = ZERO
    for field in range(fields.begin[np.uint64(index)], fields.begin[np.uint64(index) + ONE]):
        total += fields.table[field, (words[fields.word[field], row] >> fields.shift[field]) & fields.mask[field]]
    return total


@bare
def fill(words: Words, counts: Counts, fields: Fields, unit: Floats, cells: Floats) -> None:
    """Add each response to its cell: so often as it occurs, times the factors.

    Args:
        words: Shape (words, responses).
        counts: Shape (responses,): how often each occurs.
        fields: To be read.
        unit: What one response counts, and its square.
        cells: Shape (cells, 2).
    """
    for row in range(np.uint64(len(counts))):
        total, squares = counts[row] * unit[0], counts[row] * unit[1]
        for index in range(ONE, np.uint64(len(fields.begin) - 1)):
            where = place(words, row, fields, index)
            total *= fields.factors[index, where, 0]
            squares *= fields.factors[index, where, 1]
        where = place(words, row, fields, 0)
        cells[where, 0] += total
        cells[where, 1] += squares


@bare
def turn(cells: Floats, steps: Floats, turned: Floats) -> None:
    """Multiply one axis of a tensor by a matrix.

    Args:
        cells: Shape (before, old symbols, after, 2).
        steps: Shape (new symbols, old symbols, 2): of the sums and of the squares.
        turned: Shape (before, new symbols, after, 2), zeros at first.
    """
    for before in range(np.uint64(cells.shape[0])):
        for new in range(np.uint64(steps.shape[0])):
            for old in range(np.uint64(steps.shape[1])):
                total, squares = steps[new, old, 0], steps[new, old, 1]
                if squares == 0.0:
                    continue
                for after in range(np.uint64(cells.shape[2])):
                    turned[before, new, after, 0] += total * cells[before, old, after, 0]
                    turned[before, new, after, 1] += squares * cells[before, old, after, 1]


@bare
def halve(cells: Floats, first: Floats, second: Floats) -> None:
    """Sum a tensor over its second half of axes, and over its first.

    Args:
        cells: Shape (one half, other half, numbers).
        first: Shape (one half, numbers), zeros at first.
        second: Shape (other half, numbers), zeros at first.
    """
    for one in range(np.uint64(cells.shape[0])):
        for other in range(np.uint64(cells.shape[1])):
            for number in range(np.uint64(cells.shape[2])):
                first[one, number] += cells[one, other, number]
                second[other, number] += cells[one, other, number]
