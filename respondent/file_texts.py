"""The texts for respondents in a survey file, each with its path in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Place = tuple[str | int, ...]
QUESTION_TEXTS = ("label", "hint", "section", "none", "picture_text")
STUDY_TEXTS = ("who", "why", "contact", "ethics", "consent", "privacy", "thanks", "logo_text")
ITEMS = ("options", "statements", "items")
"""Keys of a question whose items each have a text: things to choose, judge or rank."""
WORDS = "words"
VALUED = {"choice", "scale", "grid"}
"""Kinds of questions whose values are named in the survey file."""


@dataclass(frozen=True)
class FileText:
    """A text for respondents in a survey file.

    Attributes:
        place: Keys that lead to the text in the survey file, such as ``("questions", 3, "words", "yes")``.
        said: Content of the survey file: a text, a table of texts by language, or None.
        name: Name to show if the text is missing, or an empty text.
    """

    place: Place
    said: Any
    name: str

    @property
    def is_word(self) -> bool:
        """Whether the text is the wording of a value of a question."""
        return self.place[2:3] == (WORDS,)

    def path_in(self, language: str) -> Place:
        """Return the keys that lead to the text in one language in the survey file."""
        return (*self.place[:-1], language, self.place[-1]) if self.is_word else (*self.place, language)

    def by_language(self, first: str) -> dict[str, str]:
        """Return the text in each language in which the survey file has the text.

        Args:
            first: Language of a text whose language the survey file does not state.
        """
        table = {first: self.said} if isinstance(self.said, str) else self.said
        found = table.items() if isinstance(table, dict) else ()
        return {language: text for language, text in found if isinstance(text, str) and text}


def texts_of(document: dict[str, Any]) -> Iterator[FileText]:
    """Yield each text for respondents that a survey file has or should have.

    Args:
        document: Values of the survey file.
    """
    yield FileText(("title",), document.get("title"), str(document.get("name", "")))
    if isinstance(study := document.get("study"), dict):
        yield from (FileText(("study", key), study[key], "") for key in STUDY_TEXTS if key in study)
    questions = document.get("questions")
    for number, question in enumerate(questions if isinstance(questions, list) else []):
        if isinstance(question, dict):
            yield from _texts_of_question(question, ("questions", number))


def _texts_of_question(question: dict[str, Any], place: Place) -> Iterator[FileText]:
    yield FileText((*place, "label"), question.get("label"), str(question.get("name", "")))
    yield from (FileText((*place, key), question[key], "") for key in QUESTION_TEXTS[1:] if key in question)
    if isinstance(question.get("unit"), dict):
        yield FileText((*place, "unit"), question["unit"], "")
    for key in ITEMS:
        items = question.get(key)
        if isinstance(items, dict):
            yield from (FileText((*place, key, name), said, name) for name, said in items.items())
        elif isinstance(items, list):
            yield from (FileText((*place, key, at), said, "") for at, said in enumerate(items))
    yield from _words_of_values(question, place)


def _words_of_values(question: dict[str, Any], place: Place) -> Iterator[FileText]:
    """Return the wording of each value of a question, including missing wordings."""
    words = question.get(WORDS)
    tables = {tag: each for tag, each in words.items() if isinstance(each, dict)} if isinstance(words, dict) else {}
    values = question.get("values") if question.get("kind") in VALUED else None
    listed = [each for each in values if isinstance(each, str)] if isinstance(values, list) else []
    for value in dict.fromkeys([*listed, *(each for table in tables.values() for each in table)]):
        said = {tag: table[value] for tag, table in tables.items() if value in table}
        yield FileText((*place, WORDS, value), said if tables else None, value)


def put_text(document: dict[str, Any], text: FileText, said: str | dict[str, str]) -> None:
    """Change a text in the values of a survey file.

    Args:
        document: Values of the survey file, changed in place.
        text: Text of the survey file to change.
        said: New text, or new table of texts by language.
    """
    paths = {text.place: said}
    if text.is_word and isinstance(said, dict):
        paths = {text.path_in(language): word for language, word in said.items()}
    for path, value in paths.items():
        here: Any = document
        for key in path[:-1]:
            if isinstance(here, dict) and not isinstance(here.get(key), dict | list):
                here[key] = {}
            here = here[key]
        here[path[-1]] = value
