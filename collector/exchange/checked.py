"""The check of a survey file: its privacy, remarks, and the effect of false responses on estimates."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from collector.characters import code_point
from collector.disclosure.false_responses import PlannedShift, checked_false, planned_shifts
from collector.disclosure.lint import NOTE, Lint, by_gravity
from collector.disclosure.privacy import SurveyPrivacy
from collector.exchange.remarks import remarks
from collector.planning.shuffled import DELTA, CentralPrivacy, central_privacy
from collector.survey_file.privacy_file import EpsilonPlan
from collector.survey_file.survey_file import Compiled


@dataclass(frozen=True)
class CheckedSurvey:
    """The results that `collector check` prints.

    Attributes:
        privacy: Statement of the privacy that the survey gives.
        lints: Remarks on the survey, the most severe first.
        shifts: Largest shifts of estimates by false responses.
        plan: Design that was chosen for the epsilon in the table ``[privacy]``, or None if the survey file has no such
            table.
        central: Central epsilon of published figures, or None if the number of respondents is not known.
    """

    privacy: SurveyPrivacy
    lints: tuple[Lint, ...]
    shifts: tuple[PlannedShift, ...]
    plan: EpsilonPlan | None
    central: CentralPrivacy | None

    @property
    def as_json(self) -> dict[str, Any]:
        """The results of checking a survey file as plain JSON values."""
        return self.privacy.as_dict | {
            "lints": [asdict(lint) for lint in self.lints],
            "refused": bool(self.privacy.refusals),
            "false": [each.as_json for each in self.shifts],
            "plan": None if self.plan is None else self.plan.as_dict,
            "central": None if self.central is None else self.central.as_json,
        }


def checked(
    compiled: Compiled,
    respondents: int | None = None,
    false: int | None = None,
    delta: float = DELTA,
    new: int | None = None,
) -> CheckedSurvey:
    """Return the results of checking a survey file.

    Args:
        compiled: Contents of the survey file.
        respondents: Expected number of respondents, or None if it is not known.
        false: Number of false responses among the respondents (or among 100 responses), or None for one in a hundred.
        delta: Delta for the central epsilon.
        new: Smallest number of people who join for each further publication, or None for one publication.

    Raises:
        QueryError: If all responses would be false, or delta is out of range.
    """
    people = respondents or 100
    shifts = planned_shifts(compiled.survey, checked_false(false, people), people)
    privacy = SurveyPrivacy(compiled.survey, planned=compiled.plan is not None)
    central = None if respondents is None else central_privacy(compiled.survey, respondents, delta, new)
    lints = by_gravity([*remarks(privacy, respondents), *map(_dropped, compiled.dropped)])
    return CheckedSurvey(privacy, lints, tuple(shifts), compiled.plan, central)


def _dropped(dropped: tuple[str, str]) -> Lint:
    place, character = dropped
    return Lint(NOTE, place, f"the invisible character {code_point(character)} was dropped", "delete it in the file")
