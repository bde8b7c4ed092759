"""Storing many responses, which are collected in memory and moved into the store at once.

Inserting a million rows one by one from Python takes a minute, in which all other writers wait. Copying a million rows
from a table in memory, sorted by id, takes two seconds and stores all rows or none. Each 64-bit number in memory holds
the codes of several questions, because fewer values are faster to insert.
"""

import secrets
import sys
from array import array
from collections.abc import Callable, Iterator
from struct import Struct

from collector.database.batch import ABSENT, FIRST, Batch, fits, is_narrow, rows_of
from collector.database.session import Engine, Session
from collector.store.published import Published
from collector.store.schema import insert_sql
from collector.survey.survey import Survey

WORD = 8  # number of bytes of a 64-bit number
AT_ONCE = 2**12  # number of rows that are packed together
First = Callable[[Session], None]
"""A function that runs before the rows are moved in, in the same transaction."""


def random_ids(count: int) -> list[int]:
    """Return random numbers of 63 bits from the system's secure random generator, for use as ids."""
    words = array("Q", secrets.token_bytes(WORD * count))  # at once: each such call lets other threads go first
    return [word >> 1 for word in words]


def move_in(
    connections: Engine,
    published: Published,
    batch: Batch,
    draw_ids: Callable[[int], list[int]],
    first: First = lambda _: None,
) -> None:
    """Store responses that have no receipts, all of them or none.

    Args:
        connections: Connections to the store.
        published: Published version that the responses answer.
        batch: Responses to store.
        draw_ids: Function that draws a given number of random ids.
        first: Function that runs first in the transaction, and may raise an error to stop the import.

    Raises:
        ResponseError: If a response is not valid.
    """
    survey = published.survey
    cells, width = _cells(survey)
    if fits(survey, batch) and connections.stage(
        published.table, cells, width, _packed(survey, batch, draw_ids), first
    ):
        return
    insert, ids = insert_sql(published.table, survey), draw_ids(len(batch) // len(survey.questions))
    with connections.writing() as database:  # one by one: a random id is taken, or what does not fit can be named
        first(database)
        for number, codes in enumerate(rows_of(survey, batch), start=1):
            with database.fitting(f"response number {number}"):
                while database.execute(insert, (ids.pop(), *codes, None, 0)).rowcount == 0:
                    ids += draw_ids(1)  # the one it had is taken


def _per_word(survey: Survey) -> int:
    """Return the number of a survey's codes that fit into a 64-bit number."""
    return WORD if is_narrow(survey) else WORD // 2


def _cells(survey: Survey) -> tuple[dict[str, str], int]:
    """Return SQL for the columns of a response, and the number of 64-bit numbers that hold its codes in memory.

    The SQL unpacks the codes from the 64-bit numbers w0, w1, ... of a row in memory.
    """
    per, cells = _per_word(survey), {"id": "id"}
    bits = 8 * WORD // per
    for place, question in enumerate(survey.questions):
        word, part = divmod(place, per)
        number = f"((w{word} >> {bits * (per - 1 - part)}) & {2**bits - 1})"
        number = f"nullif({number}, {ABSENT})" if survey.may_miss(question.name) else number
        cells[f'"{question.name}"'] = f"{number} - {FIRST}"
    return cells, -(-len(survey.questions) // per)


def _packed(survey: Survey, batch: Batch, draw_ids: Callable[[int], list[int]]) -> Iterator[tuple[int, ...]]:
    """Yield each response as a random id and 64-bit numbers that contain its codes, sorted by id."""
    words = -(-len(survey.questions) // _per_word(survey))
    waiting = _in_order(batch, len(survey.questions), words, draw_ids)
    unpacked = Struct(f">{1 + words}q").iter_unpack
    for start in range(0, len(waiting), AT_ONCE):
        yield from unpacked(b"".join(waiting[start : start + AT_ONCE]))


def _in_order(batch: Batch, width: int, words: int, draw_ids: Callable[[int], list[int]]) -> list[bytes]:
    """Return each response as the bytes of its id and of its 64-bit numbers (big-endian), sorted by id."""
    waiting: list[bytes] = []
    size, used = WORD * (1 + words), width * batch.itemsize  # bytes of a row, and of its codes
    for start in range(0, len(batch), AT_ONCE * width):
        some = batch[start : start + AT_ONCE * width]
        ids = array("Q", draw_ids(len(some) // width))
        if sys.byteorder == "little":
            some.byteswap()
            ids.byteswap()
        codes, row_ids, rows = some.tobytes(), ids.tobytes(), bytearray(size * len(ids))
        for place in range(WORD):
            rows[place::size] = row_ids[place::WORD]
        for place in range(used):
            rows[WORD + place :: size] = codes[place::used]
        whole = bytes(rows)
        waiting += [whole[at : at + size] for at in range(0, len(whole), size)]
    waiting.sort()
    return waiting
