"""Import a dependency's rarely used library only when one of its attributes is first read.

Importing `sklearn.base` imports `scipy.stats`, which few commands use. Importing a learner takes 1.8 s with
`scipy.stats`, and 1.2 s without `scipy.stats` (measured). `importlib.util.LazyLoader` is not enough, because a second
``import`` of a lazy module loads it. Only programs should postpone imports, because the whole process is affected.
"""

import sys
from importlib import import_module
from threading import RLock
from types import ModuleType

SELDOM_USED = "scipy.stats"
_LOADING = RLock()


class Postponed(ModuleType):
    """Stand-in for a module, which loads the module when one of its attributes is read."""

    def __getattr__(self, name: str) -> object:
        with _LOADING:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
            return getattr(import_module(self.__name__), name)


def postpone() -> None:
    """Replace `scipy.stats` by a stand-in, unless `scipy.stats` is already loaded."""
    sys.modules.setdefault(SELDOM_USED, Postponed(SELDOM_USED))
