"""What is sent in place of the truth, on arrays of codes: any replacement, from its exact chances.

A new channel works with this as it stands; `miner.channels.complement` and `miner.channels.uniform` are faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any, ClassVar, Protocol

import numpy as np

from collector.channel.replacement import Replacement
from collector.channel.value_channel import whole_transition
from collector.coding.common_denominator import whole
from collector.survey.question import Question
from miner.arrays import Floats
from miner.channels.candidates import code_chances, every_combination
from miner.responses.responses import Codes, Values


class Draws(Protocol):
    """A source of randomness: a `numpy.random.Generator`, or `miner.simulation.simulation.SystemDraws`."""

    def integers(self, low: Any, /) -> Any:  # noqa: ANN401 - numpy's own signature is an overload of dozens
        """For each positive bound of an array, an integer from 0 up to and not including it."""


class ArrayReplacement:
    """A replacement on arrays of codes.

    Args:
        exact: Its fractions.

    Attributes:
        depends_on_truth: Whether `means` may differ from one code to another.
    """

    depends_on_truth: ClassVar[bool] = True

    def __init__(self, exact: Replacement) -> None:
        self._exact = exact

    def means(self, question: Question, counts: Floats) -> Floats:
        """What the replacement of each code counts on average.

        Args:
            question: Of the group.
            counts: What each code counts, to be indexed with codes; the last stands for `NOT_ASKED`.

        Returns:
            An array like `counts`.
        """
        found = counts.copy()
        for code in question.codes:
            chances = self._exact.sent(code, question.coding)
            found[code] = sum(float(chance) * counts[other] for other, chance in chances.items())
        return found

    def candidate_count(self, questions: Sequence[Question]) -> int:
        """How many combinations of values `candidates` gives for each row."""
        return prod(len(question.values) for question in questions)

    def candidates(self, questions: Sequence[Question], codes: Codes, truth: float) -> tuple[Values, Floats]:
        """The values that may be behind codes, and P(codes sent | values).

        Args:
            questions: Some or all that were asked of the group.
            codes: What was sent for them: shape (rows, questions).
            truth: theta where these respondents' questions are asked.

        Returns:
            Values, shape (rows, candidates, questions), and chances, shape (rows, candidates).
        """
        every = every_combination(len(codes), questions)
        own, replaced = np.ones(every.shape[:2]), np.ones(every.shape[:2])
        for number, question in enumerate(questions):
            at = codes[:, number, None], every[:, :, number]
            own *= code_chances(question)[at]
            replaced *= self._replaced_chances(question)[at]
        return every, truth * own + (1 - truth) * replaced

    def replaced(self, question: Question, codes: Codes, draws: Draws) -> Codes:
        """What is sent in place of true codes of one question: shape (rows,), drawn exactly."""
        sent = codes.copy()
        for code in question.codes:
            rows = np.flatnonzero(codes == code)
            chances = self._exact.sent(code, question.coding)
            parts, over = whole(chances.values())
            drawn = draws.integers(np.full(len(rows), over, dtype=np.int64))
            choices = np.array(list(chances), dtype=np.int16)
            sent[rows] = choices[np.searchsorted(np.cumsum(parts), drawn, side="right")]
        return sent

    def _replaced_chances(self, question: Question) -> Floats:
        """P(code sent | value, replaced), as an array to index with codes and values."""
        rows, over = self._exact.replaced_chances(question.coding, *whole_transition(question.coding, None))
        chances = np.zeros((question.codes[-1] + 1, len(question.values)))
        for code, row in rows.items():
            chances[code] = [float(Fraction(each, over)) for each in row]
        return chances
