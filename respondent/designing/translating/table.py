"""The texts of a survey file as a table with a row for each text and a column for each language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from collector.characters import shown
from collector.errors import InputError, SurveyError
from collector.exchange.texts_table import PLACE, read_text_table, text_table
from respondent.designing.edits import TomlText
from respondent.designing.values import EditError
from respondent.file_texts import WORDS, FileText, texts_of

Json = dict[str, Any]
SUFFIXES = (".csv", ".xlsx")
NAMED = 3  # maximum number of rows that a note names


@dataclass(frozen=True)
class TextRow:
    """A text of the survey file in all languages.

    Attributes:
        name: Path of the text as tables for translators write it, with names of questions in place of positions.
        text: The text in the survey file.
        texts: The text in each language, which may be empty.
    """

    name: str
    text: FileText
    texts: dict[str, str]

    @property
    def missing(self) -> list[str]:
        """Languages in which a translation of the text is missing.

        A value needs no translation if its name has no letters.
        """
        first, word = next(iter(self.texts)), self.text.is_word
        is_neutral = word and not any(each.isalpha() for each in self.text.name)
        return [tag for tag, said in self.texts.items() if not said and not (is_neutral or (word and tag == first))]

    def original(self, first: str) -> str:
        """Return the text to translate: the text in the first language, or else the name of the value."""
        return self.texts[first] or self.text.name


def languages_of(values: Json) -> list[str]:
    """Return the languages of a survey file, which are English by default."""
    found = values.get("languages")
    return [str(each) for each in found] if isinstance(found, list) and found else ["en"]


def rows_of(values: Json) -> list[TextRow]:
    """Return all texts of a survey file, in the order of the file.

    Args:
        values: Values of the survey file.
    """
    languages = languages_of(values)
    found: dict[str, TextRow] = {}
    for text in texts_of(values):
        said = text.by_language(languages[0])
        if not said and not text.name:
            continue
        place = text.place
        named = values["questions"][place[1]].get("name") if place[0] == "questions" else None
        name = "/" + "/".join(str(key) for key in ((place[0], named, *place[2:]) if isinstance(named, str) else place))
        if name in found:  # two questions of one name: each has its number
            name = "/" + "/".join(map(str, place))
        found[name] = TextRow(name, text, {each: said.get(each, "") for each in languages})
    return list(found.values())


def table_of(values: Json, suffix: str) -> bytes:
    """Return the texts of a survey file as a table for translators.

    Args:
        values: Values of the survey file.
        suffix: Format of the table, ``.csv`` or ``.xlsx``.
    """
    languages = languages_of(values)
    rows = [(row.name, *({**row.texts, languages[0]: row.original(languages[0])}.values())) for row in rows_of(values)]
    return text_table([(PLACE, *languages), *rows], suffix)


@dataclass(frozen=True)
class TextsRead:
    """Changes that a translated table makes in a survey file.

    Attributes:
        changes: For each changed text, its ``name``, ``path`` and ``language``, and the text ``before`` and ``after``.
        notes: Sentences on the rows that are ignored.
    """

    changes: list[Json]
    notes: list[str]

    @property
    def edits(self) -> list[Json]:
        """Edits of the survey file that make the changes of the translated table."""
        return [
            {"op": "text", "path": each["path"], "language": each["language"], "value": each["after"]}
            for each in self.changes
        ]


def read_table(values: Json, name: str, content: bytes) -> TextsRead:
    """Return the changes of a survey file that the non-empty cells of a translated table make.

    A row of the table is ignored if its original text differs from the text in the survey file.

    Args:
        values: Values of the survey file.
        name: File name of the table, whose suffix states the format.
        content: Bytes of the table.

    Raises:
        DeniableError: If the file is not a table of texts, or contains no text of this survey.
    """
    name = Path(name).name
    if Path(name).suffix.lower() not in SUFFIXES:
        raise InputError(name or "table", "the table is neither CSV nor XLSX", "save the table as CSV or XLSX")
    languages = languages_of(values)
    with TemporaryDirectory() as folder:  # texts of a survey, and no answers
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            found = read_text_table(path, languages)
        except (InputError, SurveyError) as error:
            place = error.place.replace(str(path), name)
            raise type(error)(place, error.problem, error.remedy) from None
    rows, first = {row.name: row for row in rows_of(values)}, languages[0]
    known = [(each, rows[each.place]) for each in found if each.place in rows]
    if not known:
        raise SurveyError(
            name, "none of the rows belongs to a text of this survey", "translate the table that was exported"
        )
    stale = [row.name for each, row in known if each.texts[first] != _read(row.original(first))]
    changes = [
        {"name": row.name, "path": list(row.text.place), "language": tag, "before": row.texts[tag], "after": words}
        for each, row in known
        if row.name not in stale
        for tag, words in each.texts.items()
        if tag != first and words and words != _read(row.texts[tag])
    ]
    notes = [
        *_note(
            [each.place for each in found if each.place not in rows], "is no text of this survey", "are no texts of it"
        ),
        *_note(stale, "has another original by now", "have other originals by now"),
    ]
    return TextsRead(changes, notes)


def _read(text: str) -> str:
    """Return a text as it is after it was read from a table."""
    return shown(text.replace("\r\n", "\n")).strip()


def _note(names: Sequence[str], one: str, several: str) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [f"Left out: {', '.join(names[:NAMED])}{more} {one if len(names) == 1 else several}."]


def put_text(file: TomlText, path: tuple[str | int, ...], language: object, words: object) -> None:
    """Set a text of a survey file in one language.

    Args:
        file: The survey file.
        path: Path of the text.
        language: One of the languages of the survey file.
        words: New text, or an empty text to delete the old text.

    Raises:
        EditError: If the text or the language does not exist.
    """
    languages = languages_of(file.values)
    text = next((each for each in texts_of(file.values) if each.place == path), None)
    if text is None or language not in languages or not isinstance(words, str):
        raise EditError("text", "the text is not in the survey file", "reload the page")
    said, tag = text.by_language(languages[0]), str(language)
    inside = text.path_in(tag)
    if text.is_word:
        _put_word(file, text, inside, words)
    elif isinstance(text.said, dict):
        _put_or_delete(file, inside, words)
    elif len(languages) == 1 or (tag == languages[0] and not words):
        _put_or_delete(file, path, words)
    elif words:
        file.put(path, said | {tag: words})


def _put_or_delete(file: TomlText, path: tuple[str | int, ...], words: str) -> None:
    if words:
        file.put(path, words)
    elif file.at(path, missing=None) is not None:
        file.delete(path)


def _put_word(file: TomlText, text: FileText, inside: tuple[str | int, ...], words: str) -> None:
    """Set the wording of a value, and complete the wordings of the question's other values in this language."""
    if isinstance(file.at(inside[:-1], missing=None), dict):
        file.put(inside, words or text.name)
    elif words:
        here = (*text.place[:2], WORDS)
        values = [each.name for each in texts_of(file.values) if each.place[:3] == here]
        file.put(inside[:-1], {each: each for each in values} | {text.name: words})


class Originals:
    """The original texts from which translations were made, as seen while the designer runs."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str, str], str] = {}

    def changed(self, values: Json) -> dict[str, list[str]]:
        """Return, for each text, the languages whose translation was made from an earlier original.

        Args:
            values: Values of the survey file, in which new translations count as up to date.
        """
        first, *others = languages_of(values)
        found: dict[str, list[str]] = {}
        for row in rows_of(values):
            original = row.original(first)
            for tag in others:
                words = row.texts[tag]
                if words and self._of.setdefault((row.name, tag, words), original) != original:
                    found.setdefault(row.name, []).append(tag)
        return found

    def confirm(self, values: Json, name: str, language: str) -> None:
        """Mark a translation as up to date with the current original.

        Args:
            values: Values of the survey file.
            name: Name of the row in the table of texts.
            language: Language of the translation.

        Raises:
            EditError: If the text or the language does not exist.
        """
        first = languages_of(values)[0]
        row = next((each for each in rows_of(values) if each.name == name), None)
        if row is None or language not in row.texts:
            raise EditError("text", "the text is not in the survey file", "reload the page")
        self._of[name, language, row.texts[language]] = row.original(first)


def translations(values: Json, originals: Originals) -> list[Json]:
    """Return the table of texts as the designer's page shows it.

    The table of texts is empty if the survey has only one language.

    Args:
        values: Values of the survey file.
        originals: Original texts from which the translations were made.
    """
    if len(languages_of(values)) == 1:
        return []
    changed = originals.changed(values)
    return [
        {
            "name": row.name,
            "path": list(row.text.place),
            "stands": row.text.name,
            "texts": row.texts,
            "missing": row.missing,
            "changed": changed.get(row.name, []),
        }
        for row in rows_of(values)
    ]
