"""Texts for respondents in each language of the survey."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from unicodedata import category

from collector.characters import INVISIBLE, OVERRIDES, code_point
from collector.errors import SurveyError
from collector.survey.fields import Fields

LONGEST_TEXT = 1000
HARMLESS = {"Zs", INVISIBLE}  # categories that Python counts as not printable: spaces and invisible marks
LONGEST_PARAGRAPHS = 10_000
LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*")


def check_languages(languages: Sequence[str]) -> None:
    """Check that there is at least one language tag, and that all tags are valid and different.

    Raises:
        SurveyError: If a tag is not valid or is repeated.
    """
    if not languages or not all(LANGUAGE.fullmatch(tag) for tag in languages):
        raise SurveyError(
            "languages", "the languages are not written as language tags", 'write language tags such as "en" or "pt-BR"'
        )
    if len({tag.lower() for tag in languages}) < len(languages):
        raise SurveyError("languages", "a language is listed twice", "list each language once")


def check_text(text: str, place: str, *, paragraphs: bool = False) -> None:
    """Check that a text is printable on one line (or in paragraphs), and is not empty, padded or too long.

    Raises:
        SurveyError: If the text is not valid.
    """
    if paragraphs:
        if len(text) > LONGEST_PARAGRAPHS:
            raise SurveyError(place, f"the text is longer than {LONGEST_PARAGRAPHS} characters", "shorten it")
        for paragraph in text.strip("\n").split("\n\n"):
            for line in paragraph.strip("\n").split("\n"):
                check_text(line.strip()[:LONGEST_TEXT], place)
        return
    if not text.isprintable() and (wrong := next(filter(_is_no_text, text), None)) is not None:
        raise SurveyError(place, f"the text has {code_point(wrong)}, which cannot be displayed", "delete the character")
    if all(each.isspace() or category(each) == INVISIBLE for each in text):
        raise SurveyError(place, "the text is empty", "write plain words")
    if text != text.strip():
        raise SurveyError(place, "the text begins or ends with a space", "delete the space")
    if len(text) > LONGEST_TEXT:
        raise SurveyError(place, f"the text is longer than {LONGEST_TEXT} characters", "shorten it")


def _is_no_text(character: str) -> bool:
    """Return whether a character cannot be shown on one line, or changes the order of other characters."""
    return not character.isprintable() and (category(character) not in HARMLESS or character in OVERRIDES)


@dataclass(frozen=True)
class Text:
    """A text in several languages.

    Attributes:
        pairs: Pairs of a BCP 47 tag and a text, sorted by tag.
    """

    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, by_language: Mapping[str, str] | None = None, **more: str) -> "Text":
        """Return the text with the given wordings, as in ``Text.of(en="Yes", ar="...")``."""
        return cls(tuple(sorted({**(by_language or {}), **more}.items())))

    def __getitem__(self, language: str) -> str:
        return self.design[language]

    def paragraphs(self, language: str) -> list[str]:
        """Return the paragraphs of the text, which are separated by blank lines.

        If the text does not exist in the wanted language, another language is used.
        """
        text = self.design.get(language, self.pairs[0][1])
        return [each.strip() for each in text.split("\n\n") if each.strip()]

    @property
    def design(self) -> dict[str, str]:
        """The text as a JSON object that has a text for each language."""
        return dict(self.pairs)

    def check(self, place: str, *, paragraphs: bool = False) -> None:
        """Check that the text is printable in every language, on one line or (if allowed) in paragraphs.

        Raises:
            SurveyError: If the text is not valid.
        """
        for _, text in self.pairs:
            check_text(text, place, paragraphs=paragraphs)

    def check_languages(self, languages: Sequence[str], place: str) -> None:
        """Check that the text exists in all languages of the survey and in no other language.

        Raises:
            SurveyError: If a language is missing or not expected.
        """
        there = self.design
        if missing := [language for language in languages if language not in there]:
            remedy = f"add it, or leave the language out; {in_words(languages)}"
            raise SurveyError(place, f"it is not in {' and '.join(missing)}, a language of the survey", remedy)
        if more := [language for language in there if language not in languages]:
            problem = f"it is in {' and '.join(more)}, which is no language of the survey"
            raise SurveyError(place, problem, in_words(languages))


def in_words(languages: Sequence[str]) -> str:
    """Return the remedy of an error, which explains how to write a text in the languages of the survey."""
    if len(languages) == 1:
        return "write it as text"
    table = ", ".join(f'{language} = "..."' for language in languages)
    return f"write {{ {table} }}"


def read_text(fields: Fields, key: str, languages: Sequence[str]) -> Text:
    """Return a text of a survey file: a plain text if the survey has one language, else a table by language.

    Raises:
        SurveyError: If the value is neither a text nor a table by language.
    """
    return _as_text(fields.take_any(key, "as text"), languages, fields.within(key))


def read_optional_text(fields: Fields, key: str, languages: Sequence[str]) -> Text | None:
    """Return an optional text of a survey file, or None."""
    value = fields.take_optional_any(key)
    return None if value is None else _as_text(value, languages, fields.within(key))


def _as_text(value: object, languages: Sequence[str], place: str) -> Text:
    if isinstance(value, str) and len(languages) == 1:
        return Text.of({languages[0]: value})
    if not isinstance(value, dict):
        problem = "it is not text" if len(languages) == 1 else "it is not a text for each language"
        raise SurveyError(place, problem, in_words(languages))
    return text_table(value, place)


def read_unit(fields: Fields) -> Text | str | None:
    """Return an optional unit: a plain text for all languages, or a table by language.

    Raises:
        SurveyError: If the value is neither a text nor a table by language.
    """
    value = fields.take_optional_any("unit")
    if isinstance(value, dict):
        return text_table(value, fields.within("unit"))
    if value is None or isinstance(value, str):
        return value
    raise SurveyError(fields.within("unit"), "the value is not text", "write text")


def as_written(unit: Text | str | None) -> dict[str, str] | str | None:
    """Return a unit as designs and survey files write units."""
    return unit.design if isinstance(unit, Text) else unit


def in_languages(text: Text) -> str | dict[str, str]:
    """Return a text as a survey file writes it: a plain text if there is one language, else a table by language."""
    return text.design if len(text.pairs) > 1 else text.pairs[0][1]


def text_table(table: Mapping[str, object], place: str) -> Text:
    """Return a table of texts by language, after checking that all values are texts.

    Raises:
        SurveyError: If a language is missing or not expected.
    """
    texts = {}
    for language, text in table.items():
        if not isinstance(text, str):
            raise SurveyError(place, "the value is not text", "write text")
        texts[language] = text
    return Text.of(texts)
