"""The respondent's page of the designed survey, in the designer's preview and as a draft for others."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from hmac import compare_digest
from http import HTTPStatus
from secrets import token_urlsafe

from flask import Blueprint, abort, redirect, request
from werkzeug.wrappers import Response as Answer

from collector.errors import InputError, SurveyError
from collector.survey.survey import Survey
from owner.link import BYTES
from respondent.app import create_app
from respondent.designing.document import SurveyDocument
from respondent.preview import Mark, NoStore

SENDING = re.compile(r"(connect-src|form-action) 'self'")
"""Directives of the content security policy that a draft sets to 'none', as it sends no answers."""


class DraftAddress:
    """The address at which others can read a draft until the designer stops.

    Attributes:
        token: Secret part of the draft's address.
    """

    def __init__(self) -> None:
        self.token = token_urlsafe(BYTES)

    @property
    def address(self) -> str:
        """The path of the draft's address."""
        return f"/draft/{self.token}/"

    def routes(self, document: SurveyDocument) -> Blueprint:
        """Return the routes of the draft, which accept only GET and HEAD requests."""
        routes, page = Blueprint("draft", __name__, url_prefix="/draft/<given>"), respondents_page(document, "draft")

        @routes.before_request
        def check() -> None:
            given = (request.view_args or {}).pop("given", "")
            if not compare_digest(given.encode(errors="replace"), self.token.encode()):
                abort(HTTPStatus.NOT_FOUND)
            with document.lock, suppress(InputError):  # the designer's page says that it cannot be read
                document.look()

        @routes.get("/")
        def begin() -> Answer:
            try:
                name = shown_survey(document).name
            except SurveyError:
                return page(self.address, "")  # it says what is wrong
            return redirect(f"{self.address}s/{name}", HTTPStatus.SEE_OTHER)

        @routes.get("/<path:below>")
        def show(below: str) -> Answer:
            answer = page(self.address, below)
            policy = answer.headers.get("Content-Security-Policy", "")
            answer.headers["Content-Security-Policy"] = SENDING.sub(r"\1 'none'", policy)
            return answer

        return routes


def shown_survey(document: SurveyDocument) -> Survey:
    """Return the version of the survey that can be previewed.

    Raises:
        SurveyError: If every version so far has errors.
    """
    with document.lock:
        shown = document.previewed()
    if shown is None:
        raise SurveyError("survey", "the survey file still has errors", "fix the problems of the survey first")
    return shown.survey


def respondents_page(document: SurveyDocument, mark: Mark) -> Callable[[str, str], Answer]:
    """Return a function that answers the current request as a server of the designed survey would.

    The function does not store any response.

    Args:
        document: The survey file in the designer.
        mark: Mark on every page, ``preview`` or ``draft``.

    Returns:
        A function of the path at which the server is mounted, and of the rest of the path.
    """
    app = create_app(NoStore(document.path, lambda: shown_survey(document)), mark=mark)

    def answer(above: str, below: str) -> Answer:
        inner = {"SCRIPT_NAME": above.rstrip("/"), "PATH_INFO": f"/{below}"}
        return Answer.from_app(app, request.environ | inner)

    return answer
