"""Define the base class of result tables that a notebook displays as HTML tables."""

from abc import ABC, abstractmethod

import pandas as pd


class TableResult(ABC):
    """Base class of a result whose figures are in a frame."""

    @property
    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Return the figures as a frame."""

    def __repr__(self) -> str:
        with pd.option_context("display.width", 100, "display.max_columns", 8, "display.max_rows", 20):
            return f"{type(self).__name__}\n{self.frame.round(4)}"

    def _repr_html_(self) -> str:
        """Return the frame as HTML for notebooks, with four decimals."""
        return str(self.frame.to_html(float_format="{:z.4f}".format))
