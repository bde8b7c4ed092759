"""The interface by which pandas, scikit-learn and notebooks take responses for a table: rows, a shape, a frame."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from collector.errors import ResponseError
from collector.survey.survey import Survey
from miner.arrays import Positions

DISGUISED = "disguised"
"""Set in the ``attrs`` of a frame of codes as they were sent, so that nothing takes them for answers."""


Chosen = ArrayLike
"""Positions of rows, or a mask: True or False for each row."""


def positions(chosen: Chosen, count: int) -> Positions:
    """Positions of the chosen rows, among so many.

    Args:
        chosen: Whole numbers, negative ones counted from the end; or a mask, as a comparison with a column makes it.
        count: Number of rows.

    Raises:
        ResponseError: If they are neither, or the mask is not of this length.
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
    """A table of codes, whose rows can be taken by position."""

    survey: Survey
    codes: NDArray[np.int8 | np.int16]

    @abstractmethod
    def take(self, indices: Chosen) -> Self:
        """The rows at these positions, in this order; or the rows where a mask is true."""

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of questions."""
        return self.codes.shape[0], self.codes.shape[1]

    def __getitem__(self, rows: Any) -> Self:  # noqa: ANN401 - whatever numpy takes for rows
        """Some rows, as scikit-learn asks for the rows of a fold: by positions, a slice or a mask.

        Raises:
            ResponseError: If they are something else, the mask has another length, or columns are asked for too.
        """
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is ...:  # scikit-learn writes it so
            rows = rows[0]
        if isinstance(rows, tuple):
            raise ResponseError("rows", "columns are asked for too", "give rows only; columns are those of .frame")
        if isinstance(rows, slice):
            return self.take(np.arange(len(self))[rows])
        return self.take(np.atleast_1d(rows) if isinstance(rows, int | np.integer) else rows)

    @property
    def frame(self) -> pd.DataFrame:
        """The codes sent, a column for each question; `NOT_ASKED` where it was not asked."""
        frame = pd.DataFrame(self.codes.astype(np.int16), columns=[question.name for question in self.survey.questions])
        frame.attrs[DISGUISED] = True
        return frame

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} to survey {self.survey.name}>"
