"""Signed copies of a group whose replacements all have the same weight: two weights are enough."""

from abc import abstractmethod
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeVar

import numpy as np

from collector.survey.question import Question
from miner.arrays import Floats
from miner.channels.registry import arrays_of
from miner.channels.replacement import ArrayReplacement
from miner.evaluation.copied.part import DisguisedPart
from miner.evaluation.copied.states import States
from miner.responses.distinct import LARGEST_KEY
from miner.responses.responses import Codes, Values, values_of_codes

Weight = TypeVar("Weight", float, Floats)


def drawn_evenly(arrays: ArrayReplacement, question: Question) -> bool:
    """Whether codes are values, and each is drawn as often as any other in place of the truth."""
    odds, kinds = arrays.odds(question), len(question.values)
    return odds is not None and question.codes == tuple(range(kinds)) and bool((odds == odds[0]).all())


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
