"""Writing of survey files as readable TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal

LONGEST_LINE = 110
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def table_lines(table: Mapping[str, object], path: str = "") -> Iterator[str]:
    """Yield the lines of a TOML table without its heading, but with headings of long inner tables.

    Args:
        table: Table of texts, whole numbers, decimals, booleans, lists and tables.
        path: Heading of the table, such as ``questions``.
    """
    below = {key: each for key, each in table.items() if isinstance(each, Mapping) and _is_long(key, each)}
    for key, value in table.items():
        if key not in below:
            yield from _entry(key, value)
    for key, inner in below.items():
        heading = f"{path}.{_key(key)}" if path else _key(key)
        yield ""
        yield f"[{heading}]"
        yield from table_lines(inner, heading)


def _entry(key: str, value: object) -> Iterator[str]:
    if isinstance(value, Sequence) and not isinstance(value, str) and _is_long(key, value):
        yield f"{_key(key)} = ["
        yield from (f"  {written(each)}," for each in value)
        yield "]"
    else:
        yield f"{_key(key)} = {written(value)}"


def _is_long(key: str, value: object) -> bool:
    nested = isinstance(value, Mapping) and any(isinstance(each, Mapping) for each in value.values())
    return nested or len(f"{_key(key)} = {written(value)}") > LONGEST_LINE


def written(value: object) -> str:
    """Return a value as TOML on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {written(each)}" for key, each in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(written(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False)  # a JSON text without control characters is a TOML text


def _key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
