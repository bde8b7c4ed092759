"""Conversion of JSON values to TOML, in which decimals keep their digits."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import tomlkit
from tomlkit.items import Float, Item, Trivia

from collector.errors import DeniableError

LONG = 100  # maximum number of characters of an array that is written on one line
DAY = re.compile(r"\d{4}-\d\d-\d\d")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)?")
MOMENTS = {"opens", "until"}
"""Keys under ``[study]`` whose values are dates or times."""
BOUNDS = {"cuts", "minimum", "maximum"}
"""Keys of a ``date`` question whose values are dates."""


class EditError(DeniableError):
    """The error for an edit that is not valid for the survey file."""


def item_of(value: Any) -> Item:  # noqa: ANN401 - any JSON
    """Return a value as an inline TOML item.

    Raises:
        EditError: If TOML has no value of this type.
    """
    if isinstance(value, dict):
        pairs = [f"{key_text(key)} = {item_of(each).as_string()}" for key, each in value.items()]
        return tomlkit.value(f"{{ {', '.join(pairs)} }}" if pairs else "{}")
    if isinstance(value, list):
        array = tomlkit.array()
        for each in value:
            array.append(item_of(each))
        return array.multiline(multiline=True) if len(array.as_string()) > LONG else array
    if isinstance(value, Decimal):
        return Float(float(value), Trivia(), str(value))
    if value is None:
        raise EditError("value", "a survey file cannot contain null", "delete the key instead")
    item: Item = tomlkit.item(value)
    return item


def lines_of(table: dict[str, Any]) -> str:
    """Return the keys and values of a table as TOML text, one line for each key."""
    document = tomlkit.document()
    for key, value in table.items():
        document.append(key, item_of(value))
    return document.as_string()


def key_text(key: str) -> str:
    """Return a key as TOML writes it, in quotes if necessary."""
    return tomlkit.key(key).as_string()


def with_days(value: Any, key: str | int, table: Any, old: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return text as a date or a time if the survey file has a date or a time under the key.

    Args:
        value: Value from JSON, in which a date is text.
        key: Key of the value.
        table: Table that contains the key.
        old: Present value under the key, or None.
    """
    if isinstance(value, dict):
        before = old if isinstance(old, dict) else {}
        return {name: with_days(each, name, value, before.get(name)) for name, each in value.items()}
    if isinstance(value, list):
        olds = old if isinstance(old, list) else []
        return [with_days(each, key, table, olds[at] if at < len(olds) else None) for at, each in enumerate(value)]
    if not isinstance(value, str):
        return value
    is_bound = key in BOUNDS and isinstance(table, dict) and table.get("kind") == "date"
    with suppress(ValueError):  # who reads the survey file says that it is none
        if DAY.fullmatch(value) and (isinstance(old, date) or is_bound or key in MOMENTS):
            return date.fromisoformat(value)
        if MOMENT.fullmatch(value) and (isinstance(old, date) or key in MOMENTS):
            return datetime.fromisoformat(value)
    return value
