"""Disguised codes in memory, with the survey that explains them; and answers, read from tables of words.

Tables come in as frames and go out as frames. A message names the row (counted from 1), the column and the remedy;
it never repeats what stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from collector.errors import ResponseError
from collector.question import Question
from collector.store import Store
from collector.survey import Survey

AT_ONCE = 2**13  # rows that fit the cache
Codes = NDArray[np.int16]
"""Codes, a row for each response and a column for each question."""
Values = NDArray[np.int16]
"""Indices of values, a row for each respondent and a column for each question."""


@dataclass(frozen=True, eq=False)
class Responses:
    """What was collected: disguised codes and the published design they were collected under.

    Attributes:
        survey: The published design.
        codes: Shape (responses, questions), columns in the survey's order. Kept read-only.

    Raises:
        ResponseError: If a code is not one of its question's.
    """

    survey: Survey
    codes: Codes

    def __post_init__(self) -> None:
        questions = self.survey.questions
        codes = np.asarray(self.codes)
        if codes.ndim != 2 or codes.shape[1] != len(questions):  # noqa: PLR2004 - rows and columns
            raise ResponseError("responses", "they have not one column per question", f"give {len(questions)} columns")
        for column in _doubtful(codes, questions):
            _check_codes(codes[:, column], questions[column])
        own = codes.base is None and not codes.flags.writeable  # nobody can change it
        kept = codes.astype(np.int16, copy=not own)
        kept.flags.writeable = False
        object.__setattr__(self, "codes", kept)

    @classmethod
    def from_store(cls, store: Store, name: str, version: int | None = None) -> Responses:
        """The responses to one published version, the newest unless said. Versions are never mixed.

        They come sorted by their codes: the ids that order them in the store are random, and the same responses
        should be dealt into the same training and test parts wherever they are stored.

        Raises:
            StoreError: If the store has no such survey.
        """
        survey = store.published(name, version).survey
        rows = sorted(store.rows(survey))
        return cls(survey, np.array(rows, dtype=np.int16).reshape(len(rows), len(survey.questions)))

    @classmethod
    def from_frame(cls, survey: Survey, frame: pd.DataFrame) -> Responses:
        """Responses from a frame of codes, a column per question in any order; other columns are ignored.

        Raises:
            ResponseError: If a column is missing, or a code is not one of its question's.
        """
        return cls(survey, code_matrix(survey.questions, frame))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Shape (responses,): which are known to be true; none, but see `miner.hybrid.Stacked`."""
        return np.zeros(len(self), np.bool_)

    def take(self, indices: NDArray[np.integer] | Sequence[int]) -> Responses:
        """The responses at these positions, in this order; a position may come twice."""
        return Responses(self.survey, self.codes[np.asarray(indices, dtype=np.intp)])

    @property
    def frame(self) -> pd.DataFrame:
        """The codes, a column for each question."""
        return pd.DataFrame(self.codes.copy(), columns=[question.name for question in self.survey.questions])

    def impute(self, draws: int, rng: np.random.Generator) -> list[pd.DataFrame]:
        """Plain tables for any learner: what a mixture, fitted to all responses, holds for the truth.

        Each is one draw from the posterior of every response (`miner.latent.model`): the spread of results between
        tables is what the disguise leaves unknown, if the mixture is right.

        Args:
            draws: How many tables.
            rng: Makes the result reproducible.

        Returns:
            Frames of values in words, a column for each question and a row for each response, in order.

        Raises:
            ModelError: If there are fewer than two responses.
        """
        from miner.latent.model import fit_latent, impute  # noqa: PLC0415 - a mixture is of responses: it imports this module

        words = [np.array(question.values, object) for question in self.survey.questions]
        return [
            pd.DataFrame(
                {
                    question.name: each[table[:, column]]
                    for column, (question, each) in enumerate(zip(self.survey.questions, words, strict=True))
                }
            )
            for table in impute(self, fit_latent(self, rng), draws, rng)
        ]


def value_table(question: Question) -> NDArray[np.int16]:
    """The value that each code stands for, as an array to index with codes; -1 where there is no such code.

    The partner of a value that szucs coding left alone stands for no value, and is sent for that value only: it is
    read as that value, so that every code has one. As no truth has that code, estimates stay unbiased.
    """
    table = np.full(question.codes[-1] + 1, -1, dtype=np.int16)
    for value, draws in enumerate(question.coding.draws):
        for code, _ in draws:
            table[code] = value
    for code in question.codes:
        if table[code] < 0:
            table[code] = table[question.coding.complement(code)]
    return table


def codes_of_values(question: Question, indices: Iterable[int]) -> frozenset[int]:
    """The codes that stand for any of these values: the values' share of `value_table`, turned round."""
    table = value_table(question)
    return frozenset(np.flatnonzero(np.isin(table, list(indices))).tolist())


def values_of_codes(questions: Sequence[Question], codes: Codes) -> Values:
    """The values that codes stand for, shape unchanged: what was meant if the codes are the truth."""
    values = np.empty(codes.shape, dtype=np.int16)
    for number, question in enumerate(questions):
        values[:, number] = value_table(question)[codes[:, number]]
    return values


def code_matrix(questions: Sequence[Question], frame: pd.DataFrame) -> Codes:
    """A frame of codes as an array with one column for each of these questions, in their order.

    Raises:
        ResponseError: If a column is missing, or a code is not one of its question's.
    """
    matrix = np.empty((len(frame), len(questions)), dtype=np.int16)
    for number, question in enumerate(questions):
        codes = _column(frame, question).to_numpy()
        _check_codes(codes, question)
        matrix[:, number] = codes
    return matrix


def value_indices(survey: Survey, frame: pd.DataFrame, names: Sequence[str] | None = None) -> Values:
    """Read answers: a frame of values in words, numbers for number questions, as indices of values.

    Args:
        survey: Whose questions they answer.
        frame: A column per question, in any order; other columns are ignored. A number question takes a number or
            the label of an interval.
        names: The questions to read, in the order wanted; all of them if None.

    Returns:
        Shape (rows, questions).

    Raises:
        ResponseError: Naming row and column, never the answer.
        QueryError: If a name is no question.
    """
    questions = survey.questions if names is None else tuple(survey.question(name) for name in names)
    values = np.empty((len(frame), len(questions)), dtype=np.int16)
    for number, question in enumerate(questions):
        values[:, number] = _read_answers(question, _column(frame, question))
    return values


def _column(frame: pd.DataFrame, question: Question) -> pd.Series:
    columns = list(frame.columns)
    if columns.count(question.name) != 1:
        problem = "it is there twice" if question.name in columns else "it is missing"
        raise ResponseError(f'column "{question.name}"', problem, "give one column for each question, named after it")
    return frame[question.name]


def _doubtful(codes: NDArray[np.generic], questions: Sequence[Question]) -> list[int]:
    """Which columns may hold what is not a code: all but those whose codes have no gaps and whose ends are codes."""
    if codes.dtype.kind not in "iu" or not len(codes):
        return list(range(len(questions)))
    stretches = [codes[start : start + AT_ONCE] for start in range(0, len(codes), AT_ONCE)]
    least = np.min([stretch.min(axis=0) for stretch in stretches], axis=0).tolist()
    most = np.max([stretch.max(axis=0) for stretch in stretches], axis=0).tolist()
    return [
        column
        for column, question in enumerate(questions)
        if least[column] < question.codes[0]
        or most[column] > question.codes[-1]
        or question.codes[-1] - question.codes[0] >= len(question.codes)
    ]


def _check_codes(codes: NDArray[np.generic], question: Question) -> None:
    if codes.dtype.kind in "iu":
        wrong = ~np.isin(codes, question.codes)
    else:
        wrong = np.array([type(code) is not int or code not in question.codes for code in codes.tolist()], dtype=bool)
    _refuse(wrong, question, "it is not one of the question's codes", f"use one of: {_listed(question.codes)}")


def _read_answers(question: Question, answers: pd.Series) -> NDArray[np.int16]:
    words = answers.astype(str).str.strip()
    indices = pd.Index(question.values).get_indexer(pd.Index(words)).astype(np.int16)
    if question.kind == "number":
        _read_numbers(question, words, indices)
    elif (indices < 0).any():
        _refuse(indices < 0, question, "it is not a value of the question", f"use one of: {_listed(question.values)}")
    return indices


def _read_numbers(question: Question, words: pd.Series, indices: NDArray[np.int16]) -> None:
    """Fill in the intervals of the answers that are no interval's label."""
    numbers = pd.to_numeric(words, errors="coerce").to_numpy(dtype=np.float64)
    left = indices < 0
    _refuse(left & ~np.isfinite(numbers), question, "it is not a number", "write a plain number, such as 850")
    if question.minimum is not None:
        low = left & (numbers < question.minimum)
        _refuse(low, question, "the number is below the minimum", f"write at least {question.minimum}")
    indices[left] = np.searchsorted(question.cuts, numbers[left], side="right")


def _refuse(wrong: NDArray[np.bool_], question: Question, problem: str, remedy: str) -> None:
    if wrong.any():
        raise ResponseError(f'row {int(wrong.argmax()) + 1}, column "{question.name}"', problem, remedy)


def _listed(items: Sequence[object]) -> str:
    """A list for a message, cut short where it would fill the screen."""
    shown = 12
    words = [str(item) for item in items[:shown]]
    return ", ".join(words) + (f", ... ({len(items)} in all)" if len(items) > shown else "")
