"""The tables of a survey file as plain values, for conversion from and to other formats."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from collector.forms.collected import FormTally
from collector.survey.picture import Picture
from collector.survey.survey import Survey
from collector.survey_file.survey_writer import survey_tables

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Converted:
    """The result of a conversion.

    Attributes:
        content: Content of the converted file.
        notes: Lines about changes, and about parts that the new format cannot contain.
        left_out: Parts of an imported form that a survey cannot have, each with its place and a remedy.
        pictures: Pictures by their SHA-256, for writing into the folder of the file.
        tally: Numbers of questions that were imported and left out.
    """

    content: bytes
    notes: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tally: FormTally | None = None


def tables_of(survey: Survey) -> dict[str, Any]:
    """Return a survey as the tables of a survey file in JSON types, with decimals, fractions and days as text."""

    def text(value: object) -> str:
        return value.isoformat() if isinstance(value, date) else str(value)

    plain: dict[str, Any] = json.loads(json.dumps(survey_tables(survey), default=text))
    return plain


def typed_question(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a question with bounds and cut points as numbers or days instead of text."""

    def bound(value: object) -> object:
        if table["kind"] == "date" and DAY.fullmatch(str(value)):
            return date.fromisoformat(str(value))
        return Decimal(value) if isinstance(value, str) and NUMBER.fullmatch(value) else value

    bounds = {key: bound(table[key]) for key in ("minimum", "maximum") if key in table}
    return dict(table) | bounds | ({"cuts": [bound(cut) for cut in table["cuts"]]} if "cuts" in table else {})
