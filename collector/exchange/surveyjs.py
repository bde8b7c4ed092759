"""Import of a SurveyJS form (JSON) as a survey file."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from html import unescape
from typing import Any

from collector.characters import cleaned, code_point
from collector.errors import SurveyError
from collector.exchange.file_table import Converted
from collector.exchange.surveyjs_kinds import ON_PANEL, ON_TOP
from collector.exchange.surveyjs_out import OURS
from collector.exchange.surveyjs_question import check_keys, question_of
from collector.exchange.surveyjs_routes import renamed, routes_of
from collector.exchange.surveyjs_texts import Texts
from collector.forms.reading import FormReading, Found, Table
from collector.survey_file.naming import name_of
from collector.survey_file.survey_file import TEXT_KEYS, parse_survey
from collector.survey_file.survey_writer import file_of

TAG = re.compile(r"<[^<>]*>")
SHOWN_KEYS = frozenset(
    {"description", "text", "completedHtml", "html", "labelTrue", "labelFalse", "noneText", "otherText"}
)
"""Keys of texts that respondents read, in SurveyJS."""
LARGEST_FORM = 10**7  # maximum size of a form, in bytes. A form of 1,000 questions has about 500,000 bytes


class _SurveyJSReader:
    def __init__(self, document: Mapping[str, Any], *, strict: bool) -> None:
        self.routes = routes_of(document)
        self.document = {**document, "triggers": self.routes.others}
        self.ours = dict(document.get(OURS, {}))
        first = str(document.get("locale") or "en")
        more = [key for key in _languages(document) if key not in {"default", first}]
        self.reading = FormReading(strict, self.ours.pop("languages", None) or [first, *dict.fromkeys(more)])
        self.texts = Texts(self.reading)
        self.every = '"isRequired"' not in json.dumps(document)
        self.conditions: list[tuple[str, str]] = []  # of the pages and panels that are open
        self.before: dict[str, list[Any]] = {"section": [], "hint": []}  # what stands above the next question
        self.alone = False  # whether the panel that is open asks one question

    def tables(self) -> Table:
        """Return the tables of the imported survey file."""
        check_keys(self.document, ON_TOP | {OURS}, "", self.reading, "form")
        title = self.document.get("title", "Survey")
        name = self.ours.pop("name", None)
        if name is None:
            name = name_of(next(iter(title.values()), "") if isinstance(title, Mapping) else str(title), 1)
        said = self.reading.part(lambda: self.texts.text(title, "title"), self.texts.text(name, "name"))
        head = {"name": name, "title": said, "languages": self.reading.languages}
        head |= {"shuffle": True} if self.document.get("questionOrder") == "random" else {}
        questions = list(self._questions(self.document.get("elements") or [], ""))
        for number, page in enumerate(self.document.get("pages") or [], start=1):
            questions += self._panel(renamed(page), f"page{number}", "page")
        self.reading.check_some(questions, "SurveyJS", "add an element to a page")
        if self.every:
            self.texts.note("no question says isRequired: every one needs an answer, unless it says optional = true")
        return head | {"questions": questions} | self._study() | self.ours

    def _study(self) -> Table:
        """Return the texts that respondents read before and after the questions."""
        study = dict(self.ours.pop("study", {}))
        for theirs, ours in (("description", "why"), ("completedHtml", "thanks")):
            text = self.document.get(theirs)
            if text and ours not in study:
                table = text if isinstance(text, Mapping) else {"default": text}
                plain = {tag: " ".join(unescape(TAG.sub(" ", str(each))).split()) for tag, each in table.items()}
                value = plain if isinstance(text, Mapping) else plain["default"]
                study[ours] = self.reading.part(partial(self.texts.text, value, theirs), None)
        study = {key: each for key, each in study.items() if each}
        return {"study": study} if study else {}

    def _panel(self, panel: Mapping[str, Any], name: str, kind: str) -> Iterator[Table]:
        """Yield the questions of a page or a panel, or leave out a panel that a survey cannot show."""
        place = f'{kind} "{panel.get("name", name)}"'
        headings = {"section": panel.get("title"), "hint": panel.get("description")}
        before = {key: len(texts) for key, texts in self.before.items()}
        try:
            check_keys(self._without_visible(panel), ON_PANEL, place, self.reading, kind)
        except SurveyError as error:
            self.reading.leave_questions(error, number=_asked_in(panel))
            return
        for key, text in headings.items():
            said = self.reading.part(partial(self.texts.text, text, place), None) if text else None
            self.before[key] += [said] if said else []
        conditions = self.conditions
        self.conditions = [*conditions, *([(place, str(panel["visibleIf"]))] if panel.get("visibleIf") else [])]
        alone, self.alone = self.alone, kind == "panel" and _asked_in(panel) == 1
        yield from self._questions(panel.get("elements") or [], place)
        self.conditions, self.alone = conditions, alone
        for key, number in before.items():
            if self.before[key][number:]:
                theirs = "title" if key == "section" else "description"
                self.texts.note(f"not used: the {theirs} of what asks nothing", place)
            del self.before[key][number:]

    def _questions(self, elements: Sequence[Mapping[str, Any]], place: str) -> Iterator[Table]:
        for each in elements:
            element = renamed(each)
            if element.get("type") == "panel":
                yield from self._panel(element, place, "panel")
                continue
            ours, where = element.get(OURS), f'element "{str(element.get("name", ""))[:40]}"'
            disguised = isinstance(ours, Mapping) and bool(ours.get("group"))
            table = self.reading.take(where, partial(self._read, element, where), disguised=disguised)
            if table is not None:
                self.before = {"section": [], "hint": []}
                yield table

    def _read(self, element: Mapping[str, Any], place: str) -> Found:
        """Return the question of an element, with the texts and the conditions of the panels around it.

        An element of the form without a text gets the title or the description of its panel.
        """
        before = {key: list(texts) for key, texts in self.before.items()}
        name = str(element.get("name"))
        if name in self.routes.unclear:
            raise SurveyError(
                f"{place}, triggers",
                "several triggers show or hide the question",
                "use visibleIf instead of the triggers",
            )
        found = question_of(self._without_visible(element), self.texts, every=self.every)
        heading = next((key for key in before if before[key]), None)
        if not element.get("title") and heading is not None and self.alone:
            found.table["label"] = before[heading].pop()
        for key, texts in before.items():
            said = texts + ([found.table[key]] if key in found.table else [])
            if said:
                mark, where = (": ", "title") if key == "section" else (" ", "description")
                found.table[key] = self.texts.joined(said, mark, f"{place}, {where} of a panel around it")
        own = [(place, str(element["visibleIf"]))] if element.get("visibleIf") else []
        conditions = [(f"{where}, visibleIf", expression) for where, expression in (*self.conditions, *own)]
        return replace(found, conditions=[*conditions, *self.routes.conditions.get(name, ())])

    def _without_visible(self, part: Mapping[str, Any]) -> dict[str, Any]:
        """Return a page, panel or element without its key ``visible`` if a trigger shows the part."""
        return {
            key: each for key, each in part.items() if key != "visible" or part.get("name") not in self.routes.shown
        }


def _asked_in(panel: Mapping[str, Any]) -> int:
    """Return the number of questions in a panel, including questions in inner panels."""
    elements = [renamed(each) for each in panel.get("elements") or []]
    return sum(_asked_in(each) if each.get("type") == "panel" else 1 for each in elements)


def _languages(value: object) -> Iterator[str]:
    """Yield the languages of all texts in a part of the form, with repetition."""
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


def from_surveyjs(
    text: str, source: str, *, strict: bool = False, cuts: Mapping[str, Sequence[Decimal]] | None = None
) -> Converted:
    """Convert a SurveyJS document to a survey file with all questions that a survey can ask.

    Args:
        text: Text of the document.
        source: Name of the document's file.
        strict: Whether to refuse the form instead of leaving anything out.
        cuts: Cut points by name of the question, for numbers without cut points in the form.

    Raises:
        SurveyError: If the form cannot be converted.
    """
    try:
        document = json.loads(text, parse_float=str)
    except (ValueError, RecursionError):
        raise SurveyError(
            "SurveyJS", "the file is not valid JSON", "save the form from the JSON editor of SurveyJS Creator"
        ) from None
    if not isinstance(document, dict):
        raise SurveyError(
            "SurveyJS",
            "the file does not contain a SurveyJS form",
            "save the form from the JSON editor of SurveyJS Creator",
        )
    try:
        document, dropped = cleaned(document, SHOWN_KEYS | TEXT_KEYS)
        reader = _SurveyJSReader(renamed(document), strict=strict)
        for place, character in dropped:
            reader.reading.note("invisible characters dropped", f"{code_point(character)} at {place}")
        reader.reading.measured = cuts or {}
        written = file_of(reader.tables(), f"Imported from {source}. To see what it reveals: collector check.")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SurveyError(
            "SurveyJS",
            "a part of the form is not valid in SurveyJS",
            "open the form in SurveyJS Creator and save it again",
        ) from error
    survey = parse_survey(written)
    reading = reader.reading
    notes = tuple(reading.closing_notes(survey))
    return Converted(written.encode(), notes, reading.left_out, tally=reading.tally)
