"""Many responses at once: their codes as one array of small numbers, which SQLite itself writes one after another.

A million responses to 20 questions are 20 MB that way, and no object is made for each of them.
"""

import sys
from array import array
from collections.abc import Iterator
from typing import TypeAlias

from collector.coding.coding_check import LARGEST_CODE
from collector.survey.survey import Row, Survey

ABSENT = 1
"""In place of a code, where a question was not asked."""
FIRST = 2
"""What stands for code 0, and so on. Never 0, which would end a text."""
Batch: TypeAlias = "array[int]"
"""Numbers of 8 bits, or of 16 where a question has many codes, for some responses one after another, in question order:
for each question `ABSENT`, or its code plus `FIRST`."""
MOST_IN_BYTE = 255 - FIRST
CODES: tuple[int | None, ...] = (None, None, *range(LARGEST_CODE + 1))  # by the number that stands for it
WIDE = {"little": "utf-16-le", "big": "utf-16-be"}[sys.byteorder]


def batch_of(survey: Survey, text: str) -> Batch:
    """The batch that a text holds, a character for each number, as `collector.store.schema.batch_sql` selects it."""
    if all(each.codes[-1] <= MOST_IN_BYTE for each in survey.questions):
        return array("B", text.encode("latin-1"))
    return array("H", text.encode(WIDE))  # all numbers are below the surrogates


def rows_of(survey: Survey, batch: Batch) -> Iterator[Row]:
    """The responses of a batch: codes in question order, None where a question was not asked."""
    width = len(survey.questions)
    return zip(*(map(CODES.__getitem__, batch[start::width]) for start in range(width)), strict=True)
