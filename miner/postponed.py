"""Import a dependency's rarely used library only when one of its attributes is first read.

Importing `sklearn.base` imports `scipy.stats`, which takes longer than scikit-learn itself and which only `auto` uses.
Importing a learner takes 1.8 s and 250 MB with `scipy.stats`, and 1.2 s and 214 MB without it (measured). There is no
setting of scikit-learn for this. `importlib.util.LazyLoader` is not enough, because with it the next ``import`` of the
same name loads the module. Postponing affects the whole process, so it is meant for a program, never for a library.
"""

import sys
from importlib import import_module
from threading import RLock
from types import ModuleType

SELDOM_USED = "scipy.stats"
_LOADING = RLock()


class Postponed(ModuleType):
    """Stand-in for a module that is not loaded yet. Reading any name of the stand-in loads the module."""

    def __getattr__(self, name: str) -> object:
        with _LOADING:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
            return getattr(import_module(self.__name__), name)


def postpone() -> None:
    """Load a library only when it is first used. A library that is already loaded is left unchanged."""
    sys.modules.setdefault(SELDOM_USED, Postponed(SELDOM_USED))
