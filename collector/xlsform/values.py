"""The values of a question in an XLSForm, made from cut points or choices."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from collector.survey.fields import LARGEST_NUMBER
from collector.survey.question import CODE_MARK, DECLINED, MOST_VALUES, YES_NO, interval_labels
from collector.survey.text import Text, check_text
from collector.xlsform.columns import close_match
from collector.xlsform.pictures import pictures_of_choices
from collector.xlsform.sheet import Form, SheetRow
from collector.xlsform.text import Languages

YES = ("yes", "true", "true()")
KINDS = {
    "select_one": "select_one",
    "select_one_from": "select_one",
    "select1": "select_one",
    "select_multiple": "select_multiple",
    "select_all_that_apply": "select_multiple",
    "select_all_that_apply_from": "select_multiple",
    "rank": "rank",
}
"""Kinds of question, by types that name a list, written with spaces or underscores."""
LISTED = re.compile(
    r"(?P<kind>select[_ ]one( from)?|select1|select[_ ]multiple|select all that apply( from)?|rank)\s+(?P<list>.+)",
    re.IGNORECASE,
)
OTHER = re.compile(r"(?P<list>.+?)\s+(or_other|or other|or specify other)", re.IGNORECASE)
PREFER_NOT = "Prefer not to say"  # the page's English words for a declined answer
LIKERT = "likert"  # appearance that marks ordered choices
GRID = "table-list"  # appearance of a group whose statements share one list


@dataclass(frozen=True)
class Values:
    """The values of a question in an XLSForm, with their texts and pictures.

    Attributes:
        kind: Kind of the question in a survey file.
        names: Names of the values, in order.
        words: Text of each value, or an empty table if texts and names are equal.
        named: Value for each name of a choice in the form.
        labels: Labels of choices, by their names in the form.
        cuts: Cut points of a number or a date.
        declined: Whether the form has a choice "prefer not to say", which is not among the names.
        pictures: Pictures of choices, by their names in the form.
    """

    kind: str
    names: tuple[str, ...]
    words: Mapping[str, Text]
    named: Mapping[str, str]
    labels: Mapping[str, Text]
    cuts: tuple[Decimal, ...] | tuple[date, ...] = ()
    declined: bool = False
    pictures: Mapping[str, str] = field(default_factory=dict)


def interval_values(row: SheetRow, kind: str, proposed: Sequence[Any] = ()) -> Values:
    """Return the intervals between the cut points of a number or a date, from rr::cuts or proposed.

    Raises:
        SurveyError: If the cut points are not valid.
    """
    cell, example = row.get("rr::cuts"), "2010-01-01 2020-01-01" if kind == "date" else "400 800 1500"
    if not cell and not proposed:
        remedy = f'give cut points, such as "{example}", or a constraint with the least and the greatest'
        raise row.error("rr::cuts", f"a {kind} is sent as an interval", remedy)
    read: Any = _day if kind == "date" else _decimal
    cuts = tuple(read(row, "rr::cuts", each) for each in re.split(r"[\s,;]+", cell) if each) or tuple(proposed)
    if not cuts or list(cuts) != sorted(set(cuts)):
        raise row.error(
            "rr::cuts",
            f"the cut points are not one or more ascending {kind}s",
            "sort the cut points, and list each once",
        )
    if len(cuts) >= MOST_VALUES:
        raise row.error("rr::cuts", f"the cell has more than {MOST_VALUES - 1} cut points", "give fewer cut points")
    labels = interval_labels(tuple(each.isoformat() if kind == "date" else _plain(each) for each in cuts))
    return Values(kind, labels, {}, {label: label for label in labels}, {}, cuts)


def _day(row: SheetRow, column: str, written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        problem = f'"{written[:20]}" is not a day'
        raise row.error(column, problem, "write days such as 2020-01-31, with spaces between, as text") from None


def _plain(number: Decimal) -> float:
    return int(number) if number == int(number) else float(number)


def _decimal(row: SheetRow, column: str, written: str) -> Decimal:
    try:
        number = Decimal(written)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number) > LARGEST_NUMBER:
        raise row.error(
            column, f'"{written[:20]}" is not a number', "write numbers such as 400 or 12.5, with spaces between"
        )
    return number


def choice_values(row: SheetRow, form: Form, languages: Languages, grid: SheetRow | None = None) -> Values:
    """Return the choices of a list as values, or yes and no if the list consists of these words.

    Raises:
        SurveyError: If a choice is not valid.
    """
    if row.get("rr::cuts"):
        raise row.error("rr::cuts", "only numbers have cut points", "make it an integer or decimal, or empty the cell")
    choices = _choices(row, form, languages)
    texts = [_choice_text(choice, languages) for choice in choices]
    names = [choice.get("name") for choice in choices]
    _check_distinct(choices, names, texts)
    labels = dict(zip(names, texts, strict=True))
    declines = len(labels) > 2 if not row.get("rr::kind") else row.get("rr::decline").lower() in YES
    declined = labels.get(DECLINED) if declines else None
    kept = {name: text for name, text in labels.items() if declined is None or name != DECLINED}
    pictures = pictures_of_choices(dict(zip(names, choices, strict=True)), form, languages)
    values = replace(_values(grid or row, kept, labels, languages), pictures=pictures)
    if declined is None:
        return values
    usual = _reads_as([declined], [PREFER_NOT])
    words = {value: labels[name] for name, value in values.named.items()} | {DECLINED: declined}
    return replace(values, words=values.words if usual else words, declined=True)


def _values(row: SheetRow, kept: Mapping[str, Text], labels: Mapping[str, Text], languages: Languages) -> Values:
    names, texts = list(kept), list(kept.values())
    scale = {LIKERT, GRID} & set(row.get("appearance").lower().split())
    yes_no = [] if scale or row.get("rr::kind") else _yes_no(names, texts, languages)
    if yes_no:
        words = dict(sorted(zip(yes_no, texts, strict=True), reverse=True))
        named = dict(zip(names, yes_no, strict=True))
        return Values("yes_no", YES_NO, {} if _reads_as(list(words.values()), ("Yes", "No")) else words, named, labels)
    kind = "scale" if scale else "choice"
    as_named = all(set(text.design.values()) == {name} for name, text in kept.items())
    return Values(kind, tuple(names), {} if as_named else kept, {name: name for name in names}, labels)


def _choices(row: SheetRow, form: Form, languages: Languages) -> list[SheetRow]:
    found = LISTED.fullmatch(row.get("type"))
    wanted = found["list"].strip() if found else ""
    other = OTHER.fullmatch(wanted)
    if other:
        problem, remedy = (
            "or_other asks for free text, which cannot be disguised",
            'drop or_other, and add a choice "other" to the list',
        )
        languages.reading.leave(row.error("type", problem, remedy))
        wanted = other["list"].strip()
    for each in form.choices:
        if not each.get("list_name"):
            raise each.error("list_name", "it is empty", "name the list, or delete the row")
    lists = {each.get("list_name"): None for each in form.choices}
    if wanted not in lists:
        meant = close_match(wanted, tuple(lists))
        listed = ", ".join(lists) or "none: add the sheet choices"
        remedy = f"write {meant}" if meant else f"the lists are: {listed}"
        raise row.error("type", f'there is no list "{wanted}" on the sheet choices', remedy)
    choices = [each for each in form.choices if each.get("list_name") == wanted]
    if other and "other" not in [each.get("name") for each in choices]:
        choices.append(languages.other(row))
    if not 1 < len(choices) <= MOST_VALUES:
        problem = f"the list has {len(choices)} choices, not 2 to {MOST_VALUES}"
        raise row.error("type", problem, "list every answer a person may give")
    return choices


def _choice_text(choice: SheetRow, languages: Languages) -> Text:
    if not choice.get("name"):
        raise choice.error("name", "it is empty", "give the choice a name")
    check_text(choice.get("name"), choice.place("name"))
    if choice.get("name").startswith(CODE_MARK):
        raise choice.error("name", f'it begins with "{CODE_MARK}", which marks a code', f"drop the {CODE_MARK}")
    text = languages.text(choice, "label")
    if text is None:
        raise choice.error("label", "it is empty", "write what the respondent reads")
    return text


def _check_distinct(choices: Sequence[SheetRow], names: Sequence[str], texts: Sequence[Text]) -> None:
    """Refuse a list of choices in which two names or two texts are equal."""
    seen: dict[str, int] = {}
    shown: dict[tuple[str, str], int] = {}
    for choice, name, text in zip(choices, names, texts, strict=True):
        if name in seen:
            raise choice.error("name", f'"{name}" is in the list twice, first in row {seen[name]}', "rename one")
        seen[name] = choice.number
        for pair in text.pairs:
            if pair in shown:
                raise choice.error("label", f"it reads the same as row {shown[pair]}", "give each its own words")
            shown[pair] = choice.number


def _yes_no(names: Sequence[str], texts: Sequence[Text], languages: Languages) -> list[str]:
    """Return yes or no for each choice of a list, or an empty list if the choices do not mean yes and no."""
    for written in (names, *([text[tag] for text in texts] for tag in languages.tags)):
        lowered = [each.lower() for each in written]
        if sorted(lowered) == sorted(YES_NO):
            return lowered
    return []


def _reads_as(texts: Sequence[Text], words: Sequence[str]) -> bool:
    """Return whether texts equal the page's translations of the given words in every language."""
    return [set(text.design.values()) for text in texts] == [{word} for word in words]
