"""Pack responses as bits of test outcomes, for the forest's compiled growth and prediction.

A question with two values has one test. A question whose values have no order has a test for each value ("value = v").
A scale or a number has a test for each threshold ("value >= v").
"""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from collector.errors import QueryError
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.channels.registry import drawn_groups, partner_tables
from miner.compiled import bare
from miner.counting.factors import group_weights
from miner.forest.distinct import distinct_table, weighted_table
from miner.forest.kernels import TESTS, Words
from miner.forest.records import GROUP, TEST, Channels, Records, Table
from miner.responses.plain_rows import PlainRows
from miner.responses.possible import predictors
from miner.responses.responses import Codes, Values, value_table
from miner.weights.layout import check_countable, value_odds

AT_ONCE = 2**15  # number of rows that one thread packs at a time


@dataclass(frozen=True, eq=False)
class BinaryTests:
    """Binary tests on the questions of a survey, without the class question.

    Attributes:
        question: Index of the question of each test, shape (tests,).
        passes: Flags of the values that pass each test, shape (tests, largest number of values).
    """

    question: NDArray[np.int32]
    passes: NDArray[np.bool_]

    @classmethod
    def of(cls, survey: Survey, target: str) -> Self:
        """Return the tests on every question that can predict the class question, in the survey's order."""
        features = predictors(survey, target)
        asked: list[int] = []
        passes = []
        most = max(len(question.values) for question in survey.questions)
        for index, question in enumerate(survey.questions):
            for wanted in _subsets(question) if index in features else []:
                asked.append(index)
                passes.append(np.isin(np.arange(most), wanted))
        return cls(np.array(asked, np.int32), np.array(passes, np.bool_).reshape(len(asked), most))

    def __len__(self) -> int:
        return len(self.question)

    @cached_property
    def words(self) -> int:
        """Return the number of 64-bit words that hold the outcomes of all tests, at least one."""
        return max(1, -(-len(self) // TESTS))

    @cached_property
    def table(self) -> Words:
        """Return the test outcomes of each value of each question, as words of bits.

        The last value of each question in the table is the unknown value.
        """
        questions = int(self.question.max(initial=-1)) + 1
        table = np.zeros((questions, self.passes.shape[1] + 1, self.words), np.uint64)
        for test, question in enumerate(self.question):
            outcome = self.passes[test].astype(np.uint64) << np.uint64(test % TESTS)
            table[question, :-1, test // TESTS] |= outcome
        return table

    def outcomes(self, values: Values) -> Words:
        """Return the outcome of every test for rows of value indices, shape (words, rows).

        Unknown values (-1) fail every test.
        """
        return packed_outcomes(values, self.table)

    def coded_outcomes(self, codes: Codes, values: Sequence[NDArray[np.int16]]) -> Words:
        """Return the outcome of every test for rows of codes.

        The argument `values` gives the value of each code of each question, or -1 for a code without a value.
        """
        most = max((len(each) for each in values), default=0)
        table = np.zeros((len(self.table), most + 1, self.words), np.uint64)
        for question, each in enumerate(values[: len(table)]):
            table[question, : len(each)] = self.table[question, each]
        return packed_outcomes(codes, table)

    def opposite(
        self, own: Sequence[NDArray[np.int16]], other: Sequence[NDArray[np.int16]], moving: NDArray[np.bool_]
    ) -> bool:
        """Return whether replacing a code always gives the opposite test outcomes.

        Only tests of the questions in `moving` are checked.
        """
        for test, question in enumerate(self.question.tolist()):
            known = own[question] >= 0
            here, there = (self.passes[test, values[question][known]] for values in (own, other))
            if moving[question] and (here == there).any():
                return False
        return True

    def mask(self, which: NDArray[np.bool_]) -> Words:
        """Return words in which the bits of some tests are set, shape (words,)."""
        mask = np.zeros(self.words, np.uint64)
        for test in np.flatnonzero(which).tolist():
            mask[test // TESTS] |= np.uint64(1 << test % TESTS)
        return mask


def _subsets(question: Question) -> list[list[int]]:
    count = len(question.values)
    if count == 2:
        return [[1]]
    if question.ordered:
        return [list(range(value, count)) for value in range(1, count)]
    return [[value] for value in range(count)]


def packed_outcomes(rows: Codes | Values, table: Words) -> Words:
    """Return the words of test outcomes of each row, shape (words, rows)."""
    words, starts = np.empty((table.shape[2], len(rows)), np.uint64), range(0, len(rows), AT_ONCE)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(lambda start: pack(rows[start : start + AT_ONCE], table, words, start), starts))
    return words


@bare
def pack(rows: Codes | Values, table: Words, words: Words, start: int) -> None:
    """Write some of the words that `packed_outcomes` returns."""
    for plane in range(table.shape[2]):
        for row in range(len(rows)):
            word = np.uint64(0)
            for column in range(len(table)):
                word |= table[column, rows[row, column], plane]
            words[plane, start + row] = word


def packed_responses(
    survey: Survey, codes: Codes, target: str, tests: BinaryTests, plain: PlainRows | None = None
) -> tuple[Table, Channels]:
    """Pack disguised responses for growth, together with plain rows if there are any.

    A group that is always sent as it is (theta 1), or always as its complement (theta 0), counts as undisguised.

    A plain row is stored as a response whose replacement is the row itself. Because the two signed copies of a plain
    row together weigh 1, the row keeps its weight whatever the path asks. The noise of a plain row may be
    overestimated, but is never underestimated.

    Args:
        survey: Survey that collected the responses.
        codes: Disguised codes, shape (responses, questions of the survey).
        target: Name of the class question.
        tests: Tests that trees may ask.
        plain: Plain rows of this survey.

    Raises:
        QueryError: If there are plain rows and the replacements of a group are drawn at random, or if single responses
            cannot be counted (`miner.weights.layout.uncountable`).
    """
    if plain is None:
        return packed_parts(survey, [codes], target, tests)
    check_countable(survey, target)
    words, cls, partner, home = _packed(survey, codes, target, tests, doubled=True)
    column = survey.column(target)
    channels = _channels(survey, tests, home, column)
    if channels.groups["drawn"][np.unique(home[home >= 0])].any():
        remedy = "use the latent mode, or another learner"
        raise QueryError(
            "plain rows", "a forest cannot combine undisguised rows with groups of the uniform channel", remedy
        )
    rows, known = np.tile(tests.outcomes(plain.values), (2, 1)), plain.values[:, column]
    weights = np.append(np.ones(len(codes)), plain.weights)
    every = np.append(words, rows, axis=1), np.append(cls, known), np.append(partner, known)
    return weighted_table(*every, weights, round(weights.sum())), channels


def packed_parts(survey: Survey, parts: Iterable[Codes], target: str, tests: BinaryTests) -> tuple[Table, Channels]:
    """Pack responses that come in several parts.

    Raises:
        QueryError: If responses cannot be packed (see `packed_responses`).
    """
    check_countable(survey, target)
    packed = [_packed(survey, codes, target, tests, doubled=False) for codes in parts]
    words = np.concatenate([each[0] for each in packed], axis=1)
    cls, partner = (np.concatenate([each[place] for each in packed]) for place in (1, 2))
    home = packed[0][3]
    del packed
    column = survey.column(target)
    return distinct_table(words, cls, partner), _channels(survey, tests, home, column)


def _packed(
    survey: Survey, codes: Codes, target: str, tests: BinaryTests, *, doubled: bool
) -> tuple[Words, NDArray[np.int16], NDArray[np.int16], NDArray[np.int32]]:
    """Return the outcomes, class and replacement's class of each response, and the group of each question.

    A plain question (sent as it is) has group -1. Test outcomes of the replacement answers are added if they are not
    always opposite, or if the caller asks.
    """
    own = [value_table(question) for question in survey.questions]
    other = [values[table] for table, values in zip(partner_tables(survey), own, strict=True)]
    home = np.full(len(own), -1, np.int32)
    names = [question.name for question in survey.questions]
    for number, group in enumerate(survey.groups):
        weight, replaced = group_weights(survey, group)
        for column in (names.index(name) for name in group.questions):
            if weight == 0.0:
                own[column] = other[column]
            elif replaced != 0.0:
                home[column] = number
    column = names.index(target)
    words = tests.coded_outcomes(codes, own)
    if doubled or not tests.opposite(own, other, home >= 0):
        words = np.concatenate([words, tests.coded_outcomes(codes, other)])
    cls = own[column][codes[:, column]]
    partner = other[column][codes[:, column]] if home[column] >= 0 else cls
    return words, cls, partner, home


def packed_rows(plain: PlainRows, target: str, tests: BinaryTests) -> tuple[Table, Channels]:
    """Pack undisguised rows, such as soft copies or the analyst's table, for a class question and tests."""
    home, column = np.full(len(plain.survey.questions), -1, np.int32), plain.survey.column(target)
    cls, outcomes = plain.values[:, column], tests.outcomes(plain.values)
    return weighted_table(outcomes, cls, cls, plain.weights, plain.people), _channels(plain.survey, tests, home, column)


def _channels(survey: Survey, tests: BinaryTests, home: NDArray[np.int32], target: int) -> Channels:
    """Return the disguise of the tests, for the class question in column `target`."""
    disguised = [(home == number).any() for number in range(len(survey.groups))]
    pairs = [
        group_weights(survey, group) if used else (1.0, 0.0)
        for group, used in zip(survey.groups, disguised, strict=True)
    ]
    weights = np.array(pairs).reshape(-1, 2)
    masks = [tests.mask(home[tests.question] == number) for number in range(len(survey.groups))]
    kinds = [len(survey.questions[index].values) for index in tests.question]
    odds = value_odds(survey)
    classes = odds[target, : len(survey.questions[target].values)]
    return Channels(
        tests=_records(TEST, home[tests.question], tests.question, kinds),
        groups=_records(GROUP, weights[:, 0], weights[:, 1], drawn_groups(survey)),
        masks=np.array(masks, np.uint64).reshape(len(masks), tests.words),
        passes=tests.passes,
        odds=odds,
        shares=classes / classes.sum(),
        target=int(home[target]),
        plain=bool((home < 0).all()),
    )


def _records(kind: np.dtype[np.void], *columns: ArrayLike) -> Records:
    records = np.zeros(len(np.asarray(columns[0])), kind)
    for name, column in zip(kind.names or (), columns, strict=True):
        records[name] = column
    return records
