"""Return, as arrays, the values that codes may stand for, and the probabilities of codes given a value."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from collector.coding.coding import Coding
from collector.survey.question import Question
from miner.arrays import Floats
from miner.responses.responses import Values


def every_combination(patterns: int, questions: Sequence[Question]) -> Values:
    """Return all combinations of the values of some questions, shape (patterns, combinations, questions)."""
    every = np.array(list(product(*(range(len(question.values)) for question in questions))), np.int16)
    return np.broadcast_to(every, (patterns, *every.shape))


def code_chances(coding: Coding) -> Floats:
    """Return P(code | value) as an array indexed by code and value."""
    chances = np.zeros((coding.codes[-1] + 1, len(coding.draws)))
    for value in range(len(coding.draws)):
        for code, chance in coding.draw_probabilities(value).items():
            chances[code, value] = float(chance)
    return chances


def replacement_chances(coding: Coding) -> Floats:
    """Return P(code | replaced) under the uniform channel, as an array indexed by code."""
    chances = np.zeros(coding.codes[-1] + 1)
    for code, chance in coding.replacement_probabilities.items():
        chances[code] = float(chance)
    return chances
