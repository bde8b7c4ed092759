"""The positions of rows in the pages of a SQLite file, read from its bytes (SQLite file format, 1.3 and 1.6).

A page of a SQLite file is filled with rows from its end, in the order of arrival. In a vacuumed file the rows were
written in the order of their keys, so that their positions reveal nothing else.
"""

from collections.abc import Iterable, Iterator

FILE_HEADER = 100
LEAVES = {0x0D: 8, 0x0A: 8}  # number of bytes of the header, by type of leaf page
INTERIORS = {0x05: 12, 0x02: 12}
LARGEST_PAGE = 65536  # page size that the header writes as 1


class PageFile:
    """The bytes of a SQLite file, page by page.

    Args:
        content: Content of the file, without its write-ahead log.
    """

    def __init__(self, content: bytes) -> None:
        self._bytes = content
        size = int.from_bytes(self._bytes[16:18], "big")
        self._size = LARGEST_PAGE if size == 1 else size

    def arrangement(self, roots: Iterable[int]) -> list[tuple[int, ...]]:
        """Return the offsets of the rows in each leaf page of some B-trees, in the order of the keys.

        Args:
            roots: Numbers of the root pages of the B-trees, counted from 1.
        """
        return [leaf for root in roots for leaf in self._leaves(root)]

    def _leaves(self, root: int) -> Iterator[tuple[int, ...]]:
        waiting = [root]
        while waiting:
            page = waiting.pop()
            start, header = self._start(page)
            if not header:  # the page is in the write-ahead log only
                yield ()
                continue
            kind, cells = header[0], int.from_bytes(header[3:5], "big")
            if kind in LEAVES:
                yield self._pointers(start + LEAVES[kind], cells)
            elif kind in INTERIORS:
                waiting.append(int.from_bytes(header[8:12], "big"))
                waiting.extend(self._children(page, self._pointers(start + INTERIORS[kind], cells)))

    def _start(self, page: int) -> tuple[int, bytes]:
        start = (page - 1) * self._size + (FILE_HEADER if page == 1 else 0)
        return start, self._bytes[start : start + 12]

    def _pointers(self, start: int, cells: int) -> tuple[int, ...]:
        raw = self._bytes[start : start + 2 * cells]
        return tuple(int.from_bytes(raw[place : place + 2], "big") for place in range(0, len(raw), 2))

    def _children(self, page: int, pointers: Iterable[int]) -> Iterator[int]:
        first = (page - 1) * self._size
        for pointer in pointers:
            yield int.from_bytes(self._bytes[first + pointer : first + pointer + 4], "big")
