"""Represent undisguised answers to a survey (plain rows), alone or together with disguised responses."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.responses.responses import Codes, Responses, Values, value_indices

PLACE = "plain rows"


@dataclass(frozen=True, eq=False, repr=False)
class PlainRows:
    """True, undisguised answers to the questions of a survey, with a row for each person.

    Attributes:
        survey: Published survey.
        values: Value indices, shape (rows, questions).
        weights: Number of people that each row represents, above 0, shape (rows,).

    Raises:
        QueryError: If the weights are not positive, finite numbers, one for each row.
    """

    survey: Survey
    values: Values
    weights: Floats

    def __post_init__(self) -> None:
        whole = self.weights.shape == (len(self.values),) and bool(np.isfinite(self.weights).all())
        if not whole or (self.weights <= 0).any():
            raise QueryError(
                "weights",
                "the weights are not one positive number for each row",
                "give the number of people that each row stands for",
            )

    def __repr__(self) -> str:
        return f"<PlainRows: {len(self.values)} of survey {self.survey.name}>"

    @property
    def digest(self) -> str:
        """Fingerprint of the survey, the values and the weights of the rows."""
        header = f"{self.survey.fingerprint} {self.values.shape} {self.values.dtype}".encode()
        return sha256(header + self.values.tobytes() + self.weights.tobytes()).hexdigest()

    @classmethod
    def from_frame(cls, survey: Survey, frame: pd.DataFrame, weights: ArrayLike | None = None) -> Self:
        """Read a frame with a column for each question, whose cells are values in words or numbers.

        Args:
            survey: Survey whose questions the rows answer.
            frame: Frame of the rows.
            weights: Weight of each row, or None if each row has weight 1.

        Raises:
            ResponseError: If a column is missing or a value is unknown.
            QueryError: If the weights are not one positive, finite number for each row.
        """
        return cls.of(survey, value_indices(survey, frame), weights)

    @classmethod
    def of(cls, survey: Survey, values: Values, weights: ArrayLike | None = None) -> Self:
        """Make plain rows from value indices, shape (rows, questions).

        Raises:
            QueryError: If the weights are not one positive, finite number for each row.
        """
        return cls(survey, values, np.ones(len(values)) if weights is None else np.asarray(weights, np.float64))

    @property
    def count(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    @property
    def people(self) -> int:
        """Return the number of people that all rows represent, at least 1."""
        return max(1, round(float(self.weights.sum())))

    def check(self, survey: Survey) -> None:
        """Check that there are plain rows, and that they belong to the given survey.

        Raises:
            QueryError: If there are no rows, or the rows belong to another survey.
        """
        if self.survey.fingerprint != survey.fingerprint:
            raise QueryError(
                PLACE,
                "the rows belong to another survey or version than the responses",
                "read the rows again with the survey of the responses",
            )
        if not self.count:
            raise QueryError(PLACE, "there are no undisguised rows", "use the responses only")


def stacked(responses: Responses, plain: PlainRows, rng: np.random.Generator) -> Responses:
    """Return disguised responses, followed by plain rows as responses that are known to be true.

    A plain row is repeated as often as its weight says, rounded up or down at random.
    """
    times = np.floor(plain.weights + rng.random(plain.count)).astype(np.intp)
    codes = np.concatenate([responses.codes, np.repeat(codes_of_plain(plain), times, axis=0)])
    known = np.arange(len(codes)) >= len(responses)
    return Responses(responses.survey, codes, simulated=responses.simulated, plain=known)


def codes_of_plain(plain: PlainRows) -> Codes:
    """Return the first code of each value in plain rows, shape (rows, questions)."""
    codes = np.empty(plain.values.shape, np.int16)
    for column, question in enumerate(plain.survey.questions):
        firsts = np.array([draws[0][0] for draws in question.coding.draws], np.int16)
        codes[:, column] = firsts[plain.values[:, column]]
    return codes
