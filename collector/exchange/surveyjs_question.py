"""Import of an element of a SurveyJS form as a ``[[questions]]`` table."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from collector.errors import SurveyError
from collector.exchange.file_table import typed_question
from collector.exchange.surveyjs_kinds import (
    ALWAYS,
    KINDS,
    LEFT_KEYS,
    LIMITS,
    NEEDED_KEYS,
    OFFERED,
    READ,
    REFUSED_TYPES,
)
from collector.exchange.surveyjs_out import BAR, OURS, REFUSED_VALUE
from collector.exchange.surveyjs_texts import Texts
from collector.forms.reading import FormReading, Found, Table
from collector.survey.question import DECLINED
from collector.survey.screen import MOST_RANKED
from collector.survey_file.kinds.number import IntervalKind
from collector.survey_file.kinds.registry import KINDS as QUESTION_KINDS
from collector.survey_file.kinds.registry import PARTS
from collector.survey_file.naming import item_names

WHOLE = re.compile(r"-?[0-9]+(\.0+)?")
FEW_STEPS = 11  # largest number of numbers to choose from that become a scale: 0 to 10
SLIDER = {"minimum": 0, "maximum": 100}  # SurveyJS's default ends of a slider
NONE, UNSURE, OTHER = "None", "Don't know", "Other"  # SurveyJS's default words


def question_of(element: Mapping[str, Any], texts: Texts, *, every: bool) -> Found:
    """Return the question that an element of the form asks, without its condition.

    Args:
        element: Element of the form, in which keys have their newest names.
        texts: Texts of the form.
        every: Whether each question needs an answer, because the form marks no question as required.

    Raises:
        SurveyError: If the element cannot be a question of a survey.
    """
    element = _with_limits(element)
    given, theirs = str(element.get("name", "")), str(element.get("type"))
    place = f'element "{given[:40]}"'
    if theirs not in KINDS:
        if theirs not in REFUSED_TYPES:
            raise SurveyError(place, f'there is no type "{theirs}"', f"use one of: {', '.join(KINDS)}")
        problem, remedy = REFUSED_TYPES[theirs]
        raise SurveyError(place, f'"{theirs}" is not supported: {problem}', remedy)
    read = READ[theirs] | ALWAYS | {OURS}
    check_keys(element, read, place, texts.reading, theirs)
    name = texts.reading.name(given)
    ours = dict(element.get(OURS, {}))
    table: Table = {"name": name, "label": texts.text(element.get("title", given), place)}
    table |= {"hint": texts.text(element["description"], place)} if element.get("description") else {}
    table["kind"] = ours.pop("kind", _kind(element, theirs))
    written = _Answers(element, table, ours, texts, place).add()
    required = element.get("isRequired") or element.get("eachRowRequired") or every or table["kind"] == "multiple"
    table |= {} if required else {"optional": True}
    table |= {"decline": True} if element.get("showRefuseItem") else {}
    if "group" not in ours and "sensitive" not in ours:
        ours["sensitive"] = False
    return Found(typed_question(table | ours), given, written, declined=REFUSED_VALUE)


def check_keys(table: Mapping[str, Any], read: set[str], place: str, reading: FormReading, kind: str) -> None:
    """Record the keys of an element, a panel or the form that the import leaves out.

    Raises:
        SurveyError: If the element cannot be a question of a survey because of an unsupported key.
    """
    for key, value in table.items():
        said = value not in (None, [], "", {}) and (value is False) == (key == "visible")
        problem = NEEDED_KEYS.get(key) or LEFT_KEYS.get(key)
        if said and problem is not None:
            where = f"{place}, {key}".removeprefix(", ")
            error = SurveyError(
                where, f"this part of a question is not supported: {problem}", "remove it from the form"
            )
            if key in NEEDED_KEYS:
                raise error
            reading.leave(error)
        if key not in read and problem is None:
            reading.note(f"not used: {kind}, {key}")


def _with_limits(element: Mapping[str, Any]) -> dict[str, Any]:
    """Return an element in which the limits that validators set are keys of the element."""
    found, left = dict(element), []
    for each in element.get("validators") or []:
        keys = LIMITS.get(str(each.get("type")), {})
        left += [] if keys else [each]
        found |= {theirs: each[key] for key, theirs in keys.items() if key in each}
    return found | {"validators": left}


def _kind(element: Mapping[str, Any], theirs: str) -> str:
    if theirs == "text" and element.get("inputType") == "date":
        return "date"
    if element.get("multiSelect"):
        return "multiple"
    few = theirs == "slider" or element.get("inputType") == "range"
    if (
        few
        and "cuts" not in element.get(OURS, {})
        and len(list(_steps(element, "min", "max", "step", 100))) <= FEW_STEPS
    ):
        return "scale"
    return KINDS[theirs]


@dataclass
class _Answers:
    """The possible answers to a question, for the table of the question."""

    element: Mapping[str, Any]
    table: Table
    ours: Table
    texts: Texts
    place: str

    def add(self) -> Mapping[str, str] | None:
        """Add the answers to the table, and return the form's words for values, options or statements.

        None is returned if the form's words equal the names in the survey file.
        """
        kind, element = self.table["kind"], self.element
        if isinstance(QUESTION_KINDS.get(kind), IntervalKind):
            self._bounds(kind)
            return None
        if element["type"] == "boolean":
            shown = {"yes": element.get("labelTrue"), "no": element.get("labelFalse")}
            said = {key: value for key, value in shown.items() if value is not None}
            self.table |= self.texts.words(said, self.place) if len(said) > 1 else {}
            given = [element.get(key, usual) for key, usual in (("valueTrue", True), ("valueFalse", False))]
            true, false = (str(each).lower() if isinstance(each, bool) else str(each) for each in given)
            return {true: "yes", false: "no"}
        random = (element.get("choicesOrder"), element.get("rowOrder"))
        self.table |= {"shuffle": True} if "random" in random else {}
        return self._items(kind) if kind in PARTS else self._values(kind)

    def _bounds(self, kind: str) -> None:
        if self.element["type"] == "text" and self.element.get("inputType") not in {"number", "range", "date", kind}:
            raise SurveyError(
                self.place, "free text cannot be disguised", "ask for a number instead, and give cut points"
            )
        bounds = {"minimum": self.element.get("min"), "maximum": self.element.get("max")}
        if self.element["type"] == "slider":
            bounds = {key: usual if bounds[key] is None else bounds[key] for key, usual in SLIDER.items()}
        self.table |= {key: str(value) for key, value in bounds.items() if value not in (None, "")}
        if "cuts" not in self.ours and (cuts := self._proposed()):
            self.ours["cuts"] = [str(cut) for cut in cuts]
        if "cuts" not in self.ours:
            example = '["2010-01-01"]' if kind == "date" else "[400, 800]"
            problem = f"a {kind} is sent as an interval"
            raise SurveyError(self.place, problem, f'add "{OURS}": {{"cuts": {example}}}, or its min and max')
        if kind == "number" and "whole" not in self.ours and self._says_whole():
            self.table["whole"] = True

    def _says_whole(self) -> bool:
        """Return whether the form itself says that answers are whole numbers, and its numbers are."""
        step = self.element.get("step", 1 if self.element["type"] == "slider" else None)
        numbers = [step, *self.ours["cuts"], *(self.table[key] for key in ("minimum", "maximum") if key in self.table)]
        return all(WHOLE.fullmatch(str(each)) for each in numbers)

    def _proposed(self) -> list[Any]:
        """Return the cut points of the question, or propose cut points between its bounds."""
        whole = not set(str(self.element.get("step", 1))) - set("0123456789")
        names = [self.table["name"], str(self.element.get("name"))]
        return self.texts.reading.cuts(names, typed_question(self.table), whole=whole)

    def _values(self, kind: str) -> Mapping[str, str]:
        shown = dict(self._shown())
        if not shown:
            raise SurveyError(self.place, "the question has no choices", "list the choices of the question")
        if kind != "yes_no":
            self.table["values"] = list(shown)
        refuse = self.element.get("refuseText") if self.element.get("showRefuseItem") else None
        said = shown if refuse is None else shown | {DECLINED: refuse}
        self.table |= self.texts.words(said, self.place)
        return {value: value for value in shown}

    def _shown(self) -> Iterator[tuple[str, object]]:
        element = self.element
        listed = self._listed("choices") or self._listed("rateValues")
        yield from listed
        if not listed:
            yield from self._rates()
        for key, value, usual in (("showNoneItem", "none", NONE), ("showDontKnowItem", "dontknow", UNSURE)):
            if element.get(key):
                yield value, element.get("noneText" if value == "none" else "dontKnowText", usual)

    def _listed(self, key: str) -> list[tuple[str, object]]:
        """Return the values and texts of the choices, columns or rows under a key of the element."""
        listed = self.element.get(key)
        for each in listed if isinstance(listed, list) else []:
            for more in ("visibleIf", "enableIf", "imageLink") if isinstance(each, Mapping) else ():
                problem = "the pictures of choices are not shown" if more == "imageLink" else OFFERED
                error = SurveyError(
                    f"{self.place}, {key}, {more}",
                    f"this part of a question is not supported: {problem}",
                    "remove it from the form",
                )
                if each.get(more) and more != "imageLink":
                    raise error
                if each.get(more):
                    self.texts.reading.leave(error)
        other = key == "choices" and (self.element.get("showOtherItem") or self.element.get("hasOther"))
        pairs = _pairs(listed)
        if key == "choices" and (order := self.element.get("choicesOrder")) in {"asc", "desc"}:
            pairs.sort(key=lambda pair: self._first(pair[1]).casefold(), reverse=order == "desc")
        return pairs + ([("other", self.element.get("otherText", OTHER))] if other else [])

    def _first(self, text: object) -> str:
        """Return a text in the first language of the form."""
        first = self.texts.reading.languages[0]
        return str(text.get(first, text.get("default", "")) if isinstance(text, Mapping) else text)

    def _rates(self) -> Iterator[tuple[str, object]]:
        """Yield the numbers of a rating, the first and the last number with a description."""
        element = self.element
        rates = list(_rated(element) if element["type"] == "rating" else _steps(element, "min", "max", "step", 100))
        for rate in rates:
            key = {rates[0]: "minRateDescription", rates[-1]: "maxRateDescription"}.get(rate, "")
            text = element.get(key)
            if isinstance(text, Mapping):
                yield rate, {tag: f"{rate}: {words}" for tag, words in text.items()}
            else:
                yield rate, f"{rate}: {text}" if text else rate

    def _items(self, kind: str) -> Mapping[str, str]:
        """Add the options of a multiple question, the statements of a grid, or the items of a ranking."""
        element = self.element
        pairs = self._listed("rows" if kind == "grid" else "choices")
        if element.get("showDontKnowItem"):
            place, problem = f"{self.place}, showDontKnowItem", "it would be one of several answers"
            self.texts.reading.leave(SurveyError(place, problem, "remove it from the form"))
        if kind == "ranking" and len(pairs) > MOST_RANKED:
            problem = f"{len(pairs)} things are ranked, and {MOST_RANKED} are the most"
            raise SurveyError(self.place, problem, "rank fewer choices, or ask for the first choice with a radiogroup")
        if len(pairs) < 2:
            remedy = "give two or more; ask about a single one as a boolean or a radiogroup"
            raise SurveyError(self.place, f"it has {len(pairs)} {'rows' if kind == 'grid' else 'choices'}", remedy)
        names = item_names([value for value, _ in pairs], self.table["name"])
        for (value, _), name in zip(pairs, names, strict=True):
            if value != name:
                self.texts.note("renamed", f'"{value}" of {self.table["name"]} is {name}')
        labels = {
            name: self.texts.text(text, f"{self.place}, {name}") for name, (_, text) in zip(names, pairs, strict=True)
        }
        self.table[PARTS[kind]] = labels
        if kind == "grid":
            if element.get("isRequired") and not element.get("eachRowRequired"):
                self.texts.note("an answer is needed in each row, not in one of them", self.table["name"])
            shown = dict(self._listed("columns"))
            self.table |= {"values": list(shown)} | self.texts.words(shown, self.place)
        if kind == "multiple":
            self._ticks()
        return {value: name for (value, _), name in zip(pairs, names, strict=True)}

    def _ticks(self) -> None:
        """Add the smallest and the largest number of options that a person may tick."""
        element, none = self.element, self.element.get("showNoneItem")
        least, most = element.get("minSelectedChoices"), element.get("maxSelectedChoices")
        if least is None and element.get("isRequired") and not none:
            least = 1
        if none and not element.get("isRequired"):
            self.texts.note("a choice has to be ticked, or none of them", self.table["name"])
        self.table |= {} if least is None else {"least": int(least)}
        self.table |= {"most": int(most)} if most and int(most) <= len(self.table["options"]) else {}
        self.table |= (
            {"none": self.texts.text(element.get("noneText", NONE), f"{self.place}, noneText")} if none else {}
        )


def _pairs(choices: object) -> list[tuple[str, object]]:
    if not isinstance(choices, list | None):
        raise TypeError("the choices are not a list")
    return [_pair(each) for each in choices or []]


def _pair(choice: object) -> tuple[str, object]:
    """Return the value and the text of a choice, column or row, which old forms write as ``value|text``."""
    if isinstance(choice, Mapping):
        return str(choice.get("value")), choice.get("text", str(choice.get("value")))
    value, bar, text = str(choice).partition(BAR)
    return (value, text) if bar else (value, value)


def _rated(element: Mapping[str, Any]) -> Iterator[str]:
    """Yield the numbers of a rating, with what a count leaves open computed as SurveyJS computes it."""
    try:
        count = Decimal(str(element.get("rateCount", 5)))
        width = (count - 1) * Decimal(str(element.get("rateStep", 1)))
        low = Decimal(str(element.get("rateMin", 1)))
        if "rateCount" in element and "rateMin" not in element and "rateMax" in element:
            low = Decimal(str(element["rateMax"])) - width
        high = low + width if "rateCount" in element else Decimal(5)
    except InvalidOperation:
        return
    yield from _steps({"rateMax": high, **element, "rateMin": low}, "rateMin", "rateMax", "rateStep", 5)


def _steps(element: Mapping[str, Any], low: str, high: str, step: str, usual: int) -> Iterator[str]:
    """Yield the numbers of a rating, at most 257."""
    try:
        number, end, by = (
            Decimal(str(element.get(key, each)))
            for key, each in ((low, int(low == "rateMin")), (high, usual), (step, 1))
        )
    except InvalidOperation:
        return
    for _ in range(257):
        if not (number.is_finite() and end.is_finite() and by.is_finite()) or number > end or by <= 0:
            return
        yield f"{number:f}"
        number += by
