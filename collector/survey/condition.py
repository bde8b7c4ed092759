"""Conditions of ``ask_if`` as a survey file has them: read, and written."""

import re
from collections.abc import Callable

from collector.errors import SurveyError

Condition = tuple[str, tuple[str, ...]]
"""A question, and the values of it that are meant."""
Having = Callable[[str, str], tuple[str, ...]]
"""The values of a question whose combination of ticks holds an option."""
TERM = re.compile(r"([a-z][a-z0-9_]*) (?:= *(.+)|in *\((.+)\)|has +(.+))")
QUOTES = "\"' "


def conditions_in(text: str, place: str = "ask_if", having: Having | None = None) -> tuple[Condition, ...]:
    """Read what ``ask_if`` says: ``bullied = yes and year in (first, second) and how has words``.

    Args:
        text: The condition.
        place: That errors name.
        having: Reads ``has``; None where no question above can have it.

    Raises:
        SurveyError: With the place, if it cannot be read.
    """
    terms = [(part.strip(), TERM.fullmatch(part.strip())) for part in text.split(" and ")]
    found = []
    for part, term in terms:
        if term is None or (term[4] and having is None):
            remedy = 'write NAME = VALUE, NAME in (VALUE, VALUE) or NAME has OPTION, joined by "and"'
            raise SurveyError(place, f'it cannot be read: "{part}"', remedy)
        if term[4] and having is not None:
            found.append((term[1], having(term[1], term[4].strip(QUOTES))))
        else:
            values = [term[2]] if term[2] else term[3].split(",")
            found.append((term[1], tuple(value.strip(QUOTES) for value in values)))
    return tuple(found)


def condition_text(condition: Condition) -> str | None:
    """One condition as ``ask_if`` has it; None where a value has what separates values there."""
    name, values = condition
    if any(value != value.strip(QUOTES) or " and " in value or not value for value in values):
        return None
    if len(values) == 1:
        return f"{name} = {values[0]}"
    return None if any("," in value for value in values) else f"{name} in ({', '.join(values)})"
