"""The tables of a survey file as plain values, and back: what the other formats are written from and read to."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from collector.survey.survey import Survey
from collector.survey_file.survey_toml import table_lines, written
from collector.survey_file.survey_writer import survey_text


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


def _numbers(question: Mapping[str, Any]) -> dict[str, Any]:
    """Bounds and cut points as numbers again, which a survey file wants them to be."""
    table = dict(question)
    for key in ("minimum", "maximum"):
        if isinstance(table.get(key), str):
            table[key] = Decimal(table[key])
    if "cuts" in table:
        table["cuts"] = [Decimal(str(cut)) for cut in table["cuts"]]
    return table
