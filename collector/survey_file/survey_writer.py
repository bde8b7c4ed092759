"""Write a `Survey` as a survey file that compiles to it: the inverse of `collector.survey_file.survey_file`.

What is read back has the same fingerprint (`tests/collector/survey_file/test_survey_writer.py`). Comments and the order
of keys are not kept: a published design does not hold them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from collector.survey.question import Question
from collector.survey.study import WORDS, Study
from collector.survey.survey import Group, Survey
from collector.survey.text import Text
from collector.survey_file.survey_toml import table_lines, written

PLAIN = ("per_address", "quota", *WORDS, "quotas")  # of the study, written as the design has it
LONGEST_DECIMAL = 20  # digits that a survey file may have


def survey_text(survey: Survey, comment: str) -> str:
    """The survey file.

    Args:
        survey: To be written.
        comment: Printed at its head, one line.
    """
    return "\n".join([f"# {comment}", "", *_lines(survey), ""])


def _lines(survey: Survey) -> Iterator[str]:
    head = {"name": survey.name, "title": _in_languages(survey.title), "languages": list(survey.languages)}
    yield from table_lines(head | {"preview": survey.preview} | ({"shuffle": True} if survey.shuffle else {}))
    if survey.study is not None:
        yield from ("", "[study]")
        yield from _study_lines(survey.study)
    for question in survey.questions:
        yield from ("", "[[questions]]")
        yield from table_lines(_table(question, survey), "questions")
    for screen in survey.screens:
        yield from ("", "[[screens]]")
        yield from table_lines(screen.design, "screens")
    yield from ("", "[groups]")
    for group in survey.groups:
        yield f"{group.name} = {written(_group(group))}"
    if survey.sampling is not None:
        yield from ("", "[sampling]")
        yield from table_lines(survey.sampling.design)
    if survey.target is not None:
        yield from ("", "[mining]")
        yield from table_lines({"target": survey.target})


def _group(group: Group) -> dict[str, str]:
    key, number = group.channel.coin.published
    return {key: str(number), "channel": group.channel.name}


def _study_lines(study: Study) -> Iterator[str]:
    texts: dict[str, Any] = {key: _in_languages(text) for key, text in study.texts()}
    if study.minutes is not None:
        texts["minutes"] = study.minutes
    texts |= {key: study.design[key] for key in PLAIN if key in study.design}
    for key, moment in (("opens", study.opens), ("until", study.until)):
        if moment is not None:
            yield f"{key} = {moment.isoformat()}"
    yield from table_lines(texts, "study")


def _table(question: Question, survey: Survey) -> dict[str, Any]:
    table: dict[str, Any] = {"name": question.name, "label": _in_languages(question.label)}
    if question.hint is not None:
        table["hint"] = _in_languages(question.hint)
    table["kind"] = question.kind
    if question.kind == "number":
        bounds = {"minimum": question.minimum, "maximum": question.maximum}
        table |= {"unit": question.unit, **bounds, "cuts": list(question.cuts)}
    elif question.kind != "yes_no":
        table["values"] = list(question.values)
    if len(set(question.prior)) > 1:
        table["prior"] = dict(zip(question.values, map(_share, question.prior), strict=True))
    group = survey.group_of(question.name)
    table |= {"sensitive": False} if group is None else {"group": group.name}
    if question.coding.scheme not in {"plain", "balanced"}:
        table["coding"] = question.coding.written
    if question.coding.replacement is not None:
        chances = question.coding.replacement_probabilities.values()
        table["replacement"] = dict(zip(question.values, map(_share, chances), strict=True))
    if question.shown:
        table["words"] = _words(question)
    return {key: value for key, value in table.items() if value is not None}


def _words(question: Question) -> Mapping[str, Mapping[str, str]]:
    """The words for each value, by language."""
    words: dict[str, dict[str, str]] = {}
    for value, text in zip(question.values, question.shown, strict=True):
        for language, word in text.design.items():
            words.setdefault(language, {})[value] = word
    return words


def _in_languages(text: Text) -> str | dict[str, str]:
    """As a survey file has it: plain where there is one language."""
    return text.design if len(text.pairs) > 1 else text.pairs[0][1]


def _share(share: Fraction) -> Decimal | str:
    """A decimal where it is exact and short, else a fraction."""
    decimal = Decimal(share.numerator) / Decimal(share.denominator)
    exact = Fraction(decimal) == share and len(f"{decimal:f}") < LONGEST_DECIMAL
    return decimal if exact else str(share)
