"""Read a folder of Parquet files that ``collector export --format parquet`` has written."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self, TypeVar

import numpy as np

from collector.database.batch import ABSENT, FIRST
from collector.errors import DeniableError, ResponseError
from collector.store.simulated import Coins, Simulated
from collector.survey.design import survey_from_json
from collector.survey.survey import Survey
from collector.table.parquet import (
    DESIGN,
    DIGESTS,
    FINGERPRINT,
    LAST,
    NUMBER,
    SIMULATED,
    SUFFIX,
    VERSION,
    column_digest,
    column_type,
    pa,
    pq,
    shifted,
)
from miner.responses.responses import Data
from miner.responses.tally import Numbers, Tally
from miner.steps import steps

AGAIN = "export the survey again"
AT_ONCE = 2**18  # number of responses that are read at once
T = TypeVar("T")
_design = lru_cache(maxsize=1)(survey_from_json)
"""The files of a folder have one design, which is read and checked once."""


@dataclass(frozen=True)
class ParquetPart:
    """Parquet file of responses, with its metadata.

    Attributes:
        path: Path of the file.
        survey: Published survey.
        version: Version of the survey.
        number: Number of the file in its folder, from 0.
        is_last: Whether no file in the folder has a higher number.
        responses: Number of responses in the file.
        coins: Coins of simulated responses, or None if the responses are not simulated.
        digests: Digest of the codes of each column, by name of the question; empty in files of older versions.
    """

    path: Path
    survey: Survey
    version: int
    number: int
    is_last: bool
    responses: int
    coins: Coins | None
    digests: Mapping[str, str]

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read the metadata of a Parquet file, and check that the file has a column for each question.

        Raises:
            ResponseError: If the file is not a Parquet file of responses.
        """
        with _opened(path) as file:
            metadata, schema, rows = file.metadata.metadata or {}, file.schema_arrow, file.metadata.num_rows
        try:
            survey = _design(metadata[DESIGN].decode())
            version, number, last = int(metadata[VERSION]), int(metadata[NUMBER]), metadata[LAST] == b"1"
            coins = Coins(metadata[SIMULATED].decode()) if SIMULATED in metadata else None
            whole = survey.fingerprint.encode() == metadata[FINGERPRINT]
            whole = whole and all(schema.field(each.name).type == column_type(each) for each in survey.questions)
            digests = json.loads(metadata.get(DIGESTS, b"{}"))
        except (KeyError, ValueError, DeniableError):
            whole = False
        if not whole:
            problem = "it was not written by collector export, or was changed since"
            raise ResponseError(str(path), problem, AGAIN)
        return cls(path, survey, version, number, last, rows, coins, digests)

    def numbers(self, columns: Sequence[int]) -> Iterator[list[Numbers]]:
        """Yield some columns of the Parquet file, in blocks of responses.

        Raises:
            ResponseError: If the file cannot be read, or contains an invalid code.
        """
        questions = [self.survey.questions[column] for column in columns]
        digests, responses = [column_digest() for _ in columns], 0
        with _opened(self.path) as file:
            batches = file.iter_batches(AT_ONCE, columns=[each.name for each in questions], use_threads=False)
            while (batch := _read(self.path, lambda: next(batches, None))) is not None:
                numbers = [self._column(place, array) for place, array in zip(columns, batch.columns, strict=True)]
                for digest, column in zip(digests, numbers, strict=True):
                    digest.update(column.tobytes())
                responses += len(batch)
                yield numbers
        found = {each.name: digest.hexdigest() for each, digest in zip(questions, digests, strict=True)}
        known = {name: self.digests[name] for name in found} if self.digests else found
        if responses != self.responses or found != known:
            raise ResponseError(
                str(self.path), "the file was changed since it was written, or while it was read", AGAIN
            )

    def add_to(self, tallies: Sequence[Tally]) -> None:
        """Add the responses of the file to several tallies, in one pass over the file.

        Raises:
            ResponseError: If the file cannot be read, or contains an invalid code.
        """
        columns = sorted({column for each in tallies for column in each.packing.columns})
        for numbers in self.numbers(columns):
            for tally in tallies:
                tally.add([numbers[columns.index(column)] for column in tally.packing.columns])

    def _column(self, place: int, array: pa.Array) -> Numbers:
        question = self.survey.questions[place]
        allowed = np.zeros(2**array.type.bit_width, np.bool_)
        allowed[[code + FIRST for code in question.codes]] = True
        allowed[ABSENT] = self.survey.may_miss(question.name)
        numbers: Numbers = shifted(array).to_numpy(zero_copy_only=False)
        between = allowed[numbers.min(initial=FIRST) : int(numbers.max(initial=FIRST)) + 1]  # mostly enough, and quick
        if not (between.all() or allowed[numbers].all()):
            remedy = "it was changed since it was written: " + AGAIN
            raise ResponseError(
                f'{self.path}: column "{question.name}"', "a column holds something that is not a code", remedy
            )
        return numbers


class ParquetFolder(Data):
    """Disguised responses in a folder of Parquet files.

    Raises:
        ResponseError: If the folder does not exist, a file is missing, truncated or in another format, or the surveys
            of the files differ.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise ResponseError(str(path), "there is no such folder", "name a folder that collector export wrote")
        found = [ParquetPart.of(each) for each in sorted(path.glob(f"*{SUFFIX}"))]
        if not found:
            raise ResponseError(str(path), "the folder contains no Parquet file", AGAIN)
        self.path, self.parts = path, sorted(found, key=lambda part: part.number)
        for part in found:
            if (part.survey, part.version, part.coins) != (found[0].survey, found[0].version, found[0].coins):
                problem = f"it is of another survey or version than {found[0].path.name}"
                raise ResponseError(str(part.path), problem, "write each export to its own folder")
        for number, part in enumerate(self.parts):
            if part.number != number or part.is_last != (part is self.parts[-1]):
                problem = "a file is missing, or there twice"
                raise ResponseError(str(path), problem, AGAIN)
        self.survey, self.version = found[0].survey, found[0].version
        coins, count = found[0].coins, len(self)
        self.simulated = None if coins is None else Simulated(count, count if coins is Coins.SEEDED else 0, count)

    def __len__(self) -> int:
        return sum(part.responses for part in self.parts)

    def pieces(self) -> Iterator[Tally]:
        """Yield a tally of all columns for each Parquet file."""
        for part in steps("reading", self.parts, len(self.parts)):
            tally = Tally(self.survey, range(len(self.survey.questions)))
            part.add_to([tally])
            yield tally

    def tallied(self, sets: Sequence[Sequence[int]]) -> list[Tally]:
        """Return a count of the combinations of codes (tally) in each set of columns, in one pass over the files."""
        tallies = [Tally(self.survey, each) for each in sets]
        for part in steps("reading", self.parts, len(self.parts)):
            part.add_to(tallies)
        return tallies


def _opened(path: Path) -> pq.ParquetFile:
    return _read(path, lambda: pq.ParquetFile(path, memory_map=False))


def _read(path: Path, reading: Callable[[], T]) -> T:
    """Return the result of a function that reads a Parquet file.

    Raises:
        ResponseError: If pyarrow cannot read the file.
    """
    try:
        return reading()
    except (FileNotFoundError, PermissionError) as error:
        raise ResponseError(
            str(path), f"it cannot be read ({error.strerror or error})", "give a folder that is there"
        ) from None
    except (OSError, pa.ArrowException):
        raise ResponseError(str(path), "the Parquet file is incomplete or damaged", AGAIN) from None
