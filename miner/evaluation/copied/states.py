"""Combine the signed copies of several groups, and merge equal rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats, Indices
from miner.responses.distinct import LARGEST_KEY
from miner.responses.responses import Values

Entry = TypeVar("Entry", bound=np.generic)


@dataclass(frozen=True, eq=False)
class States:
    """Copies for some of the groups. In a shape (rows, copies), a 1 means that the entry is shared.

    Attributes:
        table: Shape (distinct rows, questions of the survey): value indices, -1 outside these groups.
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
    """Combine the i-th copy for some groups with the i-th copy for all others."""
    table, place = states[0].table, states[0].place
    waiting: list[States] = []
    for state in states[1:]:
        if len(table) * prod(len(each.table) for each in (*waiting, state)) > LARGEST_KEY:
            (table, place), waiting = _met(table, place, waiting), []
        waiting.append(state)
    table, place = _met(table, place, waiting)
    cls, weight = states[0].cls, states[0].weight
    for state in states[1:]:
        cls, weight = cls + state.cls, weight * state.weight
    return States(table, place, cls, weight)


def _met(table: Values, place: Indices, states: Sequence[States]) -> tuple[Values, Indices]:
    """The distinct rows of two tables side by side, and their indices."""
    for state in states:
        place = place * len(state.table) + state.place
    found, index = np.unique(place, return_inverse=True)
    rows = np.full((len(found), table.shape[1]), -1, np.int16)
    for state in reversed(states):
        rows = np.maximum(rows, state.table[found % len(state.table)])
        found //= len(state.table)
    return np.maximum(rows, table[found]), index.reshape(place.shape)
