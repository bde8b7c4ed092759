"""Limit BLAS and OpenMP to one thread, because products of small matrices are faster with one thread.

With one thread, the figures also do not depend on the number of processors.
"""

from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped] # it brings no types


def one_thread() -> Any:  # noqa: ANN401 - a context of a library without types
    """Return a context in which the libraries loaded so far run on one thread each."""
    import scipy.linalg  # type: ignore[import-untyped] # noqa: F401, PLC0415 - it has a BLAS of its own, loaded first

    return ThreadpoolController().limit(limits=1)
