"""What lets pandas, scikit-learn and notebooks take responses for a table: rows by position, a shape, a frame."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from collector.survey.survey import Survey

DISGUISED = "disguised"
"""Set in the ``attrs`` of a frame of codes as they were sent, so that nothing takes them for answers."""


class TableLike(ABC):
    """A table of codes, whose rows can be taken by position."""

    survey: Survey
    codes: NDArray[np.int8 | np.int16]

    @abstractmethod
    def take(self, indices: NDArray[np.integer]) -> Self:
        """The rows at these positions, in this order."""

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of questions."""
        return self.codes.shape[0], self.codes.shape[1]

    def __getitem__(self, rows: Any) -> Self:  # noqa: ANN401 - whatever numpy takes for rows
        """Some rows, as scikit-learn asks for the rows of a fold: by positions, a slice or flags."""
        chosen = rows[0] if isinstance(rows, tuple) else rows
        return self.take(np.atleast_1d(np.arange(len(self))[chosen]))

    @property
    def frame(self) -> pd.DataFrame:
        """What was sent, a column for each question; `NOT_ASKED` where it was not asked."""
        frame = pd.DataFrame(self.codes.astype(np.int16), columns=[question.name for question in self.survey.questions])
        frame.attrs[DISGUISED] = True
        return frame

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} to survey {self.survey.name}>"
