"""Define sources of disguised responses in memory or on disk, and count their responses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from collector.database.batch import FIRST
from collector.errors import QueryError
from collector.store.simulated import Simulated
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.responses.responses import Responses
from miner.responses.tally import Tally, code_type


class Source(Protocol):
    """Disguised responses to one published version, in memory (`Responses`) or on disk (`ParquetFolder`)."""

    @property
    def survey(self) -> Survey:
        """Return the published survey."""

    @property
    def simulated(self) -> Simulated | None:
        """Return the record of simulated responses, or None if no response is known to be simulated."""

    def __len__(self) -> int: ...

    def tallied(self, sets: Sequence[Sequence[int]]) -> list[Tally]:
        """Return a tally (counts of combinations of codes) of each set of columns, in one pass over the responses."""


def in_memory(source: Source) -> Responses:
    """Return all responses of a source in memory."""
    if isinstance(source, Responses):
        return source
    return Responses.from_tally(source.tallied([range(len(source.survey.questions))])[0], source.simulated)


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct responses to some questions, and the number of times that each response occurs.

    Attributes:
        responses: Distinct responses in ascending order of their codes, with meaningless codes for unused questions.
        counts: Number of times that each response occurs, above 0, shape (responses,).
    """

    responses: Responses
    counts: Floats

    @property
    def people(self) -> int:
        """Return the number of all responses, including equal responses."""
        return round(float(self.counts.sum()))

    def among_asked(self, names: Iterable[str]) -> "Counted":
        """Return the counts of respondents who were asked all of the given questions.

        Raises:
            QueryError: If no respondent was asked all of the given questions.
        """
        names = list(names)
        asked = self.responses.asked_all(names)
        if asked.all():
            return self
        if not asked.any():
            raise self.responses.never_asked(names)
        return replace(self, responses=self.responses.take(np.flatnonzero(asked)), counts=self.counts[asked])


def counted(source: Source, sets: Iterable[Iterable[int]]) -> list[Counted]:
    """Return the distinct responses to each set of questions, after one pass over the responses.

    Raises:
        QueryError: If there are no responses.
    """
    if not len(source):
        raise QueryError("responses", "there are no responses to estimate from", "collect responses first")
    columns = [sorted(set(each)) or [0] for each in sets]
    return [_counted(source.survey, each) for each in source.tallied(columns)]


def _counted(survey: Survey, tally: Tally) -> Counted:
    numbers, counts = tally.counts()
    codes = np.tile(np.array([each.codes[0] for each in survey.questions], code_type(survey)), (len(counts), 1))
    for column, own in zip(tally.packing.columns, numbers, strict=True):
        codes[:, column] = own
        codes[:, column] -= FIRST
    return Counted(Responses(survey, codes), counts.astype(np.float64))
