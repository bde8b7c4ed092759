"""Define type aliases for arrays that are used in many modules."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Positions = NDArray[np.intp]  # row numbers of a table
Flags = NDArray[np.bool_]
