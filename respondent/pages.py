"""What respondents read: the list of open surveys, and each survey as one document."""

from __future__ import annotations

import json
from dataclasses import dataclass

from flask import Blueprint, render_template
from wtforms import Field

from collector.question import Question
from collector.store import Store
from collector.survey import Survey
from respondent.forms import survey_form
from respondent.intake import newest_survey
from respondent.odds import Odds, question_odds

# What the script says. It stands here, so that a translation will have one place to look for texts.
SCRIPT_TEXTS = {
    "error": "Error: ",
    "thanks": "Thank you",
    "missing": "Choose an answer.",
    "number": "Write one number in digits without a thousands mark, such as 1200 or 12.5.",
    "minimum": "Write a number of {minimum} or more.",
    "sending": "Sending\u2026",
    "again": "Try again",
    "offline": "The server could not be reached, or could not keep the response just now.",
    "kept": "Nothing is lost. The coins have been tossed, and trying again sends the very same disguised answers.",
    "refused": "The server refused the response. Reload the page to answer again.",
    "outdated": "The survey was changed after you opened this page. Reload the page to answer it as it is now.",
    "broken": "This survey cannot be answered here: the page came damaged, or this browser is too old. "
    "Nothing was sent. Try to reload the page, or another browser.",
}


@dataclass(frozen=True)
class Asked:
    """A question as the page shows it."""

    question: Question
    field: Field
    odds: Odds


def pages(store: Store) -> Blueprint:
    """The pages, reading surveys from this store."""
    routes = Blueprint("pages", __name__)

    @routes.get("/")
    def index() -> str:
        newest = {published.name: published.survey for published in store.surveys()}
        return render_template("index.html", surveys=newest.values())

    @routes.get("/s/<name>")
    def survey(name: str) -> str:
        published = newest_survey(store, name)
        texts = json.dumps(SCRIPT_TEXTS)
        return render_template("survey.html", survey=published, asked=_asked(published), texts=texts)

    return routes


def _asked(survey: Survey) -> list[Asked]:
    fields = survey_form(survey)
    return [
        Asked(question, field, question_odds(survey, question))
        for question, field in zip(survey.questions, fields, strict=True)
    ]
