"""What respondents read: the list of open surveys, each survey as one document, and the form to fill in by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, current_app, render_template, request
from jinja2.ext import Extension
from markupsafe import Markup
from wtforms import Field

from collector.question import Question
from collector.store import Store
from collector.survey import Survey
from respondent.body import draw_receipt
from respondent.card import example, limits, open_questions
from respondent.forms import survey_form
from respondent.hand import NotByHandError, by_hand
from respondent.intake import open_survey
from respondent.languages import SHIPPED, Interface, chosen_language, interface
from respondent.odds import Odds, code_odds, code_words, question_odds
from respondent.texts import script_texts


@dataclass(frozen=True)
class Asked:
    """A question as the page shows it."""

    question: Question
    field: Field
    odds: Odds


def pages(store: Store) -> Blueprint:
    """The pages, reading surveys from this store."""
    routes = Blueprint("pages", __name__)
    routes.record_once(lambda state: state.app.jinja_env.add_extension(_Tight))

    @routes.app_context_processor
    def language() -> dict[str, Any]:
        """The interface of pages that belong to no survey; a survey's page brings its own."""
        return _about(interface(chosen_language(SHIPPED, request.args.get("lang"), request.accept_languages)))

    @routes.get("/")
    def index() -> str:
        surveys = [state.newest.survey for state in store.states() if state.is_open]
        shown = [(each, _chosen(each).language) for each in surveys]
        return render_template("index.html", surveys=shown)

    @routes.get("/s/<name>")
    def survey(name: str) -> str:
        published = open_survey(store, name)
        spoken = _chosen(published)
        return render_template(
            "survey.html",
            **_about(spoken),
            survey=published,
            asked=_asked(published, spoken),
            example=example(published, spoken),
            limits=limits(published, spoken),
            open_questions=open_questions(published, spoken),
            data=_data(published, spoken),
            by_invitation=_by_invitation(store, name),
        )

    @routes.get("/s/<name>/by-hand", endpoint="by_hand")
    def on_paper(name: str) -> str:
        published = open_survey(store, name)
        spoken = _chosen(published)
        groups, obstacle = [], None
        try:
            groups = by_hand(published, spoken)
        except NotByHandError as error:
            obstacle = error.question
        numbers = {question.name: number for number, question in enumerate(published.questions, start=1)}
        return render_template(
            "by_hand.html",
            **_about(spoken),
            survey=published,
            groups=groups,
            numbers=numbers,
            obstacle=obstacle,
            receipt=draw_receipt(),
            by_invitation=_by_invitation(store, name),
        )

    @routes.get("/exit", endpoint="exit")
    def leave() -> str:
        return render_template("exit.html")

    return routes


class _Tight(Extension):
    """Takes the indentation out of templates: it would be a tenth of what a page weighs."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The source with each line stripped."""
        del name, filename
        return "\n".join(line.strip() for line in source.splitlines() if line.strip())


def _about(spoken: Interface) -> dict[str, Any]:
    return {"_": spoken.gettext, "language": spoken.language, "direction": spoken.direction, "interface": spoken}


def _chosen(survey: Survey) -> Interface:
    return interface(chosen_language(survey.languages, request.args.get("lang"), request.accept_languages))


def _by_invitation(store: Store, name: str) -> bool:
    return store.invitations(name).issued > 0


def _asked(survey: Survey, spoken: Interface) -> list[Asked]:
    fields = survey_form(survey, spoken)
    return [
        Asked(question, field, question_odds(survey, question, spoken))
        for question, field in zip(survey.questions, fields, strict=True)
    ]


def _data(survey: Survey, spoken: Interface) -> Markup:
    """What the script reads: the design, its own texts, and each code explained, as JSON that fits into HTML."""
    codes = {
        question.name: {
            code: [code_words(question, code, spoken), line]
            for code, line in code_odds(survey, question, spoken).items()
        }
        for question in survey.questions
    }
    about = {
        "address": current_app.url_for("intake.receive", name=survey.name),
        "fingerprint": survey.fingerprint,
        "codes": {} if survey.preview == "off" else codes,
        "texts": script_texts(spoken),
    }
    written = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    whole = f'{written[:-1]},"design":{survey.canonical}}}'
    return Markup(whole.replace("<", "\\u003c"))  # noqa: S704 - no character is left that HTML would act on
