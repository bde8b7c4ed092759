"""Limit BLAS and OpenMP to one thread: in small products, threads lose more by waiting for each other than they gain.

Several threads add up sums in another order than one thread, so that figures would depend on the number of threads.
"""

from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped] # it brings no types


def one_thread() -> Any:  # noqa: ANN401 - a context of a library without types
    """Return a context in which the libraries loaded so far run on one thread each.

    The project's own threads are not affected.
    """
    import scipy.linalg  # type: ignore[import-untyped] # noqa: F401, PLC0415 - it has a BLAS of its own, loaded first

    return ThreadpoolController().limit(limits=1)
