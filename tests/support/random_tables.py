"""A table of made-up people whose class follows from their answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification


def people(rows: int, seed: int = 0) -> pd.DataFrame:
    features, labels = make_classification(rows, 6, flip_y=0.3, random_state=seed)
    frame = pd.DataFrame(features, columns=[f"x{number}" for number in range(6)])
    return frame.assign(ill=np.array(["no", "yes"])[labels])
