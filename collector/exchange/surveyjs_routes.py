"""Translation of the triggers of a SurveyJS form into conditions of questions.

Only three triggers decide who is asked: ``visible`` shows or hides pages and questions, ``complete`` ends the form at
the end of the page, and ``skip`` goes on at another question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from collector.exchange.surveyjs_kinds import OLDER

NAMED = re.compile(r"\{([^{}]+)\}")
ROUTING = ("visible", "complete", "skip")
WITHOUT_VALUE = ("empty", "notempty")
Routed = tuple[str, str]
"""The place of a condition in the form, and the condition."""


@dataclass(frozen=True)
class TriggerRoutes:
    """The conditions for asking elements that follow from the triggers of a form.

    Attributes:
        conditions: Conditions under which an element is asked, by name of the element.
        shown: Names of pages, panels and elements that are hidden until a trigger shows them.
        unclear: Names of elements that several triggers show or hide.
        others: Triggers that have no effect on who is asked.
    """

    conditions: Mapping[str, Sequence[Routed]]
    shown: frozenset[str]
    unclear: frozenset[str]
    others: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class _Asked:
    """An element that asks a question, with its name, its page number, and the names of the parts around it."""

    name: str
    page: int
    around: frozenset[str]


def renamed(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part of the form with the newest names of all keys."""
    return {OLDER.get(key, key): each for key, each in table.items()}


def routes_of(document: Mapping[str, Any]) -> TriggerRoutes:
    """Return the conditions for asking questions that follow from the triggers of a form.

    Args:
        document: Form in JSON, with the newest names of keys.
    """
    triggers = list(document.get("triggers") or [])
    parts = list(_parts(document, frozenset()))
    hidden = {str(part.get("name")) for part, _ in parts if part.get("visible") is False}
    asked = _numbered(document)
    found = defaultdict[str, list[Routed]](list)
    shown, unclear = set[str](), set[str]()
    for trigger in triggers:
        kind, condition = _kind(trigger), _condition(trigger)
        place = f"triggers, {kind}"
        if kind == "visible":
            for target in dict.fromkeys(map(str, chain(trigger.get("pages") or [], trigger.get("questions") or []))):
                unclear |= shown & {target}
                shown.add(target)
                open_first = target not in hidden and trigger.get("name") and not trigger.get("expression")
                says = f"({condition}) or {{{trigger['name']}}} empty" if open_first else condition
                for each in asked:
                    found[each.name] += [(place, says)] if target in each.around else []
        elif kind in ROUTING:
            names = {name.strip() for name in NAMED.findall(condition)}
            last = max((each.page for each in asked if each.name in names), default=-1)
            end = next((each.page for each in asked if each.name == str(trigger.get("gotoName"))), 0)
            for each in asked:
                if each.page > last and (kind == "complete" or each.page < end):
                    found[each.name].append((place, f"!({condition})"))
    unclear = {each.name for each in asked if each.around & unclear}
    return TriggerRoutes(
        found, frozenset(shown), frozenset(unclear), [each for each in triggers if _kind(each) not in ROUTING]
    )


def _kind(trigger: Mapping[str, Any]) -> str:
    return str(trigger.get("type")).lower().removesuffix("trigger")


def _condition(trigger: Mapping[str, Any]) -> str:
    """Return the condition of a trigger as an expression.

    A trigger of an older form has a question, an operator and a value instead of an expression.
    """
    if trigger.get("expression"):
        return str(trigger["expression"])
    operator, value = str(trigger.get("operator") or "equal"), trigger.get("value")
    says = "" if operator in WITHOUT_VALUE else f" {_written(value)}"
    return f"{{{trigger.get('name')}}} {operator}{says}"


def _written(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    quote = '"' if "'" in str(value) else "'"
    return f"{quote}{value}{quote}"


def _parts(table: Mapping[str, Any], around: frozenset[str]) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """Yield the pages, panels and elements in a part of the form, with the names of the parts around each."""
    for each in (*(table.get("elements") or []), *(table.get("pages") or [])):
        part = renamed(each)
        names = around | {str(part.get("name"))}
        yield part, names
        yield from _parts(part, names)


def _numbered(document: Mapping[str, Any]) -> list[_Asked]:
    """Return the elements that ask a question, each with the number of its page."""
    mode, found = document.get("questionsOnPageMode"), list[_Asked]()
    pages = [{"elements": document.get("elements")}, *map(renamed, document.get("pages") or [])]
    for page, table in enumerate(pages):
        around = frozenset({str(table["name"])} if table.get("name") else ())
        for part, names in _parts(table, around):
            if "elements" not in part:
                number = {"questionPerPage": len(found), "singlePage": 0}.get(str(mode), page)
                found.append(_Asked(str(part.get("name")), number, names))
    return found
