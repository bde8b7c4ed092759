"""Export of a survey as a SurveyJS form (JSON).

Groups, coins, codings and the study card, for which SurveyJS has no keys, are written under the key ``rr``, so that an
exported survey can be imported unchanged. The notes of a conversion name the features that SurveyJS would ignore.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from collector.conditions.meaning import conditions_in
from collector.exchange.file_table import Converted, tables_of
from collector.exchange.surveyjs_kinds import KINDS as READ_AS
from collector.forms.conditions import SURVEYJS, Named, expression_of, named
from collector.survey.question import DECLINED
from collector.survey.survey import Survey
from collector.survey_file.kinds.registry import KINDS, PARTS

OURS = "rr"
KEPT = (
    f'the Creator keeps {OURS} where Survey.Serializer.addProperty("survey", "{OURS}") and ("question", "{OURS}") ran'
)
LONG_LIST = 12  # number of choices from which a list becomes a dropdown
REFUSED_VALUE = "refused"  # value of the choice that showRefuseItem adds
BOOLEAN = {"true": "yes", "false": "no"}
BAR = "|"  # separator of value and text in a SurveyJS choice that is a plain text
CHOICES = {"checkbox": "choices", "matrix": "columns", "rating": "rateValues"}
"""Keys of the choices, for types that do not use the key "choices"."""
SHUFFLED = {"matrix": "rowsOrder", "checkbox": "choicesOrder", "ranking": "choicesOrder"}
NOT_DONE = ("ask_if", "decline", "optional", "shuffle", "unit", "picture", "pictures")
"""Keys that change what people see and that SurveyJS does not support. Each is named in a note."""


def to_surveyjs(survey: Survey) -> Converted:
    """Return a survey as a SurveyJS form with one question per page, in the sections of the survey."""
    tables = tables_of(survey)
    writer = _SurveyJSWriter(tables["languages"])
    elements = [writer.element(dict(each)) for each in tables["questions"]]
    ours = {key: value for key, value in tables.items() if key not in {"title", "questions", "shuffle"}}
    study = ours.get("study", {})
    document: dict[str, Any] = {"title": writer.text(tables["title"]), "locale": writer.languages[0]}
    document |= {"description": writer.text(study["why"])} if "why" in study else {}
    document |= {"completedHtml": writer.text(study["thanks"], html=True)} if "thanks" in study else {}
    document |= {"questionsOrder": "random"} if tables.get("shuffle") else {}
    document |= {"questionsOnPageMode": "questionPerPage", "pages": list(writer.pages(elements)), OURS: ours}
    notes = [
        f"codes are disguised: {OURS} says how, and SurveyJS itself sends answers as they are",
        KEPT,
        *writer.notes,
    ]
    notes += [f"SurveyJS does not do what {OURS} says of: {key}" for key in ("study", "sampling") if key in ours]
    notes += (
        [f"SurveyJS asks the questions of a screen one by one: {len(ours['screens'])}"] if "screens" in ours else []
    )
    return Converted(json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n", tuple(notes))


def _says(words: Mapping[str, Mapping[str, str]], value: str) -> bool:
    """Return whether, in some language, the wording of a value differs from the value's name."""
    return any(each.get(value, value) != value for each in words.values())


@dataclass
class _SurveyJSWriter:
    """The writer of a survey's questions, which collects notes and the questions that later conditions may name."""

    languages: Sequence[str]
    notes: list[str] = field(default_factory=list)
    known: dict[str, Named] = field(default_factory=dict)

    def pages(self, elements: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the pages of the form, with the elements of each section of the survey."""
        page: dict[str, Any] = {"name": "page1", "elements": []}
        number = 1
        for element in elements:
            title = element.pop("section", None)
            if title is not None:
                if page["elements"]:
                    yield page
                    number += 1
                page = {"name": f"page{number}", "title": title, "elements": []}
            page["elements"].append(element)
        yield page

    def text(self, text: str | Mapping[str, str], *, html: bool = False) -> str | dict[str, str]:
        """Return a text as SurveyJS writes it, with the survey's first language as the default."""
        table = {"default": text} if isinstance(text, str) else {"default": text[self.languages[0]]}
        table |= {} if isinstance(text, str) else {each: text[each] for each in self.languages[1:]}
        table = {tag: escape(each, quote=False) for tag, each in table.items()} if html else table
        return table["default"] if isinstance(text, str) else table

    def element(self, left: dict[str, Any]) -> dict[str, Any]:
        """Return the element of a question, with the section of the question under the key ``rr``."""
        name, kind = left["name"], left["kind"]
        element: dict[str, Any] = {"type": self._type(left), "name": left.pop("name")}
        element["title"] = self.text(left.pop("label"))
        for ours, theirs in (("hint", "description"), ("section", "section"), ("none", "noneText")):
            if ours in left:
                element[theirs] = self.text(left.pop(ours))
        forms = {item: item for item in left.get("statements", ())} or None
        known = named(left | {"name": name}, name, BOOLEAN if element["type"] == "boolean" else forms, REFUSED_VALUE)
        self._condition(left, element)
        self._required(left, element)
        self._answers(left, element)
        self.known |= known
        if kind in {READ_AS[element["type"]], "date"}:  # the type says it
            del left["kind"]
        self.notes += [f'SurveyJS does not do it: {key} of "{name}"' for key in NOT_DONE if key in left]
        return element | ({OURS: left} if left else {})

    @staticmethod
    def _type(table: Mapping[str, Any]) -> str:
        kind, values = table["kind"], table.get("values", ())
        plain = not (table.get("shuffle") or table.get("decline"))
        if kind in {"yes_no", "scale", "choice"} and not (plain and kind != "choice"):
            return "dropdown" if len(values) > LONG_LIST else "radiogroup"
        return KINDS[kind].surveyjs

    def _condition(self, left: dict[str, Any], element: dict[str, Any]) -> None:
        if "ask_if" in left:
            written = expression_of(conditions_in(left["ask_if"]), self.known, SURVEYJS)
            if written is not None:
                element["visibleIf"] = written
                del left["ask_if"]

    @staticmethod
    def _required(left: dict[str, Any], element: dict[str, Any]) -> None:
        """Set the keys of a SurveyJS element that require an answer.

        A question with options to tick requires an answer if it has a smallest number of ticks or an option "none".
        """
        if element["type"] == "checkbox":
            element["isRequired"] = bool(left.get("least") or "noneText" in element)
            element |= {"showNoneItem": True} if "noneText" in element else {}
            for theirs, ours in (("minSelectedChoices", "least"), ("maxSelectedChoices", "most")):
                element |= {theirs: left.pop(ours)} if ours in left else {}
        else:
            element["isRequired"] = not left.pop("optional", False)
            element |= {"eachRowRequired": True} if element["type"] == "matrix" and element["isRequired"] else {}

    def _answers(self, left: dict[str, Any], element: dict[str, Any]) -> None:
        kind, theirs = left["kind"], element["type"]
        words = left.pop("words", {})
        if theirs == "text":
            element["inputType"] = kind
            element |= {key: left.pop(ours) for key, ours in (("min", "minimum"), ("max", "maximum")) if ours in left}
        elif theirs == "boolean":
            element |= {"labelTrue": self._word("yes", words), "labelFalse": self._word("no", words)} if words else {}
        else:
            if kind in PARTS:
                items = [{"value": item, "text": self.text(text)} for item, text in left.pop(PARTS[kind]).items()]
                element["rows" if theirs == "matrix" else "choices"] = items
            values = left.pop("values", ["yes", "no"] if kind == "yes_no" else [])
            if values:
                labelled = [{"value": value, "text": self._word(value, words)} for value in values]
                element[CHOICES.get(theirs, "choices")] = labelled if words or BAR in "".join(values) else values
            if left.get("shuffle"):
                element[SHUFFLED.get(theirs, "choicesOrder")] = "random"
                del left["shuffle"]
            if left.get("decline") and theirs in {"radiogroup", "dropdown", "checkbox"}:
                element["showRefuseItem"] = True
                element |= {"refuseText": self._word(DECLINED, words)} if _says(words, DECLINED) else {}
                del left["decline"]

    def _word(self, value: str, words: Mapping[str, Mapping[str, str]]) -> str | dict[str, str]:
        shown = {language: words.get(language, {}).get(value, value) for language in self.languages}
        return self.text(shown if len(shown) > 1 else shown[self.languages[0]])
