"""Batches of responses: the codes of many responses as one array of small numbers.

A million responses to 20 questions take 20 MB, without a Python object for each response.
"""

import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, TypeAlias

from collector.coding.coding_check import LARGEST_CODE
from collector.errors import ResponseError
from collector.survey.survey import Row, Survey

ABSENT = 1
"""Number of a question that was not asked, in place of a code."""
FIRST = 2
"""Number that stands for code 0. The number 0 is not used, because it would end a text."""
Batch: TypeAlias = "array[int]"
"""The numbers of some responses one after another, in question order: `ABSENT`, or a code plus `FIRST`. They have 8
bits, or 16 if a question has many codes."""
MOST_IN_BYTE = 255 - FIRST
CODES: tuple[int | None, ...] = (None, None, *range(LARGEST_CODE + 1))  # code for each number of a batch
AT_ONCE = 64  # number of responses whose cells are looked up together, limited by the processor's nearest cache
MISFITS = (KeyError, TypeError, ValueError, IndexError)
TYPES = {int, bool, type(None)}
WIDE = {"little": "utf-16-le", "big": "utf-16-be"}[sys.byteorder]


def is_narrow(survey: Survey) -> bool:
    """Return whether the batches of a survey use numbers of 8 bits instead of 16."""
    return all(each.codes[-1] <= MOST_IN_BYTE for each in survey.questions)


def batch_of(survey: Survey, text: str) -> Batch:
    """Return the responses of a text with one character for each code, as a batch.

    The SQL of `collector.store.schema.batch_sql` selects the text of a batch.
    """
    if is_narrow(survey):
        return array("B", text.encode("latin-1"))
    return array("H", text.encode(WIDE))  # all numbers are below the surrogates


def rows_of(survey: Survey, batch: Batch) -> Iterator[Row]:
    """Return the responses of a batch as codes in question order, with None for questions that were not asked."""
    width = len(survey.questions)
    return zip(*(map(CODES.__getitem__, batch[start::width]) for start in range(width)), strict=True)


class Filling:
    """A batch of responses that grows by adding responses.

    Args:
        survey: Published design.
        numbers: Mapping from the text of a table cell to the number in a batch, for each question. Invalid table cells
            raise `KeyError`.

    Attributes:
        batch: Responses added so far.
    """

    def __init__(self, survey: Survey, numbers: Sequence[Mapping[Any, int]]) -> None:
        self._narrow = is_narrow(survey)
        self._numbers = [each.__getitem__ for each in numbers]
        self._missing = None if survey.sampling is None else len(numbers) - survey.sampling.ask
        self.batch: Batch = array("B" if self._narrow else "H")

    def add(self, columns: Sequence[Sequence[Any]]) -> None:
        """Add responses, given as one column of cells for each question.

        If adding raises an error, the batch stays unchanged.

        Raises:
            KeyError: If a table cell is not valid.
            TypeError: If a table cell has a type that is never valid.
            ValueError: If a response answers more or fewer questions than one respondent is asked.
        """
        width, count = len(columns), len(columns[0])
        block = array(self.batch.typecode, bytes(self.batch.itemsize * width * count))
        for start, (number, column) in enumerate(zip(self._numbers, columns, strict=True)):
            found = map(number, column)
            block[start::width] = array(block.typecode, bytes(found) if self._narrow else found)
        if self._missing is not None and _missing(block, width) != {self._missing}:
            raise ValueError(self._missing)
        self.batch.extend(block)


def _missing(batch: Batch, width: int) -> set[int]:
    """Return the numbers of questions not asked that occur in the responses of a batch."""
    absent = batch.tobytes() if batch.itemsize == 1 else bytes(map(ABSENT.__eq__, batch))  # either way 1 where absent
    return {absent.count(1, start, start + width) for start in range(0, len(absent), width)}


def fits(survey: Survey, batch: Batch) -> bool:
    """Return whether every response of a batch is valid.

    A valid response has a valid code for each question that the respondent is asked, and no other codes.
    """
    allowed = [each.values() for each in numbers_of_codes(survey)]
    width, asked = len(allowed), len(allowed) if survey.sampling is None else survey.sampling.ask
    codes_fit = all(_hold(batch[start::width], each) for start, each in enumerate(allowed))
    return codes_fit and (survey.sampling is None or _missing(batch, width) <= {width - asked})


def _hold(numbers: Batch, allowed: Collection[int]) -> bool:
    """Return whether a column of a batch contains only allowed numbers."""
    if numbers.itemsize == 1:  # ten times as fast
        return not numbers.tobytes().translate(None, bytes(allowed))
    return set(numbers) <= set(allowed)


def numbers_of_codes(survey: Survey) -> list[dict[int | None, int]]:
    """Return, for each question, the mapping from a code to the number that stands for the code in a batch."""
    return [
        {code: code + FIRST for code in each.codes} | ({None: ABSENT} if survey.may_miss(each.name) else {})
        for each in survey.questions
    ]


def batch_from(survey: Survey, rows: Iterable[Sequence[int | None]]) -> Batch:
    """Return a batch of responses that are given as codes in question order.

    Raises:
        ResponseError: If a response does not have a code for each question.
    """
    filling, left, done = Filling(survey, numbers_of_codes(survey)), iter(rows), 0
    while some := list(islice(left, AT_ONCE)):
        try:
            _add(filling, some)
        except MISFITS:
            for number, row in enumerate(some, start=done + 1):
                _add_named(filling, row, f"response number {number}")
        done += len(some)
    return filling.batch


def _add(filling: Filling, rows: Sequence[Sequence[int | None]]) -> None:
    if not set(map(type, chain.from_iterable(rows))) <= TYPES:
        raise TypeError  # of what is equal to a code, and is none
    filling.add(list(zip(*rows, strict=True)))


def _add_named(filling: Filling, row: Sequence[int | None], place: str) -> None:
    try:
        _add(filling, [row])
    except MISFITS:
        raise ResponseError(
            place,
            "the response does not have one code for each question",
            "check the response against the survey first",
        ) from None
