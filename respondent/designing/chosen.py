"""The design that ``[privacy]`` would choose for a survey file, at the epsilon that its response has now."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Any

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import SurveyError
from collector.planning.expectations import value_plans
from collector.survey_file.survey_file import Compiled, compiled
from respondent.designing.edits import TomlText
from respondent.designing.figures import or_none

THOUSANDTH = Decimal("0.001")


def chosen_design(found: Compiled, text: str, folder: Path, respondents: int) -> dict[str, Any] | None:
    """Figures of that design for each question; None where the response has no epsilon, or nothing keeps it.

    Args:
        found: The survey file, compiled.
        text: Of the file.
        folder: Where its pictures are.
        respondents: How many are reckoned with.
    """
    epsilon = or_none(SurveyPrivacy(found.survey).epsilon)
    if epsilon is None:
        return None
    spent = Decimal(epsilon).quantize(THOUSANDTH, ROUND_CEILING)
    if found.plan is None:
        try:
            found = compiled(_with_privacy(text, spent), folder)
        except SurveyError:
            return None
    survey, privacy = found.survey, SurveyPrivacy(found.survey, planned=True)
    return {
        "epsilon": or_none(privacy.epsilon),
        "ask": None if survey.sampling is None else survey.sampling.ask,
        "questions": [
            {
                "name": each.question.name,
                "epsilon": or_none(privacy.question_epsilon(each.question)),
                "bits": each.anonymity,
                "belief": float(max(risk.rise.after for risk in each.risks)),
                "width": max(value.width for value in value_plans(survey, each.question, respondents)),
            }
            for each in privacy.questions
        ],
    }


def _with_privacy(text: str, epsilon: Decimal) -> str:
    """The file with this epsilon in place of its groups."""
    file = TomlText(text)
    for place, question in enumerate(file.values["questions"]):
        for key in {"group", "coding"} & question.keys():
            file.delete(("questions", place, key))
    if "groups" in file.values:
        file.delete(("groups",))
    file.put(("privacy", "epsilon"), epsilon)
    return file.text
