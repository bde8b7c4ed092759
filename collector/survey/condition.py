"""Conditions of ``ask_if`` as a survey file has them: read, and written."""

import re
from collections.abc import Callable
from typing import NoReturn

from collector.errors import SurveyError

Condition = tuple[str, tuple[str, ...]]
"""A question, and the values of it that are meant."""
Values = Callable[[str, str | None], tuple[str, ...]]
"""The values of a question that is asked before; with an option, those whose combination of ticks holds it."""
NEXT = r" +(?:and|or) +(?:not\b|\(|[a-z][a-z0-9_]* (?:=|in\b|has\b))"
"""End of a value: a word that joins it to the next condition; ``800 or more`` has none."""
VALUE = rf"(?:\"[^\"]*\"|'[^']*'|(?:(?!{NEXT})(?:[^()]|\([^()]*\)))+)"
TERM = re.compile(rf"([a-z][a-z0-9_]*) (?:= *({VALUE})|in *\((.+?)\)|has +({VALUE}))")
QUOTES = "\"' "
REMEDY = 'write NAME = VALUE, NAME in (VALUE, VALUE) or NAME has OPTION, joined by "and", "or" and "not"'
DEEPEST = 50  # brackets and "not", one in another


def conditions_in(text: str, place: str = "ask_if", values: Values | None = None) -> tuple[Condition, ...]:
    """Read what ``ask_if`` says: ``bullied = yes and not (year = first or year = second) and how has words``.

    ``not`` means every other value of the question, "prefer not to say" and "not asked" included.

    Args:
        text: The condition. ``or`` may join conditions of one question only: then each question has its own set of
            values, and a screen is shown where all these sets are met.
        place: The place that errors name.
        values: Looks values up for ``not`` and ``has``; None where neither can stand.

    Returns:
        The conditions in the order of the text; all must hold.

    Raises:
        SurveyError: With the place, if it cannot be read, or joins questions by ``or``.
    """
    return tuple(_Reader(text.strip(), place, values).whole())


class _Reader:
    """Reads from left to right: ``or`` joins what ``and`` joins, which joins what ``not`` turns."""

    def __init__(self, text: str, place: str, values: Values | None) -> None:
        self._text, self._place, self._values = text, place, values
        self._at = self._depth = 0

    def whole(self) -> list[Condition]:
        found = self._any_of()
        if self._at < len(self._text):
            self._refuse()
        return found

    def _taken(self, words: str) -> bool:
        found = re.compile(words).match(self._text, self._at)
        self._at = found.end() if found else self._at
        return found is not None

    def _any_of(self) -> list[Condition]:
        parts = [self._all_of()]
        while self._taken(r"\s+or\s+"):
            parts.append(self._all_of())
        if len(parts) == 1:
            return parts[0]
        (name,) = self._names([each for part in parts for each in part], 'it joins questions by "or"')
        return [(name, tuple(dict.fromkeys(value for part in parts for value in _common(part))))]

    def _all_of(self) -> list[Condition]:
        found = self._one()
        while self._taken(r"\s+and\s+"):
            found += self._one()
        return found

    def _one(self) -> list[Condition]:
        turned = self._taken(r"not\b\s*")
        if not turned and not self._taken(r"\(\s*"):
            return [self._term()]
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse()
        found = self._one() if turned else self._any_of()
        self._depth -= 1
        if not turned and not self._taken(r"\s*\)"):
            self._refuse()
        return self._turned(found) if turned else found

    def _turned(self, found: list[Condition]) -> list[Condition]:
        (name,) = self._names(found, '"not" before several questions joins them by "or"')
        if self._values is None:
            self._refuse()
        said = _common(found)
        return [(name, tuple(each for each in self._values(name, None) if each not in said))]

    def _names(self, found: list[Condition], problem: str) -> list[str]:
        """The one question that these conditions are about."""
        names = list(dict.fromkeys(name for name, _ in found))
        if len(names) > 1:
            remedy = 'join conditions of different questions by "and" alone'
            raise SurveyError(self._place, f"{problem}: {', '.join(names)}", remedy)
        return names

    def _term(self) -> Condition:
        term = TERM.match(self._text, self._at)
        if term is None or (term[4] and self._values is None):
            self._refuse()
        self._at = term.end()
        if term[4] and self._values is not None:
            return term[1], self._values(term[1], term[4].strip(QUOTES))
        values = [term[2]] if term[2] else term[3].split(",")
        return term[1], tuple(value.strip(QUOTES) for value in values)

    def _refuse(self) -> NoReturn:
        rest = re.split(r" and ", self._text[self._at :], maxsplit=1)[0].strip() or self._text
        raise SurveyError(self._place, f'it cannot be read: "{rest}"', REMEDY)


def _common(found: list[Condition]) -> list[str]:
    """The values for which all conditions of one question hold."""
    return [value for value in found[0][1] if all(value in values for _, values in found)]


def condition_text(condition: Condition) -> str | None:
    """One condition as ``ask_if`` has it; None where a value has what separates values there."""
    name, values = condition
    if any(value != value.strip(QUOTES) or not value or re.search(rf"[()\"]|{NEXT}", value) for value in values):
        return None
    if len(values) == 1:
        return f"{name} = {values[0]}"
    return None if any("," in value for value in values) else f"{name} in ({', '.join(values)})"
