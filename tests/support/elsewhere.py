"""Work in a separate thread, apart from the browser that other tests share."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def elsewhere(work: Callable[..., T], *arguments: object, **more: object) -> T:
    """Do it in a thread of its own: the browser that other tests share keeps this one's event loop running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work, *arguments, **more).result()
