"""Apply the complement channel to arrays of codes."""

import numpy as np
from numpy.typing import NDArray

from collector.survey.question import Question
from miner.arrays import Floats
from miner.channels.candidates import code_chances
from miner.channels.replacement import ArrayReplacement, Draws
from miner.responses.responses import NOT_ASKED, Codes


def complement_table(question: Question) -> NDArray[np.int16]:
    """Return the complement of each code, as an array indexed by code.

    Codes without a complement, and `NOT_ASKED`, are mapped to themselves.
    """
    table = np.append(np.arange(question.codes[-1] + 1), NOT_ASKED).astype(np.int16)
    if question.coding.complements is not None:
        table[list(question.codes)] = question.coding.complements
    return table


class ComplementArrays(ArrayReplacement):
    """Replacement of every code by its complement."""

    def partners(self, question: Question) -> NDArray[np.int16]:
        """Return the complement of each code."""
        return complement_table(question)

    def means(self, question: Question, counts: Floats) -> Floats:
        """Return the weight of each code's complement, as an array of the shape of `counts`."""
        return counts[complement_table(question)]

    def replaced_chances(self, question: Question) -> Floats:
        """Return P(complement | value), shape (largest code + 1, values)."""
        return code_chances(question.coding)[complement_table(question)[:-1]]

    def replaced(self, question: Question, codes: Codes, draws: Draws) -> Codes:
        """Return the complement of each code, shape (rows,)."""
        del draws
        return complement_table(question)[codes]
