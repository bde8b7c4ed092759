"""Define the interface of a release method: parameters, a privacy statement that needs no data, and fitting."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from collector.errors import QueryError
from collector.ledger.budget import UP, Cost, in_decimals
from collector.survey.survey import Survey
from miner.release.ensemble import ReleasedModel
from miner.release.noise import Noise, positive
from miner.release.statement import Statement
from miner.release.table import TrustedTable
from miner.responses.possible import predictors

DOMAIN = "questions, values and cut points of the survey"
COUNTING = Fraction(1, 20)  # share of epsilon spent on the number of records if it is not declared
ROUNDED = 2  # number of significant digits of a declared size
ONE_RECORD = "several records of one person: k of them multiply epsilon by k"
WHETHER_REFUSED = "whether the table was refused, which only its holder learns"


@dataclass(frozen=True)
class ReleaseMethod(ABC):
    """Base class of a method that releases a model.

    The fields of a method are its parameters, and all of them are public.

    Attributes:
        epsilon: Total budget for adding or removing one record, exact and positive.
        size: Declared number of records, rounded to two digits, on which the depths of trees depend.
        counting: Additional epsilon for a noisy number of records (`with_size_of`), or 0 if the number is declared.
    """

    method: ClassVar[str]
    adds_up: ClassVar[bool] = False  # whether releases of several tables can be read as one
    epsilon: Fraction
    size: int
    counting: Fraction = field(default=Fraction(0), kw_only=True)

    def __post_init__(self) -> None:
        positive(self.epsilon)
        if self.size < 1:
            raise QueryError("size", "a table needs at least one record", "give the approximate number of records")
        object.__setattr__(self, "size", public_size(self.size))

    @property
    @abstractmethod
    def mechanism(self) -> str:
        """Return the method in words, with a reference to its paper."""

    @property
    def asks(self) -> tuple[str, ...] | None:
        """Return the names of the questions to read besides the class question, or None for all questions."""
        return None

    @property
    def guarantee(self) -> Cost | None:
        """Return the privacy cost of adding or removing a record, excluding a noisy number of records."""
        return Cost(self.epsilon)

    @property
    def total_cost(self) -> Cost | None:
        """Return the privacy cost of adding or removing a record, including a noisy number of records."""
        return None if self.guarantee is None else self.guarantee + Cost(self.counting)

    def with_size_of(self, table: TrustedTable, noise: Noise) -> Self:
        """Return the release method with a noisy number of records as its size.

        If the number of records is declared, it is kept as the size.
        """
        if not self.counting:
            return self
        (noisy,) = noise.laplace(np.array([len(table)], np.int64), 1, self.counting)
        return replace(self, size=max(int(noisy), 1))

    def statement(self, survey: Survey, target: str) -> Statement:
        """Return the privacy statement of a release, without reading the data.

        Raises:
            QueryError: If the parameters do not fit the survey.
        """
        self.check(survey, target)
        scale = in_decimals(1 / self.counting, UP) if self.counting else ""
        counted = f"; the number of records, which decides the shape, with discrete Laplace noise of scale {scale}"
        return Statement(
            mechanism=self.mechanism + (counted if self.counting else ""),
            adding=self.total_cost,
            public=(DOMAIN,) if self.counting else (DOMAIN, f"a size of about {self.size} records"),
            uncovered=(ONE_RECORD, WHETHER_REFUSED),
        )

    def check(self, survey: Survey, target: str) -> None:  # noqa: B027 - most families fit every survey
        """Check that the parameters of the release method fit a survey.

        Raises:
            QueryError: If a parameter does not fit the survey.
        """

    def admit(self, table: TrustedTable) -> None:  # noqa: B027 - most families take every table
        """Check that a table does not contradict the facts declared about it.

        Only the holder of a table learns that the table was refused.

        Raises:
            QueryError: If the table contradicts a declared fact.
        """

    @abstractmethod
    def fit(self, table: TrustedTable, noise: Noise, rng: np.random.Generator) -> ReleasedModel:
        """Fit the model to a trusted table, whose privacy cost must have been charged.

        Args:
            table: Trusted table of true answers.
            noise: Source of all random draws that depend on the data.
            rng: Random generator for tree structures that do not depend on the data.
        """


def public_size(count: int) -> int:
    """Round a number of records to two significant digits."""
    return int(round(count, ROUNDED - len(str(count)))) if count >= 10**ROUNDED else count


def at_least_one(place: str, count: int) -> None:
    """Check that a number of trees, levels or parties is at least 1.

    Raises:
        QueryError: If the number of trees, levels or parties is below 1.
    """
    if count < 1:
        raise QueryError(place, "the number is below 1", "give a positive number")


def features_of(survey: Survey, target: str) -> list[int]:
    """Return the indices of all questions except the class question."""
    return list(predictors(survey, target))
