"""Simulate large numbers of respondents, by coding and disguising a whole column of values at a time.

Simulated responses have exactly the distribution of responses from a browser (`static/disguise/disguise.mjs`). Every
draw is a random integer below a bound, so that probabilities are exact fractions.
"""

import secrets

import numpy as np
from numpy.typing import NDArray

from collector.coding.coding import WORD
from collector.store.simulated import Simulated
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from miner.channels.registry import arrays_of
from miner.channels.replacement import Draws
from miner.responses.distinct import distinct_rows
from miner.responses.responses import NOT_ASKED, Codes, Responses, Values

Bounds = NDArray[np.int64]


class SystemDraws:
    """Source of secure randomness from the operating system.

    Random words of 32 bits beyond the last whole multiple of a bound are rejected.
    """

    def integers(self, low: Bounds, /) -> Bounds:
        """Return a random integer below each bound (from 1 to 2^32), in the shape of the bounds."""
        drawn = np.empty(low.shape, dtype=np.int64)
        left = np.arange(low.size)
        while left.size:
            words = np.frombuffer(secrets.token_bytes(4 * left.size), dtype="<u4").astype(np.int64)
            bounds = low.flat[left]
            fair = words < bounds * (WORD // bounds)
            drawn.flat[left[fair]] = words[fair] % bounds[fair]
            left = left[~fair]
        return drawn


def simulate(survey: Survey, values: Values, draws: Draws) -> Responses:
    """Return simulated responses of respondents with given true values.

    Args:
        survey: Published survey.
        values: True values from `miner.responses.responses.value_indices`, shape (respondents, questions).
        draws: Source of randomness: `numpy.random.default_rng(seed)` or `SystemDraws()`.
    """
    codes = coded(survey, values, draws)
    if survey.sampling is not None:
        codes[~asked(survey, len(codes), draws)] = NOT_ASKED
    seeded = 0 if isinstance(draws, SystemDraws) else len(codes)
    simulated = Simulated(len(codes), seeded, len(codes)) if len(codes) else None
    return Responses(survey, disguised(survey, codes, draws), simulated=simulated)


def asked(survey: Survey, respondents: int, draws: Draws) -> NDArray[np.bool_]:
    """Return flags of the questions that each respondent is asked, shape (respondents, questions)."""
    found = np.ones((respondents, len(survey.questions)), np.bool_)
    if survey.sampling is None:
        return found
    pool = np.array([survey.may_miss(question.name) for question in survey.questions]).nonzero()[0]
    pool = pool.astype(np.int16)  # a table of them for all respondents
    order = np.tile(pool, (respondents, 1))
    rows = np.arange(respondents)
    for place in range(survey.sampling.ask - len(survey.sampling.always)):
        other = place + draws.integers(np.full(respondents, len(pool) - place, dtype=np.int64))
        order[rows, place], order[rows, other] = order[rows, other], order[rows, place]
    left = order[:, survey.sampling.ask - len(survey.sampling.always) :]
    found[rows[:, None], left] = False
    return found


def coded(survey: Survey, values: Values, draws: Draws) -> Codes:
    """Return a code for each value, drawn from the codes of the value with the published weights."""
    codes = np.empty(values.shape, dtype=np.int16)
    for number, question in enumerate(survey.questions):
        codes[:, number] = _coded_column(question, values[:, number], draws)
    return codes


def disguised(survey: Survey, codes: Codes, draws: Draws) -> Codes:
    """Return the codes that are sent for true codes.

    Each respondent has a coin for each group of questions that contains a question asked.
    """
    columns = {question.name: number for number, question in enumerate(survey.questions)}
    sent = codes.copy()
    for group in survey.groups:
        arrays = arrays_of(group.channel.replacement)
        replaced = np.flatnonzero(~_coins(survey, group, codes, draws))
        for question in survey.members(group):
            column = columns[question.name]
            asked_of = replaced[codes[replaced, column] != NOT_ASKED]
            sent[asked_of, column] = arrays.replaced(question, codes[asked_of, column], draws)
    return sent


def _coded_column(question: Question, values: NDArray[np.int16], draws: Draws) -> NDArray[np.int16]:
    codes = np.array([options[0][0] for options in question.coding.draws], dtype=np.int16)[values]
    for value, options in enumerate(question.coding.draws):
        if len(options) > 1:
            rows = np.flatnonzero(values == value)
            ends = np.cumsum([weight for _, weight in options])
            drawn = draws.integers(np.full(len(rows), ends[-1], dtype=np.int64))
            choices = np.array([code for code, _ in options], dtype=np.int16)
            codes[rows] = choices[np.searchsorted(ends, drawn, side="right")]
    return codes


def _coins(survey: Survey, group: Group, codes: Codes, draws: Draws) -> NDArray[np.bool_]:
    """Return a group's coin for each respondent, which says truth (True) with probability exactly theta."""
    members = [survey.questions.index(question) for question in survey.members(group)]
    asked = codes[:, members] != NOT_ASKED
    first, which = distinct_rows(asked)
    numerators, bounds = np.ones(len(first), np.int64), np.ones(len(first), np.int64)
    for number, each in enumerate(asked[first]):
        if each.any():
            names = [survey.questions[member].name for member, there in zip(members, each, strict=True) if there]
            truth = survey.truth_at(group, names)
            numerators[number], bounds[number] = truth.numerator, truth.denominator
    drawn = draws.integers(bounds[which])
    return np.asarray(drawn < numerators[which], dtype=np.bool_)
