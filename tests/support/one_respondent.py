"""One pretend respondent: the Python twin of `static/disguise/`, word for word of chance.

A word source gives uniformly random 32-bit words. The same words give the same codes in both languages; the shared
vectors in tests/vectors tie them. Plain integers and no arrays: `miner.simulation.simulation` does whole tables at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate
from math import isfinite

from collector.channel.coin import sharpness_parts
from collector.coding.coding import WORD, Coding, Draw
from collector.errors import ResponseError
from collector.survey.group import Group
from collector.survey.question import Question
from collector.survey.survey import Row, Survey

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


def draw_questions(survey: Survey, words: Words) -> tuple[str, ...]:
    """The names of the questions that one respondent is asked, in survey order.

    Of those that not everybody is asked, one draw for each that is, among those that are left. No word is taken where
    nothing is sampled.
    """
    names = [question.name for question in survey.questions]
    if survey.sampling is None:
        return tuple(names)
    left = [name for name in names if name not in survey.sampling.always]
    drawn = [left.pop(draw(len(left), words)) for _ in range(survey.sampling.ask - len(survey.sampling.always))]
    return tuple(name for name in names if name in {*drawn, *survey.sampling.always})


def code_answers(survey: Survey, answers: Answers, words: Words, asked: Collection[str] | None = None) -> Row:
    """Code one respondent's answers.

    A value with several codes takes one draw, in question order; a value with one code takes none.

    Args:
        survey: The published design.
        answers: The truth, for every question that is asked.
        words: Where chance comes from.
        asked: The names of the questions that are asked; None if all are.

    Returns:
        Codes in question order; None for a question that is not asked.

    Raises:
        ResponseError: Naming the first question whose answer is missing or does not fit, never the answer.
    """
    values = [
        None if asked is not None and question.name not in asked else _value_of(question, answers.get(question.name))
        for question in survey.questions
    ]
    return tuple(
        None if value is None else _draw_code(question.coding.draws[value], words)
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
    if question.whole and answer != int(answer):
        raise ResponseError(place, "the number is not whole", "give a whole number")
    if question.minimum is not None and answer < question.minimum:
        raise ResponseError(place, "the number is below the minimum", f"give at least {question.minimum}")
    if question.maximum is not None and answer > question.maximum:
        raise ResponseError(place, "the number is above the maximum", f"give at most {question.maximum}")
    return interval_of(question, answer)


def interval_of(question: Question, number: float) -> int:
    """The index of the interval a number falls in."""
    return sum(cut <= number for cut in question.cuts)


def _draw_code(draws: Sequence[Draw], words: Words) -> int:
    if len(draws) == 1:
        return draws[0][0]
    ends = list(accumulate(weight for _, weight in draws))
    point = draw(ends[-1], words)
    return next(code for (code, _), end in zip(draws, ends, strict=True) if point < end)


def disguise(survey: Survey, codes: Sequence[int | None], words: Words) -> Row:
    """Disguise one respondent's codes, group by group, in survey order.

    Args:
        survey: The published design.
        codes: The true codes, in question order; None for a question that was not asked.
        words: Where chance comes from: one coin for each group of which something was asked; in a uniform group that is
            not sent as it is also one draw for each question asked.

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
        asked = {each.name: code for each in survey.members(group) if (code := sent[each.name]) is not None}
        if not asked:
            continue
        codings = [survey.question(name).coding for name in asked]
        if _lies(group, codings, words):
            for (name, code), coding in zip(asked.items(), codings, strict=True):
                sent[name] = _replacement(coding, code, words)
    return tuple(sent.values())


def _lies(group: Group, codings: Sequence[Coding], words: Words) -> bool:
    """The group's coin, for the questions of it that are asked."""
    coin = group.channel.coin
    truthful, bound = coin.parts(*sharpness_parts(codings)) if coin.varies else coin.parts(1, 1)
    return draw(bound, words) >= truthful


def _replacement(coding: Coding, code: int, words: Words) -> int:
    if coding.complements is not None:
        return coding.complement(code)
    weights = coding.replacement or (1,) * len(coding.codes)
    return _draw_code(tuple(zip(coding.codes, weights, strict=True)), words)
