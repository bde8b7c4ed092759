"""The intake of disguised responses, one per request. The complete interface is described in docs/openapi.yaml.

- ``POST /api/v1/surveys/NAME/responses`` stores a response: ``{"fingerprint": ..., "codes": {...}, "receipt": ...}``,
  with "invitation" if the survey needs an invitation.
- ``DELETE /api/v1/surveys/NAME/responses`` deletes the response with a receipt: ``{"receipt": ...}``.
- ``POST /s/NAME/by-hand`` stores a response that the person disguised, sent as a form.
- ``GET /api/v1/health`` has the status 200, or 503 if the store cannot be read or all responses are refused.

A JSON response has a code for each question, or null for questions that a split questionnaire did not ask. All other
requests are refused with an error that never repeats the content of the request.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Blueprint, Response, make_response, render_template, request
from gunicorn.http.errors import ChunkMissingTerminator, ParseException
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.wsgi import get_host

from collector.errors import ResponseError, StoreError
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import LARGEST_RESPONSE, Survey
from respondent.errors import (
    ForeignError,
    IncompleteError,
    MediaTypeError,
    OutdatedError,
    RefusingError,
    StaleError,
    UnmarkedError,
)
from respondent.intake.body import Received, read_form, read_response, read_withdrawal
from respondent.intake.chunks import MOST_CHUNKS, ChunksError
from respondent.intake.limits import Health, Senders
from respondent.intake.proof import is_ours
from respondent.intake.states import REFUSALS, newest_of, refusal, version_of

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

PREFIX = "/api/v1"
CRLF = b"\r\n"  # end of a chunk
STATUSES = {Outcome.STORED: HTTPStatus.CREATED, Outcome.REPEATED: HTTPStatus.OK}


class Intake:
    """The part of the web application that stores responses."""

    def __init__(self, store: Store, senders: Senders, health: Health) -> None:
        self._store = store
        self._senders = senders
        self._health = health

    def routes(self) -> Blueprint:
        """Return the routes of the intake."""
        routes = Blueprint("intake", __name__)

        @routes.post(f"{PREFIX}/surveys/<name>/responses")
        def receive(name: str) -> Response:
            outcome = self.handle_json(request.environ, name, request.get_data)
            return Response(status=STATUSES[outcome])  # it says it all, and one write to the network less is felt

        @routes.delete(f"{PREFIX}/surveys/<name>/responses")
        def withdraw(name: str) -> Response:
            check_json(request.environ)
            check_sender(request.environ)
            receipt = read_withdrawal(_body(request.environ, request.get_data))
            outcome = self._store.withdraw(newest_of(self._store, name).newest.survey, receipt)
            if outcome in REFUSALS:
                raise refusal(outcome)
            return make_response("", HTTPStatus.NO_CONTENT)

        @routes.get(f"{PREFIX}/health")
        def health() -> dict[str, str]:
            self._store.state("")  # whether it can be read
            if not self._health.is_good:
                raise RefusingError(
                    "server", "the store refuses all responses to a survey", "read the log of the server"
                )
            return {"status": "ok"}

        @routes.post("/s/<name>/by-hand")
        def receive_by_hand(name: str) -> tuple[str, int]:
            check_form(request.environ)
            _body(request.environ, request.get_data)
            received = read_form(request.form)
            if not is_ours(self._store, name, received.receipt, received.proof):
                raise StaleError(
                    "form",
                    "the form was not made here for this survey today or yesterday",
                    "open the form again, and copy your answers",
                )
            survey = version_of(self._store, name, received.fingerprint)
            if survey.sampling is None and any(each.name not in received.codes for each in survey.questions):
                raise UnmarkedError("form", "no answer is marked for a question", "mark one answer for each question")
            outcome = self._count_health(request.remote_addr or "", name, received, by_hand=True)
            again = outcome is Outcome.REPEATED
            return render_template("stored.html", again=again, study=survey.study), STATUSES[outcome]

        return routes

    def handle_json(self, environ: WSGIEnvironment, name: str, read: Callable[[], bytes]) -> Outcome:
        """Store the response in a JSON request.

        Returns:
            `Outcome.STORED`, or `Outcome.REPEATED` if the response was stored before.

        Raises:
            RefusalError: If the response is refused.
            StoreError: If the store cannot be read or written.
        """
        check_json(environ)
        check_sender(environ)
        received = read_response(_body(environ, read))
        return self._count_health(environ.get("REMOTE_ADDR", ""), name, received)

    def _count_health(self, address: str, name: str, received: Received, *, by_hand: bool = False) -> Outcome:
        try:
            outcome = self._store_response(address, name, received, by_hand=by_hand)
        except OutdatedError:
            self._health.refused(name)
            raise
        except StoreError:
            self._health.refused()
            raise
        self._health.stored(name)
        return outcome

    def _store_response(self, address: str, name: str, received: Received, *, by_hand: bool = False) -> Outcome:
        survey = version_of(self._store, name, received.fingerprint)
        if survey.sampling is not None:
            _check_sampled(survey, received, by_hand=by_hand)
        codes = survey.checked_codes(received.codes)
        sent = Sent(codes, received.receipt, received.invitation, by_hand)
        sender, outcome = self._senders.sender(address), None
        try:
            outcome = self._store.receive(survey, sent, sender.admit)
        finally:
            if outcome is not Outcome.STORED:
                sender.take_back()
        if outcome in REFUSALS:
            raise refusal(outcome)
        return outcome


def _body(environ: WSGIEnvironment, read: Callable[[], bytes]) -> bytes:
    """Return the body of a request, up to Flask's limit MAX_CONTENT_LENGTH.

    Raises:
        IncompleteError: If the request broke off or took too long (see `respondent.intake.patience`).
        ResponseError: If the request has chunked transfer encoding and the body does not consist of chunks.
    """
    try:
        body = read()
    except (OSError, ClientDisconnected):  # as gunicorn says it, and as werkzeug does
        body = None
    except ChunksError:
        problem = f"the body comes in more than {MOST_CHUNKS} chunks"
        raise ResponseError("body", problem, "send it with a Content-Length, or in larger chunks") from None
    except ParseException as error:
        if isinstance(error, ChunkMissingTerminator) and CRLF.startswith(error.term):
            raise incomplete() from None  # nothing came where the end of a chunk was to come
        raise ResponseError(
            "body", "the body is not sent in chunks as its header says", "send the response again"
        ) from None
    if len(body or b"") >= LARGEST_RESPONSE and (len(body or b"") > LARGEST_RESPONSE or environ["wsgi.input"].read(1)):
        raise RequestEntityTooLarge  # chunks have no length to be refused by, and werkzeug cuts them off in silence
    if body is None or len(body) < int(environ.get("CONTENT_LENGTH") or 0):
        raise incomplete()
    return body


def incomplete() -> IncompleteError:
    """Return the error for a request that did not arrive completely or took too long."""
    return IncompleteError("body", "the request broke off or took too long to arrive", "send the response again")


def _check_sampled(survey: Survey, received: Received, *, by_hand: bool) -> None:
    """Refuse a response to a split questionnaire that omits questions, or that was disguised by hand.

    The length of a response must not reveal which questions were asked. Respondents cannot draw questions by hand.
    """
    if by_hand:
        raise ResponseError("form", "this survey cannot be answered by hand", "answer on the page of the survey")
    if not all(question.name in received.codes for question in survey.questions):
        raise ResponseError("codes", "a question is missing", "send null for each question that was not asked")


def check_json(environ: WSGIEnvironment) -> None:
    """Refuse a request whose media type is not JSON.

    Raises:
        MediaTypeError: If the media type is not ``application/json``.
    """
    if _media_type(environ) != "application/json":
        raise MediaTypeError(
            "request", "the media type is not application/json", "send JSON with the media type application/json"
        )


def check_sender(environ: WSGIEnvironment) -> None:
    """Refuse a request from a page of another site, if headers of the request show the other site.

    Raises:
        ForeignError: If ``Sec-Fetch-Site`` or ``Origin`` names another site.
    """
    site, origin = environ.get("HTTP_SEC_FETCH_SITE"), environ.get("HTTP_ORIGIN")
    ours = origin is None or _host(origin) == get_host(environ).lower()
    if site not in {None, "same-origin"} or not ours:
        raise foreign()


def foreign() -> ForeignError:
    """Return the error for a request from another site."""
    return ForeignError("request", "the request comes from another site", "open the survey's own page and answer there")


def check_form(environ: WSGIEnvironment) -> None:
    """Refuse a form with a wrong media type, or from a page of another site.

    With the referrer policy ``same-origin`` of the page, browsers name the origin when they send the form. Old browsers
    may not name the origin of a form. For a form without an origin, the form's proof is the only check.

    Raises:
        MediaTypeError: If the media type is not ``application/x-www-form-urlencoded``.
        ForeignError: If ``Sec-Fetch-Site``, ``Origin`` or (without ``Origin``) ``Referer`` names another site.
    """
    if _media_type(environ) != "application/x-www-form-urlencoded":
        raise MediaTypeError(
            "request",
            "the media type is not application/x-www-form-urlencoded",
            "send the form from the page of the survey",
        )
    check_sender(environ)
    referrer = environ.get("HTTP_REFERER")
    if "HTTP_ORIGIN" not in environ and referrer and _host(referrer) != get_host(environ).lower():
        raise foreign()


def _media_type(environ: WSGIEnvironment) -> str:
    given: str = environ.get("CONTENT_TYPE", "")
    return given.partition(";")[0].strip().lower()


def _host(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
