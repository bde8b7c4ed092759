"""The study card: who asks, why, how long it takes, the closing date, contacts, and the ethics approval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from time import time
from typing import Any

from collector.errors import SurveyError
from collector.survey.fields import Fields
from collector.survey.text import Text, read_optional_text, text_table

MOST_MINUTES = 600
MOST_PER_ADDRESS = 1_000_000
DAY = 86_400.0  # seconds
TEXTS = ("who", "why", "contact", "ethics")


@dataclass(frozen=True)
class Study:
    """What respondents read of the study before they consent. Every field may be absent.

    Attributes:
        who: Who asks.
        why: What the answers are for.
        contact: Whom to turn to with questions.
        ethics: The reference of the ethics board's approval.
        minutes: How long it takes, in whole minutes.
        until: The last day on which responses are taken, to its end in UTC.
        per_address: How many responses one address may send in an hour.
    """

    who: Text | None = None
    why: Text | None = None
    contact: Text | None = None
    ethics: Text | None = None
    minutes: int | None = None
    until: date | None = None
    per_address: int | None = None

    def __post_init__(self) -> None:
        for key, text in self.texts():
            text.check(f"study, {key}")
        if self.minutes is not None and not 1 <= self.minutes <= MOST_MINUTES:
            raise SurveyError("study, minutes", f"it is not 1 to {MOST_MINUTES}", "give whole minutes")
        if self.per_address is not None and not 1 <= self.per_address <= MOST_PER_ADDRESS:
            raise SurveyError("study, per_address", f"it is not 1 to {MOST_PER_ADDRESS}", "give responses in an hour")

    def texts(self) -> Iterator[tuple[str, Text]]:
        """The texts there are, with their keys."""
        for key in TEXTS:
            if (text := getattr(self, key)) is not None:
                yield key, text

    @cached_property
    def end(self) -> float | None:
        """When the last day is over in UTC, in seconds since 1970; None where there is no last day."""
        if self.until is None:
            return None
        return datetime(self.until.year, self.until.month, self.until.day, tzinfo=UTC).timestamp() + DAY

    @property
    def is_over(self) -> bool:
        """Whether the last day is over."""
        return self.end is not None and time() >= self.end

    @property
    def design(self) -> dict[str, Any]:
        """The card as plain JSON values; `per_address` stands there only where there is one."""
        texts = {key: text.design for key, text in self.texts()}
        until = None if self.until is None else self.until.isoformat()
        limit = {} if self.per_address is None else {"per_address": self.per_address}
        return limit | {key: texts.get(key) for key in TEXTS} | {"minutes": self.minutes, "until": until}


def read_study(table: dict[str, object] | None, languages: Sequence[str]) -> Study | None:
    """The ``[study]`` table of a survey file.

    Raises:
        SurveyError: Naming the place.
    """
    if table is None:
        return None
    fields = Fields(table, "study")
    texts = {key: read_optional_text(fields, key, languages) for key in TEXTS}
    study = Study(
        **texts,
        minutes=fields.take_optional("minutes", int),
        until=fields.take_optional("until", date),
        per_address=fields.take_optional("per_address", int),
    )
    fields.finish()
    return study


def study_from_design(table: dict[str, object] | None) -> Study | None:
    """The card of a published design.

    Raises:
        SurveyError: Naming the place.
    """
    if table is None:
        return None
    fields = Fields(table, "study")
    found = {key: fields.take_optional(key, dict) for key in TEXTS}
    texts = {key: None if text is None else text_table(text, f"study, {key}") for key, text in found.items()}
    until = fields.take_optional("until", str)
    study = Study(
        **texts,
        minutes=fields.take_optional("minutes", int),
        until=None if until is None else _day(until),
        per_address=fields.take_optional("per_address", int),
    )
    fields.finish()
    return study


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise SurveyError("study, until", "it is not a day", "write one, such as 2026-12-31")
    return day
