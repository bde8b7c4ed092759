"""Renaming and duplicating questions and groups of a survey file."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from itertools import count
from typing import Any

from collector.conditions.language import comparisons_in
from collector.survey.question import check_name
from collector.survey_file.naming import LONGEST_NAME
from respondent.designing.blocks import Path
from respondent.designing.edits import TomlText
from respondent.designing.inside import place_of
from respondent.designing.values import EditError

PARTS = ("statements", "options", "items")
"""Keys of a question that becomes several questions, whose names begin with its name."""
Naming = Callable[[str], str]


def rename(file: TomlText, path: Path, to: str) -> None:
    """Rename a question or a group, and every mention of it in the survey file.

    Args:
        file: The survey file.
        path: Path of the group, the question, or the name of the question.
        to: New name.

    Raises:
        EditError: If the path is neither a question nor a group, or if the name is taken.
        SurveyError: If the name is not allowed. Conditions could not mention it, nor be renamed with it again.
    """
    check_name(to, f'name "{to}"')
    if path[0] == "questions" and len(path) in {2, 3} and path[2:] in {(), ("name",)}:
        _rename_question(file, path[:2], to)
    elif path[0] == "groups" and len(path) == 2:  # ("groups", name)
        for at, question in enumerate(file.values.get("questions", [])):
            if question.get("group") == path[1]:
                file.put(("questions", at, "group"), to)
        file.rename_key(path, to)
    else:
        raise EditError(place_of(path), "only questions and groups can be renamed", "set the value instead")


def duplicate(file: TomlText, path: Path) -> None:
    """Insert a copy of a question below the question.

    The copy of a question is in a new group with equal settings, so that the disguise of the original does not change.

    Raises:
        EditError: If the path does not lead to a question.
    """
    question = file.at(path) if path[0] == "questions" and len(path) == 2 else None
    if not isinstance(question, dict):
        raise EditError(place_of(path), "only questions can be duplicated", "insert a new item instead")
    name = _free_name(file.values, str(question.get("name") or "question"))
    group = question.get("group")
    settings = file.at(("groups", group), missing=None) if isinstance(group, str) else None
    copy = {**question, "name": name} | ({} if settings is None else {"group": name})
    file.insert(("questions", int(path[1]) + 1), copy)
    if settings is not None:
        file.put(("groups", name), deepcopy(settings))


def _free_name(values: dict[str, Any], name: str) -> str:
    """Return a name, made from a given name, that no question or group has.

    Names that begin with the returned name and ``_`` are not in use either.
    """
    taken = set(values.get("groups", {})).union(*map(_names_of, values.get("questions", [])))
    stem = re.sub(r"_\d+$", "", name)
    names = (f"{stem[: LONGEST_NAME - 1 - len(str(number))]}_{number}" for number in count(2))
    return next(each for each in names if not any(other == each or other.startswith(f"{each}_") for other in taken))


def _names_of(question: dict[str, Any]) -> set[str]:
    """Return the name of a question and the names of the questions that are made of its parts."""
    own = str(question.get("name"))
    parts = (part for key in PARTS if isinstance(question.get(key), dict) for part in question[key])
    return {own, *(f"{own}_{part}" for part in parts)}


def _rename_question(file: TomlText, path: Path, to: str) -> None:
    questions = file.values.get("questions", [])
    question = file.at(path)
    old = question.get("name")
    taken = set[str]().union(*(_names_of(each) for each in questions if each is not question))
    if taken & _names_of({**question, "name": to}):
        raise EditError(
            place_of(path),
            f'another question is called "{to}", or one of its parts is',
            "give it a name that is not taken",
        )
    file.put((*path, "name"), to)
    if not isinstance(old, str) or not old:
        return
    has_parts = any(part in question for part in PARTS)
    others = [each.get("name") for each in questions if each is not question]

    def renamed(name: str) -> str:
        if name == old:
            return to
        is_part = has_parts and name.startswith(f"{old}_") and name not in others
        return to + name.removeprefix(old) if is_part else name

    _follow(file, renamed)


def _follow(file: TomlText, renamed: Naming) -> None:
    """Rename a question wherever the survey file mentions it."""
    for at, question in enumerate(file.values.get("questions", [])):
        asked = question.get("ask_if")
        if isinstance(asked, str):
            _put_changed(file, ("questions", at, "ask_if"), _condition(asked, renamed))
    target = file.at(("mining", "target"), missing=None)
    if isinstance(target, str):
        _put_changed(file, ("mining", "target"), renamed(target))
    always = file.at(("sampling", "always"), missing=None)
    if isinstance(always, list):
        _put_changed(file, ("sampling", "always"), _all(always, renamed))
    for at, screen in enumerate(file.values.get("screens", [])):
        if isinstance(screen.get("questions"), list):
            _put_changed(file, ("screens", at, "questions"), _all(screen["questions"], renamed))
        if isinstance(screen.get("ask_if"), list):
            asked = [[*_all(each[:1], renamed), *each[1:]] for each in screen["ask_if"]]
            _put_changed(file, ("screens", at, "ask_if"), asked)
    for name in file.at(("study", "quotas"), missing={}):
        if renamed(name) != name:
            file.rename_key(("study", "quotas", name), renamed(name))


def _condition(text: str, renamed: Naming) -> str:
    """Return a condition with the new names of questions, or unchanged if the condition cannot be read."""
    for test in reversed(comparisons_in(text)):
        text = text[: test.at] + renamed(test.name) + text[test.at + len(test.name) :]
    return text


def _put_changed(file: TomlText, path: Path, value: Any) -> None:  # noqa: ANN401 - any value
    if file.at(path) != value:
        file.put(path, value)


def _all(names: list[Any], renamed: Naming) -> list[Any]:
    return [renamed(name) if isinstance(name, str) else name for name in names]
