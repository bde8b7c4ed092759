"""Lookup of the path in a survey file that an error or a remark is about."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from collector.conditions.language import comparisons_in
from respondent.designing.blocks import Path
from respondent.designing.inside import inside
from respondent.file_texts import ITEMS

NAMED = re.compile(r'(question|group|screen)s?,? (?:"([^"]*)"|number (\d+))')
ARRAYS = {"question": "questions", "screen": "screens"}
FIRST = re.compile(r"[a-z_]+")


class Places:
    """An index of the paths in one version of a survey file.

    Args:
        values: Values of the survey file.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def path_of(self, place: str) -> Path:
        """Return the path in the survey file of a place that an error names.

        If the survey file does not have the place, the path ends at the first missing key.

        Args:
            place: Place in an error or a remark, such as ``question "income", maximum``.
        """
        parts = place.removeprefix("survey, ").split(", ")
        found = NAMED.match(place.removeprefix("survey, "))
        start = self._named(found[1], found[2], found[3]) if found else None
        if found and found[2] and start and parts[1:] == ["label"] and (item := self._item(found[2], start)):
            return item
        if start is None:
            first = FIRST.fullmatch(parts[0])
            if first is None or parts[0] == "survey":
                return ()
            start, parts = (), ["", *parts]
        return _deeper(start, parts[1:], self._values)

    def question(self, name: str) -> Path | None:
        """Return the path of the table from which a question was made, or None."""
        while name not in self._questions:
            name, cut, _ = name.rpartition("_")
            if not cut:
                return None
        return ("questions", self._questions[name])

    @cached_property
    def followers(self) -> list[list[int]]:
        """Positions of the questions whose conditions mention a question, for each question of the survey file."""
        tables = self._values.get("questions")
        tables = tables if isinstance(tables, list) else []
        found: list[list[int]] = [[] for _ in tables]
        for at, table in enumerate(tables):
            asked = table.get("ask_if") if isinstance(table, dict) else None
            names = {each.name for each in comparisons_in(asked)} if isinstance(asked, str) else set[str]()
            for gate in {path[1] for path in map(self.question, names) if path is not None}:
                found[int(gate)].append(at)
        return found

    def _item(self, name: str, start: Path) -> Path | None:
        """Return the path of the option, statement or item from which a question was made, or None."""
        table = inside(self._values, start)
        part = name.removeprefix(f"{table.get('name')}_") if isinstance(table, dict) else name
        lists = [
            key for key in ITEMS if isinstance(table, dict) and isinstance(table.get(key), dict) and part in table[key]
        ]
        return (*start, lists[0], part) if lists and part != name else None

    @cached_property
    def _questions(self) -> dict[str, int]:
        """Position in the survey file of the first question with each name."""
        tables = self._values.get("questions")
        names = (
            [each.get("name") if isinstance(each, dict) else None for each in tables]
            if isinstance(tables, list)
            else []
        )
        return {name: at for at, name in reversed(list(enumerate(names))) if isinstance(name, str)}

    def _named(self, kind: str, name: str | None, number: str | None) -> Path | None:
        if kind == "group":
            groups = self._values.get("groups")
            return ("groups", name) if name is not None and isinstance(groups, dict) and name in groups else None
        if number is not None:
            return (ARRAYS[kind], int(number) - 1)
        return self.question(name or "") if kind == "question" else None


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
