"""Pretend respondents by the hundred thousand: values coded and disguised a whole column at a time.

Same distribution, to the last fraction, as the browser's `static/disguise.mjs` and its scalar twin
`miner.simulate`; not the same words of randomness in the same order. Every draw is an integer below a bound, so that
exact fractions stay exact.
"""

from __future__ import annotations

import secrets
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from collector.channel import ComplementChannel
from collector.coding import WORD
from collector.question import Question
from collector.survey import Group, Survey
from miner.responses import Codes, Responses, Values
from miner.weights import complement_table

Bounds = NDArray[np.int64]


class Draws(Protocol):
    """A source of randomness: a `numpy.random.Generator`, or `SystemDraws`."""

    def integers(self, low: Any, /) -> Any:  # noqa: ANN401 - numpy's own signature is an overload of dozens
        """For each positive bound of an array, an integer from 0 up to and not including it."""


class SystemDraws:
    """The system's secure randomness: words of 32 bits, rejected where the bound does not divide them evenly."""

    def integers(self, low: Bounds, /) -> Bounds:
        """For each bound, from 1 to 2^32, an integer below it; shape unchanged."""
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
    """What respondents with these true values would send.

    Args:
        survey: The published design.
        values: True values, from `miner.responses.value_indices`; shape (respondents, questions).
        draws: `numpy.random.default_rng(seed)`, or `SystemDraws()`.
    """
    return Responses(survey, disguised(survey, coded(survey, values, draws), draws))


def coded(survey: Survey, values: Values, draws: Draws) -> Codes:
    """Values to codes: where several codes share a value, one of them drawn with the published weights."""
    codes = np.empty(values.shape, dtype=np.int16)
    for number, question in enumerate(survey.questions):
        codes[:, number] = _coded_column(question, values[:, number], draws)
    return codes


def disguised(survey: Survey, codes: Codes, draws: Draws) -> Codes:
    """True codes to the codes that are sent: a coin for each respondent and group."""
    columns = {question.name: number for number, question in enumerate(survey.questions)}
    sent = codes.copy()
    for group in survey.groups:
        lies = np.flatnonzero(~_coins(group, len(codes), draws))
        for question in survey.members(group):
            column = columns[question.name]
            if isinstance(group.channel, ComplementChannel):
                sent[lies, column] = complement_table(question)[codes[lies, column]]
            else:
                drawn = draws.integers(np.full(len(lies), len(question.codes), dtype=np.int64))
                sent[lies, column] = np.array(question.codes, dtype=np.int16)[drawn]
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


def _coins(group: Group, respondents: int, draws: Draws) -> NDArray[np.bool_]:
    """True with probability theta, exactly."""
    truth = group.channel.truth
    drawn = draws.integers(np.full(respondents, truth.denominator, dtype=np.int64))
    return np.asarray(drawn < truth.numerator, dtype=np.bool_)
