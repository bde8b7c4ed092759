"""The state of the designer, which the designer's page displays."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from collector.disclosure.lint import Lint
from collector.disclosure.question_lints import EVEN_REMEDY
from collector.errors import SurveyError
from collector.survey_file.survey_file import Compiled
from respondent.designing.document import Previewed, SurveyDocument
from respondent.designing.figures import SurveyFigures
from respondent.designing.meaning.plain import plain
from respondent.designing.meaning.presets import presets
from respondent.designing.mends import mend_of
from respondent.designing.places import Places
from respondent.designing.translating.table import translations


def state_of(document: SurveyDocument, respondents: int) -> dict[str, Any]:
    """Return the state of the designer as plain values, decimals and dates.

    Args:
        document: The survey file in the designer (the caller must hold its lock).
        respondents: Assumed number of respondents.
    """
    found = document.compiled()
    values = document.values
    survey = found.survey if isinstance(found, Compiled) else None
    figures = document.figures(respondents)
    return {
        "version": document.version,
        "blank": not document.text.strip(),
        "path": document.path.name,
        "undo": document.can_undo,
        "redo": document.can_redo,
        "disk": "changed" if document.is_changed else "same",
        "document": values,
        "problems": [] if isinstance(found, Compiled) else _problems(found, document.places),
        "followers": document.places.followers,
        "lints": [] if figures is None or survey is None else _lints(document, figures),
        "survey": None
        if survey is None
        else {"name": survey.name, "fingerprint": survey.fingerprint, "languages": list(survey.languages)},
        "preview": _previewed(document.previewed()),
        "figures": None if figures is None else figures.as_json | {"stale": survey is None},
        "respondents": respondents,
        "presets": presets(),
        "translations": translations(values, document.originals),
    }


def _previewed(shown: Previewed | None) -> dict[str, Any] | None:
    if shown is None:
        return None
    survey = shown.survey
    return {
        "name": survey.name,
        "fingerprint": survey.fingerprint,
        "languages": list(survey.languages),
        "missing": [{"path": list(place), "language": language} for place, language in shown.missing],
        "stale": shown.is_stale,
    }


def _problems(error: SurveyError, places: Places) -> list[dict[str, Any]]:
    errors = getattr(error, "errors", (error,))
    return [
        {
            "place": each.place,
            "path": list(places.path_of(each.place)),
            "problem": each.problem,
            "remedy": each.remedy,
            "words": plain(each.problem, each.remedy),
        }
        for each in errors
    ]


def _words(lint: Lint, figures: SurveyFigures) -> str:
    """Return a lint in the words of the designer's form; the one on the whole response without its figures."""
    if lint.remedy == EVEN_REMEDY:
        return "The figures assume that all answers are equally common. If you know better, say so below."
    if lint.place != "whole response":
        return plain(lint.problem, lint.remedy)
    survey = figures.compiled.survey
    disguised = sum(each.sensitive for each in survey.questions)
    count = disguised if survey.sampling is None else min(disguised, survey.sampling.ask)
    if count == 1:
        return "You ask 1 disguised question of each person. Its answer gives almost everything away. Choose Strong."
    return (
        f"You ask {count} disguised questions of each person. Together the answers give almost everything away. "
        "Ask each person only some of the questions, or choose Strong."
    )


def _lints(document: SurveyDocument, figures: SurveyFigures) -> list[dict[str, Any]]:
    found = ((each, mend_of(document.found(each, figures.respondents))) for each in figures.check.lints)
    return [
        asdict(lint)
        | {"path": list(document.places.path_of(lint.place)), "words": _words(lint, figures)}
        | {"mend": None if mend is None else {"id": mend.id, "label": mend.label}}
        for lint, mend in found
    ]
