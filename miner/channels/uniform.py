"""Apply the uniform channel, in which a replacement is independent of the truth, to arrays of codes."""

from typing import ClassVar

import numpy as np

from collector.survey.question import Question
from miner.arrays import Floats
from miner.channels.candidates import replacement_chances
from miner.channels.replacement import ArrayReplacement, Draws
from miner.responses.responses import Codes


class UniformArrays(ArrayReplacement):
    """Replacement of every code by a draw from the published distribution of the question."""

    depends_on_truth: ClassVar[bool] = False

    def means(self, question: Question, counts: Floats) -> Floats:
        """Return the mean weight of a replacement, which is equal for all codes, in the shape of `counts`."""
        chances = question.coding.replacement_probabilities
        return np.full_like(counts, sum(float(chance) * counts[code] for code, chance in chances.items()))

    def replaced_chances(self, question: Question) -> Floats:
        """Return P(code | replaced), which is equal for all values, shape (largest code + 1, 1)."""
        return replacement_chances(question.coding)[:, None]

    def replaced(self, question: Question, codes: Codes, draws: Draws) -> Codes:
        """Draw codes from the published distribution of replacements, shape (rows,)."""
        coding = question.coding
        ends = np.cumsum(coding.replacement or (1,) * len(coding.codes))
        drawn = draws.integers(np.full(len(codes), ends[-1], dtype=np.int64))
        found: Codes = np.array(coding.codes, dtype=np.int16)[np.searchsorted(ends, drawn, side="right")]
        return found
