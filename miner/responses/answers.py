"""Read files of true answers for simulations, predictions and releases."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from collector.errors import ResponseError
from collector.survey.question import NOT_APPLICABLE, Question
from collector.survey.survey import Survey
from collector.table.cell_words import MISSING
from collector.table.even_table import UnevenError, even_table
from collector.table.plain_table import (
    AS_IT_STANDS,
    NUMBER,
    Reading,
    number_text,
    plain_cell,
    read_plain_table,
)
from miner.responses.columns import index_of, numeric_bounds
from miner.responses.responses import Values, value_indices

HEADINGS = "headings"
ROWS = 2**17  # number of rows of a block of values
MOST_WORDS = 2**10  # largest number of words of a column, other than numbers, that are looked up one by one
REMEMBERED = 2**12  # number of distinct cells of a column above which numbers are read many at once
NUMBERS = re.compile(rf"(?:(?:{NUMBER.pattern})\n)+")


def read_answers(path: Path, reading: Reading = AS_IT_STANDS, survey: Survey | None = None) -> pd.DataFrame:
    """Read a table of answers as `collector draft` reads it, with every cell as text.

    Args:
        path: Path of the table.
        reading: Headings and encoding, if the table itself does not state them.
        survey: Survey that the table answers. A heading that occurs twice must name two questions of the survey.

    Returns:
        A frame whose columns have the names that `collector draft` gives to questions. The attribute `HEADINGS` of the
        frame is a line about omitted rows of headings, or an empty text.

    Raises:
        InputError: If the file cannot be read as text.
        ResponseError: If the file is not a table.
    """
    columns = read_plain_table(path, reading)
    asked = set() if survey is None else {question.name for question in survey.questions}
    names = {each.heading: each.name for each in reversed(columns)}
    for each in columns:
        if names[each.heading] in asked and each.name not in asked:
            remedy = "remove one of the two, or give it another heading"
            raise ResponseError(f'{path}: line 1, column "{each.heading}"', "the column is there twice", remedy)
    frame = pd.DataFrame({each.name: pd.Series(each.cells, dtype=object) for each in columns})
    number = len(columns[0].more)
    rows = "1 row below the header is a heading" if number == 1 else f"{number} rows below the header are headings"
    frame.attrs[HEADINGS] = f"{path}: {rows}, and not read as answers" if number else ""
    return frame


def read_values(survey: Survey, path: Path, reading: Reading = AS_IT_STANDS) -> Values:
    """Read all true answers to a survey as value indices, shape (rows, questions).

    Raises:
        ResponseError: If an answer is not valid.
    """
    return np.concatenate(list(value_blocks(survey, path, reading)))


def value_blocks(
    survey: Survey, path: Path, reading: Reading = AS_IT_STANDS, say: Callable[[str], None] | None = None
) -> Iterator[Values]:
    """Read all true answers to a survey in blocks of `ROWS` rows, at least one block.

    The whole table is read before the first block is yielded, with one byte of memory for each answer.

    Args:
        survey: Survey that the table answers.
        path: Path of the table.
        reading: Headings and encoding, if the table itself does not state them.
        say: Function that is called with a line about omitted rows of headings.

    Raises:
        ResponseError: If an answer is not valid, before the first block is yielded.
    """
    try:
        columns = _even_columns(survey, path, reading)
    except (UnevenError, OSError, csv.Error, LookupError, ValueError):  # another form of table, or a wrong one
        frame = read_answers(path, reading, survey)
        if say is not None and frame.attrs[HEADINGS]:
            say(frame.attrs[HEADINGS])
        try:
            values = value_indices(survey, frame)
        except ResponseError as error:
            raise error.within(str(path)) from None
        columns = [bytearray(column.astype(np.uint8)) for column in values.T]
    return _blocks(columns)


def _blocks(columns: list[bytearray]) -> Iterator[Values]:
    for start in range(0, max(len(columns[0]), 1), ROWS):
        parts = [np.frombuffer(column[start : start + ROWS], np.uint8) for column in columns]
        yield np.stack(parts, axis=1).astype(np.int16)


def _even_columns(survey: Survey, path: Path, reading: Reading) -> list[bytearray]:
    """Return the value indices of each question from a table whose rows have equal numbers of cells.

    Raises:
        UnevenError: If the table needs a reader that sees all cells of a column at once.
    """
    with even_table(path, reading) as table:
        places = [table.names.index(question.name) for question in survey.questions]
        indices = [_CellIndices(question, table.separator) for question in survey.questions]
        columns = [bytearray() for _ in indices]
        for block in table.blocks():
            for number, (each, place) in enumerate(zip(indices, places, strict=True)):
                columns[number] += each.indices(block[place])
    if any(each.depends and not each.numbers for each in indices):
        raise UnevenError
    return columns


class _CellIndices(dict[str, int]):
    """Cache of the value index that each cell of a column stands for.

    Attributes:
        numbers: Whether all cells so far, except missing cells, are numbers.
        depends: Whether the value that a cell of the table stands for depends on whether all cells are numbers.
    """

    def __init__(self, question: Question, separator: str) -> None:
        super().__init__()
        self._question, self._separator, self._bounds = question, separator, numeric_bounds(question)
        self._left, self._many = MOST_WORDS, False
        self.numbers, self.depends = True, False

    def indices(self, cells: Sequence[str]) -> bytes:
        """Return the value indices of some cells of a column of the table.

        Raises:
            UnevenError: If a cell stands for no value, or the column has too many distinct words.
        """
        if self._many and NUMBERS.fullmatch("\n".join([*cells, ""])):
            return self._of_numbers(cells).tobytes()
        return bytes(map(self.__getitem__, cells))

    def __missing__(self, cell: str) -> int:
        word = plain_cell(cell)
        index = int(self._of_numbers([word])[0]) if self._bounds and NUMBER.fullmatch(word) else self._of_word(word)
        if len(self) == REMEMBERED:
            self.clear()
            self._many = bool(self._bounds)
        self[cell] = index
        return index

    def _of_numbers(self, words: Sequence[str]) -> NDArray[np.uint8]:
        numbers, question = np.array(list(map(float, words))), self._question
        if question.minimum is not None and numbers.min() < question.minimum:
            raise UnevenError
        if question.maximum is not None and numbers.max() > question.maximum:
            raise UnevenError
        if question.whole and (numbers % 1).any():
            raise UnevenError
        return np.searchsorted(self._bounds, numbers, side="right").astype(np.uint8)

    def _of_word(self, word: str) -> int:
        if word in MISSING and NOT_APPLICABLE in self._question.values and word not in self._question.values:
            raise UnevenError  # the answers to other questions say whether it was asked
        number, self._left = number_text(word, self._separator), self._left - 1
        self.numbers = self.numbers and (number is not None or word in MISSING)
        index = index_of(self._question, word if number is None else number)
        if index is None or not self._left:
            raise UnevenError
        self.depends = self.depends or (number not in {None, word} and index_of(self._question, word) != index)
        return index
