"""Read and check columns of codes and of answers.

Errors name the row (counted from 1) and the column, but never repeat the content of a cell.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from collector.characters import is_lookalike, same
from collector.database.batch import ABSENT, FIRST
from collector.errors import ResponseError
from collector.survey.question import NOT_APPLICABLE, SKIPPED, YES_NO, Question
from collector.survey.screen import MULTIPLE, Screen
from collector.survey.survey import Survey
from collector.survey.ticks import NOTHING, PLUS
from collector.table.cell_words import MISSING, TICK, day_of, yes_or_no
from collector.table.plain_table import number_text, plain_cell
from collector.table.words import LOOKALIKE

AT_ONCE = 2**13  # number of rows that fit into the cache
SIDE_BY_SIDE = 64  # number of rows that are compared at once

Options = Mapping[str, str]
"""Names of options, by their names and by the texts that people read."""


def column_of(frame: pd.DataFrame, question: Question) -> pd.Series:
    """Return the column of a frame that is named after a question.

    Raises:
        ResponseError: If the frame has no column with this name, or two.
    """
    column = frame[question.name] if question.name in frame.columns else None
    if not isinstance(column, pd.Series):
        problem = "it is missing" if column is None else "it is there twice"
        raise ResponseError(f'column "{question.name}"', problem, "give one column for each question, named after it")
    return column


def doubtful(codes: NDArray[np.generic], questions: Sequence[Question]) -> list[int]:
    """Return the columns of codes that need a check of every code.

    A column needs no check if its smallest and largest number are valid codes, and the question's codes have no gaps.
    """
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
    """Return the smallest and the largest code in each column of an array."""
    whole = len(codes) // SIDE_BY_SIDE * SIDE_BY_SIDE
    least, most = [codes[whole:]], [codes[whole:]]
    for start in range(0, whole, AT_ONCE):
        wide = codes[start : min(start + AT_ONCE, whole)].reshape(-1, SIDE_BY_SIDE * codes.shape[1])
        least.append(wide.min(axis=0).reshape(SIDE_BY_SIDE, -1))
        most.append(wide.max(axis=0).reshape(SIDE_BY_SIDE, -1))
    return np.concatenate(least).min(axis=0), np.concatenate(most).max(axis=0)


def check_codes(codes: NDArray[np.generic], survey: Survey, question: Question) -> None:
    """Raise an error if a column of codes contains an invalid code.

    A code for "not asked" is invalid if everybody is asked the question.

    Raises:
        ResponseError: If a code is not valid.
    """
    missing = ABSENT - FIRST  # a batch has codes plus FIRST
    allowed = (missing, *question.codes) if survey.may_miss(question.name) else question.codes
    if codes.dtype.kind in "iu":
        wrong = ~np.isin(codes, allowed)
    else:
        wrong = np.array([type(code) is not int or code not in allowed for code in codes.tolist()], dtype=bool)
    _refuse(wrong, question, "it is not one of the question's codes", f"use one of: {_listed(question.codes)}")


def read_answers(question: Question, answers: pd.Series) -> NDArray[np.int16]:
    """Return the index of the value that each answer (a word, a number or a day) stands for.

    Raises:
        ResponseError: If an answer is not valid.
    """
    words = answers.astype(str).map(plain_cell, na_action="ignore")
    indices = pd.Index(question.values).get_indexer(pd.Index(words)).astype(np.int16)
    if (indices < 0).any():
        _match(question, words, (answers.isna() | words.isin(MISSING)).to_numpy(), indices)
    if question.kind == "number" or ((indices < 0).any() and numeric_bounds(question)):
        _read_numbers(question, words, indices)
    elif (indices < 0).any() and question.bounds:
        _read_days(question, words, indices)
    elif (indices < 0).any():
        left = {word: is_lookalike(word, question.values) for word in set(words[indices < 0])}
        alike = words.map(lambda word: left.get(word, False)).to_numpy(np.bool_)
        _refuse(alike, question, LOOKALIKE, f"use one of: {_listed(question.values)}")
        _refuse(indices < 0, question, "it is not a value of the question", f"use one of: {_listed(question.values)}")
    return indices


def index_of(question: Question, word: str) -> int | None:
    """Return the index of the value that a text stands for, or None if the text is not a valid answer."""
    try:
        return int(read_answers(question, pd.Series([word], dtype=object))[0])
    except ResponseError:
        return None


def numeric_bounds(question: Question) -> list[float]:
    """Return the lower ends of all intervals but the first, or an empty list if the values are not intervals."""
    try:
        return [float(each) for each in question.bounds]
    except ValueError:
        return []  # days


def _match(question: Question, words: pd.Series, missing: NDArray[np.bool_], indices: NDArray[np.int16]) -> None:
    """Fill in the values of missing answers and of numbers in another notation.

    Raises:
        ResponseError: If an answer is missing and the question may not be skipped.
    """
    left = (indices < 0) & missing
    if SKIPPED in question.values:
        indices[left] = question.values.index(SKIPPED)
    else:
        remedy = "say optional = true of the question, write a value declared for it, or drop the row"
        _refuse(left, question, "the value is missing", remedy)
    left = indices < 0
    if left.any():
        meant = {word: _meant(question, word) for word in set(words[left])}
        indices[left] = [meant[word] for word in words[left]]
    numbers = {number_text(value) or number_text(value, ";"): index for index, value in enumerate(question.values)}
    numbers.pop(None, None)
    if numbers and (indices < 0).any():
        left = indices < 0
        indices[left] = [numbers.get(number_text(word), -1) if number_text(word) else -1 for word in words[left]]


def _meant(question: Question, word: str) -> int:
    """Return the index of the value that a word stands for in another spelling or language, or -1 for no value."""
    found = same(word, question.values)
    if found is None and question.base == YES_NO:
        found = yes_or_no(word)
    return -1 if found is None else question.values.index(found)


def _read_days(question: Question, words: pd.Series, indices: NDArray[np.int16]) -> None:
    """Replace each day by the index of the interval that contains the day."""
    left = indices < 0
    days = {word: day_of(word) for word in set(words[left])}
    wrong = left & words.map(lambda word: word in days and days[word] is None).to_numpy(np.bool_)
    _refuse(wrong, question, "it is not a day", "write it as 2026-12-31")
    indices[left] = [bisect_right(question.bounds, str(days[word])) for word in words[left]]


def _read_numbers(question: Question, words: pd.Series, indices: NDArray[np.int16]) -> None:
    """Replace each number by the index of the interval that contains the number."""
    numbers = pd.to_numeric(words, errors="coerce").to_numpy(dtype=np.float64)
    left = indices < 0
    _refuse(left & ~np.isfinite(numbers), question, "it is not a number", "write a plain number, such as 850")
    if question.minimum is not None:
        low = left & (numbers < question.minimum)
        _refuse(low, question, "the number is below the minimum", f"write at least {question.minimum}")
    if question.maximum is not None:
        high = left & (numbers > question.maximum)
        _refuse(high, question, "the number is above the maximum", f"write at most {question.maximum}")
    if question.whole:
        _refuse(left & (numbers % 1 != 0), question, "the number is not whole", "write whole numbers")
    indices[left] = np.searchsorted(numeric_bounds(question), numbers[left], side="right")


def _refuse(wrong: NDArray[np.bool_], question: Question, problem: str, remedy: str) -> None:
    if wrong.any():
        raise ResponseError(f'row {int(wrong.argmax()) + 1}, column "{question.name}"', problem, remedy)


def _listed(items: Sequence[object]) -> str:
    """Return a list as text for an error, shortened if it would fill the screen."""
    shown = 12
    words = [str(item) for item in items[:shown]]
    return ", ".join(words) + (f", ... ({len(items)} in all)" if len(items) > shown else "")


def answers_to(survey: Survey, frame: pd.DataFrame, question: Question) -> pd.Series:
    """Return the answers to a question, from its own column or from another column that determines them.

    A person who was not asked has the answer ``not_applicable``.

    Raises:
        ResponseError: If no column has the answers, or an option is unknown.
    """
    screen = next((each for each in survey.screens if question.name in each.questions), None)
    if screen is None:
        return column_of(frame, question)
    joined = _joined_column(frame, screen, question, survey)
    answers = column_of(frame, question) if joined is None else _ticks(frame[joined], question, joined, screen, survey)
    if screen.is_combined:
        answers = _combinations(answers, question, screen)
    if joined is None and NOT_APPLICABLE not in question.values:
        return answers
    missing = (texts_of(answers).isin(MISSING - {*question.values})).to_numpy()
    if NOT_APPLICABLE in question.values and missing.any():
        unasked = missing & ~_asked(survey, frame, screen)
        answers, missing = answers.mask(unasked, NOT_APPLICABLE), missing & ~unasked
    if joined is not None and SKIPPED not in question.values:
        answers = answers.mask(missing, YES_NO[1])
    return answers


def texts_of(cells: pd.Series) -> pd.Series:
    """Return table cells as texts in a uniform spelling, with an empty text for a missing cell."""
    return cells.astype(object).where(cells.notna(), "").astype(str).map(plain_cell)


def _asked(survey: Survey, frame: pd.DataFrame, screen: Screen) -> NDArray[np.bool_]:
    """Return whether each person was asked the questions of a screen, from the answers to its conditions."""
    asked = np.ones(len(frame), dtype=np.bool_)
    for name, values in screen.ask_if:
        other = survey.question(name)
        gate = next((each for each in survey.screens if name in each.questions), Screen(()))
        if name in frame.columns or _joined_column(frame, gate, other, survey) is not None:
            indices = read_answers(other, answers_to(survey, frame, other))
            asked &= np.isin(indices, [other.value_index(value) for value in values])
    return asked


def _joined_column(frame: pd.DataFrame, screen: Screen, question: Question, survey: Survey) -> str | None:
    """Return the name of the column whose cells list the ticked options of a `multiple` question, or None."""
    if screen.kind != MULTIPLE or screen.is_combined or question.name in frame.columns:
        return None
    parts = question.name.split("_")
    stems = {"_".join(parts[:size]): None for size in range(len(parts) - 1, 0, -1)}
    free = [stem for stem in stems if stem in frame and stem not in {each.name for each in survey.questions}]
    fit = (stem for stem in free if all(name.startswith(f"{stem}_") for name in screen.questions))
    return next(fit, None)


def _ticks(cells: pd.Series, question: Question, column: str, screen: Screen, survey: Survey) -> pd.Series:
    """Return "yes" or "no" for one option, from a column whose cells list the ticked options."""
    options: dict[str, str] = {}
    for name in screen.questions:
        texts = [text for _, text in survey.question(name).label.pairs]
        options |= dict.fromkeys([*texts, name.removeprefix(f"{column}_")], name)
    ticked = {cell: _ticked(cell, options) for cell in set(texts_of(cells))}
    wrong = texts_of(cells).map(lambda cell: ticked[cell] is None).to_numpy(np.bool_)
    if wrong.any():
        place, names = f'row {int(wrong.argmax()) + 1}, column "{column}"', ", ".join(options)
        raise ResponseError(place, "an option does not belong to the question", f"use these, joined by {TICK}: {names}")
    said = {
        cell: YES_NO[question.name not in found] if found else "" for cell, found in ticked.items() if found is not None
    }
    return texts_of(cells).map(said)


def _combinations(cells: pd.Series, question: Question, screen: Screen) -> pd.Series:
    """Return the combination of options for each table cell, whose text joins options in any order by ; or +."""
    names = {name for name, _ in screen.items}
    options = {each: name for name, text in screen.items for each in (*(said for _, said in text.pairs), name)}

    def combination(cell: str) -> str:
        parts = cell.split(PLUS)
        is_set = len(parts) == len({*parts}) and {*parts} <= names
        ticked = None if cell in question.values else {*parts} if is_set else _ticked(cell, options)
        if ticked is None:
            return cell
        value = PLUS.join(name for name, _ in screen.items if name in ticked) or NOTHING
        return value if value in question.values else cell

    return texts_of(cells).map({cell: combination(cell) for cell in set(texts_of(cells))})


def _ticked(cell: str, options: Options) -> set[str] | None:
    """Return the options that the text of a table cell lists, or None if an option is unknown."""
    parts = [part.strip() for part in cell.split(TICK)] if plain_cell(cell) not in MISSING else []
    found = [same(part, [*options]) for part in parts if part]
    return None if None in found else {options[each] for each in found if each is not None}
