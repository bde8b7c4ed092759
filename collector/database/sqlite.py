"""sqlite_utils, kept from importing pandas and numpy.

Where they are installed it imports both, to know the types of their scalars. The store is given none of these; the web
server would pay for it with memory in every worker, and each ``collector`` command with a second of waiting.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Database"]
UNUSED = ("pandas", "numpy")


@contextmanager
def _hidden(names: tuple[str, ...]) -> Iterator[None]:
    """Have libraries that are not imported yet found missing meanwhile: None in ``sys.modules`` says so."""
    absent = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type] # None is documented, not typed
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


with _hidden(UNUSED):
    from sqlite_utils import Database
