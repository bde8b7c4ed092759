"""One element of a SurveyJS form as a ``[[questions]]`` table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from collector.errors import SurveyError
from collector.exchange.surveyjs_kinds import ALWAYS, KINDS, LIMITS, READ, REFUSED_KEYS, REFUSED_TYPES
from collector.exchange.surveyjs_out import OURS, REFUSED_VALUE
from collector.survey.screen import MOST_RANKED
from collector.survey_file.conditions import Named, named
from collector.survey_file.kinds import PARTS
from collector.survey_file.naming import item_names, name_of

Table = dict[str, Any]
QUOTED = re.compile(r"\{[A-Za-z_][\w.\[\]-]*\}")
MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>")
FEW_STEPS = 11  # that many numbers or fewer to choose from are a scale: 0 to 10
NONE, UNSURE = "None", "Don't know"  # as SurveyJS words them where the form does not


@dataclass
class Texts:
    """The texts of a form in its languages, and what is noted on the way.

    Attributes:
        languages: Of the survey, the form's own first.
        notes: In order, each once.
    """

    languages: list[str]
    notes: dict[str, None] = field(default_factory=dict)

    def note(self, words: str) -> None:
        """Add a note."""
        self.notes[words] = None

    def text(self, value: object, place: str) -> str | dict[str, str]:
        """A text as a survey file has it."""
        first = self.languages[0]
        if not isinstance(value, Mapping):
            texts: dict[str, object] = dict.fromkeys(self.languages, str(value))
        else:
            texts = {first: value.get("default", value.get(first))}
            texts |= {tag: value.get(tag) for tag in self.languages[1:]}
        for language, text in texts.items():
            if text is None:
                raise SurveyError(place, f'the text is missing in "{language}"', "translate it")
            for found, problem in ((QUOTED, "quotes another answer"), (MARKUP, "has HTML, which is shown as it is")):
                if match := found.search(str(text)):
                    raise SurveyError(place, f"a text {problem}: {match[0][:40]}", "write plain words without it")
        words = {language: " ".join(str(text).split()) for language, text in texts.items()}
        return words if len(words) > 1 else words[first]

    def joined(self, texts: Sequence[str | dict[str, str]], mark: str) -> str | dict[str, str]:
        """Several texts, one after the other."""
        tables = [text if isinstance(text, dict) else dict.fromkeys(self.languages, text) for text in texts]
        words = {tag: mark.join(table[tag] for table in tables) for tag in self.languages}
        return words if len(words) > 1 else words[self.languages[0]]

    def words(self, shown: Mapping[str, object], place: str) -> Table:
        """The key ``words`` for values; none where they read as they are named."""
        if all(text == value for value, text in shown.items()):
            return {}
        texts = {value: self.text(text, f"{place}, {value}") for value, text in shown.items()}
        tables = {value: text if isinstance(text, dict) else {self.languages[0]: text} for value, text in texts.items()}
        return {"words": {tag: {value: text[tag] for value, text in tables.items()} for tag in self.languages}}


@dataclass
class Found:
    """A question: its table, its name in the form, and what the form writes for its values, options or statements."""

    table: Table
    name: str
    written: Mapping[str, str] | None

    def known(self) -> dict[str, Named]:
        """What conditions may name of it."""
        return named(self.table, self.name, self.written, REFUSED_VALUE)


def question_of(element: Mapping[str, Any], texts: Texts, *, every: bool) -> Found:
    """One element, with its keys checked; its condition is for the caller to add.

    Args:
        element: As the form has it, with the newest names of keys.
        texts: Of the form.
        every: Whether each question needs an answer, since the form never says of one that it does.

    Raises:
        SurveyError: Naming the element, the key and the remedy.
    """
    element = _with_limits(element)
    given, theirs = str(element.get("name", "")), str(element.get("type"))
    place = f'element "{given[:40]}"'
    if theirs not in KINDS:
        problem, remedy = REFUSED_TYPES.get(theirs, ("there is no such question here", f"use: {', '.join(KINDS)}"))
        raise SurveyError(place, f'"{theirs}" is not supported: {problem}', remedy)
    read = READ[theirs] | ALWAYS | {OURS}
    for key, value in element.items():
        refused = key in REFUSED_KEYS and (value is False) == (key == "visible")
        if refused and value not in (None, [], "", {}):
            raise SurveyError(f"{place}, {key}", f"it is not supported: {REFUSED_KEYS[key]}", "leave it out")
        if key not in read | set(REFUSED_KEYS):
            texts.note(f"not used: {theirs}, {key}")
    name = name_of(given, 1)
    if name != given:
        texts.note(f'renamed: "{given}" is {name}')
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
    return Found(table | ours, given, written)


def _with_limits(element: Mapping[str, Any]) -> dict[str, Any]:
    """An element with the limits of its validators as keys of its own; validators that say more are left."""
    found, left = dict(element), []
    for each in element.get("validators") or []:
        keys = LIMITS.get(str(each.get("type")), {})
        left += [] if keys else [each]
        found |= {theirs: each[key] for key, theirs in keys.items() if key in each}
    return found | {"validators": left}


def _kind(element: Mapping[str, Any], theirs: str) -> str:
    if theirs == "text" and element.get("inputType") == "date":
        return "date"
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
    """What may be answered, added to the table of a question."""

    element: Mapping[str, Any]
    table: Table
    ours: Table
    texts: Texts
    place: str

    def add(self) -> Mapping[str, str] | None:
        """What the form writes for values, options or statements; None where they are written as they are named."""
        kind, element = self.table["kind"], self.element
        if kind in {"number", "date"}:
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
        if self.element["type"] == "text" and self.element.get("inputType") not in {"number", "range", "date"}:
            raise SurveyError(self.place, "free text cannot be disguised", "make it a number, and give cut points")
        if "cuts" not in self.ours:
            example = '["2010-01-01"]' if kind == "date" else "[400, 800]"
            problem = f"a {kind} is sent as an interval"
            raise SurveyError(self.place, problem, f'add "{OURS}": {{"cuts": {example}}}')
        bounds = {"minimum": self.element.get("min"), "maximum": self.element.get("max")}
        self.table |= {key: str(value) for key, value in bounds.items() if value not in (None, "")}

    def _values(self, kind: str) -> Mapping[str, str]:
        shown = dict(self._shown())
        if not shown:
            raise SurveyError(self.place, "it has no values to choose from", "list its choices")
        if kind != "yes_no":
            self.table["values"] = list(shown)
        self.table |= self.texts.words(shown, self.place)
        return {value: value for value in shown}

    def _shown(self) -> Iterator[tuple[str, object]]:
        """Each value of a choice or a scale, and how it reads."""
        element = self.element
        listed = element.get("choices") or element.get("rateValues")
        if listed:
            yield from _pairs(listed)
        else:
            yield from self._rates()
        for key, value, usual in (("showNoneItem", "none", NONE), ("showDontKnowItem", "dontknow", UNSURE)):
            if element.get(key):
                yield value, element.get("noneText" if value == "none" else "dontKnowText", usual)

    def _rates(self) -> Iterator[tuple[str, object]]:
        """The numbers of a rating, the ends with what they mean."""
        element = self.element
        names = ("rateMin", "rateMax", "rateStep") if element["type"] == "rating" else ("min", "max", "step")
        usual = element.get("rateCount", 5) if element["type"] == "rating" else 100
        rates = list(_steps(element, *names, int(usual)))
        for rate in rates:
            key = {rates[0]: "minRateDescription", rates[-1]: "maxRateDescription"}.get(rate, "")
            text = element.get(key)
            if isinstance(text, Mapping):
                yield rate, {tag: f"{rate}: {words}" for tag, words in text.items()}
            else:
                yield rate, f"{rate}: {text}" if text else rate

    def _items(self, kind: str) -> Mapping[str, str]:
        """The options of a multiple, the statements of a grid, what is ranked."""
        element = self.element
        pairs = _pairs(element.get("rows" if kind == "grid" else "choices"))
        if element.get("showDontKnowItem"):
            raise SurveyError(f"{self.place}, showDontKnowItem", "it would be one of several answers", "leave it out")
        if kind == "ranking" and len(pairs) > MOST_RANKED:
            problem = f"{len(pairs)} things are ranked, and {MOST_RANKED} are the most"
            raise SurveyError(self.place, problem, "rank fewer, or ask a radiogroup for the first")
        if len(pairs) < len(("one", "two")):
            remedy = "give two or more; ask about a single one as a boolean or a radiogroup"
            raise SurveyError(self.place, f"it has {len(pairs)} {'rows' if kind == 'grid' else 'choices'}", remedy)
        names = item_names([value for value, _ in pairs], self.table["name"])
        for (value, _), name in zip(pairs, names, strict=True):
            if value != name:
                self.texts.note(f'renamed: "{value}" of {self.table["name"]} is {name}')
        labels = {
            name: self.texts.text(text, f"{self.place}, {name}") for name, (_, text) in zip(names, pairs, strict=True)
        }
        self.table[PARTS[kind]] = labels
        if kind == "grid":
            shown = dict(_pairs(element.get("columns")))
            self.table |= {"values": list(shown)} | self.texts.words(shown, self.place)
        if kind == "multiple":
            self._ticks()
        return {value: name for (value, _), name in zip(pairs, names, strict=True)}

    def _ticks(self) -> None:
        """How many options have to be ticked, and may be; where none of them is an answer, that is one."""
        element, none = self.element, self.element.get("showNoneItem")
        least, most = element.get("minSelectedChoices"), element.get("maxSelectedChoices")
        if least is None and element.get("isRequired") and not none:
            least = 1
        if none and not element.get("isRequired"):
            self.texts.note(f"of {self.table['name']} a choice has to be ticked, or none of them")
        self.table |= {} if least is None else {"least": int(least)}
        self.table |= {} if not most else {"most": int(most)}
        self.table |= (
            {"none": self.texts.text(element.get("noneText", NONE), f"{self.place}, noneText")} if none else {}
        )


def _pairs(choices: object) -> list[tuple[str, object]]:
    if not isinstance(choices, list | None):
        raise TypeError("choices are no list")
    return [_pair(each) for each in choices or []]


def _pair(choice: object) -> tuple[str, object]:
    """A choice's value and text."""
    if not isinstance(choice, Mapping):
        return str(choice), str(choice)
    return str(choice.get("value")), choice.get("text", str(choice.get("value")))


def _steps(element: Mapping[str, Any], low: str, high: str, step: str, usual: int) -> Iterator[str]:
    """The numbers from the lowest to the highest; at most 257 of them."""
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
