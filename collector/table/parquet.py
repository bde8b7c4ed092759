"""Writing of disguised responses as a folder of Parquet files, one file for each range of random ids.

Each question has a column of codes, with null for respondents who were not asked. The metadata of each Parquet file
contain the published design.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path

from collector.database.batch import ABSENT, FIRST, MOST_IN_BYTE, Batch
from collector.errors import OutputError, QueryError
from collector.maintenance.backup import flush
from collector.output import check_empty, draft_of
from collector.store.published import Published
from collector.store.simulated import MARK, Coins
from collector.survey.question import Question
from collector.survey.survey import Survey

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
except ImportError:
    raise QueryError("Parquet", "Parquet needs pyarrow", 'pip install "deniable[parquet]"') from None

__all__ = ["column_digest", "column_type", "pa", "pc", "pq", "shifted", "write_folder"]

SUFFIX = ".parquet"
BATCHES = 16  # number of batches in a file
OWNERS_ONLY = 0o600
NAMES = ("design", "fingerprint", "version", "pooled", "number", "last", "simulated", "digests")
DESIGN, FINGERPRINT, VERSION, POOLED, NUMBER, LAST, SIMULATED, DIGESTS = (f"deniable.{name}".encode() for name in NAMES)
"""Keys of the metadata of each file. The digests of its columns stand in the file alone: elsewhere, they would let
somebody check a guess of all its rows."""


def write_folder(  # noqa: PLR0913 - each says something else of the responses
    published: Published,
    batches: Iterator[Batch],
    folder: Path,
    coins: Coins | None,
    advance: Callable[[], None],
    *,
    pooled: str = "",
) -> int:
    """Write all responses as Parquet files into a folder, which appears when all files are complete.

    Args:
        published: Published version of the survey that the responses answer.
        batches: Responses, as `Store.batches` yields them.
        folder: Path of a new or empty folder.
        coins: How the coins of simulated responses were drawn, for the column ``_simulated`` and the metadata, or None
            for responses of people.
        advance: Function that is called after each batch.
        pooled: Description of the versions that the responses answer, or None for one version.

    Returns:
        The number of responses written.

    Raises:
        OutputError: If the folder is not empty, or cannot be written.
    """
    check_empty(folder)
    schema = _schema(published, coins, pooled)
    tables = (_table(published.survey, batch, schema, coins) for batch in batches)
    try:
        with draft_of(folder, is_folder=True) as (draft, _):
            count = _write(schema, tables, draft, advance)
            flush(draft)
            draft.rename(folder)  # over an empty folder too
            flush(folder.parent)
    except OSError as error:
        problem = f"it cannot be written ({error.strerror or error})"
        raise OutputError(str(folder), problem, "check the path and the disk") from None
    return count


def _write(schema: pa.Schema, tables: Iterator[pa.Table], draft: Path, advance: Callable[[], None]) -> int:
    count, number, table = 0, 0, next(tables, None)
    while number == 0 or table is not None:
        digests = {name: column_digest() for name in schema.names if name != MARK}
        with _file(draft / f"part-{number:05}{SUFFIX}", schema) as writer:
            for _ in range(BATCHES):
                if table is None:
                    break
                writer.write_table(table)
                for name, digest in digests.items():
                    for chunk in table[name].chunks:
                        digest.update(bytes_of(shifted(chunk)))
                count += table.num_rows
                advance()
                table = next(tables, None)
            said = json.dumps({name: digest.hexdigest() for name, digest in digests.items()})
            writer.add_key_value_metadata({NUMBER: str(number), LAST: str(int(table is None)), DIGESTS: said})
        number += 1
    return count


def _schema(published: Published, coins: Coins | None, pooled: str) -> pa.Schema:
    survey = published.survey
    fields = [pa.field(each.name, column_type(each), survey.may_miss(each.name)) for each in survey.questions]
    metadata = {DESIGN: survey.canonical, FINGERPRINT: survey.fingerprint, VERSION: str(published.version)}
    if pooled:
        metadata[POOLED] = pooled
    if coins is not None:
        fields.append(pa.field(MARK, pa.string(), nullable=False))
        metadata[SIMULATED] = str(coins)
    return pa.schema(fields, metadata)


def column_type(question: Question) -> pa.DataType:
    """Return the smallest integer type, of 8 or 16 bits, for a question's codes."""
    return pa.uint8() if question.codes[-1] <= MOST_IN_BYTE else pa.uint16()


def shifted(codes: pa.Array) -> pa.Array:
    """Return codes as in a batch: each raised by `FIRST`, with `ABSENT` for null."""
    return pc.add(codes, pa.scalar(FIRST, codes.type)).fill_null(ABSENT)


def bytes_of(numbers: pa.Array) -> memoryview:
    """Return the bytes of an array of whole numbers without nulls."""
    width = numbers.type.bit_width // 8
    return memoryview(numbers.buffers()[1])[numbers.offset * width : (numbers.offset + len(numbers)) * width]


column_digest = partial(blake2b, digest_size=16)
"""Function that returns an empty digest for the codes of a column."""


@contextmanager
def _file(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Yield a new file that only the owner can read, and write the file to the disk at the end of the block."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNERS_ONLY), "wb") as stream:
        with pq.ParquetWriter(stream, schema) as writer:
            yield writer
        stream.flush()
        os.fsync(stream.fileno())


def _table(survey: Survey, batch: Batch, schema: pa.Schema, coins: Coins | None) -> pa.Table:
    width = len(survey.questions)
    count = len(batch) // width
    wide = pa.uint8() if batch.itemsize == 1 else pa.uint16()
    columns = []
    for place, question in enumerate(survey.questions):
        numbers = pa.Array.from_buffers(wide, count, [None, pa.py_buffer(batch[place::width])])
        codes = pc.subtract(numbers, pa.scalar(FIRST, wide))
        if survey.may_miss(question.name):
            codes = pc.if_else(pc.equal(numbers, pa.scalar(ABSENT, wide)), pa.scalar(None, wide), codes)
        columns.append(codes.cast(column_type(question)))
    if coins is not None:
        columns.append(pa.repeat(str(coins), count))
    return pa.table(columns, schema=schema)
