"""Signed copies of one group: candidate answers with weights, for every channel and coding."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import TypeVar

import numpy as np

from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from miner.arrays import Floats
from miner.channels.registry import arrays_of
from miner.channels.replacement import ArrayReplacement
from miner.evaluation.signed_states import DisguisedPart, Part, PlainPart, States
from miner.responses.distinct import LARGEST_KEY
from miner.responses.responses import Codes, Values, values_of_codes
from miner.trees.paths import questions_of_leaves
from miner.trees.tree import Tree

Weight = TypeVar("Weight", float, Floats)
SMALLEST = 1e-300


@dataclass(frozen=True, eq=False)
class EvenPart(DisguisedPart):
    """A part in which what was sent has one weight, and all other states have equal weights."""

    @property
    def number(self) -> int:
        """The number of copies: what was sent, and each other state."""
        return 1 if any(0 in pair for pair in self._ends) else 1 + self._others

    @property
    def size(self) -> float:
        """The sum of absolute weights: of what was sent, and of all other states."""
        return max(abs(own) + abs(rest) for own, rest in self._ends)

    def enumerated(self, codes: Codes) -> States:
        """All copies; what was sent comes first."""
        own, rest = self._shared_out(*self._signed(codes))
        options = np.concatenate([self._sent(codes)[:, None, :], self._every_other(codes)], axis=1)
        weight = np.concatenate([own, *[rest / max(1, self._others)] * self._others], axis=1)
        some = (weight != 0).any(axis=0)
        return self._states(options[:, some], weight[:, some])

    def drawn(self, codes: Codes, draws: int, rng: np.random.Generator) -> States:
        """Draw whether a copy is what was sent; if not, draw which other state it is."""
        sent = self._sent(codes)[:, None, :]
        own, rest = self._shared_out(*self._signed(codes))
        if not rest.any():
            return self._states(sent, np.ones((1, 1)))
        size = np.abs(own) + np.abs(rest)
        kept = rng.random((len(codes), draws)) < np.abs(own) / size
        weight = np.where(kept, size * np.sign(own), size * np.sign(rest))
        return self._states(np.where(kept[:, :, None], sent, self._drawn_others(codes, draws, rng)), weight)

    @property
    def _ends(self) -> list[tuple[float, float]]:
        """The signed weight of what was sent, and of all others together, with each of the `_coins`."""
        return [self._shared_out(*pair) for pair in self._coins]

    @property
    @abstractmethod
    def _others(self) -> int:
        """The number of other states."""

    @abstractmethod
    def _shared_out(self, own: Weight, replaced: Weight) -> tuple[Weight, Weight]:
        """The weights of what was sent and of all other states, from the weights of the truth and of a replacement."""

    @abstractmethod
    def _every_other(self, codes: Codes) -> Values:
        """Shape (rows, others, touched questions)."""

    @abstractmethod
    def _drawn_others(self, codes: Codes, draws: int, rng: np.random.Generator) -> Values:
        """One for each draw: shape (rows, draws, touched questions), or (rows, 1, ...) where all draws share it."""


@dataclass(frozen=True, eq=False)
class PartnerPart(EvenPart):
    """A group with one possible replacement for each code, such as its complement."""

    @property
    def _others(self) -> int:
        return 1

    def _shared_out(self, own: Weight, replaced: Weight) -> tuple[Weight, Weight]:
        return own, replaced

    def _every_other(self, codes: Codes) -> Values:
        sent = codes[:, list(self.columns)]
        partners, arrays = np.empty_like(sent), arrays_of(self.group.channel.replacement)
        for number, question in enumerate(self.questions):
            table = arrays.partners(question)
            partners[:, number] = sent[:, number] if table is None else table[sent[:, number]]
        return values_of_codes(self.questions, partners)[:, None, :]

    def _drawn_others(self, codes: Codes, draws: int, rng: np.random.Generator) -> Values:  # noqa: ARG002 - one only
        return self._every_other(codes)


@dataclass(frozen=True, eq=False)
class UniformPart(EvenPart):
    """A group in which any state is drawn alike: replacements equal to what was sent are counted with it."""

    @property
    def _others(self) -> int:
        """2^62 - 1 where there are more: that weighs the same in floats."""
        return self._count - 1

    @property
    def _count(self) -> int:
        return min(prod(len(question.codes) for question in self.questions), LARGEST_KEY)

    @property
    def _kinds(self) -> Values:
        return np.array([len(question.codes) for question in self.questions], np.int16)

    def _shared_out(self, own: Weight, replaced: Weight) -> tuple[Weight, Weight]:
        return own + replaced / self._count, replaced * (1 - 1 / self._count)

    def _every_other(self, codes: Codes) -> Values:
        shifts = np.array([*product(*(range(kinds) for kinds in self._kinds.tolist()))][1:], np.int16)
        return self._shifted(codes, shifts.reshape(-1, len(self.questions)))

    def _drawn_others(self, codes: Codes, draws: int, rng: np.random.Generator) -> Values:
        """Draws that are uniform over all states that were not sent: a shift of the sent state, other than 0."""
        shape = (len(codes), draws)
        if self._count < LARGEST_KEY:
            moves = np.unravel_index(rng.integers(1, self._count, size=shape), self._kinds)
            shifts = np.stack(moves, axis=-1).astype(np.int16)
        else:
            shifts = rng.integers(self._kinds, size=(*shape, len(self.questions)), dtype=np.int16)
            while not (moved := shifts.any(axis=-1)).all():  # more states than one number can count
                shifts[~moved] = rng.integers(self._kinds, size=((~moved).sum(), len(self.questions)), dtype=np.int16)
        return self._shifted(codes, shifts)

    def _shifted(self, codes: Codes, shifts: Values) -> Values:
        moved: Values = (self._sent(codes)[:, None, :] + shifts) % self._kinds
        return moved


@dataclass(frozen=True, eq=False)
class UnevenPart(DisguisedPart):
    """A part in which each combination of values is a copy with a separate weight."""

    @property
    def number(self) -> int:
        """The number of combinations of values."""
        return min(prod(len(question.values) for question in self.questions), LARGEST_KEY)

    @cached_property
    def size(self) -> float:
        """Exact for one question; for several an upper bound, the sum for the truth and for a replacement."""
        if len(self.questions) > 1:
            one, two = (
                prod(float(np.abs(each).sum(axis=1).max()) for each in some)
                for some in zip(*self._readings, strict=True)
            )
            return max(abs(kept) * one + abs(replaced) * two for kept, replaced in self._coins)
        ((own, other),) = self._readings
        return max(float(np.abs(kept * own + replaced * other).sum(axis=1).max()) for kept, replaced in self._coins)

    def enumerated(self, codes: Codes) -> States:
        """All combinations of values, in order."""
        every = np.array(list(product(*(range(len(question.values)) for question in self.questions))), np.int16)
        return self._states(np.repeat(every[None], len(codes), axis=0), self._read(codes, every))

    def drawn(self, codes: Codes, draws: int, rng: np.random.Generator) -> States:
        """Draw the value of one question; for several, first draw whether it is the truth or a replacement."""
        return (self._drawn_value if len(self.questions) == 1 else self._drawn_values)(codes, draws, rng)

    @cached_property
    def _readings(self) -> list[tuple[Floats, Floats]]:
        """Inverse weights of each question's codes for each value, and the mean ones of their replacements.

        Both of shape (largest code + 2, values).
        """
        arrays, found = arrays_of(self.group.channel.replacement), []
        for question in self.questions:
            own = np.zeros((question.codes[-1] + 2, len(question.values)))
            for code, weights in question.coding.reading.items():
                own[code] = [float(weight) for weight in weights]
            found.append((own, arrays.means(question, own)))
        return found

    def _read(self, codes: Codes, values: Values) -> Floats:
        """The signed weight of each response for each combination of values, shape (responses, rows)."""
        kept, replaced = self._signed(codes)
        own, other = np.ones((2, len(codes), len(values)))
        for (one, two), column, some in zip(self._readings, self.columns, values.T, strict=True):
            own *= one[codes[:, column]][:, some]
            other *= two[codes[:, column]][:, some]
        return np.asarray(kept * own + replaced * other)

    def _drawn_value(self, codes: Codes, draws: int, rng: np.random.Generator) -> States:
        every = np.arange(len(self.questions[0].values), dtype=np.int16)[:, None]
        values, sizes = _drawn(self._read(codes, every), rng.random((len(codes), draws)))
        return self._states(values[:, :, None], sizes)

    def _drawn_values(self, codes: Codes, draws: int, rng: np.random.Generator) -> States:
        kept, replaced = self._signed(codes)
        shape = (len(codes), draws)
        picked = [
            [_drawn(each[codes[:, column]], rng.random(shape)) for each in pair]
            for pair, column in zip(self._readings, self.columns, strict=True)
        ]
        own, rest = (pair * prod(each[number][1] for each in picked) for number, pair in ((0, kept), (1, replaced)))
        size = np.abs(own) + np.abs(rest)
        truthful = rng.random(shape) < np.abs(own) / size
        values = np.stack([np.where(truthful, one[0], other[0]) for one, other in picked], axis=2)
        return self._states(values, size * np.sign(np.where(truthful, own, rest)))


def _drawn(weights: Floats, lots: Floats) -> tuple[Values, Floats]:
    """Draw entries of each row with probability proportional to the absolute weight, and the weight of each draw.

    Args:
        weights: Shape (rows, entries): signed.
        lots: Shape (rows, draws): uniform random numbers from 0 to 1.

    Returns:
        Two arrays of shape (rows, draws): the index of the entry, and the sum of absolute weights with its sign.
    """
    sizes = np.abs(weights).sum(axis=1, keepdims=True)
    ends = np.cumsum(np.abs(weights), axis=1) / np.maximum(sizes, SMALLEST)
    picked = np.minimum((lots[:, :, None] >= ends[:, None, :]).sum(axis=2), weights.shape[1] - 1)
    return picked.astype(np.int16), sizes * np.sign(np.take_along_axis(weights, picked, axis=1))


def parts_of(survey: Survey, asked: Collection[str], target: str) -> list[Part]:
    """One part for each group that contains a used question or the target; first the questions sent undisguised.

    Raises:
        QueryError: If a name is no question.
    """
    touched = {survey.question(name).name for name in (*asked, target)}
    homes = {name: group for group in survey.groups for name in group.questions}
    parts = []
    for group in (None, *survey.groups):
        columns = tuple(
            number
            for number, question in enumerate(survey.questions)
            if question.name in touched and homes.get(question.name) is group
        )
        if columns:
            parts.append(_part(survey, columns, group, target))
    return parts


def _part(survey: Survey, columns: tuple[int, ...], group: Group | None, target: str) -> Part:
    questions = tuple(survey.questions[column] for column in columns)
    if group is None:
        return PlainPart(questions, columns, survey, target)
    arrays = arrays_of(group.channel.replacement)
    if all(arrays.partners(question) is not None for question in questions):
        return PartnerPart(questions, columns, survey, target, group)
    even = all(drawn_evenly(arrays, question) for question in questions)
    return (UniformPart if even else UnevenPart)(questions, columns, survey, target, group)


def largest_sum(parts: Sequence[Part]) -> float:
    """The largest sum of absolute weights of the copies of one response: a bound on its influence."""
    return prod(part.size for part in parts)


def largest_sum_at_leaves(survey: Survey, tree: Tree, target: str) -> float:
    """The largest sum of absolute weights of one response over the leaves and classes of a tree.

    It is the maximum over leaves of the value for the target and the questions on the path: at a node, the sum for the
    copies of its question, times the largest value below any child.

    Raises:
        QueryError: If the target is no question.
    """
    paths = questions_of_leaves(tree)
    longest = (each for each in paths if not any(each < other for other in paths))
    names = ([survey.questions[column].name for column in sorted(each)] for each in longest)
    return max(largest_sum(parts_of(survey, each, target)) for each in names)


def drawn_evenly(arrays: ArrayReplacement, question: Question) -> bool:
    """Whether codes are values, and each is drawn as often as any other in place of the truth."""
    odds, kinds = arrays.odds(question), len(question.values)
    return odds is not None and question.codes == tuple(range(kinds)) and bool((odds == odds[0]).all())
