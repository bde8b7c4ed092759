"""Rows on their way into a store: they wait in memory, and are moved in at once.

Who writes into a store keeps others waiting. Row by row from Python a million take a minute; copied by the database
from a table in memory, in the order of their ids, they take some seconds, and it is still all of them or none.
"""

import secrets
from collections.abc import Callable, Sequence

from collector.database.session import Engine, Session
from collector.store.published import Published
from collector.store.schema import insert_columns, insert_sql

WORD = 8  # bytes
First = Callable[[Session], None]
"""What is done in the transaction that moves rows in, before them."""


def random_ids(count: int) -> list[int]:
    """So many numbers of 63 bits from the system's secure randomness: ids that tell nothing."""
    words = secrets.token_bytes(WORD * count)  # asked for at once: each such call lets other threads go first
    return [int.from_bytes(words[start : start + WORD]) >> 1 for start in range(0, len(words), WORD)]


def move_in(
    connections: Engine,
    published: Published,
    responses: Sequence[Sequence[int | None]],
    draw_ids: Callable[[int], list[int]],
    first: First = lambda _: None,
) -> None:
    """Store responses that have no receipts, all of them or none.

    Args:
        connections: To the store.
        published: What they are responses to.
        responses: Codes in question order.
        draw_ids: Draws so many ids.
        first: Done in the same transaction before them, and undone with it. It may raise a reason against them.

    Raises:
        ResponseError: Naming the number of the response that does not fit.
    """
    ids, survey = draw_ids(len(responses)), published.survey
    waiting = [(row_id, *codes, None, 0) for row_id, codes in zip(ids, responses, strict=True)]
    if connections.stage(published.table, insert_columns(survey), waiting, first):
        return
    insert = insert_sql(published.table, survey)
    with connections.writing() as database:  # one by one: a random id is taken, or what does not fit can be named
        first(database)
        for number, codes in enumerate(responses, start=1):
            with database.fitting(f"response number {number}"):
                while database.execute(insert, (ids.pop(), *codes, None, 0)).rowcount == 0:
                    ids += draw_ids(1)  # the one it had is taken
