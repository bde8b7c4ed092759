"""Plain rows: undisguised answers to the questions of a survey, by themselves or after disguised responses."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.responses.responses import Codes, Responses, Values, value_indices
from miner.responses.table_like import Chosen, positions

PLACE = "plain rows"


@dataclass(frozen=True, eq=False, repr=False)
class PlainRows:
    """Undisguised rows: true answers to the questions of a survey.

    Attributes:
        survey: The published design.
        values: Shape (rows, questions): value indices.
        weights: Shape (rows,): number of people that each row represents, above 0.

    Raises:
        QueryError: If there is not one positive, finite weight for each row.
    """

    survey: Survey
    values: Values
    weights: Floats

    def __post_init__(self) -> None:
        whole = self.weights.shape == (len(self.values),) and bool(np.isfinite(self.weights).all())
        if not whole or (self.weights <= 0).any():
            raise QueryError("weights", "there is not one positive number for each row", "give how many it stands for")

    def __repr__(self) -> str:
        return f"<PlainRows: {len(self.values)} of survey {self.survey.name}>"

    @property
    def digest(self) -> str:
        """A fingerprint of survey, values and weights."""
        header = f"{self.survey.fingerprint} {self.values.shape} {self.values.dtype}".encode()
        return sha256(header + self.values.tobytes() + self.weights.tobytes()).hexdigest()

    @classmethod
    def from_frame(cls, survey: Survey, frame: pd.DataFrame, weights: ArrayLike | None = None) -> Self:
        """Read a frame of values in words, numbers for number questions, with a column for each question.

        Args:
            survey: The survey whose questions they answer.
            frame: The rows.
            weights: One for each row; 1 if None.

        Raises:
            ResponseError: If a column is missing or a value unknown; naming row and column, never the value.
            QueryError: As for the class.
        """
        return cls.of(survey, value_indices(survey, frame), weights)

    @classmethod
    def of(cls, survey: Survey, values: Values, weights: ArrayLike | None = None) -> Self:
        """Make plain rows of value indices, shape (rows, questions); the default weight is 1.

        Raises:
            QueryError: As for the class.
        """
        return cls(survey, values, np.ones(len(values)) if weights is None else np.asarray(weights, np.float64))

    @property
    def count(self) -> int:
        """The number of rows. It is not `__len__`, because scikit-learn's folds would then split the rows."""
        return len(self.values)

    def check(self, survey: Survey) -> None:
        """Check that there are rows and that they belong to this survey.

        Raises:
            QueryError: If not.
        """
        if self.survey.fingerprint != survey.fingerprint:
            raise QueryError(PLACE, "they answer another survey, or version, than the responses", "read them again")
        if not self.count:
            raise QueryError(PLACE, "there are none", "use the responses alone")


@dataclass(frozen=True, eq=False, repr=False)
class Stacked(Responses):
    """Responses, followed by plain rows as responses that are known to be true: the input of a mixture.

    Attributes:
        plain: Shape (responses,): which are the plain rows.
    """

    plain: NDArray[np.bool_]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Shape (responses,): the plain rows are known to be true."""
        return self.plain

    @classmethod
    def of(cls, responses: Responses, plain: PlainRows, rng: np.random.Generator) -> Self:
        """Stack both; a plain row is repeated by its weight, rounded up or down at random."""
        times = np.floor(plain.weights + rng.random(plain.count)).astype(np.intp)
        codes = np.repeat(codes_of_plain(plain), times, axis=0)
        below = np.arange(len(responses) + len(codes)) >= len(responses)
        return cls(responses.survey, np.concatenate([responses.codes, codes]), below, simulated=responses.simulated)

    def take(self, indices: Chosen) -> Self:
        """The responses at these positions, in this order; or those where a mask is true. A position may come twice."""
        some = positions(indices, len(self))
        return type(self)(self.survey, self.codes[some], self.plain[some], simulated=self.simulated)


def codes_of_plain(plain: PlainRows) -> Codes:
    """A code for every value: the first of those that stand for it, shape (rows, questions)."""
    codes = np.empty(plain.values.shape, np.int16)
    for column, question in enumerate(plain.survey.questions):
        firsts = np.array([draws[0][0] for draws in question.coding.draws], np.int16)
        codes[:, column] = firsts[plain.values[:, column]]
    return codes
