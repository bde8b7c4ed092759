"""A library that is imported by another one and seldom used is loaded when somebody first asks for something of it.

Importing `sklearn.base` imports `scipy.stats`, which takes longer than scikit-learn itself and which no model of ours
uses: a fifth of the time of `miner train` on a few hundred responses. Of the whole process: for a program, never for a
library.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType

SELDOM_USED = frozenset({"scipy.stats"})
_LOADING = RLock()


class Postponed(ModuleType):
    """A module that is known and not loaded yet. Whoever asks for an attribute loads it, and finds a plain module.

    `importlib.util.LazyLoader` is not enough: there the next ``import`` of the same name already loads the module.
    """

    def __getattr__(self, name: str) -> object:
        with _LOADING:
            spec = self.__dict__["__spec__"]
            if isinstance(spec.loader, Later):
                spec.loader = self.__loader__ = spec.loader.real
                self.__path__ = spec.submodule_search_locations
                spec.loader.exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment] # as LazyLoader does
        return ModuleType.__getattribute__(self, name)


class Later(Loader):
    """Leaves a module to be loaded later.

    Attributes:
        real: What will load it.
    """

    def __init__(self, real: Loader) -> None:
        self.real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the real loader does."""
        return self.real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Hide the place where its parts are found, so that importing one of them loads the module first."""
        module.__dict__.pop("__path__", None)
        module.__class__ = Postponed


class Finder(MetaPathFinder):
    """Finds the modules to be postponed.

    Attributes:
        names: Of these modules.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where such a module is, with a loader that waits; None for any other."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname in self.names else None
        if spec is not None and spec.loader is not None:
            spec.loader = Later(spec.loader)
        return spec


def postpone(names: frozenset[str] = SELDOM_USED) -> None:
    """From now on load these modules only when they are used; one that is loaded already stays as it is."""
    sys.meta_path.insert(0, Finder(names))
