"""Responses in blocks. Only this module knows whether they are in this process or with Dask workers.

A count is a sum over responses, and therefore a sum over blocks. Blocks are added in their own order, wherever each of
them is. A figure does not depend on the number of processes, or on which of them was first.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, Generic, Protocol, TypeVar

Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)
Made = TypeVar("Made")
Own = Sequence[tuple[Any, ...]]
"""Further arguments of a function for each block; no blocks have any if it is empty."""
processors = ContextVar("processors", default=os.cpu_count() or 1)
"""How many threads a function that counts a block may run at once."""


class Blocks(Protocol[Item_co]):
    """A collection of one item for each block, such as its responses.

    Functions are sent to the blocks, and items stay.
    """

    def __len__(self) -> int: ...

    def each(self, make: Callable[..., Made], *given: object, own: Own = ()) -> "Blocks[Made]":
        """Return blocks of a function's result for each item. The results stay with the items.

        Args:
            make: Function of a module, which is called with an item, `given`, and the further arguments of the block.
            given: Arguments that are the same for all blocks.
            own: Further arguments of each block.
        """

    def results(self, make: Callable[..., Made], *given: object, own: Own = ()) -> Iterator[Made]:
        """Return the results of a function for each item, in the order of the blocks.

        The arguments are those of `each`.
        """


class LocalBlocks(Generic[Item]):
    """The blocks of this process, which several threads work on."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = list(items)

    def __len__(self) -> int:
        return len(self._items)

    def each(self, make: Callable[..., Made], *given: object, own: Own = ()) -> "Blocks[Made]":
        """Return blocks of a function's result for each item, in this process too."""
        return LocalBlocks(list(self.results(make, *given, own=own)))

    def results(self, make: Callable[..., Made], *given: object, own: Own = ()) -> Iterator[Made]:
        """Return the results of a function for each item, in order.

        Only as many are computed ahead as there are processors.
        """
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
    """Return the item itself."""
    return item
