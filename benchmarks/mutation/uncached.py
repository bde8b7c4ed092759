"""A pytest plugin for mutation testing: no function remembers its results, so that each test calls what it needs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def _uncached(maxsize: Any = None, typed: bool = False) -> Any:  # noqa: ANN401, ARG001, FBT001, FBT002 - as lru_cache
    """In place of `functools.lru_cache`: a function that remembers nothing."""
    if callable(maxsize):
        return _forgetful(maxsize)
    return _forgetful


def _forgetful(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the function's
        return function(*given, **named)

    functools.update_wrapper(called, function)
    called.cache_clear = lambda: None  # type: ignore[attr-defined]
    return called


functools.lru_cache = _uncached
functools.cache = _forgetful  # type: ignore[assignment]
