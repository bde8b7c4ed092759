"""Read and check columns of codes and of answers.

A message names the row (counted from 1), the column and the remedy; it never repeats what stands there.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from collector.database.batch import ABSENT, FIRST
from collector.errors import ResponseError
from collector.survey.question import SKIPPED, Question
from collector.survey.survey import Survey
from collector.table.plain_table import MISSING, number_text

AT_ONCE = 2**13  # rows that fit the cache
SIDE_BY_SIDE = 64  # of them that are compared at once: a loop over the columns of one row is short


def column_of(frame: pd.DataFrame, question: Question) -> pd.Series:
    """The column of a frame that is named after a question.

    Raises:
        ResponseError: If there is none, or there are two.
    """
    column = frame[question.name] if question.name in frame.columns else None
    if not isinstance(column, pd.Series):
        problem = "it is missing" if column is None else "it is there twice"
        raise ResponseError(f'column "{question.name}"', problem, "give one column for each question, named after it")
    return column


def doubtful(codes: NDArray[np.generic], questions: Sequence[Question]) -> list[int]:
    """Columns that may hold other numbers than codes: those whose codes have gaps, or ends that are no codes."""
    if codes.dtype.kind not in "iu" or not len(codes):
        return list(range(len(questions)))
    least, most = (each.tolist() for each in _ends(codes))
    return [
        column
        for column, question in enumerate(questions)
        if least[column] < question.codes[0]
        or most[column] > question.codes[-1]
        or question.codes[-1] - question.codes[0] >= len(question.codes)
    ]


def _ends(codes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The least and the largest entry of each column of at least one row."""
    whole = len(codes) // SIDE_BY_SIDE * SIDE_BY_SIDE
    least, most = [codes[whole:]], [codes[whole:]]
    for start in range(0, whole, AT_ONCE):
        wide = codes[start : min(start + AT_ONCE, whole)].reshape(-1, SIDE_BY_SIDE * codes.shape[1])
        least.append(wide.min(axis=0).reshape(SIDE_BY_SIDE, -1))
        most.append(wide.max(axis=0).reshape(SIDE_BY_SIDE, -1))
    return np.concatenate(least).min(axis=0), np.concatenate(most).max(axis=0)


def check_codes(codes: NDArray[np.generic], survey: Survey, question: Question) -> None:
    """Refuse a column of codes with an invalid entry, or that says a question was not asked that everybody is.

    Raises:
        ResponseError: Naming the first row.
    """
    missing = ABSENT - FIRST  # a batch has codes plus FIRST
    allowed = (missing, *question.codes) if survey.may_miss(question.name) else question.codes
    if codes.dtype.kind in "iu":
        wrong = ~np.isin(codes, allowed)
    else:
        wrong = np.array([type(code) is not int or code not in allowed for code in codes.tolist()], dtype=bool)
    _refuse(wrong, question, "it is not one of the question's codes", f"use one of: {_listed(question.codes)}")


def read_answers(question: Question, answers: pd.Series) -> NDArray[np.int16]:
    """Answers in words, numbers for a number question, as indices of its values.

    Raises:
        ResponseError: Naming the first invalid row.
    """
    words = answers.astype(str).str.strip()
    indices = pd.Index(question.values).get_indexer(pd.Index(words)).astype(np.int16)
    if (indices < 0).any():
        _match(question, words, (answers.isna() | words.isin(MISSING)).to_numpy(), indices)
    if question.kind == "number" or ((indices < 0).any() and numeric_bounds(question)):
        _read_numbers(question, words, indices)
    elif (indices < 0).any():
        _refuse(indices < 0, question, "it is not a value of the question", f"use one of: {_listed(question.values)}")
    return indices


def index_of(question: Question, word: str) -> int | None:
    """The index of the value that one answer means; None if it is not an answer to the question."""
    try:
        return int(read_answers(question, pd.Series([word], dtype=object))[0])
    except ResponseError:
        return None


def numeric_bounds(question: Question) -> list[float]:
    """Lower ends of all intervals but the first; empty where the values are no intervals of numbers."""
    try:
        return [float(each) for each in question.bounds]
    except ValueError:
        return []  # days


def _match(question: Question, words: pd.Series, missing: NDArray[np.bool_], indices: NDArray[np.int16]) -> None:
    """Fill in missing answers, where the question may be skipped, and numbers that are written in another way.

    Raises:
        ResponseError: Naming the first row whose answer is missing, where nobody may skip the question.
    """
    left = (indices < 0) & missing
    if SKIPPED in question.values:
        indices[left] = question.values.index(SKIPPED)
    else:
        remedy = "say optional = true of the question, write a value declared for it, or drop the row"
        _refuse(left, question, "the value is missing", remedy)
    numbers = {number_text(value) or number_text(value, ";"): index for index, value in enumerate(question.values)}
    numbers.pop(None, None)
    if numbers and (indices < 0).any():
        left = indices < 0
        indices[left] = [numbers.get(number_text(word), -1) if number_text(word) else -1 for word in words[left]]


def _read_numbers(question: Question, words: pd.Series, indices: NDArray[np.int16]) -> None:
    """Fill in the intervals of the answers that are no interval's label."""
    numbers = pd.to_numeric(words, errors="coerce").to_numpy(dtype=np.float64)
    left = indices < 0
    _refuse(left & ~np.isfinite(numbers), question, "it is not a number", "write a plain number, such as 850")
    if question.minimum is not None:
        low = left & (numbers < question.minimum)
        _refuse(low, question, "the number is below the minimum", f"write at least {question.minimum}")
    if question.maximum is not None:
        high = left & (numbers > question.maximum)
        _refuse(high, question, "the number is above the maximum", f"write at most {question.maximum}")
    indices[left] = np.searchsorted(numeric_bounds(question), numbers[left], side="right")


def _refuse(wrong: NDArray[np.bool_], question: Question, problem: str, remedy: str) -> None:
    if wrong.any():
        raise ResponseError(f'row {int(wrong.argmax()) + 1}, column "{question.name}"', problem, remedy)


def _listed(items: Sequence[object]) -> str:
    """A list for a message, cut short where it would fill the screen."""
    shown = 12
    words = [str(item) for item in items[:shown]]
    return ", ".join(words) + (f", ... ({len(items)} in all)" if len(items) > shown else "")
