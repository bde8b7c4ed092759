"""The study card and the dates of a survey, with quotas, consent and thanks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import cached_property
from time import time
from typing import Any

from collector.errors import SurveyError
from collector.page.style import check_style, style_name
from collector.survey.fields import Fields
from collector.survey.moment import Moment, check_moment, check_once, instant, moment_of, read_moment, zone_of
from collector.survey.picture import Picture, picture_from_design
from collector.survey.text import Text, check_text, read_optional_text, text_table

MOST_MINUTES = 600
MOST_PER_ADDRESS = 1_000_000
LARGEST_QUOTA = 100_000_000
TEXTS = ("who", "why", "contact", "ethics")
PARAGRAPHS = ("consent", "privacy", "thanks")
"""Texts that may have several paragraphs, separated by blank lines."""
WORDS = ("timezone", "code", "redirect", "no_exit", "accent", "font")
HTTPS = re.compile(r"https://[a-z0-9.-]+(:[0-9]{1,5})?(/[\x21-\x7e]*)?")
Quotas = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]


@dataclass(frozen=True)
class Study:
    """The texts about the study that respondents read before and after they answer, and the limits of the study.

    Every attribute of a study card is optional.

    Attributes:
        who: Person or institution that asks.
        why: Purpose of the answers.
        contact: Contact for questions.
        ethics: Reference of the ethics board's approval.
        minutes: Duration in whole minutes.
        until: Last day (until its end) or moment on which responses are taken.
        per_address: Number of responses that one address may send in an hour.
        opens: First day or moment on which the survey takes responses.
        timezone: Time zone of `opens` and `until`, by its name in the IANA database, by default UTC.
        quota: Largest number of responses that the survey takes.
        quotas: Largest number of responses for each value of an undisguised question.
        consent: Text that respondents agree to, in paragraphs.
        privacy: Privacy notice, in paragraphs.
        thanks: Text shown when the response is stored, in paragraphs.
        code: Code shown when the response is stored, as a proof of participation for a panel.
        redirect: The https address offered when the response is stored, for panels.
        no_exit: Reason why the page has no Exit button, or None if the page has the button.
        logo: Picture above every screen.
        accent: Colour of buttons and links, such as #1a6b52, or None for the default colour.
        font: Typeface, ``sans`` (the default) or ``serif``.
    """

    who: Text | None = None
    why: Text | None = None
    contact: Text | None = None
    ethics: Text | None = None
    minutes: int | None = None
    until: Moment | None = None
    per_address: int | None = None
    opens: Moment | None = None
    timezone: str | None = None
    quota: int | None = None
    quotas: Quotas = field(default=())
    consent: Text | None = None
    privacy: Text | None = None
    thanks: Text | None = None
    code: str | None = None
    redirect: str | None = None
    no_exit: str | None = None
    logo: Picture | None = None
    accent: str | None = None
    font: str | None = None

    def __post_init__(self) -> None:
        for key, text in self.texts():
            text.check(f"study, {key}", paragraphs=key in PARAGRAPHS)
        self._check_number("minutes", MOST_MINUTES, "give whole minutes")
        self._check_number("per_address", MOST_PER_ADDRESS, "give responses in an hour")
        self._check_number("quota", LARGEST_QUOTA, "give a number of responses")
        for key in ("code", "no_exit"):
            if (words := getattr(self, key)) is not None:
                check_text(words, f"study, {key}")
        if self.redirect is not None and not HTTPS.fullmatch(self.redirect):
            remedy = "write it whole, such as https://panel.example/complete?code=C1"
            raise SurveyError("study, redirect", "the address does not begin with https://", remedy)
        check_style(self.accent, self.font)
        zone_of(self.timezone)  # refuses what is none
        for key in ("opens", "until"):
            check_moment(getattr(self, key), self.timezone, f"study, {key}")
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise SurveyError(
                "study, opens",
                "the opening time is not before the closing time",
                "choose an opening time before the closing time",
            )

    def _check_number(self, key: str, most: int, remedy: str) -> None:
        number = getattr(self, key)
        if number is not None and not 1 <= number <= most:
            raise SurveyError(f"study, {key}", f"the number is not from 1 to {most}", remedy)

    def texts(self) -> Iterator[tuple[str, Text]]:
        """The texts of the study card, each with its key in the survey file."""
        for key in (*TEXTS, *PARAGRAPHS):
            if (text := getattr(self, key)) is not None:
                yield key, text
        if self.logo is not None:
            yield "logo_text", self.logo.text

    @property
    def style(self) -> str | None:
        """The name of the survey's style sheet, or None if the page's default style is used."""
        return style_name(self.accent, self.font)

    @cached_property
    def zone(self) -> tzinfo:
        """The time zone of days, and of moments without an offset, in the study card."""
        return zone_of(self.timezone)

    @cached_property
    def start(self) -> float | None:
        """The opening time in seconds since 1970, or None if the survey is open from its publication."""
        return None if self.opens is None else instant(self.opens, self.zone)

    @cached_property
    def end(self) -> float | None:
        """The closing time in seconds since 1970, or None if there is no closing time."""
        return None if self.until is None else instant(self.until, self.zone, end=True)

    @property
    def is_over(self) -> bool:
        """Whether the last day or moment of the survey is over."""
        return self.end is not None and time() >= self.end

    @property
    def is_early(self) -> bool:
        """Whether the survey has not opened yet."""
        return self.start is not None and time() < self.start

    @property
    def design(self) -> dict[str, Any]:
        """The study card as plain JSON values."""
        texts = {key: text.design for key, text in self.texts()}
        until = None if self.until is None else self.until.isoformat()
        more = {
            "per_address": self.per_address,
            "opens": None if self.opens is None else self.opens.isoformat(),
            "quota": self.quota,
            "quotas": {name: dict(values) for name, values in self.quotas} or None,
            **{key: getattr(self, key) for key in WORDS},
            **{key: texts.get(key) for key in PARAGRAPHS},
            **({} if self.logo is None else self.logo.design("logo")),
        }
        used = {key: value for key, value in more.items() if value is not None}
        return used | {key: texts.get(key) for key in TEXTS} | {"minutes": self.minutes, "until": until}


def read_study(table: dict[str, object] | None, languages: Sequence[str], logo: Picture | None = None) -> Study | None:
    """Return the study card of a survey file, given its ``[study]`` table and its logo.

    Raises:
        SurveyError: If a field is not valid.
    """
    if table is None:
        return None
    fields = Fields(table, "study")
    texts = {key: read_optional_text(fields, key, languages) for key in (*TEXTS, *PARAGRAPHS)}
    moments = {key: read_moment(fields.take_optional_any(key), fields.within(key)) for key in ("opens", "until")}
    study = _study(fields, texts, moments, logo)
    for key, moment in moments.items():
        check_once(moment, study.timezone, fields.within(key))
    return study


def study_from_design(table: dict[str, object] | None) -> Study | None:
    """Return the study card of a published design.

    Raises:
        SurveyError: If a field is not valid.
    """
    if table is None:
        return None
    fields = Fields(table, "study")
    found = {key: fields.take_optional(key, dict) for key in (*TEXTS, *PARAGRAPHS)}
    texts = {key: None if text is None else text_table(text, f"study, {key}") for key, text in found.items()}
    written = {key: fields.take_optional(key, str) for key in ("opens", "until")}
    moments = {key: None if text is None else moment_of(text, f"study, {key}") for key, text in written.items()}
    return _study(fields, texts, moments, picture_from_design(fields, "logo"))


def _study(fields: Fields, texts: Mapping[str, Any], moments: Mapping[str, Any], logo: Picture | None) -> Study:
    study = Study(
        **texts,
        **moments,
        minutes=fields.take_optional("minutes", int),
        per_address=fields.take_optional("per_address", int),
        quota=fields.take_optional("quota", int),
        quotas=_quotas(fields),
        timezone=fields.take_optional("timezone", str),
        code=fields.take_optional("code", str),
        redirect=fields.take_optional("redirect", str),
        no_exit=fields.take_optional("no_exit", str),
        logo=logo,
        accent=fields.take_optional("accent", str),
        font=fields.take_optional("font", str),
    )
    for key in ("logo", "logo_text"):  # read before: named to who writes a key that is unknown
        fields.take_optional_any(key)
    fields.finish()
    return study


def _quotas(fields: Fields) -> Quotas:
    quotas = []
    for name, table in (fields.take_optional("quotas", dict) or {}).items():
        place = f"study, quotas, {name}"
        if not isinstance(table, dict) or not table:
            raise SurveyError(
                place,
                "the quota is not a table of values and numbers",
                "write the number of responses for each value, such as { female = 200 }",
            )
        if not all(type(most) is int and 0 <= most <= LARGEST_QUOTA for most in table.values()):
            raise SurveyError(place, "the value is not a number of responses", f"write 0 to {LARGEST_QUOTA}")
        quotas.append((name, tuple(sorted(table.items()))))
    return tuple(sorted(quotas))
