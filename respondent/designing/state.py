"""The state of a survey that is designed, as the page is given it."""

from __future__ import annotations

from typing import Any

from collector.errors import SurveyError
from collector.survey_file.survey_file import Compiled
from respondent.designing.document import SurveyDocument


def state_of(document: SurveyDocument, respondents: int) -> dict[str, Any]:
    """Plain values, with decimals and days among them.

    Args:
        document: Held by its lock.
        respondents: How many are reckoned with.
    """
    found = document.compiled()
    survey = found.survey if isinstance(found, Compiled) else None
    return {
        "version": document.version,
        "path": document.path.name,
        "undo": document.can_undo,
        "redo": document.can_redo,
        "disk": "changed" if document.is_changed else "same",
        "document": document.values,
        "problems": [] if isinstance(found, Compiled) else _problems(found),
        "lints": [],
        "survey": None
        if survey is None
        else {"name": survey.name, "fingerprint": survey.fingerprint, "languages": list(survey.languages)},
        "figures": None,
        "respondents": respondents,
    }


def _problems(error: SurveyError) -> list[dict[str, Any]]:
    errors = getattr(error, "errors", (error,))
    return [{"place": each.place, "path": [], "problem": each.problem, "remedy": each.remedy} for each in errors]
