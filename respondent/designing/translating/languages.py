"""Adding and removing languages of a survey file."""

from __future__ import annotations

from typing import Any

from respondent.designing.edits import TomlText
from respondent.designing.values import EditError
from respondent.file_texts import texts_of

Json = dict[str, Any]
REMEDY = "write their codes with commas between, such as en, de"


def set_languages(file: TomlText, after: object) -> None:
    """Set the languages of a survey file, and keep the translations into these languages.

    A text that exists in none of the new languages becomes the text of the first new language.

    Raises:
        EditError: If the new languages are not a list of distinct codes.
    """
    if not (isinstance(after, list) and after and all(isinstance(each, str) and each for each in after)):
        raise EditError("languages", "the survey would have no language", REMEDY)
    if len(set(after)) < len(after):
        raise EditError("languages", "a language is listed twice", REMEDY)
    standing = file.values.get("languages")
    before = [str(each) for each in standing] if isinstance(standing, list) and standing else after[:1]
    for text in [each for each in texts_of(file.values) if not each.is_word]:
        changed = _text_in(text.said, before, after)
        if changed != text.said:
            file.put(text.place, changed)
    for index, question in enumerate(file.values.get("questions", [])):
        words = question.get("words") if isinstance(question, dict) else None
        if isinstance(words, dict) and (changed := _table_in(words, before, after)) != words:
            file.put(("questions", index, "words"), changed)
    file.put(("languages",), after)


def _text_in(text: object, before: list[str], after: list[str]) -> object:
    if isinstance(text, str) and text and len(after) > 1:
        return {before[0] if before[0] in after else after[0]: text}
    return _table_in(text, before, after) if isinstance(text, dict) else text


def _table_in(table: Json, before: list[str], after: list[str]) -> Json:
    """Return a table by language without the removed languages.

    If a table loses all its languages, its first text becomes the text of the survey's first language.
    """
    kept = {key: each for key, each in table.items() if key in after or key not in before}
    return kept if kept or not table else {after[0]: next(iter(table.values()))}
