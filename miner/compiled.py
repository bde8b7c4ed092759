"""Compile Python functions to machine code with numba: the decorators and the cache on disk."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])
MINER = Path(__file__).parent
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
BARE = OPTIONS | {"_nrt": False}
QUICK = BARE | {"fastmath": {"reassoc", "contract", "arcp", "nsz"}}  # infinite and missing numbers are preserved
SHARED = (Path(__file__), MINER / "extrapolation.py")  # sources of every compiled module
KINDS = (b"compiled", b"bare", b"quick")


def _sources() -> str:
    """Return a fingerprint of the sources of all compiled functions and of the compiler options."""
    texts = [path.read_bytes() for path in sorted(MINER.rglob("*.py"))]
    compiled_ones = [text for text in texts if any(b"\n@%b\n" % kind in text for kind in KINDS)]
    return sha256(b"".join([*(path.read_bytes() for path in SHARED), *compiled_ones])).hexdigest()[:16]


# A cached function is compiled into those that call it, yet numba looks at the caller's own file only: a cache of one
# state of the sources must not serve another. Where the folder cannot be written, numba falls back on its own places.
SETTINGS: Any = numba.config
if not SETTINGS.CACHE_DIR:
    SETTINGS.CACHE_DIR = str(MINER / "__pycache__" / f"compiled-{_sources()}")


def compiled(function: F) -> F:
    """Compile a function to machine code, which is cached on disk and runs without Python's global lock.

    In a compiled function, a division by zero gives infinity or NaN, as in numpy.
    """
    return cast("F", numba.njit(**OPTIONS)(function))


def bare(function: F) -> F:
    """Compile a function that creates no arrays, without counting references to its arguments.

    In a short function, counting the references to arguments would take a third of the time.
    """
    return cast("F", numba.njit(**BARE)(function))


def quick(function: F) -> F:
    """Compile a function to machine code that may add numbers in any order.

    If the order of a sum does not matter, a processor can add several numbers at a time.
    """
    return cast("F", numba.njit(**QUICK)(function))
