"""The complement channel on arrays of codes: two candidates for each response."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from collector.survey.question import Question
from miner.arrays import Floats
from miner.channels.candidates import draw_chances
from miner.channels.replacement import ArrayReplacement, Draws
from miner.responses.responses import NOT_ASKED, Codes, Values, value_table


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
        """What the complement of each code counts: an array like `counts`."""
        return counts[complement_table(question)]

    def candidate_count(self, questions: Sequence[Question]) -> int:
        """Two: what was sent, and its complement; all, if a code stands for several values."""
        return super().candidate_count(questions) if _routed(questions) else 2

    def candidates(self, questions: Sequence[Question], codes: Codes, truth: float) -> tuple[Values, Floats]:
        """The values of the codes sent and of their complements: shape (rows, 2, questions), chances (rows, 2).

        All values, if a code stands for several.
        """
        if _routed(questions):
            return super().candidates(questions, codes, truth)
        tables = [complement_table(each) for each in questions]
        partners = np.stack([table[column] for table, column in zip(tables, codes.T, strict=True)], axis=1)
        (own, straight), (other, turned) = _values_of(questions, codes), _values_of(questions, partners)
        return np.stack([own, other], axis=1), np.stack([truth * straight, (1 - truth) * turned], axis=1)

    def replaced(self, question: Question, codes: Codes, draws: Draws) -> Codes:
        """The complements of codes: shape (rows,)."""
        del draws
        return complement_table(question)[codes]


def _routed(questions: Sequence[Question]) -> bool:
    return any(question.coding.routed for question in questions)


def _values_of(questions: Sequence[Question], codes: Codes) -> tuple[Values, Floats]:
    values, chance = np.empty(codes.shape, np.int16), np.ones(len(codes))
    for number, question in enumerate(questions):
        values[:, number] = value_table(question)[codes[:, number]]
        chance *= draw_chances(question)[codes[:, number]]
    return values, chance
