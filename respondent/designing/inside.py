"""Functions that read, set and rename values by their paths, in plain values and in tomlkit's containers."""

from __future__ import annotations

from copy import copy
from typing import Any

from tomlkit.container import Container
from tomlkit.items import SingleKey

from respondent.designing.blocks import TOKEN, Path, keys_of
from respondent.designing.values import EditError, item_of, key_text


def place_of(path: Path) -> str:
    """Return a path as text, such as ``questions.2.label``, or ``survey`` for the empty path."""
    return ".".join(map(str, path)) or "survey"


def length(array: object) -> int:
    """Return the number of values in an array, or 0 for any other object."""
    return len(array) if isinstance(array, list) else 0


def inside(values: Any, path: Path) -> Any:  # noqa: ANN401 - any value
    """Return the value at a path.

    Raises:
        LookupError: If a key or position of the path does not exist.
        TypeError: If the path leads through a value that is neither a table nor an array.
    """
    for key in path:
        if isinstance(values, list) and not (isinstance(key, int) and key >= 0):
            raise KeyError(key)
        values = values[key]
    return values


def unshared(values: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return values of a survey file in which the tables and arrays along a path are replaced by copies."""
    copied = copy(values)
    here: Any = copied
    for key in path:
        try:
            here[key] = copy(inside(here, (key,)))
        except (LookupError, TypeError):  # the path goes on where nothing is yet
            break
        here = here[key]
    return copied


def put_value(values: Any, path: Path, value: Any) -> None:  # noqa: ANN401 - any value
    """Set the value at a path in plain values, and create missing tables on the path.

    Raises:
        EditError: If no value can be set at the path.
    """
    for key in path[:-1]:
        if isinstance(values, dict) and key not in values:
            values[key] = {}
        values = _next(values, key, path)
    if not _takes(values, path[-1]):
        raise EditError(place_of(path), "nothing can be set at this place", "insert an item")
    values[path[-1]] = value


def _takes(values: object, key: str | int) -> bool:
    """Return whether a table or an array accepts a value under a key."""
    if isinstance(values, list):
        return isinstance(key, int) and 0 <= key < len(values)
    return isinstance(values, dict) and isinstance(key, str)


def _next(values: Any, key: str | int, path: Path) -> Any:  # noqa: ANN401 - any value
    try:
        return inside(values, (key,))
    except (KeyError, IndexError, TypeError):
        raise EditError(place_of(path), "the item is not in the survey file", "reload the page") from None


def set_in(here: Any, key: str | int, value: Any) -> None:  # noqa: ANN401 - tomlkit's containers
    """Set a value in a tomlkit container.

    An existing array or table is changed item by item, to keep its comments.
    """
    old = here[key] if isinstance(key, int) or key in here else None
    if isinstance(value, dict) and isinstance(old, dict) and value:
        for name in [name for name in old if name not in value]:
            delete_in(old, name)
        for name, each in value.items():
            if name not in old or old[name] != each:
                set_in(old, name, each)
    elif isinstance(value, list) and isinstance(old, list) and value and old:
        for place in reversed(range(len(value), len(old))):
            del old[place]
        for place, each in enumerate(value):
            if place >= len(old):
                old.append(item_of(each))
            elif type(old[place]) is not type(each) or old[place] != each:
                old[place] = item_of(each)
    else:
        here[key] = item_of(value)


def delete_in(here: Any, key: str | int) -> None:  # noqa: ANN401 - tomlkit's containers
    """Delete a key from a tomlkit container."""
    del here[key]


def rename_in(here: Any, old: str, new: str) -> None:  # noqa: ANN401 - tomlkit's containers
    """Rename a key of a tomlkit container without moving it."""
    container: Container = here if isinstance(here, Container) else here.value
    for at, (key, item) in enumerate(container.body):
        if key is not None and key.key == old:
            container.body[at] = (SingleKey(new, sep=key.sep), item)


def header_path(path: Path) -> str:
    """Return the keys of a path as a TOML header writes them."""
    return ".".join(key_text(key) for key in path if isinstance(key, str))


def renamed_header(header: str, place: int, name: str) -> str:
    """Return a header with another name for the key at a position."""
    keys = list(keys_of(header)[0])
    start, end = header.index("["), _header_end(header)
    fence = "[[" if header[start:].startswith("[[") else "["
    keys[place] = name
    closing = "]" * len(fence)
    return f"{header[:start]}{fence}{'.'.join(map(key_text, keys))}{closing}{header[end:]}"


def _header_end(header: str) -> int:
    """Return the position after the closing brackets of a header."""
    return max(token.end() for token in TOKEN.finditer(header) if token[0] == "]")
