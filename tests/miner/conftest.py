"""Samples with known estimates, by R's survey package."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest


def _sample(folder: Path, name: str) -> pd.DataFrame:
    path = folder / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there: it is the sample {name} of R's survey package")
    return pd.read_csv(path)


@pytest.fixture
def apistrat(datasets: Path) -> pd.DataFrame:
    """Schools by strata."""
    return _sample(datasets, "apistrat")


@pytest.fixture
def apiclus1(datasets: Path) -> pd.DataFrame:
    """Schools of districts that were drawn whole."""
    return _sample(datasets, "apiclus1")
