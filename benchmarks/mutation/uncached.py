"""A pytest plugin for mutation testing: functions forget their results between tests, so that each calls what it needs.

Without it only the first test that needs a remembered result would call the function, and be tried on its mutants.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_CACHES: list[Any] = []
_lru_cache = functools.lru_cache


def _noted(maxsize: Any = 128, typed: bool = False) -> Any:  # noqa: ANN401, FBT001, FBT002 - as lru_cache
    """`functools.lru_cache`, and what it makes is noted."""
    if callable(maxsize):
        return _note(_lru_cache(maxsize))
    return lambda function: _note(_lru_cache(maxsize, typed)(function))


def _note(cached: Any) -> Any:  # noqa: ANN401
    if cached.__module__.partition(".")[0] in {"collector", "miner", "owner", "respondent"}:
        _CACHES.append(cached)
    return cached


def _cache(function: Callable[..., Any]) -> Any:  # noqa: ANN401
    return _note(_lru_cache(None)(function))


def pytest_runtest_setup() -> None:
    """Before each test."""
    for each in _CACHES:
        each.cache_clear()


functools.lru_cache = _noted
functools.cache = _cache
