"""Result tables that a notebook displays as HTML tables."""

from __future__ import annotations

from abc import ABC, abstractmethod

import pandas as pd


class TableResult(ABC):
    """Has its figures in a frame."""

    @property
    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """The figures."""

    def _repr_html_(self) -> str:
        """For notebooks: the frame, to four decimals."""
        return str(self.frame.to_html(float_format="{:.4f}".format))
