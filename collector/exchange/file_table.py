"""The tables of a survey file as plain values, and back: what the other formats are written from and read to."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from collector.survey.survey import Survey
from collector.survey_file.survey_toml import table_lines, written
from collector.survey_file.survey_writer import survey_text

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Converted:
    """What came of a conversion.

    Attributes:
        content: The file.
        notes: What the other format does not have, or was changed on the way; a line each.
    """

    content: bytes
    notes: tuple[str, ...]


def tables_of(survey: Survey) -> dict[str, Any]:
    """A survey as the tables of a survey file, in JSON's types: decimals, fractions and days are text."""
    tables = tomllib.loads(survey_text(survey, "a survey"), parse_float=str)
    plain: dict[str, Any] = json.loads(json.dumps(tables, default=lambda each: each.isoformat()))
    return plain


def file_of(tables: Mapping[str, Any], comment: str) -> str:
    """The survey file with these tables: the inverse of `tables_of`."""
    return "\n".join([f"# {comment}", "", *_lines(tables), ""])


def _lines(tables: Mapping[str, Any]) -> Iterator[str]:
    def is_table(value: object) -> bool:
        return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))

    inline = ("title",)
    yield from table_lines({key: each for key, each in tables.items() if key in inline or not is_table(each)})
    for key, value in tables.items():
        if key in inline or not is_table(value):
            continue
        if isinstance(value, list):
            for each in value:
                yield from ("", f"[[{key}]]", *table_lines(_numbers(each), key))
        elif key == "groups":
            yield from ("", "[groups]", *(f"{name} = {written(group)}" for name, group in value.items()))
        else:
            yield from ("", f"[{key}]", *table_lines(value, key))


def _numbers(table: Mapping[str, Any]) -> dict[str, Any]:
    """Bounds and cut points as numbers again, which a survey file wants them to be; days stay text."""

    def number(value: object) -> object:
        return Decimal(value) if isinstance(value, str) and NUMBER.fullmatch(value) else value

    bounds = {key: number(table[key]) for key in ("minimum", "maximum") if key in table}
    cuts = {"cuts": [number(cut) for cut in table["cuts"]]} if "cuts" in table else {}
    return dict(table) | bounds | cuts
