"""Define the interface of responses that are divided into blocks.

Only this module knows whether the blocks are in this process or with Dask workers.

A count of responses is a sum over blocks of responses. The counts of the blocks are added in a fixed order, so that
figures do not depend on the number and speed of processes.
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
    """Collection with one item for each block, such as the responses of the block.

    Functions are sent to the processes that hold the items.
    """

    def __len__(self) -> int: ...

    def each(self, make: Callable[..., Made], *given: object, own: Own = ()) -> "Blocks[Made]":
        """Call a function with the item of each block, and return the results as new blocks.

        Each result stays in the process that holds the item of the block.

        Args:
            make: Function that is defined at the top of a module, called with an item, `given` and the block's
                arguments in `own`.
            given: Arguments of the function that are equal for all blocks.
            own: Arguments of the function for each block.
        """

    def results(self, make: Callable[..., Made], *given: object, own: Own = ()) -> Iterator[Made]:
        """Yield the result of a function for each block, in the order of the blocks.

        For the arguments, see `Blocks.each`.
        """


class LocalBlocks(Generic[Item]):
    """Blocks of this process, which several threads work on."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = list(items)

    def __len__(self) -> int:
        return len(self._items)

    def each(self, make: Callable[..., Made], *given: object, own: Own = ()) -> "Blocks[Made]":
        """Return new blocks, with a function's result for each item.

        The results stay in this process.
        """
        return LocalBlocks(list(self.results(make, *given, own=own)))

    def results(self, make: Callable[..., Made], *given: object, own: Own = ()) -> Iterator[Made]:
        """Yield the result of a function for each block, in order.

        The number of results computed in advance is at most the number of processors.
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
    """Return an item unchanged."""
    return item
