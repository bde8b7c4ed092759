"""Surveys for the modes of learners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.responses.responses import Values

QUESTION = '[[questions]]\nname = "q{0}"\nlabel = "Question {0}"\nkind = "yes_no"\ngroup = "{1}"\n'


def bits_survey(questions: int, truth: str) -> Survey:
    """Yes-no questions in two groups; the last is the target."""
    asked = "".join(QUESTION.format(number, "ab"[number % 2]) for number in range(questions))
    groups = f'[groups]\na = {{ truth = "{truth}" }}\nb = {{ truth = "{truth}" }}\n'
    return parse_survey(
        f'name = "bits"\ntitle = "Bits"\nlanguages = ["en"]\n{asked}{groups}[mining]\ntarget = "q{questions - 1}"\n'
    )


def alike(people: int, questions: int, generator: np.random.Generator) -> Values:
    """Rows whose bits all follow one hidden bit, nine times in ten."""
    hidden = generator.integers(0, 2, (people, 1))
    flips = generator.random((people, questions)) < 0.1
    rows: NDArray[np.int16] = (hidden ^ flips).astype(np.int16)
    return rows
