"""Edits of a survey file, which the designer's page sends as JSON."""

from __future__ import annotations

from typing import Any

from respondent.designing.edits import TomlText
from respondent.designing.meaning.presets import set_preset
from respondent.designing.renames import duplicate, rename
from respondent.designing.translating.languages import set_languages
from respondent.designing.translating.table import put_text
from respondent.designing.values import EditError


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """Return the text of a survey file after edits.

    Args:
        text: Text of the survey file before the edits.
        edits: Edits with the keys ``op`` and ``path``, and with ``value`` or ``to`` if the operation needs them.

    Raises:
        EditError: If an edit is not valid.
    """
    try:
        file = TomlText(text)
    except ValueError:
        raise EditError(
            "survey file", "the survey file cannot be read", "undo the last change, or correct the file in an editor"
        ) from None
    for edit in edits:
        _make(file, edit)
    return file.text


def _make(file: TomlText, edit: dict[str, Any]) -> None:
    path = edit.get("path")
    if not (isinstance(path, list) and path and all(type(key) in {str, int} for key in path)):
        raise EditError(
            "path", "the place is not a list of keys and numbers", 'write a place such as ["questions", 2, "label"]'
        )
    place, to, value = tuple(path), edit.get("to"), edit.get("value")
    match edit.get("op"):
        case "set":
            file.put(place, value)
        case "delete":
            file.delete(place)
        case "insert":
            file.insert(place, value)
        case "move" if type(to) is int:
            file.move(place, to)
        case _:
            _make_wide(file, edit, place)


def _make_wide(file: TomlText, edit: dict[str, Any], place: tuple[str | int, ...]) -> None:
    """Make an edit, such as renaming a question, that may change several places of the survey file."""
    to, value = edit.get("to"), edit.get("value")
    match edit.get("op"):
        case "duplicate":
            duplicate(file, place)
        case "languages" if place == ("languages",):
            set_languages(file, value)
        case "preset" if isinstance(value, str):
            set_preset(file, place, value)
        case "text":
            put_text(file, place, edit.get("language"), value)
        case "rename" if isinstance(to, str) and to:
            rename(file, place, to)
        case _:
            raise EditError(
                "op",
                "the operation does not exist, or lacks something it needs",
                "use one of set, delete, insert, move, duplicate, preset, languages, text and rename",
            )
