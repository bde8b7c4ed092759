"""Responses in blocks: the only place that knows whether they are in this process or with Dask workers.

What is counted is a sum over responses, so a sum over blocks. Blocks are added in their own order, wherever each is: a
figure does not depend on the number of processes, or on which of them was first.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, Protocol, TypeVar

Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)
Made = TypeVar("Made")
Own = Sequence[tuple[Any, ...]]
"""Further arguments of a function for each block; no blocks have any if it is empty."""


class Blocks(Protocol[Item_co]):
    """One item for each block, such as its responses. Functions go to the blocks; items stay where they are."""

    def __len__(self) -> int: ...

    def each(self, make: Callable[..., Made], *given: object, own: Own = ()) -> "Blocks[Made]":
        """Blocks of what a function makes of each item: they stay where the items are.

        Args:
            make: A function of a module, called with an item, `given`, and what is the block's own.
            given: Arguments that are the same for all blocks.
            own: Further arguments of each block.
        """

    def results(self, make: Callable[..., Made], *given: object, own: Own = ()) -> Iterator[Made]:
        """Results of a function for each item, in the order of the blocks; arguments as for `each`."""


class LocalBlocks(Generic[Item]):
    """Blocks in this process; several threads look at them."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = list(items)

    def __len__(self) -> int:
        return len(self._items)

    def each(self, make: Callable[..., Made], *given: object, own: Own = ()) -> "Blocks[Made]":
        """Blocks of what a function makes of each item, in this process too."""
        return LocalBlocks(list(self.results(make, *given, own=own)))

    def results(self, make: Callable[..., Made], *given: object, own: Own = ()) -> Iterator[Made]:
        """Results of a function for each item, in order; no more are ahead than there are processors."""
        calls = zip(self._items, own or [()] * len(self._items), strict=True)
        if len(self._items) == 1:
            yield from (make(item, *given, *more) for item, more in calls)
            return
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            ahead: deque[Future[Made]] = deque()
            for item, more in calls:
                if len(ahead) == (os.cpu_count() or 1):
                    yield ahead.popleft().result()
                ahead.append(threads.submit(make, item, *given, *more))
            while ahead:
                yield ahead.popleft().result()


def unchanged(item: Item) -> Item:
    """The item itself."""
    return item
