"""Keep blocks of responses in a temporary file if they would exceed a memory limit.

The temporary file has no name in its folder, so that it disappears however its process ends. The temporary file
contains only disguised responses, as the process received them.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from mmap import ACCESS_COPY, ALLOCATIONGRANULARITY, mmap
from tempfile import TemporaryFile, gettempdir
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import finalize

from miner.responses.blocks import Blocks, LocalBlocks, Own

Item = TypeVar("Item")
Made = TypeVar("Made")
LINE = 64  # number of bytes of which the start of an array is a multiple, as compiled loops need
memory = ContextVar("memory", default=2**31)
"""Largest number of bytes that training on many responses may take, the program itself included."""


class Place(NamedTuple):
    """Position of an item in the temporary file.

    Attributes:
        head: Item without its arrays.
        start: Offset of the first byte of the item's arrays.
        sizes: Number of bytes of each array of the item.
    """

    head: bytes
    start: int
    sizes: tuple[int, ...]


class FiledBlocks(Generic[Item]):
    """Blocks of this process in a temporary file.

    Threads map the block that they work on from the file into memory.

    Args:
        items: Items of the blocks. Each item is written to the file before the next item is made.

    Raises:
        OSError: If the folder for temporary files is full.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._file, self._end = TemporaryFile(buffering=0), 0  # noqa: SIM115 - open as long as its blocks are
        finalize(self, self._file.close)
        self._places = [self._written(item) for item in items]

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: int) -> Item:
        """Return one item."""
        item: Item = self._read(self._places[number])
        return item

    def each(self, make: Callable[..., Made], *given: object, own: Own = ()) -> Blocks[Made]:
        """Write a function's result for each item to another temporary file, and return its blocks."""
        return FiledBlocks(self.results(make, *given, own=own))

    def results(self, make: Callable[..., Made], *given: object, own: Own = ()) -> Iterator[Made]:
        """Yield the result of a function for each block, in order."""
        return LocalBlocks(self._places).results(self._made, make, *given, own=own)

    def _made(self, place: Place, make: Callable[..., Made], *given: object) -> Made:
        return make(self._read(place), *given)

    def _written(self, item: Item) -> Place:
        """Write the arrays of an item to the end of the file."""
        arrays: list[pickle.PickleBuffer] = []
        head = pickle.dumps(item, protocol=5, buffer_callback=arrays.append)
        place = Place(head, self._end, tuple(each.raw().nbytes for each in arrays))
        try:
            for each in arrays:
                self._file.seek(self._end)
                left = each.raw()
                while left:
                    left = left[self._file.write(left) :]  # Linux writes at most 2 GiB at once
                self._end = _next(self._end + each.raw().nbytes, LINE)
            self._end = _next(self._end, ALLOCATIONGRANULARITY)  # where the next item can be mapped
            self._file.truncate(self._end)
        except OSError as error:
            raise OSError(error.errno, error.strerror, gettempdir()) from None
        return place

    def _read(self, place: Place) -> Any:  # noqa: ANN401 - an item of any type
        size, first = sum(_next(each, LINE) for each in place.sizes), 0
        mapped = mmap(self._file.fileno(), size, access=ACCESS_COPY, offset=place.start) if size else bytearray()
        arrays = list[memoryview]()
        for each in place.sizes:
            arrays.append(memoryview(mapped)[first : first + each])
            first += _next(each, LINE)
        return pickle.loads(place.head, buffers=arrays)  # noqa: S301 - this process wrote it


def _next(count: int, step: int) -> int:
    """Round a count up to a multiple of a step size."""
    return -(-count // step) * step
