"""The signed copies that one group contributes, written out or drawn, and how groups are put together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from collector.question import Question
from collector.survey import Group, Survey
from miner.responses import Codes, Values, values_of_codes
from miner.weights import complement_table, group_weights

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
LARGEST_KEY = 2**62
Entry = TypeVar("Entry", bound=np.generic)


def distinct(rows: NDArray[np.int16]) -> tuple[NDArray[np.int16], Indices]:
    """The different rows of a table, and which of them each row is.

    Args:
        rows: Shape (rows, columns), entries from -1 up.
    """
    index, radix = np.zeros(len(rows), np.intp), 1
    for column in rows.T:
        kinds = int(column.max(initial=0)) + 2
        if radix * kinds > LARGEST_KEY:
            radix, index = _renumbered(index)
        index, radix = index * kinds + column + 1, radix * kinds
    _, first, index = np.unique(index, return_index=True, return_inverse=True)
    return rows[first], index


def _renumbered(index: Indices) -> tuple[int, Indices]:
    found, index = np.unique(index, return_inverse=True)
    return max(1, len(found)), index


@dataclass(frozen=True, eq=False)
class States:
    """Copies through some groups; shapes (rows, copies) may have a 1 where all share what stands there.

    Attributes:
        table: Shape (different feature rows, questions of the survey): value indices, -1 outside these groups.
        place: Shape (rows, copies): row of `table`.
        cls: Shape (rows, copies): class index; 0 as long as the target's group is not among them.
        weight: Shape (rows, copies): signed.
    """

    table: Values
    place: Indices
    cls: NDArray[np.int16]
    weight: Floats

    def crossed(self, other: Self) -> Self:
        """Every combination of both, for each row."""
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

    def beside(self, other: Self) -> Self:
        """The i-th copy of one with the i-th of the other."""
        place = self.place * len(other.table) + other.place
        return self._with(other, place, self.cls + other.cls, self.weight * other.weight)

    def _with(self, other: Self, pairs: Indices, cls: NDArray[np.int16], weight: Floats) -> Self:
        found, place = np.unique(pairs, return_inverse=True)
        table = np.maximum(self.table[found // len(other.table)], other.table[found % len(other.table)])
        return type(self)(table, place.reshape(pairs.shape), cls, weight)


@dataclass(frozen=True, eq=False)
class Part:
    """The touched questions of one group, or those that are sent as they are.

    Attributes:
        questions: Touched, the target among them if it belongs here.
        columns: Where they stand in the survey.
        width: How many questions the survey has.
        group: None for those sent as they are.
        target: Name of the class question.
    """

    questions: tuple[Question, ...]
    columns: tuple[int, ...]
    width: int
    group: Group | None
    target: str

    @property
    def uniform(self) -> bool:
        """Whether replacements are drawn uniformly."""
        return self.group is not None and self.group.channel.name == "uniform"

    @property
    def states(self) -> int:
        """In how many ways the touched questions can be answered; 2^62 where more: that weighs the same in floats."""
        return min(prod(len(question.codes) for question in self.questions), LARGEST_KEY)

    @property
    def number(self) -> int:
        """How many copies of a response there are whose weight is not 0."""
        if 0 in self.shares:
            return 1
        return self.states if self.uniform else 2

    @property
    def shares(self) -> tuple[float, float]:
        """The signed weight of what was sent, and of all the rest together."""
        if self.group is None:
            return 1.0, 0.0
        own, replaced = group_weights(self.group)
        return (own + replaced / self.states, replaced * (1 - 1 / self.states)) if self.uniform else (own, replaced)

    @property
    def size(self) -> float:
        """The sum of absolute weights."""
        return abs(self.shares[0]) + abs(self.shares[1])

    def enumerated(self, codes: Codes) -> States:
        """Every copy with a weight that is not 0, for responses of shape (rows, questions of the survey)."""
        values, others = self._values(codes)
        own, rest = self.shares
        if self.uniform:
            shifts = np.array(list(product(*(range(len(question.codes)) for question in self.questions))), np.int16)
            options = (values[:, None, :] + shifts) % self._kinds
            weight = np.array([own, *[rest / max(1, self.states - 1)] * (self.states - 1)])
        else:
            options = np.stack([values, others], axis=1)
            weight = np.array([own, rest])
        return self._states(options[:, weight != 0], weight[None, weight != 0])

    def drawn(self, codes: Codes, draws: int, rng: np.random.Generator) -> States:
        """So many copies of each response, drawn by the size of their weights; on average they weigh 1 each."""
        values, others = self._values(codes)
        own, rest = self.shares
        if not rest:
            return self._states(values[:, None, :], np.ones((1, 1)))
        kept = rng.random((len(codes), draws)) < abs(own) / self.size
        weight = np.where(kept, self.size * np.sign(own), self.size * np.sign(rest))
        replaced = others[:, None, :]
        if self.uniform:
            replaced = (values[:, None, :] + self._shifts((len(codes), draws), rng)) % self._kinds
        return self._states(np.where(kept[:, :, None], values[:, None, :], replaced), weight)

    def _shifts(self, shape: tuple[int, int], rng: np.random.Generator) -> Values:
        """Uniform among all shifts but none at all: what leads to the states that were not sent."""
        shifts = rng.integers(self._kinds, size=(*shape, len(self.questions)), dtype=np.int16)
        while not (moved := shifts.any(axis=-1)).all():
            shifts[~moved] = rng.integers(self._kinds, size=((~moved).sum(), len(self.questions)), dtype=np.int16)
        return shifts

    @property
    def _kinds(self) -> Values:
        return np.array([len(question.codes) for question in self.questions], np.int16)

    def _values(self, codes: Codes) -> tuple[Values, Values]:
        """The values of these questions as sent, and complemented."""
        sent = codes[:, list(self.columns)]
        flipped = np.empty_like(sent)
        for number, question in enumerate(self.questions):
            flipped[:, number] = complement_table(question)[sent[:, number]]
        return values_of_codes(self.questions, sent), values_of_codes(self.questions, flipped)

    def _states(self, options: Values, weight: Floats) -> States:
        """From values of shape (rows, copies, touched questions)."""
        rows, copies, _ = options.shape
        names = [question.name for question in self.questions]
        cls = np.zeros((1, 1), np.int16)
        if self.target in names:
            cls = options[:, :, names.index(self.target)]
        features = [number for number, name in enumerate(names) if name != self.target]
        found, place = distinct(options[:, :, features].reshape(rows * copies, len(features)))
        table = np.full((len(found), self.width), -1, np.int16)
        table[:, [self.columns[number] for number in features]] = found
        return States(table, place.reshape(rows, copies), cls, weight)


def parts_of(survey: Survey, asked: Collection[str], target: str) -> list[Part]:
    """What the asked questions and the target touch, group by group, those sent as they are first.

    Raises:
        QueryError: If a name is no question.
    """
    touched = {survey.question(name).name for name in (*asked, target)}
    homes = {name: group for group in survey.groups for name in group.questions}
    parts = []
    for group in (None, *survey.groups):
        columns = [
            number
            for number, question in enumerate(survey.questions)
            if question.name in touched and homes.get(question.name) is group
        ]
        if columns:
            questions = tuple(survey.questions[column] for column in columns)
            parts.append(Part(questions, tuple(columns), len(survey.questions), group, target))
    return parts


def largest_sum(parts: Sequence[Part]) -> float:
    """The largest sum of the absolute weights of the copies of a response: how far estimates may scatter."""
    return prod(part.size for part in parts)
