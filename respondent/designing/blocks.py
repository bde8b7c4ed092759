"""A TOML text as blocks of lines. A block is a table's header and keys, and the comments above the header.

An edit of one block leaves the bytes of all other blocks unchanged.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

Path = tuple[str | int, ...]
"""Path of a value: keys of tables, and positions in arrays counted from 0."""

TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}\n]|[^"\'#\[\]{}\n]+',
    re.DOTALL,
)
DEEPER = {"[": 1, "{": 1, "]": -1, "}": -1}


@dataclass
class TomlBlock:
    """A block of a TOML text.

    Attributes:
        path: Path of the table, which is empty for the lines before the first header.
        lead: Comments directly above the header.
        header: Line of the header, which is empty for the lines before the first header.
        body: Lines of the keys and values.
        trail: Blank lines and comments below the keys and values.
    """

    path: Path
    lead: str
    header: str
    body: str
    trail: str

    @property
    def text(self) -> str:
        """Text of the block as it stands in the file."""
        return self.lead + self.header + self.body + self.trail


def blocks_of(text: str) -> list[TomlBlock]:
    """Return the blocks of a TOML text, of which the first has the lines before the first header."""
    return [replace(each) for each in _blocks_of(text)]


@lru_cache(maxsize=2)  # an edit asks for those of the text before it and of the one after it
def _blocks_of(text: str) -> list[TomlBlock]:
    found, lead, counts = list[TomlBlock](), "", dict[Path, int]()
    parts = list(_parts(text))
    for at, (header, body, tail) in enumerate(parts):
        trail, following = _divided(tail) if at < len(parts) - 1 else (tail, "")
        found.append(TomlBlock(_path(header, counts), lead, header, body, trail))
        lead = following
    return found


def text_of_blocks(blocks: Iterable[TomlBlock]) -> str:
    """Return the TOML text that consists of some blocks."""
    return "".join(block.text for block in blocks)


def _parts(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield, for each block of a TOML text, the header, the lines of keys, and the text up to the next header."""
    start = header_end = last = depth = 0
    is_start, is_header = True, False
    for token in TOKEN.finditer(text):
        piece = token[0]
        if is_start and piece == "[" and depth == 0:
            yield text[start:header_end], text[header_end:last], text[last : token.start()]
            start, is_header = token.start(), True
        depth += DEEPER.get(piece, 0)
        if piece == "\n":
            is_start = depth == 0
            if is_header and is_start:
                header_end = last = token.end()
                is_header = False
        elif not piece.isspace():
            is_start = False
            if not (is_header or (piece.startswith("#") and depth == 0)):
                end = text.find("\n", token.end())
                last = len(text) if end < 0 else end + 1
    if is_header:  # the file ends with it
        header_end = last = len(text)
    yield text[start:header_end], text[header_end:last], text[last:]


def _divided(tail: str) -> tuple[str, str]:
    """Split the text between two tables: into lines of the upper table, and comments of the lower table."""
    lines = tail.splitlines(keepends=True)
    kept = len(lines)
    while kept and lines[kept - 1].lstrip().startswith("#"):
        kept -= 1
    return "".join(lines[:kept]), "".join(lines[kept:])


def _path(header: str, counts: dict[Path, int]) -> Path:
    """Return the path of the table that a header begins.

    Args:
        header: Text of the header.
        counts: Number of earlier tables in each array, which the function updates.
    """
    keys, is_array = keys_of(header)
    path = Path()
    for key in keys[:-1]:
        path = (*path, key)
        if path in counts:
            path = (*path, counts[path] - 1)
    path = (*path, *keys[-1:])
    if is_array:
        counts[path] = counts.get(path, 0) + 1
        return (*path, counts[path] - 1)
    return path


@lru_cache(maxsize=1000)
def keys_of(header: str) -> tuple[tuple[str, ...], bool]:
    """Return the keys in a header, and whether the header begins a table of an array."""
    keys, here = list[str](), tomllib.loads(header)
    while here:
        ((key, here),) = here.items()
        keys.append(key)
        if isinstance(here, list):
            return tuple(keys), True
    return tuple(keys), False


def lines_with(body: str, key: str) -> tuple[int, int] | None:
    """Return the start and the end of the lines of a key in a block, or None if the key is not in one place."""
    found = [part for part in pairwise(_starts(body)) if key in _keys_in(body[slice(*part)])]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=2000)  # lines of one long table
def _keys_in(lines: str) -> frozenset[str]:
    """Return the keys with which lines of a table begin."""
    return frozenset(tomllib.loads(lines))


def _starts(body: str) -> list[int]:
    """Return the positions at which keys and comments of a block begin, and the length of the block."""
    found, depth, is_start = list[int](), 0, True
    for token in TOKEN.finditer(body):
        if is_start:
            found.append(token.start())
        depth += DEEPER.get(token[0], 0)
        is_start = token[0] == "\n" and depth == 0
    return [*found, len(body)]
