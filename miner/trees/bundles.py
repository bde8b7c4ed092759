"""Axes bundled: a response has one number for the symbols of several axes together (`miner.trees.packed_rows`)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats

BUNDLE = 2**12  # cells of a bundle: so that those of several fit a cache


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
