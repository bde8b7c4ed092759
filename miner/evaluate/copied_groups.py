"""The signed copies that one group contributes, written out or drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from collector.question import Question
from collector.survey import Group, Survey
from miner.evaluate.copied_states import LARGEST_KEY, Floats, States, distinct
from miner.responses import NOT_ASKED, Codes, Values, values_of_codes
from miner.weights import asked_ends, complement_table, signed_weights

SMALLEST = 1e-300


def _drawn(weights: Floats, lots: Floats) -> tuple[Values, Floats]:
    """One entry of each row for each of its lots, drawn by the size of its weight; what it then counts.

    Args:
        weights: Shape (rows, entries): signed.
        lots: Shape (rows, draws): from 0 to 1.

    Returns:
        Shape (rows, draws), both: which entry, and the sum of the absolute weights with its sign.
    """
    sizes = np.abs(weights).sum(axis=1, keepdims=True)
    ends = np.cumsum(np.abs(weights), axis=1) / np.maximum(sizes, SMALLEST)
    picked = np.minimum((lots[:, :, None] >= ends[:, None, :]).sum(axis=2), weights.shape[1] - 1)
    return picked.astype(np.int16), sizes * np.sign(np.take_along_axis(weights, picked, axis=1))


@dataclass(frozen=True, eq=False)
class Part:
    """The touched questions of one group, or those that are sent as they are.

    Attributes:
        questions: Touched, the target among them if it belongs here.
        columns: Where they stand in the survey.
        survey: Whose questions they are.
        group: None for those sent as they are.
        target: Name of the class question.
    """

    questions: tuple[Question, ...]
    columns: tuple[int, ...]
    survey: Survey
    group: Group | None
    target: str

    @property
    def uniform(self) -> bool:
        """Whether replacements are drawn whatever the truth."""
        return self.group is not None and self.group.channel.name == "uniform"

    @property
    def states(self) -> int:
        """In how many ways the touched questions can be answered; 2^62 where more: that weighs the same in floats."""
        return min(prod(len(question.codes) for question in self.questions), LARGEST_KEY)

    @property
    def number(self) -> int:
        """How many copies of a response there are whose weight is not 0."""
        if self._uneven:
            return min(prod(len(question.values) for question in self.questions), LARGEST_KEY)
        if any(0 in pair for pair in self._ends):
            return 1
        return self.states if self.uniform else 2

    @cached_property
    def size(self) -> float:
        """The largest sum of absolute weights."""
        if not self._uneven:
            return max(abs(own) + abs(rest) for own, rest in self._ends)
        if len(self.questions) > 1:
            largest = prod(float(np.abs(own).sum(axis=1).max()) for own, _ in self._readings)
            return max(abs(kept) * largest + abs(replaced) for kept, replaced in self._coins)
        ((own, lie),) = self._readings
        return max(float(np.abs(kept * own + replaced * lie).sum(axis=1).max()) for kept, replaced in self._coins)

    @property
    def _uneven(self) -> bool:
        """Whether copies weigh differently from value to value."""
        codings = [question.coding for question in self.questions]
        return self.uniform and any(coding.shared or coding.replacement is not None for coding in codings)

    @cached_property
    def _readings(self) -> list[tuple[Floats, Floats]]:
        """For each question what a code that is the truth's counts for each value, and what a replacement does.

        Shapes (codes up to the largest, values) and (values,).
        """
        found = []
        for question in self.questions:
            own, chances = np.zeros((question.codes[-1] + 1, len(question.values))), np.zeros(question.codes[-1] + 1)
            for code, chance in question.coding.replacement_probabilities.items():
                own[code] = [float(weight) for weight in question.coding.reading[code]]
                chances[code] = float(chance)
            found.append((own, chances @ own))
        return found

    @property
    def _coins(self) -> list[tuple[float, float]]:
        """The signed weights of the truth and of a replacement.

        Where they depend on what else was asked, the smallest and the largest.
        """
        if self.group is None:
            return [(1.0, 0.0)]
        names = [question.name for question in self.questions]
        channels = [self.survey.channel_at(self.group, end) for end in asked_ends(self.survey, self.group, names)]
        return [(float(own), float(replaced)) for own, replaced in (channel.weights for channel in channels)]

    @property
    def _ends(self) -> list[tuple[float, float]]:
        """The signed weight of what was sent, and of all the rest together, with each of the `_coins`."""
        return [self._shared_out(*pair) for pair in self._coins]

    def _shared_out(self, own: Any, replaced: Any) -> tuple[Any, Any]:  # noqa: ANN401 - numbers, or arrays of them
        if not self.uniform:
            return own, replaced
        return own + replaced / self.states, replaced * (1 - 1 / self.states)

    def _shares(self, codes: Codes) -> tuple[Floats, Floats]:
        """The same for each response: two arrays of shape (rows, 1), or (1, 1) where all share them."""
        if self.group is None:
            return np.ones((1, 1)), np.zeros((1, 1))
        own, rest = self._shared_out(*self._signed(codes))
        return own, rest

    def _signed(self, codes: Codes) -> tuple[Floats, Floats]:
        """The signed weights of the truth and of a replacement for each response, as `_shares` has them."""
        assert self.group is not None  # noqa: S101 - what is sent as it is has no coin
        pair = signed_weights(self.survey, self.group, codes != NOT_ASKED)
        own, replaced = (np.asarray(each, np.float64).reshape(-1, 1) for each in pair)
        return own, replaced

    def enumerated(self, codes: Codes) -> States:
        """Every copy with a weight that is not 0, for responses of shape (rows, questions of the survey)."""
        if self._uneven:
            every = np.array(list(product(*(range(len(question.values)) for question in self.questions))), np.int16)
            return self._states(np.repeat(every[None], len(codes), axis=0), self._read(codes, every))
        values, others = self._values(codes)
        own, rest = self._shares(codes)
        if self.uniform:
            shifts = np.array(list(product(*(range(len(question.codes)) for question in self.questions))), np.int16)
            options = (values[:, None, :] + shifts) % self._kinds
            weight = np.concatenate([own, *[rest / max(1, self.states - 1)] * (self.states - 1)], axis=1)
        else:
            options = np.stack([values, others], axis=1)
            weight = np.concatenate([own, rest], axis=1)
        some = (weight != 0).any(axis=0)
        return self._states(options[:, some], weight[:, some])

    def drawn(self, codes: Codes, draws: int, rng: np.random.Generator) -> States:
        """So many copies of each response, drawn by the size of their weights; on average they weigh 1 each."""
        if self._uneven:
            return (self._drawn_value if len(self.questions) == 1 else self._drawn_values)(codes, draws, rng)
        values, others = self._values(codes)
        own, rest = self._shares(codes)
        if not rest.any():
            return self._states(values[:, None, :], np.ones((1, 1)))
        size = np.abs(own) + np.abs(rest)
        kept = rng.random((len(codes), draws)) < np.abs(own) / size
        weight = np.where(kept, size * np.sign(own), size * np.sign(rest))
        replaced = others[:, None, :]
        if self.uniform:
            replaced = (values[:, None, :] + self._shifts((len(codes), draws), rng)) % self._kinds
        return self._states(np.where(kept[:, :, None], values[:, None, :], replaced), weight)

    def _read(self, codes: Codes, values: Values) -> Floats:
        """What each response counts for each of these rows of values, shape (responses, rows)."""
        kept, replaced = self._signed(codes)
        own, lies = np.ones((len(codes), len(values))), np.ones(len(values))
        for (read, lie), column, some in zip(self._readings, self.columns, values.T, strict=True):
            own *= read[codes[:, column]][:, some]
            lies *= lie[some]
        return np.asarray(kept * own + replaced * lies)

    def _drawn_value(self, codes: Codes, draws: int, rng: np.random.Generator) -> States:
        """The same of one question where copies weigh differently from value to value."""
        every = np.arange(len(self.questions[0].values), dtype=np.int16)[:, None]
        values, sizes = _drawn(self._read(codes, every), rng.random((len(codes), draws)))
        return self._states(values[:, :, None], sizes)

    def _drawn_values(self, codes: Codes, draws: int, rng: np.random.Generator) -> States:
        """The same of several: first whether a copy is of what was sent or of a replacement, then each value."""
        kept, replaced = self._signed(codes)
        shape = (len(codes), draws)
        picked = [
            (_drawn(own[codes[:, column]], rng.random(shape)), _drawn(np.tile(lie, (len(codes), 1)), rng.random(shape)))
            for (own, lie), column in zip(self._readings, self.columns, strict=True)
        ]
        own, rest = (pair * prod(each[number][1] for each in picked) for number, pair in ((0, kept), (1, replaced)))
        size = np.abs(own) + np.abs(rest)
        truthful = rng.random(shape) < np.abs(own) / size
        values = np.stack([np.where(truthful, one[0], other[0]) for one, other in picked], axis=2)
        return self._states(values, size * np.sign(np.where(truthful, own, rest)))

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
        table = np.full((len(found), len(self.survey.questions)), -1, np.int16)
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
            parts.append(Part(questions, tuple(columns), survey, group, target))
    return parts


def largest_sum(parts: Sequence[Part]) -> float:
    """The largest sum of the absolute weights of the copies of a response: how far estimates may scatter."""
    return prod(part.size for part in parts)
