"""Define the methods by which pandas, scikit-learn and notebooks use responses as a table."""

from abc import ABC, abstractmethod
from html import escape
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from collector.errors import ResponseError
from collector.exchange.codebook import how_disguised
from collector.survey.survey import Survey
from miner.arrays import Positions

DISGUISED = "disguised"
"""Set in the ``attrs`` of a frame of codes as they were sent, so that nothing takes them for answers."""


Chosen = ArrayLike
"""Positions of rows, or a mask: True or False for each row."""


def positions(chosen: Chosen, count: int) -> Positions:
    """Return the positions of the chosen rows.

    Args:
        chosen: Positions as whole numbers (negative numbers count from the end), or a mask of the rows.
        count: Number of rows of the table.

    Raises:
        ResponseError: If `chosen` is neither positions nor a mask of all rows.
    """
    rows = np.asarray(chosen)
    if rows.dtype == np.bool_ and rows.shape == (count,):
        return np.flatnonzero(rows)
    if rows.dtype == np.bool_:
        problem = f"the mask has shape {rows.shape}, and there are {count} rows"
        raise ResponseError("rows", problem, "give one True or False for each row")
    if rows.ndim != 1 or (rows.dtype.kind not in "iu" and rows.size):
        problem = "they are neither positions nor a mask"
        raise ResponseError("rows", problem, "give a list of whole numbers, or one True or False for each row")
    return rows.astype(np.intp)


class TableLike(ABC):
    """Table of codes, whose rows can be taken by position."""

    survey: Survey
    codes: NDArray[np.int8 | np.int16]

    @abstractmethod
    def take(self, indices: Chosen) -> Self:
        """Return the rows at the given positions in order, or the rows that a mask selects."""

    def __len__(self) -> int:
        return len(self.codes)

    def _repr_html_(self) -> str:
        """Return the number of rows and the questions, with how they are disguised, as HTML for notebooks."""
        rows = [(each.name, ", ".join(each.values), how_disguised(self.survey, each)) for each in self.survey.questions]
        table = pd.DataFrame(rows, columns=["question", "values", "disguise"])
        return f"<p>{escape(repr(self))}</p>{table.to_html(index=False)}"

    @property
    def shape(self) -> tuple[int, int]:
        """Return the number of rows and the number of questions."""
        return self.codes.shape[0], self.codes.shape[1]

    def __getitem__(self, rows: Any) -> Self:  # noqa: ANN401 - whatever numpy takes for rows
        """Return some rows, given by positions, a slice or a mask.

        Raises:
            ResponseError: If the rows are given in another way, or columns are also requested.
        """
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is ...:  # scikit-learn writes it so
            rows = rows[0]
        if isinstance(rows, tuple):
            raise ResponseError(
                "rows", "columns cannot be chosen here", "choose rows only; the columns are those of .frame"
            )
        if isinstance(rows, slice):
            return self.take(np.arange(len(self))[rows])
        return self.take(np.atleast_1d(rows) if isinstance(rows, int | np.integer) else rows)

    @property
    def frame(self) -> pd.DataFrame:
        """Return the codes as a frame with a column for each question, and `NOT_ASKED` for questions not asked."""
        frame = pd.DataFrame(self.codes.astype(np.int16), columns=[question.name for question in self.survey.questions])
        frame.attrs[DISGUISED] = True
        return frame

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} to survey {self.survey.name}>"
