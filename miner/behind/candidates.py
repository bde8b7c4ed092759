"""List the combinations of answers (candidates) that may be behind each response, and P(codes sent | answers).

Respondents are grouped by the questions that they were asked, because the disguise may depend on the questions asked. A
question that was not asked may have any value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from math import prod

import numpy as np

from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.arrays import Flags, Floats, Indices
from miner.behind.coins import SharedCoin, coins_of, sampled_within
from miner.channels.candidates import every_combination
from miner.responses.distinct import alike, distinct_rows
from miner.responses.responses import NOT_ASKED, Codes, Data, Responses, Values


@dataclass(frozen=True, eq=False)
class AskedPattern:
    """Distinct responses of people who were asked the same questions.

    Attributes:
        sent: Codes of each distinct response, shape (distinct responses, questions).
        coins: Coins of the questions that were asked.
        missing: Questions that were not asked.
        places: Columns of `sent` that belong to questions that were not asked.
        asked_in_group: Flags of the questions that were asked, for the questions on which the truth probability of a
            group depends.
    """

    sent: Codes
    coins: tuple[SharedCoin, ...]
    missing: tuple[Question, ...]
    places: tuple[int, ...]
    asked_in_group: Flags

    @property
    def candidates(self) -> int:
        """Return the number of combinations of answers that may be behind a response."""
        return prod(coin.count for coin in self.coins) * prod(len(question.values) for question in self.missing)

    def explained(self) -> tuple[Values, Floats]:
        """Return the combinations of values that may be behind each distinct response, and P(codes sent | values)."""
        values, chance = np.zeros((len(self.sent), 1, self.sent.shape[1]), np.int16), np.ones((len(self.sent), 1))
        by_coin = [(coin.columns, *coin.candidates(self.sent)) for coin in self.coins]
        every = every_combination(len(self.sent), self.missing)
        for columns, answers, likely in [*by_coin, (self.places, every, np.ones(every.shape[:2]))]:
            values = np.repeat(values, answers.shape[1], axis=1)
            values[:, :, columns] = np.tile(answers, (1, chance.shape[1], 1))
            chance = np.repeat(chance, answers.shape[1], axis=1) * np.tile(likely, (1, chance.shape[1]))
        return values, chance


def asked_patterns(source: Data, columns: Sequence[int]) -> tuple[list[AskedPattern], list[Floats]]:
    """Return the distinct responses to some questions, grouped by the questions asked, and how often each occurs.

    Raises:
        QueryError: If no respondent was asked any of the questions.
    """
    within = sampled_within(source.survey, columns)
    (distinct,) = source.on([[*columns, *within]])
    responses = distinct.responses
    touched = responses.asked[:, columns].any(axis=1)
    if not touched.any():
        raise responses.never_asked([responses.survey.questions[columns[0]].name])
    codes, asked = responses.codes[touched], responses.asked[touched]
    rows = np.concatenate([codes[:, columns], asked[:, within].astype(np.int16)], axis=1)
    examples, counts = alike(rows, distinct.counts[touched])
    sent, asked_in_group = rows[examples, : len(columns)], rows[examples, len(columns) :].astype(np.bool_)
    _, asked_pattern = np.unique(
        np.concatenate([sent != NOT_ASKED, asked_in_group], axis=1), axis=0, return_inverse=True
    )
    found, numbers = [], []
    for number in range(int(asked_pattern.max()) + 1):
        some = np.flatnonzero(asked_pattern == number)
        found.append(_asked_pattern(responses.survey, columns, sent[some], within, asked_in_group[some[0]]))
        numbers.append(counts[some])
    return found, numbers


def patterns_of(responses: Responses, columns: Sequence[int], asked: Sequence[AskedPattern]) -> Indices:
    """Return the position of each response among the distinct responses in `asked`, or -1 if there is none."""
    within = sampled_within(responses.survey, columns)
    rows = np.concatenate([responses.codes[:, columns], responses.asked[:, within].astype(np.int16)], axis=1)
    known = [np.concatenate([each.sent, np.tile(each.asked_in_group, (len(each.sent), 1))], axis=1) for each in asked]
    every = np.concatenate([*known, rows]).astype(np.int16)
    first, which = distinct_rows(every)
    number = np.full(len(first), -1)
    patterns = len(every) - len(rows)
    number[which[:patterns]] = np.arange(patterns)
    return np.asarray(number[which[patterns:]])


def _asked_pattern(
    survey: Survey, columns: Sequence[int], sent: Codes, within: Sequence[int], asked_in_group: Flags
) -> AskedPattern:
    """Return the distinct responses of people who were asked the same questions, with their coins."""
    there = (sent[0] != NOT_ASKED).tolist()
    known = [column for column, asked in zip(columns, there, strict=True) if asked]
    names = [survey.questions[column].name for column in (*known, *compress(within, asked_in_group))]
    coins = coins_of(survey, [column if asked else -1 for column, asked in zip(columns, there, strict=True)], names)
    absent = tuple(place for place, asked in enumerate(there) if not asked)
    return AskedPattern(
        sent, coins, tuple(survey.questions[columns[place]] for place in absent), absent, asked_in_group
    )
