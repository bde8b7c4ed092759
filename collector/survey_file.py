"""The survey file: TOML that a researcher writes, read, checked and compiled to a `Survey`.

Decimals are read as they are written (0.2 is exactly 1/5); codings are computed here, once.
"""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from collector.channel import Channel, channel
from collector.coding import Coding, balanced_coding, plain_coding, szucs_coding
from collector.errors import SurveyError
from collector.fields import Fields
from collector.question import KINDS, YES_NO, Question, check_name, check_prior, check_values, interval_labels
from collector.study import read_study
from collector.survey import Group, Survey, check_languages
from collector.text import Text, read_optional_text, read_text

CODINGS = ("balanced", "szucs")
FRACTION = re.compile(r"-?[0-9]{1,20}(/[0-9]{1,20}|(\.[0-9]{1,20})?([eE]-?[0-9]{1,2})?)")


def read_survey_file(path: Path) -> Survey:
    """Read and compile a survey file.

    Raises:
        SurveyError: Naming the file, the place in it and the remedy.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SurveyError(str(path), f"it cannot be read ({error.strerror})", "give the path of a TOML file") from None
    except UnicodeDecodeError:
        raise SurveyError(str(path), "it is not UTF-8 text", "save it as UTF-8") from None
    try:
        return parse_survey(text)
    except SurveyError as error:
        raise error.within(str(path)) from None


def parse_survey(text: str) -> Survey:
    """Compile the text of a survey file.

    Raises:
        SurveyError: Naming the place in the file and the remedy.
    """
    try:
        fields = Fields(tomllib.loads(text, parse_float=Decimal), "survey")
    except tomllib.TOMLDecodeError as error:
        raise SurveyError("survey", f"it is not TOML ({error})", "mend that line") from None
    except (ValueError, RecursionError):
        raise SurveyError("survey", "a number is too long to read, or lists nest too deep", "write less") from None
    name, languages = fields.take("name", str), tuple(fields.take_list("languages", str))
    check_languages(languages)
    title = read_text(fields, "title", languages)
    tables = fields.tables("questions")
    channels = _channels(fields.take_optional("groups", dict) or {})
    homes = [table.take_optional("group", str) for table in tables]
    questions = tuple(_question(table, home, channels, languages) for table, home in zip(tables, homes, strict=True))
    groups = tuple(
        Group(group, how, tuple(q.name for q, home in zip(questions, homes, strict=True) if home == group))
        for group, how in channels.items()
    )
    target = _target(fields.take_optional("mining", dict))
    study = read_study(fields.take_optional("study", dict), languages)
    preview = fields.take_optional("preview", str) or "after"
    fields.finish()
    return Survey(name, title, languages, questions, groups, target, study, preview)


def _target(mining: dict[str, object] | None) -> str | None:
    if mining is None:
        return None
    fields = Fields(mining, "mining")
    target = fields.take("target", str)
    fields.finish()
    return target


def _channels(groups: dict[str, object]) -> dict[str, Channel]:
    channels = {}
    for name, table in groups.items():
        place = f'group "{name}"'
        check_name(name, place)
        fields = Fields(table, place)
        truth = _fraction(fields.take_any("truth", 'such as "3/4"'), fields.within("truth"))
        kind = fields.take_optional("channel", str) or "complement"
        try:
            channels[name] = channel(kind, truth)
        except SurveyError as error:
            raise error.within(place) from None
        fields.finish()
    return channels


def _fraction(value: object, place: str) -> Fraction:
    """Exactly what is written: "3/4", "0.75", 0.75 or 1."""
    try:
        if type(value) in {str, int, Decimal} and FRACTION.fullmatch(str(value)):
            return Fraction(str(value))
    except ZeroDivisionError:
        pass
    raise SurveyError(place, "it is not a fraction of at most 20 digits", 'write one, such as "3/4" or 0.75')


def _question(fields: Fields, home: str | None, channels: dict[str, Channel], languages: tuple[str, ...]) -> Question:
    name = fields.take("name", str)
    check_name(name, fields.place)
    kind = fields.take("kind", str)
    if kind not in KINDS:
        raise SurveyError(fields.within("kind"), "there is no such kind", f"use one of: {', '.join(KINDS)}")
    _refuse_unconfirmed(fields)
    sensitive = fields.take_optional("sensitive", bool) is not False
    how = _home_channel(fields.place, home, channels, sensitive=sensitive)
    cuts = _cuts(fields) if kind == "number" else ()
    values = _values(fields, kind, cuts)
    check_values(values, fields.within("values"))  # before a prior and a coding are drawn up for them
    prior = _prior(fields, values)
    question = Question(
        name=name,
        label=read_text(fields, "label", languages),
        kind=kind,
        values=values,
        prior=prior,
        coding=_coding(fields, prior, how),
        sensitive=sensitive,
        unit=fields.take_optional("unit", str),
        minimum=fields.take_number("minimum"),
        cuts=cuts,
        shown=() if kind == "number" else _shown(fields, values, languages),
        hint=read_optional_text(fields, "hint", languages),
    )
    fields.finish()
    return question


def _refuse_unconfirmed(fields: Fields) -> None:
    """Values that `collector draft` read off a table may be used once somebody has said that they are public."""
    if fields.take_optional("confirmed", bool) is False:
        raise SurveyError(
            fields.within("confirmed"),
            "its values were read off data, and nobody has confirmed them",
            "compare them with what is publicly known, mend them, and say confirmed = true",
        )


def _home_channel(place: str, home: str | None, channels: dict[str, Channel], *, sensitive: bool) -> Channel | None:
    if home is None:
        if sensitive:
            raise SurveyError(
                place, "it is sensitive and in no group", 'add group = "...", or sensitive = false to send it as it is'
            )
        return None
    if not sensitive:
        raise SurveyError(place, "it is not sensitive, yet in a group", "drop its group, or sensitive = false")
    if home not in channels:
        raise SurveyError(f"{place}, group", f'there is no group "{home}"', "declare it under [groups]")
    return channels[home]


def _cuts(fields: Fields) -> tuple[float, ...]:
    cuts = tuple(fields.take_numbers("cuts"))
    if not cuts or list(cuts) != sorted(set(cuts)):
        raise SurveyError(fields.within("cuts"), "they are not one or more ascending numbers", "sort them, each once")
    return cuts


def _values(fields: Fields, kind: str, cuts: tuple[float, ...]) -> tuple[str, ...]:
    if kind == "yes_no":
        return YES_NO
    if kind == "number":
        return interval_labels(cuts)
    return tuple(fields.take_list("values", str))


def _shown(fields: Fields, values: tuple[str, ...], languages: tuple[str, ...]) -> tuple[Text, ...]:
    """The words for values, in order; a language without a table shows the values as they are."""
    tables = fields.take_optional("words", dict)
    if tables is None:
        return ()
    place = fields.within("words")
    for language, words in tables.items():
        if language not in languages:
            raise SurveyError(place, f'"{language}" is no language of the survey', f"use: {', '.join(languages)}")
        if not isinstance(words, dict) or set(words) != set(values):
            raise SurveyError(place, "a language does not name every value, and only these", "give each its words")
        if not all(isinstance(word, str) for word in words.values()):
            raise SurveyError(place, "it is not text", "write text")
    return tuple(Text.of({each: tables.get(each, {}).get(value, value) for each in languages}) for value in values)


def _prior(fields: Fields, values: tuple[str, ...]) -> tuple[Fraction, ...]:
    table = fields.take_optional("prior", dict)
    if table is None:
        return tuple(Fraction(1, len(values)) for _ in values)
    place = fields.within("prior")
    for value in table:
        if value not in values:
            raise SurveyError(place, f'"{value}" is no value of the question', f"use: {', '.join(values)}")
    missing = [value for value in values if value not in table]
    if missing:
        raise SurveyError(place, f'the value "{missing[0]}" is missing', "give every value its frequency")
    prior = tuple(_fraction(table[value], place) for value in values)
    check_prior(prior, len(values), place)
    return prior


def _coding(fields: Fields, prior: tuple[Fraction, ...], how: Channel | None) -> Coding:
    wish = fields.take_optional("coding", str)
    place = fields.within("coding")
    if how is None or how.name == "uniform":
        if wish is not None:
            raise SurveyError(place, "only complement groups are coded in pairs", "drop the coding")
        return plain_coding(len(prior))
    if wish not in {None, *CODINGS}:
        raise SurveyError(place, "there is no such coding", f"use one of: {', '.join(CODINGS)}")
    try:
        return szucs_coding(prior, how.truth) if wish == "szucs" else balanced_coding(prior)
    except SurveyError as error:
        raise error.within(fields.place) from None
