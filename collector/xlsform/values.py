"""The values of an XLSForm question: cut points, choices, yes and no; and their priors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from collector.survey.fields import FRACTION, LARGEST_NUMBER
from collector.survey.question import CODE_MARK, MOST_VALUES, YES_NO, check_prior, interval_labels
from collector.survey.text import Text, check_text
from collector.xlsform.columns import REFUSED_COLUMNS, close_match
from collector.xlsform.sheet import Form, Row
from collector.xlsform.text import Languages

SELECT = re.compile(r"(select_one|select one from|select one|select1)\s+(?P<list>.+)", re.IGNORECASE)
OTHER = re.compile(r"(?P<list>.+?)\s+(or_other|or other|or specify other)", re.IGNORECASE)
MINIMUM = re.compile(r"\.\s*>=\s*(?P<number>-?[0-9]+(\.[0-9]+)?)")
EXCEL_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}")  # Excel makes a day of 3/4
LIKERT = "likert"  # the appearance that says that choices are in order


@dataclass(frozen=True)
class Values:
    """The values of a question.

    Attributes:
        kind: As in a survey file.
        names: The values, in order.
        words: How each reads; empty where they read as they are.
        named: The name that each has in the form, and the value it became.
        cuts: Of a number.
    """

    kind: str
    names: tuple[str, ...]
    words: tuple[Text, ...]
    named: Mapping[str, str]
    cuts: tuple[Decimal, ...] = ()


def number_values(row: Row) -> Values:
    """The intervals between the rr::cuts of an integer or decimal.

    Raises:
        SurveyError: Naming the cell.
    """
    cell = row.get("rr::cuts")
    if not cell:
        raise row.error("rr::cuts", "a number is sent as an interval", 'give cut points, such as "400 800 1500"')
    cuts = tuple(_decimal(row, "rr::cuts", each) for each in re.split(r"[\s,;]+", cell) if each)
    if not cuts or list(cuts) != sorted(set(cuts)):
        raise row.error("rr::cuts", "they are not one or more ascending numbers", "sort them, each once")
    if len(cuts) >= MOST_VALUES:
        raise row.error("rr::cuts", f"there are more than {MOST_VALUES - 1}", "give fewer cut points")
    labels = interval_labels(tuple(_plain(cut) for cut in cuts))
    return Values("number", labels, (), {label: label for label in labels}, cuts)


def _plain(number: Decimal) -> float:
    return int(number) if number == int(number) else float(number)


def _decimal(row: Row, column: str, written: str) -> Decimal:
    try:
        number = Decimal(written)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number) > LARGEST_NUMBER:
        raise row.error(
            column, f'"{written[:20]}" is not a number', "write numbers such as 400 or 12.5, with spaces between"
        )
    return number


def minimum_of(row: Row, cuts: Sequence[Decimal]) -> dict[str, Decimal]:
    """The minimum that a constraint ``. >= 0`` sets, as in a survey file.

    Raises:
        SurveyError: Naming the cell.
    """
    constraint = row.get("constraint")
    if not constraint:
        return {}
    found = MINIMUM.fullmatch(constraint)
    if found is None:
        raise row.error("constraint", *REFUSED_COLUMNS["survey"]["constraint"])
    minimum = Decimal(found["number"])
    if minimum >= cuts[0]:
        raise row.error("constraint", "the minimum is not below the first cut point", "lower it, or drop the cut point")
    return {"minimum": minimum}


def choice_values(row: Row, form: Form, languages: Languages) -> Values:
    """The choices of a select_one; yes and no where they are just these.

    Raises:
        SurveyError: Naming the cell.
    """
    if row.get("rr::cuts"):
        raise row.error("rr::cuts", "only numbers have cut points", "make it an integer or decimal, or empty the cell")
    choices = _choices(row, form)
    texts = [_choice_text(choice, languages) for choice in choices]
    names = [choice.get("name") for choice in choices]
    _check_distinct(choices, names, texts)
    yes_no = _yes_no(names, texts, languages)
    if yes_no:
        order = sorted(range(len(names)), key=lambda index: yes_no[index] == "no")
        words = tuple(texts[index] for index in order)
        return Values("yes_no", YES_NO, () if _reads_yes_no(words) else words, dict(zip(names, yes_no, strict=True)))
    kind = "scale" if LIKERT in row.get("appearance").lower().split() else "choice"
    as_named = all(set(text.design.values()) == {name} for name, text in zip(names, texts, strict=True))
    return Values(kind, tuple(names), () if as_named else tuple(texts), {name: name for name in names})


def _choices(row: Row, form: Form) -> list[Row]:
    found = SELECT.fullmatch(row.get("type"))
    wanted = found["list"].strip() if found else ""
    if OTHER.fullmatch(wanted):
        raise row.error(
            "type",
            "or_other asks for free text, which cannot be disguised",
            'drop or_other, and add a choice "other" to the list',
        )
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
    if not 1 < len(choices) <= MOST_VALUES:
        problem = f"the list has {len(choices)} choices, not 2 to {MOST_VALUES}"
        raise row.error("type", problem, "list every answer a person may give")
    return choices


def _choice_text(choice: Row, languages: Languages) -> Text:
    if not choice.get("name"):
        raise choice.error("name", "it is empty", "give the choice a name")
    check_text(choice.get("name"), choice.place("name"))
    if choice.get("name").startswith(CODE_MARK):
        raise choice.error("name", f'it begins with "{CODE_MARK}", which marks a code', f"drop the {CODE_MARK}")
    text = languages.text(choice, "label")
    if text is None:
        raise choice.error("label", "it is empty", "write what the respondent reads")
    return text


def _check_distinct(choices: Sequence[Row], names: Sequence[str], texts: Sequence[Text]) -> None:
    """Refuse two choices of a list that have one name, or read the same."""
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
    """For each choice yes or no, where the names or the labels in some language are just these; else nothing."""
    for written in (names, *([text[tag] for text in texts] for tag in languages.tags)):
        lowered = [each.lower() for each in written]
        if sorted(lowered) == sorted(YES_NO):
            return lowered
    return []


def _reads_yes_no(words: Sequence[Text]) -> bool:
    """Whether the interface's own words say the same: in English only."""
    return [dict(text.pairs) for text in words] == [{"en": "Yes"}, {"en": "No"}]


def prior_of(row: Row, values: Values) -> dict[str, Decimal | str]:
    """The frequencies that rr::prior expects, as in a survey file: exact, and as they were written.

    Raises:
        SurveyError: Naming the cell.
    """
    cell = row.get("rr::prior")
    if not cell:
        return {}
    prior: dict[str, Decimal | str] = {}
    for part in re.split(r"[,;\n]", cell):
        name, equals, share = (each.strip() for each in part.rpartition("="))
        if not equals:
            raise row.error(
                "rr::prior", "it is not name = frequency, and so on", 'write it as in "yes = 0.2, no = 0.8"'
            )
        if name not in values.named or values.named[name] in prior:
            raise row.error(
                "rr::prior",
                f'"{name[:20]}" is none of the values, or is there twice',
                f"use: {', '.join(values.named)}",
            )
        prior[values.named[name]] = share
    if missing := [name for name, value in values.named.items() if value not in prior]:
        raise row.error("rr::prior", f'"{missing[0]}" is missing', "give every value its frequency")
    shares = {value: read_fraction(row, "rr::prior", str(prior[value])) for value in values.names}
    check_prior(tuple(shares.values()), len(values.names), row.place("rr::prior"))
    return {value: _as_written(str(prior[value])) for value in values.names}


def _as_written(share: str) -> Decimal | str:
    return share if "/" in share else Decimal(share)


def read_fraction(row: Row, column: str, written: str) -> Fraction:
    """An exact fraction: 3/4, 0.75 or 1.

    Raises:
        SurveyError: If it is none.
    """
    if EXCEL_DAY.fullmatch(written):
        raise row.error(column, "Excel made a day of the fraction", "format the column as text and write it again")
    try:
        if FRACTION.fullmatch(written):
            return Fraction(written)
    except ZeroDivisionError:
        pass
    raise row.error(column, f'"{written[:20]}" is not a fraction', "write one, such as 3/4 or 0.75")
