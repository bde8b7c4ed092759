"""Find equal rows in a table of flags, such as respondents who were asked the same questions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Flags


def distinct(flags: Flags) -> tuple[Flags, NDArray[np.intp]]:
    """The rows that there are, each once, and which of them each row is; as `numpy.unique`, some twenty times faster.

    Args:
        flags: Shape (rows, columns).

    Returns:
        Shapes (different rows, columns), in the order of their flags, and (rows,).
    """
    if not flags.shape[1]:
        return flags[:1], np.zeros(len(flags), np.intp)
    bits = np.ascontiguousarray(np.packbits(flags, axis=1))
    _, first, which = np.unique(bits.view(f"V{bits.shape[1]}").ravel(), return_index=True, return_inverse=True)
    return flags[first], which
