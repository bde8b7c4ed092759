"""The complement channel on arrays of codes: each has one partner."""

import numpy as np
from numpy.typing import NDArray

from collector.survey.question import Question
from miner.arrays import Floats
from miner.channels.candidates import code_chances
from miner.channels.replacement import ArrayReplacement, Draws
from miner.responses.responses import NOT_ASKED, Codes


def complement_table(question: Question) -> NDArray[np.int16]:
    """The complement of each code, as an array to index with codes; a plain code is its own, `NOT_ASKED` too."""
    table = np.append(np.arange(question.codes[-1] + 1), NOT_ASKED).astype(np.int16)
    if question.coding.complements is not None:
        table[list(question.codes)] = question.coding.complements
    return table


class ComplementArrays(ArrayReplacement):
    """Every code complemented."""

    def partners(self, question: Question) -> NDArray[np.int16]:
        """The complements."""
        return complement_table(question)

    def means(self, question: Question, counts: Floats) -> Floats:
        """The count of each code's complement: an array like `counts`."""
        return counts[complement_table(question)]

    def replaced_chances(self, question: Question) -> Floats:
        """P(complement | value): shape (largest code + 1, values)."""
        return code_chances(question.coding)[complement_table(question)[:-1]]

    def replaced(self, question: Question, codes: Codes, draws: Draws) -> Codes:
        """The complements of codes: shape (rows,)."""
        del draws
        return complement_table(question)[codes]
