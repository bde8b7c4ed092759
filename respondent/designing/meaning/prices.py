"""The price of a design change: the factor by which the number of people must grow to keep the precision."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from collector.errors import SurveyError
from collector.planning.expectations import value_plans
from collector.survey.survey import Survey
from collector.survey_file.survey_file import compiled
from respondent.designing.meaning.sentences import points, times

AS_MANY = 1.05  # factor of the number of people up to which a change is said to need no more people


@dataclass(frozen=True)
class Price:
    """The price of a design change, in words.

    Attributes:
        short: A few words on the price, for the label next to a button.
        sentence: A full sentence on the price.
        factor: Factor by which the number of people must grow, or None if it is not known.
    """

    short: str
    sentence: str
    factor: float | None = None


UNKNOWN = Price("known once nothing is left to fix", "What this costs is known once nothing is left to fix.")
NO_MORE = Price(
    "no more people than the present design",
    "This takes no more people than the present design for the same precision.",
)
INCOMPARABLE = Price(
    "cannot be compared in people",
    "What this costs in precision cannot be compared: a share cannot be estimated before or after it.",
)


def price_of_mend(before: str, after: str, folder: Path, respondents: int) -> Price:
    """Return the price of a change, for the question whose interval widens most.

    Args:
        before: Text of the survey file before the change.
        after: Text of the survey file after the change.
        folder: Folder of the survey's pictures.
        respondents: Assumed number of respondents.
    """
    try:
        now, then = (_widths(compiled(text, folder).survey, respondents) for text in (before, after))
    except SurveyError:
        return UNKNOWN
    known = {name: (now[name], width) for name, width in then.items() if name in now}
    if any(not isfinite(width) for pair in known.values() for width in pair) or not known:
        return INCOMPARABLE
    name = max(known, key=lambda each: known[each][1] / known[each][0])
    old, new = known[name]
    more = (new / old) ** 2
    if more <= AS_MANY:
        return NO_MORE
    return Price(
        f"{times(more)} times as many people as the present design, for the same precision",
        f'This costs precision, most at "{name}": {respondents:,} people give {points(new)} in place of '
        f"{points(old)}. "
        f"For the same precision you need {times(more)} times as many people as with the present design.",
        more,
    )


def _widths(survey: Survey, respondents: int) -> dict[str, float]:
    """Return the widest interval of a share, for each question."""
    found = {}
    for question in survey.questions:
        widths = [each.as_json["width"] for each in value_plans(survey, question, respondents)]
        found[question.name] = max(float("inf") if width is None else float(width) for width in widths)
    return found
