"""The values that codes may stand for, and the chances of the codes given a value, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from collector.survey.question import Question
from miner.arrays import Floats
from miner.responses.responses import Values


def every_combination(patterns: int, questions: Sequence[Question]) -> Values:
    """Every combination of the values of some questions, for each pattern: shape (patterns, candidates, questions)."""
    every = np.array(list(product(*(range(len(question.values)) for question in questions))), np.int16)
    return np.broadcast_to(every, (patterns, *every.shape))


def code_chances(question: Question) -> Floats:
    """P(code | value), as an array to index with codes and values."""
    chances = np.zeros((question.codes[-1] + 1, len(question.values)))
    for value in range(len(question.values)):
        for code, chance in question.coding.draw_probabilities(value).items():
            chances[code, value] = float(chance)
    return chances


def draw_chances(question: Question) -> Floats:
    """P(code | its value), as an array to index with codes that no two values share; 0 for one that stands for none."""
    chances: Floats = code_chances(question).sum(axis=1)
    return chances
