"""SurveyJS's JSON as a survey file: all of it, or nothing and what is in the way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any

from collector.errors import SurveyError
from collector.exchange.file_table import Converted, typed
from collector.exchange.surveyjs_kinds import OLDER, ON_PANEL, ON_TOP, REFUSED_KEYS
from collector.exchange.surveyjs_out import OURS
from collector.exchange.surveyjs_question import Table, Texts, question_of
from collector.survey_file.conditions import Named, conditions_of
from collector.survey_file.folding import condition_text
from collector.survey_file.naming import name_of
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import file_of

TAG = re.compile(r"<[^<>]*>")
LARGEST_FORM = 10**7  # bytes; a form of 1,000 questions has some 500,000


class _Reader:
    """Reads one SurveyJS document; what is not used is noted."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.ours = dict(document.get(OURS, {}))
        first = str(document.get("locale") or "en")
        more = [key for key in _languages(document) if key not in {"default", first}]
        self.texts = Texts(self.ours.pop("languages", None) or [first, *dict.fromkeys(more)])
        self.known: dict[str, Named] = {}
        self.conditions: list[tuple[str, str]] = []  # of the pages and panels that are open
        self.before: dict[str, list[Any]] = {"section": [], "hint": []}  # what stands above the next question

    def tables(self) -> Table:
        """The tables of the survey file."""
        self._check(self.document, ON_TOP | {OURS}, "")
        title = self.document.get("title", "Survey")
        name = self.ours.pop("name", None)
        if name is None:
            name = name_of(next(iter(title.values()), "") if isinstance(title, Mapping) else str(title), 1)
        head = {"name": name, "title": self.texts.text(title, "title"), "languages": self.texts.languages}
        head |= {"shuffle": True} if self.document.get("questionOrder") == "random" else {}
        asked = list(self._asked())
        if not asked:
            raise SurveyError("SurveyJS", "it asks nothing", "add an element to a page")
        every = not any("isRequired" in element for element, _ in asked)
        if every:
            self.texts.note("no question says isRequired: every one needs an answer, unless it says optional = true")
        questions = [self._question(element, conditions, every=every) for element, conditions in asked]
        return head | {"questions": questions} | self._study() | self.ours

    def _study(self) -> Table:
        """What people read before and after."""
        study = dict(self.ours.pop("study", {}))
        for theirs, ours in (("description", "why"), ("completedHtml", "thanks")):
            text = self.document.get(theirs)
            if text and ours not in study:
                table = text if isinstance(text, Mapping) else {"default": text}
                plain = {tag: " ".join(unescape(TAG.sub(" ", str(each))).split()) for tag, each in table.items()}
                study[ours] = self.texts.text(plain if isinstance(text, Mapping) else plain["default"], theirs)
        return {"study": study} if study else {}

    def _asked(self) -> Iterator[tuple[Mapping[str, Any], list[tuple[str, str]]]]:
        """The questions, each with the conditions of all that it stands in, and what stands above it."""
        yield from self._within(self.document.get("elements") or [], "")
        for number, page in enumerate(self.document.get("pages", []), start=1):
            yield from self._panel(_renamed(page), f"page{number}", "page")

    def _panel(
        self, panel: Mapping[str, Any], place: str, kind: str
    ) -> Iterator[tuple[Mapping[str, Any], list[tuple[str, str]]]]:
        place = f'{kind} "{panel.get("name", place)}"'
        self._check(panel, ON_PANEL, place)
        for theirs, ours in (("title", "section"), ("description", "hint")):
            self.before[ours] += [panel[theirs]] if panel.get(theirs) else []
        self.conditions += [(place, panel["visibleIf"])] if panel.get("visibleIf") else []
        yield from self._within(panel.get("elements") or [], place)
        self.conditions = self.conditions[: -1 if panel.get("visibleIf") else None]

    def _within(
        self, elements: Sequence[Mapping[str, Any]], place: str
    ) -> Iterator[tuple[Mapping[str, Any], list[tuple[str, str]]]]:
        for each in elements:
            element = _renamed(each)
            if element.get("type") == "panel":
                yield from self._panel(element, place, "panel")
                continue
            above = {key: texts for key, texts in self.before.items() if texts}
            self.before = {"section": [], "hint": []}
            yield element | {"above": above}, [*self.conditions]

    def _check(self, table: Mapping[str, Any], read: set[str], place: str) -> None:
        for key, value in table.items():
            if key in REFUSED_KEYS and (value is False) == (key == "visible") and value not in (None, [], ""):
                raise SurveyError(f"{place}, {key}".removeprefix(", "), REFUSED_KEYS[key], "leave it out")
            if key not in read | set(REFUSED_KEYS):
                self.texts.note(f"not used: {f'{place.split(maxsplit=1)[0]}, ' if place else ''}{key}")

    def _question(self, element: Mapping[str, Any], around: list[tuple[str, str]], *, every: bool) -> Table:
        """One element as a ``[[questions]]`` table."""
        above = dict(element["above"])
        place = f'element "{str(element.get("name", ""))[:40]}"'
        found = question_of({key: each for key, each in element.items() if key != "above"}, self.texts, every=every)
        table = found.table
        for key, texts in above.items():
            said = [self.texts.text(text, place) for text in texts] + ([table[key]] if key in table else [])
            table[key] = self.texts.joined(said, ": " if key == "section" else " ")
        own = [(place, element["visibleIf"])] if element.get("visibleIf") else []
        asked = [
            words
            for where, expression in (*around, *own)
            for condition in self._conditions(where, str(expression))
            if (words := condition_text(condition))
        ]
        if asked and "ask_if" not in table:
            table["ask_if"] = " and ".join(dict.fromkeys(asked))
        self.known |= found.known()
        return table

    def _conditions(self, place: str, expression: str) -> Any:  # noqa: ANN401 - as `conditions_of`
        try:
            return conditions_of(expression, self.known)
        except SurveyError as error:
            place = f"{place}, visibleIf"
            raise SurveyError(place, f"{expression[:60]}: {error.problem}", error.remedy) from None


def _renamed(table: Mapping[str, Any]) -> dict[str, Any]:
    return {OLDER.get(key, key): each for key, each in table.items()}


def _languages(value: object) -> Iterator[str]:
    """The keys of every text that is given in several languages."""
    if isinstance(value, Mapping):
        if "default" in value and all(isinstance(each, str) for each in value.values()):
            yield from value
        else:
            for key, each in value.items():
                if key != OURS:
                    yield from _languages(each)
    elif isinstance(value, list):
        for each in value:
            yield from _languages(each)


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
        reader = _Reader(_renamed(document))
        written = file_of(typed(reader.tables()), f"Imported from {source}. To see what it reveals: collector check.")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SurveyError("SurveyJS", "a part of it is not as SurveyJS writes it", "open it in the Creator") from error
    survey = parse_survey(written)
    plain = [question.name for question in survey.questions if not question.sensitive]
    notes = [*reader.texts.notes, *([f"sent as they are: {', '.join(plain)}"] if plain else [])]
    return Converted(written.encode(), tuple(notes))
