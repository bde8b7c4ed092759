"""Combine the signed copies of several groups, and merge equal rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats, Indices
from miner.responses.distinct import COUNTERS, distinct_rows
from miner.responses.responses import Values

Entry = TypeVar("Entry", bound=np.generic)


@dataclass(frozen=True, eq=False)
class States:
    """Copies for some of the groups. In a shape (rows, copies), a 1 means that the entry is shared.

    Attributes:
        table: Shape (rows to predict, questions of the survey): value indices, -1 outside these groups.
        place: Shape (rows, copies): row of `table`.
        cls: Shape (rows, copies): class index; 0 if the target's group is not included.
        weight: Shape (rows, copies): signed.
    """

    table: Values
    place: Indices
    cls: NDArray[np.int16]
    weight: Floats

    def crossed(self, other: Self) -> Self:
        """The copies for both sets of groups: all combinations, for each row."""
        sizes = (self.place.shape[1], other.place.shape[1])

        def spread(mine: NDArray[Entry]) -> NDArray[Entry]:
            return np.repeat(np.broadcast_to(mine, (len(mine), sizes[0])), sizes[1], axis=1)

        def tiled(theirs: NDArray[Entry]) -> NDArray[Entry]:
            return np.tile(np.broadcast_to(theirs, (len(theirs), sizes[1])), (1, sizes[0]))

        return self._with(
            other,
            spread(self.place) * len(other.table) + tiled(other.place),
            spread(self.cls) + tiled(other.cls),
            spread(self.weight) * tiled(other.weight),
        )

    def _with(self, other: Self, pairs: Indices, cls: NDArray[np.int16], weight: Floats) -> Self:
        found, place = np.unique(pairs, return_inverse=True)
        table = np.maximum(self.table[found // len(other.table)], other.table[found % len(other.table)])
        return type(self)(table, place.reshape(pairs.shape), cls, weight)


def beside(states: Sequence[States]) -> States:
    """Combine the i-th copy for some groups with the i-th copy for all others.

    Equal rows are merged where so few can differ that each has a counter; to sort all would take longer than to predict
    them all.
    """
    shape = np.broadcast_shapes(*(state.place.shape for state in states))
    if prod(len(state.table) for state in states) <= COUNTERS * prod(shape):
        key = np.zeros(shape, np.int64)
        for state in states:
            key = key * len(state.table) + state.place
        first, place = distinct_rows(key.reshape(-1, 1))
    else:
        first = place = np.arange(prod(shape))
    table = np.full((len(first), states[0].table.shape[1]), -1, np.int16)
    for state in states:
        some = np.flatnonzero((state.table >= 0).any(axis=0))
        table[:, some] = state.table[np.broadcast_to(state.place, shape).ravel()[first][:, None], some]
    cls, weight = states[0].cls, states[0].weight
    for state in states[1:]:
        cls, weight = cls + state.cls, weight * state.weight
    return States(table, place.reshape(shape), cls, weight)
