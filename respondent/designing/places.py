"""Paths in a survey file of what errors and remarks are about."""

from __future__ import annotations

import re
from typing import Any

from respondent.designing.blocks import Path

NAMED = re.compile(r'(question|group|screen)s?,? (?:"([^"]*)"|number (\d+))')
ARRAYS = {"question": "questions", "screen": "screens"}
FIRST = re.compile(r"[a-z_]+")


def path_of(place: str, values: dict[str, Any]) -> Path:
    """The path that a place names, as deep as the file has it, and one key more where that is missing.

    Args:
        place: Place that an error or a remark names: ``question "income", maximum``.
        values: Plain values of the file.
    """
    parts = place.removeprefix("survey, ").split(", ")
    found = NAMED.match(place.removeprefix("survey, "))
    start = _named(found[1], found[2], found[3], values) if found else None
    if start is None:
        first = FIRST.fullmatch(parts[0])
        if first is None or parts[0] == "survey":
            return ()
        start, parts = (), ["", *parts]
    return _deeper(start, parts[1:], values)


def question_path(name: str, values: dict[str, Any]) -> Path | None:
    """The path of a question, or of the table that it comes from; None if there is neither."""
    tables = values.get("questions")
    names = [each.get("name") for each in tables if isinstance(each, dict)] if isinstance(tables, list) else []
    if name in names:
        return ("questions", names.index(name))
    whole = [each for each in names if isinstance(each, str) and name.startswith(f"{each}_")]
    return ("questions", names.index(max(whole, key=len))) if whole else None


def _named(kind: str, name: str | None, number: str | None, values: dict[str, Any]) -> Path | None:
    if kind == "group":
        groups = values.get("groups")
        return ("groups", name) if name is not None and isinstance(groups, dict) and name in groups else None
    if number is not None:
        return (ARRAYS[kind], int(number) - 1)
    return question_path(name or "", values) if kind == "question" else None


def _deeper(path: Path, keys: list[str], values: dict[str, Any]) -> Path:
    here: Any = values
    for key in path:
        try:
            here = here[key]
        except (KeyError, IndexError, TypeError):
            return path
    for key in keys:
        if not isinstance(here, dict) or not FIRST.fullmatch(key):
            return path
        path = (*path, key)
        if key not in here:
            return path
        here = here[key]
    return path
