"""The one door in, for one disguised response at a time. docs/openapi.yaml has the whole of the interface.

    POST   /api/v1/surveys/NAME/responses   {"fingerprint": ..., "codes": {...}, "receipt": ...}, and "invitation"
    DELETE /api/v1/surveys/NAME/responses   {"receipt": ...}, and "fingerprint", which is of no matter
    POST   /s/NAME/by-hand                  the same as a form, disguised by the person
    GET    /api/v1/health                   200, or 503 where the store cannot be read, or refuses all that is sent

Exactly these keys, every question present; in a sampled survey with null where it was not asked. Everything else is
refused with one line that never repeats what was sent.
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
from respondent.intake.limits import Health, Senders
from respondent.intake.proof import is_ours
from respondent.intake.states import REFUSALS, newest_of, refusal, version_of

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

PREFIX = "/api/v1"
CRLF = b"\r\n"  # the end of a chunk
STATUSES = {Outcome.STORED: HTTPStatus.CREATED, Outcome.REPEATED: HTTPStatus.OK}


class Intake:
    """Stores in a store what comes from senders."""

    def __init__(self, store: Store, senders: Senders, health: Health) -> None:
        self._store = store
        self._senders = senders
        self._health = health

    def routes(self) -> Blueprint:
        """All that is taken."""
        routes = Blueprint("intake", __name__)

        @routes.post(f"{PREFIX}/surveys/<name>/responses")
        def receive(name: str) -> Response:
            outcome = self.take(request.environ, name, request.get_data)
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
                raise RefusingError("server", "it refuses all responses to a survey", "read its log")
            return {"status": "ok"}

        @routes.post("/s/<name>/by-hand")
        def receive_by_hand(name: str) -> tuple[str, int]:
            check_form(request.environ)
            _body(request.environ, request.get_data)
            received = read_form(request.form)
            if not is_ours(self._store, name, received.receipt, received.proof):
                raise StaleError(
                    "form",
                    "it was not made here for this survey, today or yesterday",
                    "open the form again, and copy it",
                )
            survey = version_of(self._store, name, received.fingerprint)
            if survey.sampling is None and any(each.name not in received.codes for each in survey.questions):
                raise UnmarkedError("form", "a question has no mark", "mark one line for each question")
            outcome = self._keep(request.remote_addr or "", name, received, by_hand=True)
            again = outcome is Outcome.REPEATED
            return render_template("stored.html", again=again, study=survey.study), STATUSES[outcome]

        return routes

    def take(self, environ: WSGIEnvironment, name: str, read: Callable[[], bytes]) -> Outcome:
        """Store the response that a request brings as JSON.

        Returns:
            Stored, or stored before.

        Raises:
            RefusalError: If it is refused.
            StoreError: If the store cannot be read or written.
        """
        check_json(environ)
        check_sender(environ)
        received = read_response(_body(environ, read))
        return self._keep(environ.get("REMOTE_ADDR", ""), name, received)

    def _keep(self, address: str, name: str, received: Received, *, by_hand: bool = False) -> Outcome:
        try:
            outcome = self._kept(address, name, received, by_hand=by_hand)
        except OutdatedError:
            self._health.refused(name)
            raise
        except StoreError:
            self._health.refused()
            raise
        self._health.stored(name)
        return outcome

    def _kept(self, address: str, name: str, received: Received, *, by_hand: bool = False) -> Outcome:
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
    """All that was sent, which MAX_CONTENT_LENGTH bounds; a form is read from the same bytes.

    Raises:
        IncompleteError: If it broke off, or took too long (`respondent.intake.patience`).
        ResponseError: If it is not in the chunks it is said to be in.
    """
    try:
        body = read()
    except (OSError, ClientDisconnected):  # as gunicorn says it, and as werkzeug does
        body = None
    except ParseException as error:
        if isinstance(error, ChunkMissingTerminator) and CRLF.startswith(error.term):
            raise incomplete() from None  # nothing came where the end of a chunk was to come
        raise ResponseError("body", "it is not in the chunks it is said to be in", "send it again") from None
    if len(body or b"") >= LARGEST_RESPONSE and (len(body or b"") > LARGEST_RESPONSE or environ["wsgi.input"].read(1)):
        raise RequestEntityTooLarge  # chunks have no length to be refused by, and werkzeug cuts them off in silence
    if body is None or len(body) < int(environ.get("CONTENT_LENGTH") or 0):
        raise incomplete()
    return body


def incomplete() -> IncompleteError:
    """The error for a request that broke off, or took too long."""
    return IncompleteError("body", "it did not come whole in time", "send it again")


def _check_sampled(survey: Survey, received: Received, *, by_hand: bool) -> None:
    """Refuse what leaves a question out: a response is to be as long whatever was asked, and by hand none is drawn."""
    if by_hand:
        raise ResponseError("form", "this survey cannot be answered by hand", "answer on its own page")
    if not all(question.name in received.codes for question in survey.questions):
        raise ResponseError("codes", "a question is not there", "send null for each that was not asked")


def check_json(environ: WSGIEnvironment) -> None:
    """Refuse what is not JSON by its own account.

    Raises:
        MediaTypeError: If the media type is not ``application/json``.
    """
    if _media_type(environ) != "application/json":
        raise MediaTypeError("request", "the media type is not application/json", "send JSON, and say so")


def check_sender(environ: WSGIEnvironment) -> None:
    """Refuse what a page of another site sent: browsers say so, and no other client has a reason to.

    Raises:
        ForeignError: If ``Sec-Fetch-Site`` or ``Origin`` names another site.
    """
    site, origin = environ.get("HTTP_SEC_FETCH_SITE"), environ.get("HTTP_ORIGIN")
    ours = origin is None or _host(origin) == get_host(environ).lower()
    if site not in {None, "same-origin"} or not ours:
        raise foreign()


def foreign() -> ForeignError:
    """The error for a request from another site."""
    return ForeignError("request", "it comes from another site", "open the survey's own page and answer there")


def check_form(environ: WSGIEnvironment) -> None:
    """Refuse what is not a plain form of our own page's, as far as the browser says where it comes from.

    The page of the form has the referrer policy ``same-origin``: with it browsers name its origin when they send the
    form. Those that are too old to name one name its address, or nothing; then the form's proof must do.

    Raises:
        MediaTypeError: If the media type is not ``application/x-www-form-urlencoded``.
        ForeignError: If ``Sec-Fetch-Site``, ``Origin`` or, without that, ``Referer`` names another site.
    """
    if _media_type(environ) != "application/x-www-form-urlencoded":
        raise MediaTypeError(
            "request", "the media type is not that of a plain form", "send the form as the page has it"
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
