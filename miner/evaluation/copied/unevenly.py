"""Signed copies of a group whose weights differ between values: shared codes, or replacements drawn unevenly."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from miner.arrays import Floats
from miner.channels.registry import arrays_of
from miner.evaluation.copied.part import DisguisedPart
from miner.evaluation.copied.states import States
from miner.responses.distinct import LARGEST_KEY
from miner.responses.responses import Codes, Values

SMALLEST = 1e-300


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
