"""Summary of an imported form: one line for each kind of remark, and the number of imported questions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from collector.errors import SurveyError

MOST_NAMED = 20
NUMBERED = re.compile(r"row (\d+)")
QUOTED = re.compile(r'"[^"]*"')
REFUSED = re.compile(r'(this part of a question|"[^"]*") is not supported: ')
MOST_QUOTED = 3


@dataclass(frozen=True)
class FormTally:
    """The numbers of questions in a form that were imported, and that were left out.

    Attributes:
        taken: Number of imported questions, in which a grid counts as one question.
        left_out: Number of questions left out for each reason, the most common reason first.
        parts: Number of parts of questions or of the form that were left out.
    """

    taken: int
    left_out: Mapping[str, int]
    parts: int = 0

    def __str__(self) -> str:
        """Return a line such as ``34 taken, 9 left out: 7 (free text cannot be disguised), 2 (it asks nothing)``."""
        total = sum(self.left_out.values())
        why = ", ".join(f"{number} ({reason})" for reason, number in self.left_out.items())
        parts = f"; {self.parts} {'part' if self.parts == 1 else 'parts'} of the form left out" if self.parts else ""
        return f"{self.taken} taken, {total or 'none'} left out" + (f": {why}" if why else "") + parts


def counted_reasons(problems: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the number of questions left out for each reason, the most common reason first.

    Problems that differ only in quoted names count as one reason, which quotes the first few names.

    Args:
        problems: Problem of each error, with the number of questions that the error is about.
    """
    kinds: dict[str, list[tuple[str, int]]] = {}
    for problem, number in problems:
        reason = REFUSED.sub("", problem, count=1)
        kinds.setdefault(QUOTED.sub('""', reason), []).append((reason, number))
    numbers = {_reason([reason for reason, _ in found]): sum(many for _, many in found) for found in kinds.values()}
    return dict(sorted(numbers.items(), key=lambda each: -each[1]))


def _reason(reasons: Sequence[str]) -> str:
    """Return one reason, such as ``no question "a", "b" and 2 more``, for reasons that differ only in names."""
    quoted = zip(*map(QUOTED.findall, reasons), strict=True)
    said = iter([_some(list(dict.fromkeys(each)), ", ", MOST_QUOTED) for each in quoted])
    return QUOTED.sub(lambda _: next(said), reasons[0])


def collected(errors: Iterable[SurveyError]) -> tuple[str, ...]:
    """Return one line for all errors with the same problem and remedy, with the places of these errors."""
    kinds: dict[tuple[str, str], dict[str, None]] = {}
    for error in errors:
        kinds.setdefault((error.problem, error.remedy), {})[error.place] = None
    return tuple(str(SurveyError(_places(list(places)), *kind)) for kind, places in kinds.items())


def collected_notes(notes: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return a line for each note, with all parts of the form that the note is about."""
    kinds: dict[str, list[str]] = {}
    for words, about in notes:
        kinds.setdefault(words, []).extend([about] if about else [])
    return tuple(f"{words}: {_some(abouts, ', ')}" if abouts else words for words, abouts in kinds.items())


def _places(places: Sequence[str]) -> str:
    """Return places in a form as one text without repetition, such as ``sheet survey, rows 2, 5, column type``."""
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


def _some(words: Sequence[str], mark: str, most: int = MOST_NAMED) -> str:
    more = len(words) - most
    return mark.join(words[:most]) + (f" and {more} more" if more > 0 else "")
