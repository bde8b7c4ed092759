"""SurveyJS: its JSON as a survey file, and a survey as its JSON.

What SurveyJS has no word for (groups, coins, codings, the study card) stands under the key ``rr``, which it leaves as
it is: so a survey that goes out comes back the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from collector.errors import SurveyError
from collector.exchange.file_table import Converted, file_of, tables_of
from collector.survey.survey import Survey
from collector.survey_file.naming import name_of
from collector.survey_file.survey_file import parse_survey

OURS = "rr"
LONG_LIST = 12  # choices: more of them are a dropdown
KINDS = {"boolean": "yes_no", "radiogroup": "choice", "dropdown": "choice", "rating": "scale", "text": "number"}
REFUSED_TYPES = {
    "comment": ("free text cannot be disguised", "ask a radiogroup with the answers that you expect"),
    "checkbox": ("several answers at once", 'ask a boolean for each choice, or write kind = "multiple" by hand'),
    "tagbox": ("several answers at once", 'ask a boolean for each choice, or write kind = "multiple" by hand'),
    "matrix": ("it asks several questions", "ask a radiogroup for each row, with the columns as choices"),
    "ranking": ("an order is no single value", "ask a radiogroup for the first"),
    "html": ("the page carries plain words only", "write it as description of the next question"),
    "image": ("the page carries words only", "say it in the title of a question"),
    "file": ("it tells who answers", "leave it out"),
    "signaturepad": ("it tells who answers", "leave it out"),
    "expression": ("nothing is computed from answers", "compute from the responses"),
}
REFUSED_KEYS = {
    "visibleIf": "being asked would tell an answer",
    "enableIf": "being asked would tell an answer",
    "requiredIf": "every question has an answer",
    "choicesVisibleIf": "every choice is offered to everybody",
    "choicesEnableIf": "every choice is offered to everybody",
    "choicesByUrl": "the choices are elsewhere",
    "choicesFromQuestion": "the choices depend on an answer",
    "defaultValue": "no answer is chosen beforehand",
    "defaultValueExpression": "no answer is chosen beforehand",
    "setValueExpression": "nothing is computed from answers",
    "validators": "an answer is checked by its kind alone",
    "showOtherItem": "free text cannot be disguised",
    "hasOther": "free text cannot be disguised",
    "showNoneItem": "write it as one of the choices",
    "hasNone": "write it as one of the choices",
    "showCommentArea": "free text cannot be disguised",
    "hasComment": "free text cannot be disguised",
}
READ = {"type", "name", "title", "description", "isRequired", "choices", "inputType", "min", "max", OURS} | {
    *("labelTrue", "labelFalse", "rateMin", "rateMax", "rateValues", "rateStep"),
}
READ_ON_TOP = {"title", "locale", "pages", "elements", OURS}


def to_surveyjs(survey: Survey) -> Converted:
    """A survey as SurveyJS has it, one question a page."""
    tables = tables_of(survey)
    languages = tables["languages"]
    pages = [{"name": f"page{number}", "elements": [each]} for number, each in enumerate(_elements(tables), start=1)]
    ours = {key: value for key, value in tables.items() if key not in {"title", "questions"}}
    document = {"title": _localised(tables["title"], languages), "locale": languages[0], "pages": pages, OURS: ours}
    notes = (f"codes are disguised: {OURS} says how, and SurveyJS itself sends answers as they are",)
    return Converted(json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n", notes)


def _elements(tables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    languages = tables["languages"]
    for question in tables["questions"]:
        left = dict(question)
        element: dict[str, Any] = {"type": "", "name": left.pop("name"), "isRequired": True}
        element["title"] = _localised(left.pop("label"), languages)
        if "hint" in left:
            element["description"] = _localised(left.pop("hint"), languages)
        kind, words = left["kind"], left.pop("words", {})

        def word(value: str, words: Mapping[str, Mapping[str, str]] = words) -> str | dict[str, str]:
            shown = {language: words.get(language, {}).get(value, value) for language in languages}
            return _localised(shown if len(shown) > 1 else shown[languages[0]], languages)

        if kind == "yes_no":
            element["type"] = "boolean"
            element |= {"labelTrue": word("yes"), "labelFalse": word("no")} if words else {}
        elif kind == "number":
            element |= {"type": "text", "inputType": "number"}
            element |= {
                theirs: left.pop(ours) for theirs, ours in (("min", "minimum"), ("max", "maximum")) if ours in left
            }
        elif "values" in left:
            values = left.pop("values")
            element["type"] = "dropdown" if len(values) > LONG_LIST else "radiogroup"
            element["choices"] = [{"value": value, "text": word(value)} if words else value for value in values]
        else:
            raise SurveyError(f'question "{element["name"]}"', f'SurveyJS has no "{kind}"', "leave it out")
        if KINDS[element["type"]] == kind:
            del left["kind"]
        yield element | ({OURS: left} if left else {})


def _localised(text: str | Mapping[str, str], languages: Sequence[str]) -> str | dict[str, str]:
    """A text as SurveyJS has it: the first language is the default."""
    if isinstance(text, str):
        return text
    return {"default": text[languages[0]]} | {each: text[each] for each in languages[1:]}


class _Reader:
    """Reads one SurveyJS document; what is not used is noted."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.notes: dict[str, None] = {}
        self.ours = dict(document.get(OURS, {}))
        first = str(document.get("locale") or "en")
        more = [key for key in self._keys_of_texts(document) if key not in {"default", first}]
        self.languages = self.ours.pop("languages", None) or [first, *dict.fromkeys(more)]

    def _keys_of_texts(self, value: object) -> Iterator[str]:
        if isinstance(value, Mapping):
            if "default" in value and all(isinstance(each, str) for each in value.values()):
                yield from value
            else:
                for key, each in value.items():
                    if key != OURS:
                        yield from self._keys_of_texts(each)
        elif isinstance(value, list):
            for each in value:
                yield from self._keys_of_texts(each)

    def text(self, value: object, place: str) -> str | dict[str, str]:
        """A text as a survey file has it."""
        table = value if isinstance(value, Mapping) else {"default": str(value)}
        first = self.languages[0]
        texts = {first: table.get("default", table.get(first))} | {key: table.get(key) for key in self.languages[1:]}
        if isinstance(value, str):
            texts = dict.fromkeys(self.languages, value)
        for language, text in texts.items():
            if text is None:
                raise SurveyError(place, f'the text is missing in "{language}"', "translate it")
        words = {language: " ".join(str(text).split()) for language, text in texts.items()}
        return words if len(words) > 1 else words[first]

    def tables(self) -> dict[str, Any]:
        """The tables of the survey file."""
        for key in self.document.keys() - READ_ON_TOP:
            if key in REFUSED_KEYS or key in {"calculatedValues", "triggers"}:
                raise SurveyError(key, "nothing is computed from answers", "leave it out")
            self.notes[f"not used: {key}"] = None
        questions = [self.question(each, number) for number, each in enumerate(self._asked(), start=1)]
        title = self.document.get("title", "Survey")
        name = self.ours.pop("name", None)
        if name is None:
            shown = title.get("default", "survey") if isinstance(title, Mapping) else str(title)
            name = name_of(shown, 1)
        head = {"name": name, "title": self.text(title, "title"), "languages": self.languages}
        return head | {"questions": questions} | self.ours

    def _asked(self) -> Iterator[Mapping[str, Any]]:
        yield from self._within(self.document.get("elements", []))
        for page in self.document.get("pages", []):
            for key in page.keys() - {"name", "elements"}:
                if key in REFUSED_KEYS:
                    raise SurveyError(f"page {page.get('name', '')}, {key}", REFUSED_KEYS[key], "ask everybody")
                self.notes[f"not used: pages, {key}"] = None
            yield from self._within(page.get("elements", []))

    def _within(self, elements: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        for element in elements:
            if element.get("type") != "panel":
                yield element
                continue
            for key in element.keys() - {"type", "name", "elements"}:
                if key in REFUSED_KEYS:
                    raise SurveyError(f'panel "{element.get("name")}", {key}', REFUSED_KEYS[key], "ask everybody")
                self.notes[f"not used: panel, {key}"] = None
            yield from self._within(element.get("elements", []))

    def question(self, element: Mapping[str, Any], number: int) -> dict[str, Any]:
        """One element as a ``[[questions]]`` table."""
        given = str(element.get("name", ""))
        place, theirs = f'element "{given[:40]}"', str(element.get("type"))
        for key in element:
            if key in REFUSED_KEYS and element[key] not in (False, None, [], ""):
                raise SurveyError(f"{place}, {key}", f"it is not supported: {REFUSED_KEYS[key]}", "leave it out")
            if key not in READ | set(REFUSED_KEYS):
                self.notes[f"not used: {theirs}, {key}"] = None
        if theirs in REFUSED_TYPES or theirs not in KINDS:
            problem, remedy = REFUSED_TYPES.get(theirs, ("there is no such question here", f"use: {', '.join(KINDS)}"))
            raise SurveyError(place, f'"{theirs}" is not supported: {problem}', remedy)
        name = name_of(given, number)
        if name != given:
            self.notes[f'renamed: "{given}" is {name}'] = None
        ours = dict(element.get(OURS, {}))
        table: dict[str, Any] = {"name": name, "label": self.text(element.get("title", given), place)}
        if element.get("description"):
            table["hint"] = self.text(element["description"], place)
        table["kind"] = ours.pop("kind", KINDS[theirs])
        table |= self._values(element, table["kind"], ours, place)
        if "group" not in ours and "sensitive" not in ours:
            ours["sensitive"] = False
        return table | ours

    def _values(self, element: Mapping[str, Any], kind: str, ours: Mapping[str, Any], place: str) -> dict[str, Any]:
        if kind == "number":
            if element.get("inputType") != "number":
                raise SurveyError(place, "free text cannot be disguised", "make it a number, and give cut points")
            if "cuts" not in ours:
                raise SurveyError(place, "a number is sent as an interval", f'add "{OURS}": {{"cuts": [400, 800]}}')
            bounds = {"minimum": element.get("min"), "maximum": element.get("max")}
            return {key: Decimal(str(value)) for key, value in bounds.items() if value is not None}
        if kind == "yes_no":
            shown = {"yes": element.get("labelTrue"), "no": element.get("labelFalse")}
            return self._words({key: value for key, value in shown.items() if value is not None}, place)
        choices = element.get("choices") or element.get("rateValues") or _rates(element)
        shown = {str(each.get("value")): each.get("text", each.get("value")) for each in map(_choice, choices)}
        as_named = all(text == value for value, text in shown.items())
        return {"values": list(shown)} | ({} if as_named else self._words(shown, place))

    def _words(self, shown: Mapping[str, object], place: str) -> dict[str, Any]:
        if not shown:
            return {}
        texts = {value: self.text(text, f"{place}, {value}") for value, text in shown.items()}
        tables = {value: text if isinstance(text, dict) else {self.languages[0]: text} for value, text in texts.items()}
        return {"words": {tag: {value: text[tag] for value, text in tables.items()} for tag in self.languages}}


def _choice(choice: object) -> Mapping[str, Any]:
    return choice if isinstance(choice, Mapping) else {"value": choice, "text": str(choice)}


def _rates(element: Mapping[str, Any]) -> list[int]:
    low, high = int(element.get("rateMin", 1)), int(element.get("rateMax", 5))
    return list(range(low, high + 1, int(element.get("rateStep", 1))))


def from_surveyjs(text: str, source: str) -> Converted:
    """A SurveyJS document as a survey file: all of it, or nothing and what is in the way.

    Args:
        text: The JSON.
        source: Its name, for the comment at the head of the survey file.

    Raises:
        SurveyError: Naming the element, the key and the remedy.
    """
    try:
        document = json.loads(text, parse_float=str)
    except (ValueError, RecursionError):
        raise SurveyError("SurveyJS", "it is not JSON", "save it from the Creator's JSON editor") from None
    if not isinstance(document, dict):
        raise SurveyError("SurveyJS", "it is no object", "save it from the Creator's JSON editor")
    try:
        reader = _Reader(document)
        written = file_of(reader.tables(), f"Imported from {source}. To see what it reveals: collector check.")
    except (AttributeError, TypeError, ValueError) as error:
        raise SurveyError("SurveyJS", "a part of it is not as SurveyJS writes it", "open it in the Creator") from error
    survey = parse_survey(written)
    plain = [question.name for question in survey.questions if not question.sensitive]
    notes = [*reader.notes, *([f"sent as they are: {', '.join(plain)}"] if plain else [])]
    return Converted(written.encode(), tuple(notes))
