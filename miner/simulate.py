"""One pretend respondent: the Python twin of static/coding.mjs, disguise.mjs and sampling.mjs, word for word of chance.

A word source gives uniformly random 32-bit words. The same words give the same codes in both languages; the shared
vectors in tests/vectors tie them. Plain integers and no arrays: `miner.simulation` does whole tables at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate
from math import isfinite

from collector.coding import WORD, Coding, Draw
from collector.errors import ResponseError
from collector.group import Group
from collector.odds_channel import OddsChannel, sharpness_parts
from collector.pair_channel import TogetherChannel
from collector.pair_coding import AFFINE, SUBSETS, PairCode, PairCoding, mask_digits
from collector.question import Question
from collector.survey import Row, Survey

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
    if question.minimum is not None and answer < question.minimum:
        raise ResponseError(place, "the number is below the minimum", f"give at least {question.minimum}")
    return question.interval_of(answer)


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
            not sent as it is also one draw for each question asked. Where two answers have one code it takes those of
            `draw_pair`.

    Returns:
        The codes that are sent, in question order.

    Raises:
        ResponseError: If the codes do not fit the survey.
    """
    if len(codes) != len(survey.questions):
        raise ResponseError("codes", "there is not one for each question", f"give {len(survey.questions)}")
    sent = {question.name: code for question, code in zip(survey.questions, codes, strict=True)}
    if survey.together is not None:
        return _coded_together(survey, survey.together, codes, words)
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


def _coded_together(survey: Survey, channel: TogetherChannel, codes: Sequence[int | None], words: Words) -> Row:
    """One code for the answers to the two questions asked, which are given as plain codes."""
    survey.check_count(codes)
    asked = [(place, code) for place, code in enumerate(codes) if code is not None]
    for place, code in asked:
        if code not in survey.questions[place].codes:
            raise ResponseError(
                f'question "{survey.questions[place].name}"', "the code is none of its", "code it first"
            )
    sizes = [len(survey.questions[place].values) for place, _ in asked]
    coding = channel.coding_of(sizes)
    truthful, bound = channel.coin(coding.sharpness.numerator, coding.sharpness.denominator)
    lies = draw(bound, words) >= truthful
    digits = draw_pair(coding, None if lies else asked[0][1] * sizes[1] + asked[1][1], words)
    row: list[int | None] = [None] * len(codes)
    for (place, _), digit in zip(asked, digits, strict=True):
        row[place] = digit
    return tuple(row)


def draw_pair(coding: PairCoding, combination: int | None, words: Words) -> PairCode:
    """A code of a combination of two answers, each as likely; without one any code.

    Of *subsets* one draw for each further combination that the code stands for, among those that are left; of *affine*
    one for the factor and one for the place of the combination, or the shift; of *plain* one, if any code will do.
    """
    if coding.scheme == SUBSETS:
        left = [each for each in range(coding.points) if each != combination]
        drawn = [] if combination is None else [combination]
        while len(drawn) < coding.size:
            drawn.append(left.pop(draw(len(left), words)))
        return mask_digits(sum(1 << each for each in drawn))
    if coding.scheme == AFFINE:
        factor = 1 + draw(coding.points - 1, words)
        if combination is None:
            return factor, draw(coding.points, words)
        return factor, (draw(coding.size, words) - factor * combination) % coding.points
    return draw(coding.points, words) if combination is None else combination, 0


def _lies(group: Group, codings: Sequence[Coding], words: Words) -> bool:
    """The group's coin, for the questions of it that are asked."""
    channel = group.channel
    if isinstance(channel, OddsChannel):
        truthful, bound = channel.coin(*sharpness_parts(codings))
        return draw(bound, words) >= truthful
    return draw(channel.truth.denominator, words) >= channel.truth.numerator


def _replacement(coding: Coding, code: int, words: Words) -> int:
    if coding.complements is not None:
        return coding.complement(code)
    weights = coding.replacement or (1,) * len(coding.codes)
    return _draw_code(tuple(zip(coding.codes, weights, strict=True)), words)
