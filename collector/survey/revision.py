"""Revisions and versions of a survey. A change of wording makes a revision; any other change makes a new version."""

import json
from collections.abc import Iterator
from typing import Any

from collector.survey.screen import PLAIN
from collector.survey.survey import Survey

WORDING = ("title", "languages", "study")
QUESTION_WORDING = ("label", "hint", "words")
SCREEN_WORDING = ("label", "hint", "section", "none", "picture", "picture_text", "pictures")
"""The keys that a revision may change. All other keys, including future ones, make another version."""


def coded_part(survey: Survey) -> str:
    """Return the canonical JSON of the design without its wording, to compare what is coded and disguised."""
    return json.dumps(_without_wording(survey), sort_keys=True)


def _without_wording(survey: Survey) -> dict[str, Any]:
    design = {key: value for key, value in survey.design.items() if key not in WORDING}
    first = survey.languages[0]
    design["questions"] = [
        {key: value for key, value in _in_one_unit(question, first).items() if key not in QUESTION_WORDING}
        for question in survey.design["questions"]
    ]
    screens = [_screen(_in_one_unit(screen, first)) for screen in design.pop("screens", [])]
    kept = [screen for screen in screens if screen.keys() > {"kind", "questions"} or screen["kind"] != PLAIN]
    return design | ({"screens": kept} if kept else {})


def _in_one_unit(part: dict[str, Any], first: str) -> dict[str, Any]:
    """Return a question or screen of a design with its unit in the first language only."""
    return part | {"unit": part["unit"][first]} if isinstance(part.get("unit"), dict) else part


def _screen(screen: dict[str, Any]) -> dict[str, Any]:
    """Return a screen of a design without texts, but with the names of the items of a ranking."""
    coded = {key: value for key, value in screen.items() if key not in SCREEN_WORDING}
    return coded | ({"items": [name for name, _ in screen["items"]]} if "items" in screen else {})


def changed_wording(before: Survey, after: Survey) -> list[str]:
    """Return the places in the design at which two wordings of one version differ."""
    return list(_changed(before.design, after.design, ""))


def _changed(before: object, after: object, place: str) -> Iterator[str]:
    if before == after:
        return
    if place in {"", "study"} and isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before | after):
            inner = f"{place}, {key}".removeprefix(", ")
            yield from _changed(before.get(key), after.get(key), inner)
    elif place == "questions" and isinstance(before, list) and isinstance(after, list):
        for old, new in zip(before, after, strict=True):
            for key in (*QUESTION_WORDING, "unit"):
                if old.get(key) != new.get(key):
                    yield f'question "{old["name"]}", {key}'
    else:
        yield place
