"""Edits of the text of a survey file that keep comments, order and unknown keys.

Each edit is made in the text and in the parsed values, and is refused if the text does not have the new values.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from respondent.designing.blocks import Path, TomlBlock, blocks_of, lines_with, text_of_blocks
from respondent.designing.inside import (
    delete_in,
    header_path,
    inside,
    length,
    place_of,
    put_value,
    rename_in,
    renamed_header,
    set_in,
    unshared,
)
from respondent.designing.values import EditError, item_of, key_text, lines_of, with_days

Body = Callable[[Any], None]
"""Function that changes a container of tomlkit in place."""


@lru_cache(maxsize=2)  # an edit asks several times for those of the text before it and of the one after it
def values_of(text: str) -> dict[str, Any]:
    """Return the values of a TOML text, with decimal numbers as `Decimal`.

    The dictionary of values is cached, so copy it before you change it.

    Raises:
        ValueError: If the text is not valid TOML.
    """
    return tomllib.loads(text, parse_float=Decimal)


class TomlText:
    """The text of a TOML file, with methods that edit it.

    Attributes:
        values: Values of the file after all edits so far.
    """

    def __init__(self, text: str) -> None:
        self.values = values_of(text)
        self._text, self._is_compared = text, True
        self._blocks: list[TomlBlock] | None = None  # blocks of the text, which may be ahead of it

    @property
    def text(self) -> str:
        """Text of the file after all edits so far.

        Raises:
            EditError: If the text does not have the values that the edits should give.
        """
        if not self._is_compared:
            self._compare()
        return self._written()

    def _written(self) -> str:
        """Return the text of the file, which may not have been compared with the values yet."""
        if self._blocks is not None:
            self._text, self._blocks = text_of_blocks(self._blocks), None
        return self._text

    def _split(self) -> list[TomlBlock]:
        """Return the blocks of the text, for a change of the blocks."""
        return blocks_of(self._written())

    @property
    def _current(self) -> list[TomlBlock]:
        """The current text as blocks, whose lines an edit may change."""
        if self._blocks is None:
            self._blocks = blocks_of(self._text)
        return self._blocks

    def _write(self, text: str) -> None:
        """Replace the whole text of the TOML file."""
        self._text, self._blocks, self._is_compared = text, None, False

    def put(self, path: Path, value: Any) -> None:  # noqa: ANN401 - any JSON
        """Set the value at a path of the survey file, and create missing tables on the path."""
        above = self.at(path[:-1], missing=None)
        old = self.at(path, missing=None)
        value = with_days(value, path[-1], above, old)
        expected = unshared(self.values, path[:-1])
        put_value(expected, path, value)
        self._put(path, value, old)
        self._expect(expected)

    def delete(self, path: Path) -> None:
        """Delete the value at a path of the survey file."""
        self.at(path)
        expected = unshared(self.values, path[:-1])
        above = inside(expected, path[:-1])
        del above[path[-1]]
        if path[:-1] and isinstance(above, list) and not above and self._has_blocks((*path[:-1], 0)):
            inside(expected, path[:-2]).pop(path[-2])  # no header is left that says that there is an array
        self._delete(path)
        self._expect(expected)

    def insert(self, path: Path, value: Any) -> None:  # noqa: ANN401 - any JSON
        """Insert a value into an array, at the position that is the last key of the path."""
        *above, place = path
        array = self.at(tuple(above), missing=[])
        if not (isinstance(array, list) and isinstance(place, int) and 0 <= place <= len(array)):
            raise EditError(place_of(path), "nothing can be inserted at this place", f"insert at 0 to {length(array)}")
        value = with_days(value, place, None, None)
        expected = unshared(self.values, tuple(above))
        if not array:
            put_value(expected, tuple(above), [])
        inside(expected, tuple(above)).insert(place, value)
        self._insert(tuple(above), place, value, array)
        self._expect(expected)

    def move(self, path: Path, to: int) -> None:
        """Move a value to another position in its array."""
        *above, place = path
        array = self.at(tuple(above))
        if not (isinstance(array, list) and isinstance(place, int) and 0 <= place < len(array) > to >= 0):
            raise EditError(
                place_of(path), "the item cannot be moved to this place", f"move it to 0 to {length(array) - 1}"
            )
        expected = unshared(self.values, tuple(above))
        moved = inside(expected, tuple(above))
        moved.insert(to, moved.pop(place))
        if to == place:
            return
        if self._has_blocks((*above, place)):
            taken = self._take(tuple(above), place)
            self._place(tuple(above), to, taken)
        else:
            self._change(tuple(above), lambda here: here.insert(to, here.pop(place)))
        self._expect(expected)

    def rename_key(self, path: Path, to: str) -> None:
        """Rename a key of the survey file without moving it."""
        above = self.at(path[:-1])
        self.at(path)
        if to == path[-1]:
            return
        if not isinstance(above, dict) or to in above:
            raise EditError(
                place_of(path), f'the name "{to}" cannot be used here', "choose a name that is not used yet"
            )
        expected = unshared(self.values, path[:-1])
        table = inside(expected, path[:-1])
        renamed = {to if key == path[-1] else key: value for key, value in table.items()}
        table.clear()
        table.update(renamed)
        blocks = self._split()
        for block in blocks:
            if block.path[: len(path)] == path:
                block.header = renamed_header(block.header, sum(isinstance(key, str) for key in path) - 1, to)
        if not any(block.path[: len(path)] == path for block in blocks):
            self._change(path[:-1], lambda here: rename_in(here, str(path[-1]), to))
        else:
            self._write(text_of_blocks(blocks))
        self._expect(expected)

    def at(self, path: Path, **otherwise: Any) -> Any:  # noqa: ANN401 - any value
        """Return the value at a path.

        Args:
            path: Path of the value.
            otherwise: Argument `missing`, the value to return if the path does not exist.

        Raises:
            EditError: If the path does not exist and `missing` is not given.
        """
        try:
            return inside(self.values, path)
        except (KeyError, IndexError, TypeError):
            if "missing" in otherwise:
                return otherwise["missing"]
            raise EditError(place_of(path), "the item is not in the survey file", "reload the page") from None

    def _expect(self, expected: dict[str, Any]) -> None:
        """Store the values that the file must have after an edit."""
        self.values = expected
        if self._blocks is None:
            self._compare()

    def _compare(self) -> None:
        try:
            found = values_of(self._written())
        except ValueError:
            found = {}
        if found != self.values:
            raise EditError(
                "survey file",
                "this part of the file is written in a way that the designer cannot edit",
                "edit the part in a text editor",
            )
        self.values, self._is_compared = found, True

    def _put(self, path: Path, value: Any, old: Any) -> None:  # noqa: ANN401 - any value
        if self._has_blocks(path):
            self._merge(path, value, old)
            return
        if path[:-1] and isinstance(path[-1], str) and self.at(path[:-1], missing=None) is None:
            self._add_table(path, value)
        elif isinstance(value, dict) and len(path) == 1 and old is None:
            self._append(TomlBlock(path, "", f"[{key_text(str(path[0]))}]\n", lines_of(value), ""))
        elif len(path) == 1 and isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            if old is not None:
                self._delete(path)
            for place, each in enumerate(value):
                self._place(path, place, [_item_block(path, each)])
        elif not self._owned(path) and isinstance(value, dict):
            self._append(TomlBlock(path, "", f"[{header_path(path)}]\n", lines_of(value), ""), path[:-1])
        else:
            self._change(path[:-1], lambda here: set_in(here, path[-1], value))

    def _owned(self, path: Path) -> bool:
        """Return whether the text has a place for new keys in the parent table of a path."""
        above = path[:-1]
        return any(block.path == above for block in self._current) or not self._has_blocks(above)

    def _has_blocks(self, path: Path) -> bool:
        """Return whether the table at a path, or a table inside it, is written with a header."""
        return any(block.path[: len(path)] == path for block in self._current)

    def _add_table(self, path: Path, value: Any) -> None:  # noqa: ANN401 - any value
        """Set a value in a table that does not exist yet.

        A new table at the top level of the file gets a header, and any other new table is an inline table.
        """
        above = path[:-1]
        if isinstance(value, dict) or len(above) > 1 or not isinstance(above[0], str):
            missing = next(at for at in range(1, len(path) + 1) if self.at(path[:at], missing=None) is None)
            for key in reversed(path[missing:]):
                value = {key: value}
            self._put(path[:missing], value, None)
        else:
            self._append(TomlBlock(above, "", f"[{key_text(above[0])}]\n", lines_of({str(path[-1]): value}), ""))

    def _merge(self, path: Path, value: Any, old: Any) -> None:  # noqa: ANN401 - any value
        """Set a table or an array that is written with headers, without rewriting keys whose values stay equal."""
        if isinstance(value, dict) and isinstance(old, dict):
            for key in [key for key in old if key not in value]:
                self.delete((*path, key))
            for key, each in value.items():
                if key not in old or old[key] != each:
                    self.put((*path, key), each)
        elif isinstance(value, list) and isinstance(old, list) and all(isinstance(each, dict) for each in value):
            for place in reversed(range(len(value), len(old))):
                self.delete((*path, place))
            for place, each in enumerate(value):
                if place < len(old):
                    self.put((*path, place), each)
                else:
                    self.insert((*path, place), each)
        else:
            self._delete(path)
            self.values = values_of(self._written())
            self.put(path, value)

    def _delete(self, path: Path) -> None:
        blocks = self._split()
        gone = [block for block in blocks if block.path[: len(path)] == path]
        if not gone:
            self._change(path[:-1], lambda here: delete_in(here, path[-1]))
        elif isinstance(path[-1], int):
            self._take(path[:-1], path[-1])
        else:
            for block in gone:
                above = blocks[blocks.index(block) - 1]
                above.trail += block.trail if "#" in block.trail else ""
                blocks.remove(block)
            self._write(text_of_blocks(blocks))

    def _insert(self, above: Path, place: int, value: Any, array: list[Any]) -> None:  # noqa: ANN401 - any value
        if isinstance(value, dict) and (self._has_blocks((*above, 0)) or (not array and len(above) == 1)):
            if not array and self.at(above, missing=None) is not None:
                self._delete(above)
            self._place(above, place, [_item_block(above, value)])
        elif not array and self.at(above, missing=None) is None:
            self._put(above, [value], None)
        else:
            self._change(above, lambda here: here.insert(place, item_of(value)))

    def _item_blocks(self, array: Path, place: int) -> list[TomlBlock]:
        """Return the blocks of one table of an array, or an empty list if the array is written inline."""
        return [block for block in self._split() if block.path[: len(array) + 1] == (*array, place)]

    def _take(self, array: Path, place: int) -> list[TomlBlock]:
        """Remove the blocks of one table of an array from the text, and return the blocks."""
        blocks, taken = self._split(), self._item_blocks(array, place)
        for block in taken:
            if block is taken[-1] and "#" in block.trail:
                blocks[blocks.index(block) - 1].trail += block.trail.removeprefix("\n")
                block.trail = ""
        gone = [block.path for block in taken]
        self._write(text_of_blocks(block for block in blocks if block.path not in gone))
        return taken

    def _place(self, array: Path, place: int, new: list[TomlBlock]) -> None:
        """Insert the blocks of a table into an array of tables, at a position or at the end."""
        blocks = self._split()
        size = len(array) + 1
        behind = [at for at, block in enumerate(blocks) if block.path[:size] == (*array, place)]
        before = [at for at, block in enumerate(blocks) if block.path[: size - 1] == array]
        at = behind[0] if behind else (before[-1] + 1 if before else len(blocks))
        self._write(_joined([*blocks[:at], *new, *blocks[at:]], at, at + len(new)))

    def _append(self, block: TomlBlock, near: Path | None = None) -> None:
        """Insert a table after the last table whose path begins with `near`, or at the end of the text."""
        blocks = self._split()
        alike = [at for at, each in enumerate(blocks) if near and each.path[: len(near)] == near]
        at = alike[-1] + 1 if alike else len(blocks)
        self._write(_joined([*blocks[:at], block, *blocks[at:]], at, at + 1))

    def _change(self, path: Path, change: Body) -> None:
        """Change the lines that contain the table or array at a path."""
        blocks = self._current
        fitting = [block for block in blocks if block.path == path[: len(block.path)]]
        block = max(fitting, key=lambda each: len(each.path))
        below = path[len(block.path) :]
        found = lines_with(block.body, str(below[0])) if below else None
        start, end = found or (0, len(block.body))
        lines = block.body[start:end]  # reading the whole of a long table would take long
        try:
            document = tomlkit.parse(lines if lines.endswith("\n") or not lines else f"{lines}\n")
            here: Any = document
            for key in below:
                here = here[key]
            change(here)
            block.body = block.body[:start] + document.as_string() + block.body[end:]
        except (TOMLKitError, KeyError, IndexError, TypeError, ValueError):
            raise EditError(
                place_of(path),
                "the edit does not fit the current content of this place",
                "edit the part in a text editor",
            ) from None
        self._is_compared = False


def _item_block(array: Path, value: dict[str, Any]) -> TomlBlock:
    return TomlBlock((*array, 0), "", f"[[{header_path(array)}]]\n", lines_of(value), "")


def _joined(blocks: list[TomlBlock], start: int, end: int) -> str:
    """Return the text of the blocks, with a blank line before the blocks at positions `start` and `end`."""
    for at in (start, end):
        if 0 < at < len(blocks):
            above = "".join(block.text for block in blocks[:at])
            if above and not above.endswith("\n\n"):
                blocks[at - 1].trail += "\n" if above.endswith("\n") else "\n\n"
    return text_of_blocks(blocks)
