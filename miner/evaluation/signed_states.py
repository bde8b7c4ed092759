"""Signed copies of the groups of a response: how they are combined, and what all groups share."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from collector.disclosure.false_responses import asked_ends
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from miner.arrays import Floats, Indices
from miner.responses.distinct import COUNTERS, distinct_rows
from miner.responses.responses import NOT_ASKED, Codes, Values, values_of_codes
from miner.weights.weights import signed_weights

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


@dataclass(frozen=True, eq=False)
class Part(ABC):
    """The used questions of one group, or those that are sent undisguised.

    Attributes:
        questions: The used questions, with the target if it belongs to the group.
        columns: Their indices in the survey.
        survey: The published design.
        target: Name of the class question.
    """

    questions: tuple[Question, ...]
    columns: tuple[int, ...]
    survey: Survey
    target: str

    @property
    @abstractmethod
    def number(self) -> int:
        """The number of copies of a response with a weight other than 0; at most 2^62."""

    @property
    @abstractmethod
    def size(self) -> float:
        """The largest sum of absolute weights of the copies of a response."""

    @abstractmethod
    def enumerated(self, codes: Codes) -> States:
        """All copies with a weight other than 0, of responses of shape (rows, questions of the survey)."""

    @abstractmethod
    def drawn(self, codes: Codes, draws: int, rng: np.random.Generator) -> States:
        """Copies drawn for each response with probability proportional to the absolute weight; their mean weight is 1.

        A single copy stands for all draws if a response has only one.
        """

    def _sent(self, codes: Codes) -> Values:
        """The values of these questions as sent: shape (rows, touched questions)."""
        return values_of_codes(self.questions, codes[:, list(self.columns)])

    def _states(self, options: Values, weight: Floats) -> States:
        """States of values of shape (rows, copies, touched questions)."""
        rows, copies, _ = options.shape
        names = [question.name for question in self.questions]
        cls = np.zeros((1, 1), np.int16)
        if self.target in names:
            cls = options[:, :, names.index(self.target)]
        features = [number for number, name in enumerate(names) if name != self.target]
        every = options[:, :, features].reshape(rows * copies, len(features))
        first, place = distinct_rows(every)
        table = np.full((len(first), len(self.survey.questions)), -1, np.int16)
        table[:, [self.columns[number] for number in features]] = every[first]
        return States(table, place.reshape(rows, copies), cls, weight)


@dataclass(frozen=True, eq=False)
class PlainPart(Part):
    """Questions that are sent undisguised: what was sent is the only copy."""

    @property
    def number(self) -> int:
        """One."""
        return 1

    @property
    def size(self) -> float:
        """One."""
        return 1.0

    def enumerated(self, codes: Codes) -> States:
        """The codes sent, as the only copy."""
        return self._states(self._sent(codes)[:, None, :], np.ones((1, 1)))

    def drawn(self, codes: Codes, draws: int, rng: np.random.Generator) -> States:  # noqa: ARG002 - nothing to draw
        """The codes sent, as the only copy: there is nothing to draw."""
        return self.enumerated(codes)


@dataclass(frozen=True, eq=False)
class DisguisedPart(Part):
    """The touched questions of one group."""

    group: Group

    @property
    def _coins(self) -> list[tuple[float, float]]:
        """The signed weights of the truth and of a replacement.

        Where they depend on what else was asked, the smallest and the largest.
        """
        names = [question.name for question in self.questions]
        ends = asked_ends(self.survey, self.group, names)
        weights = [self.survey.weights_at(self.group, end) for end in ends]
        return [(float(own), float(replaced)) for own, replaced in weights]

    def _signed(self, codes: Codes) -> tuple[Floats, Floats]:
        """The signed weights of the truth and of a replacement by response: two arrays, shape (rows, 1) or (1, 1)."""
        pair = signed_weights(self.survey, self.group, codes != NOT_ASKED)
        own, replaced = (np.asarray(each).reshape(-1, 1) for each in pair)
        return own, replaced
