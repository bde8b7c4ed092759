"""Report the steps of a long computation to a command that shows the progress."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Advance = Callable[[], None]
Watch = Callable[[str, int | None], AbstractContextManager[Advance]]


def _unseen(doing: str, total: int | None) -> AbstractContextManager[Advance]:
    del doing, total
    return nullcontext(lambda: None)


watch: ContextVar[Watch] = ContextVar("watch", default=_unseen)
"""Called with what is being done and the number of steps, None if it is not known; gives what to call after each."""


def steps(doing: str, items: Iterable[T], total: int) -> Iterator[T]:
    """Yield items unchanged, and report each item as a step of a computation."""
    with watch.get()(doing, total) as advance:
        for item in items:
            yield item
            advance()
