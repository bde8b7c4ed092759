"""One pretend respondent: the Python twin of static/coding.mjs and static/disguise.mjs, word for word of chance.

A word source gives uniformly random 32-bit words. The same words give the same codes in both languages; the shared
vectors in tests/vectors tie them. Plain integers and no arrays: `miner.simulation` does whole tables at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from math import isfinite

from collector.channel import Channel, UniformChannel
from collector.coding import WORD, Coding, Draw
from collector.errors import ResponseError
from collector.question import Question
from collector.survey import Survey

Words = Callable[[], int]
"""A source of uniformly random whole numbers, 0 to 2^32 - 1."""
Answers = Mapping[str, str | float]
"""For each question one of its values, or a number for a number question."""


def draw(bound: int, words: Words) -> int:
    """A uniformly random whole number from 0 to bound - 1, exactly: words that would favour some are rejected.

    Args:
        bound: From 1 to 2^32.
        words: Where chance comes from. At least one word is taken, even where the bound is 1.

    Raises:
        ValueError: If the bound is out of range, or the source gives anything but a word.
    """
    if not 1 <= bound <= WORD:
        raise ValueError("a bound is not 1 to 2^32")
    limit = bound * (WORD // bound)
    while True:
        word = words()
        if not 0 <= word < WORD:
            raise ValueError("a word is not one of 32 bits")
        if word < limit:
            return word % bound


def code_answers(survey: Survey, answers: Answers, words: Words) -> tuple[int, ...]:
    """Code one respondent's answers.

    A value with several codes takes one draw, in question order; a value with one code takes none.

    Args:
        survey: The published design.
        answers: The truth, for every question.
        words: Where chance comes from.

    Returns:
        Codes in question order.

    Raises:
        ResponseError: Naming the first question whose answer is missing or does not fit, never the answer.
    """
    values = [_value_of(question, answers.get(question.name)) for question in survey.questions]
    return tuple(
        _draw_code(question.coding.draws[value], words)
        for question, value in zip(survey.questions, values, strict=True)
    )


def _value_of(question: Question, answer: object) -> int:
    place = f'question "{question.name}"'
    if question.kind != "number":
        if answer not in question.values:
            raise ResponseError(place, "the answer is missing or none of its values", "give one of its values")
        return question.values.index(str(answer))
    if isinstance(answer, bool) or not isinstance(answer, (int, float)) or not isfinite(answer):
        raise ResponseError(place, "the answer is missing or no number", "give a number")
    if question.minimum is not None and answer < question.minimum:
        raise ResponseError(place, "the number is below the minimum", f"give at least {question.minimum}")
    return question.interval_of(answer)


def _draw_code(draws: Sequence[Draw], words: Words) -> int:
    if len(draws) == 1:
        return draws[0][0]
    ends = list(accumulate(weight for _, weight in draws))
    point = draw(ends[-1], words)
    return next(code for (code, _), end in zip(draws, ends, strict=True) if point < end)


def disguise(survey: Survey, codes: Sequence[int], words: Words) -> tuple[int, ...]:
    """Disguise one respondent's codes, group by group, in survey order.

    Args:
        survey: The published design.
        codes: The true codes, in question order.
        words: Where chance comes from: one coin for each group; in a uniform group that is not sent as it is also one
            draw for each question.

    Returns:
        The codes that are sent, in question order.

    Raises:
        ResponseError: If the codes do not fit the survey.
    """
    if len(codes) != len(survey.questions):
        raise ResponseError("codes", "there is not one for each question", f"give {len(survey.questions)}")
    sent = {question.name: code for question, code in zip(survey.questions, codes, strict=True)}
    survey.checked_codes(sent)
    for group in survey.groups:
        truth = group.channel.truth
        if draw(truth.denominator, words) >= truth.numerator:
            for question in survey.members(group):
                sent[question.name] = _replacement(group.channel, question.coding, sent[question.name], words)
    return tuple(sent.values())


def _replacement(channel: Channel, coding: Coding, code: int, words: Words) -> int:
    if isinstance(channel, UniformChannel):
        return coding.codes[draw(len(coding.codes), words)]
    return coding.complement(code)
