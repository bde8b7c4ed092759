"""The design that the table ``[privacy]`` with a given epsilon would choose for a survey file."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Any

from collector.disclosure.group_disclosure import GroupDisclosure
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import SurveyError
from collector.planning.expectations import value_plans
from collector.survey.group import Group
from collector.survey.survey import Survey
from collector.survey_file.survey_file import Compiled, compiled_values
from respondent.designing.figures import or_none

THOUSANDTH = Decimal("0.001")
Json = dict[str, Any]


def chosen_design(
    found: Compiled, values: Json, folder: Path, respondents: int, epsilon: str | None = None
) -> Json | None:
    """Return figures of the design that the table ``[privacy]`` would choose, for each question and group.

    Without a given epsilon, None is returned if the present design has no finite epsilon, or no design keeps it.

    Args:
        found: The compiled survey file.
        values: Values of the survey file.
        folder: Folder of the survey's pictures.
        respondents: Assumed number of respondents.
        epsilon: Epsilon of a whole response as text, or None for the epsilon of the present design.

    Raises:
        SurveyError: If no design keeps the given epsilon.
    """
    if epsilon is not None:
        return _figures(compiled_values(_with_privacy(values, epsilon), folder).survey, (), respondents)
    present = or_none(SurveyPrivacy(found.survey).epsilon)
    if present is None:
        return None
    if found.plan is None:
        spent = Decimal(present).quantize(THOUSANDTH, ROUND_CEILING)
        try:
            chosen = compiled_values(_with_privacy(values, spent), folder)
        except SurveyError:
            return None
    else:
        chosen = found
    return _figures(chosen.survey, found.survey.groups, respondents)


def _figures(survey: Survey, groups: Sequence[Group], respondents: int) -> Json:
    """Return the figures of a survey whose design the table ``[privacy]`` chose.

    Args:
        survey: The survey with the chosen design.
        groups: Groups of the survey file, or an empty sequence for the groups of the chosen design.
        respondents: Assumed number of respondents.
    """
    privacy = SurveyPrivacy(survey, planned=True)
    questions: dict[str, Json] = {
        each.question.name: {
            "epsilon": or_none(privacy.question_epsilon(each.question)),
            "bits": each.anonymity,
            "belief": float(max(risk.rise.after for risk in each.risks)),
            "width": max(value.width for value in value_plans(survey, each.question, respondents)),
        }
        for each in privacy.questions
    }
    return {
        "epsilon": or_none(privacy.epsilon),
        "ask": None if survey.sampling is None else survey.sampling.ask,
        "questions": [{"name": name} | figures for name, figures in questions.items()],
        "groups": [
            {
                "name": group.name,
                "questions": list(group.questions),
                "epsilon": None if survey.sampling is not None else or_none(_together(survey, group.questions)),
                "bits": min(questions[name]["bits"] for name in group.questions),
                "belief": max(questions[name]["belief"] for name in group.questions),
                "width": max(questions[name]["width"] for name in group.questions),
            }
            for group in groups or survey.groups
        ],
    }


def _together(survey: Survey, names: Sequence[str]) -> float:
    """Return the epsilon of the answers to the given questions, in a survey without sampling."""
    shared = ((group, tuple(each for each in survey.members(group) if each.name in names)) for group in survey.groups)
    return sum(GroupDisclosure(group, members).epsilon for group, members in shared if members)


def _with_privacy(values: Json, epsilon: Decimal | str) -> Json:
    """Return the values of a survey file with an epsilon under ``[privacy]`` instead of groups."""
    drop = () if "privacy" in values else ("group", "coding")
    questions = [{key: each[key] for key in each if key not in drop} for each in values["questions"]]
    rest = {key: value for key, value in values.items() if key != "groups"}
    return rest | {"questions": questions, "privacy": values.get("privacy", {}) | {"epsilon": epsilon}}
