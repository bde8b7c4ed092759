"""Remarks on a form that was read: one line for all places that one remark is about, and the tally at the end."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from collector.errors import SurveyError

MOST_NAMED = 20
NUMBERED = re.compile(r"row (\d+)")
QUOTED = re.compile(r'"[^"]*"')
REFUSED = re.compile(r"(it|…) is not supported: ")


@dataclass(frozen=True)
class FormTally:
    """The number of a form's questions that were taken, and of those left out, by reason.

    Attributes:
        taken: Questions, a grid being one.
        left_out: By reason, the commonest first.
    """

    taken: int
    left_out: Mapping[str, int]

    def __str__(self) -> str:
        """One line: ``34 taken, 9 left out: 7 (free text cannot be disguised), 2 (it asks nothing)``."""
        total = sum(self.left_out.values())
        why = ", ".join(f"{number} ({reason})" for reason, number in self.left_out.items())
        return f"{self.taken} taken, {total or 'none'} left out" + (f": {why}" if why else "")


def reason_of(error: SurveyError) -> str:
    """The kind of an error, in which names do not matter: for `FormTally`."""
    return REFUSED.sub("", QUOTED.sub("…", error.problem), count=1)


def collected(errors: Iterable[SurveyError]) -> tuple[str, ...]:
    """A line for each problem and remedy, with the places of all errors that have these."""
    kinds: dict[tuple[str, str], dict[str, None]] = {}
    for error in errors:
        kinds.setdefault((error.problem, error.remedy), {})[error.place] = None
    return tuple(str(SurveyError(_places(list(places)), *kind)) for kind, places in kinds.items())


def collected_notes(notes: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """A line for each note, with all that it is about."""
    kinds: dict[str, list[str]] = {}
    for words, about in notes:
        kinds.setdefault(words, []).extend([about] if about else [])
    return tuple(f"{words}: {_some(abouts, ', ')}" if abouts else words for words, abouts in kinds.items())


def _places(places: Sequence[str]) -> str:
    """Places in one: what they share is said once, as in ``sheet survey, rows 2, 5, column type``."""
    parts = [place.split(", ") for place in places]
    if len(places) == 1 or len({len(each) for each in parts}) > 1:
        return _some(places, " | ")
    apart = [at for at, each in enumerate(zip(*parts, strict=True)) if len(set(each)) > 1]
    if len(apart) != 1:
        return _some(places, " | ")
    (at,) = apart
    differ = [each[at] for each in parts]
    rows = [found[1] for each in differ if (found := NUMBERED.fullmatch(each))]
    said = f"rows {_some(rows, ', ')}" if len(rows) == len(differ) else _some(differ, ", ")
    return ", ".join([*parts[0][:at], said, *parts[0][at + 1 :]])


def _some(words: Sequence[str], mark: str) -> str:
    more = len(words) - MOST_NAMED
    return mark.join(words[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
