"""Surveys of bits for forests, and their rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from collector.channel.channel import channel
from collector.coding.coding import balanced_coding, plain_coding
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from collector.survey.text import Text

EVERY = 10_000


Home = list[int]


def bit_survey(home: Home, channels: list[str], classes: int = 2) -> Survey:
    """Yes-no questions and a class, in these groups (-1: none), each disguised so: channel and theta."""
    made = [channel(*(text.split()[0], Fraction(text.split()[1]))) for text in channels]
    questions = []
    for number, group in enumerate(home):
        last = number == len(home) - 1
        count = classes if last else 2
        prior = (Fraction(1, count),) * count
        paired = group >= 0 and made[group].name == "complement"
        coding = balanced_coding(prior) if paired else plain_coding(count)
        name = "target" if last else f"bit_{number}"
        values = tuple("abcdefgh"[:count])
        questions.append(Question(name, Text.of(en=name), "choice", values, prior, coding, sensitive=group >= 0))
    groups = tuple(
        Group(f"group_{number}", how, tuple(q.name for q, each in zip(questions, home, strict=True) if each == number))
        for number, how in enumerate(made)
    )
    return Survey("bits", Text.of(en="Bits"), ("en",), tuple(questions), groups, "target")


def some_values(survey: Survey, count: int, seed: int) -> NDArray[np.int16]:
    """Random answers of which the class depends on the first three."""
    generator = np.random.default_rng(seed)
    values = np.column_stack([generator.integers(0, len(q.values), count) for q in survey.questions])
    told = generator.random(count) < 0.8
    values[told, -1] = (values[told, 0] + (values[told, 1] & values[told, 2])) % len(survey.questions[-1].values)
    return values.astype(np.int16)
