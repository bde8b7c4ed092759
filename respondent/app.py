"""The web application with pages, intake, static files, limits and headers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from pathlib import Path
from time import monotonic
from traceback import format_tb
from typing import TYPE_CHECKING

from flask import Flask, Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import BadHost, HTTPException, SecurityError
from werkzeug.middleware.proxy_fix import ProxyFix

from collector.errors import DeniableError, InputError, ResponseError, StoreError, SurveyError
from collector.page.static_files import static_folder
from collector.store.store import Store
from collector.survey.study import Study
from collector.survey.survey import LARGEST_RESPONSE
from respondent.errors import NoSuchInvitationError, NoSuchResponseError, RefusalError
from respondent.headers import protect
from respondent.intake.callers import Limits
from respondent.intake.intake import PREFIX, Intake
from respondent.intake.limits import MINUTE, Callers, Health, Senders
from respondent.intake.shortcut import shorten
from respondent.pages.pages import pages
from respondent.pages.static_files import serve_static

if TYPE_CHECKING:
    from _typeshed import OptExcInfo

MOST_FIELDS = 1100  # largest number of fields of a form. A survey has at most 1,000 questions
PACKAGE = Path(__file__).resolve().parent
RETRY_SECONDS = {HTTPStatus.SERVICE_UNAVAILABLE: 10, HTTPStatus.TOO_MANY_REQUESTS: 60}
REASONS: dict[int, str] = {
    HTTPStatus.NOT_FOUND: "no-such-address",
    HTTPStatus.METHOD_NOT_ALLOWED: "method",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too-long",
    HTTPStatus.INTERNAL_SERVER_ERROR: "unavailable",
    HTTPStatus.SERVICE_UNAVAILABLE: "unavailable",
}
IN_WORDS: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "request: it is not one this server takes; check the address",
    HTTPStatus.NOT_FOUND: "address: there is no such page here; check the link you were given",
    HTTPStatus.METHOD_NOT_ALLOWED: "address: it does not take that method; open the survey's page instead",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: f"body: it is longer than {LARGEST_RESPONSE} bytes; send one response",
    HTTPStatus.INTERNAL_SERVER_ERROR: "server: something went wrong here; try again later",
    HTTPStatus.SERVICE_UNAVAILABLE: "server: it cannot read or store anything just now; try again in a minute",
}


def create_app(
    store: Store,
    *,
    limits: Limits | None = None,
    trusted_hosts: Sequence[str] = (),
    proxy_hops: int = 0,
    mark: str = "",
) -> Flask:
    """Return the web application, which reads surveys from a store and stores responses in the store.

    Args:
        store: Store of surveys and responses.
        limits: Limits on the requests of one address.
        trusted_hosts: Host names that the server accepts in the ``Host`` header, or an empty sequence for any name.
        mark: Mark on every page, such as ``preview``, or an empty text for no mark.
        proxy_hops: Number of proxies in front of the server, whose ``X-Forwarded-`` headers are trusted.
    """
    app = Flask(__name__, static_folder=None, template_folder=str(_folder("templates")))
    app.config["MAX_CONTENT_LENGTH"] = app.config["MAX_FORM_MEMORY_SIZE"] = LARGEST_RESPONSE
    app.config["MAX_FORM_PARTS"] = MOST_FIELDS
    app.config["TRUSTED_HOSTS"] = list(trusted_hosts) or None
    callers, taken = Callers(limits or Limits(), app.logger), Intake(store, Senders(), Health(app.logger))
    shorten(app, taken, callers.check)
    if proxy_hops:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign] # as its own documentation has it
            app.wsgi_app, x_for=proxy_hops, x_proto=proxy_hops, x_host=proxy_hops
        )
    app.jinja_env.globals["mark"] = mark
    app.url_map.merge_slashes = False  # an address that is not quite right is not found, and not redirected
    serve_static(app, static_folder())
    app.register_blueprint(pages(store))
    app.register_blueprint(taken.routes())
    app.log_exception = partial(_log_exception, app, _once_in(MINUTE))  # type: ignore[method-assign] # Flask's own tells the address
    _translate_errors(app, callers)
    protect(app)
    return app


def _log_exception(app: Flask, is_news: Callable[[str], bool], failure: OptExcInfo) -> None:
    """Log where an unexpected exception was raised, without the request and the text of the exception."""
    kind, _, trace = failure
    line = "".join(format_tb(trace)) + getattr(kind, "__name__", "unknown")
    if is_news(line):
        app.logger.error("%s", line)


def _folder(name: str) -> Path:
    """Return the path of a folder with files that the package serves."""
    packed = PACKAGE / name
    return packed if packed.is_dir() else PACKAGE.parent / name


def _translate_errors(app: Flask, callers: Callers) -> None:
    """Turn every error into an HTTP response: JSON for addresses of the API, otherwise a page."""
    is_news = _once_in(MINUTE)

    @app.errorhandler(DeniableError)
    def refuse(error: DeniableError) -> Response:
        if isinstance(error, RefusalError):
            if isinstance(error, NoSuchInvitationError | NoSuchResponseError):
                callers.count_guess(str((request.view_args or {}).get("name")), error.reason)
            return _answer(error.status, error.reason, str(error), error.study)
        if isinstance(error, ResponseError):
            return _answer(HTTPStatus.BAD_REQUEST, RefusalError.reason, str(error))
        if is_news(str(error)):
            app.logger.error("%s", error)  # for the operator: it names the store, and no respondent
        busy = isinstance(error, StoreError)
        status = HTTPStatus.SERVICE_UNAVAILABLE if busy else HTTPStatus.INTERNAL_SERVER_ERROR
        broken = bool(app.jinja_env.globals["mark"]) and isinstance(error, SurveyError | InputError)
        return _answer(status, "broken" if broken else REASONS[status], IN_WORDS[status], lines=error.lines)

    @app.errorhandler(HTTPException)
    def fail(error: HTTPException) -> Response:
        status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
        if isinstance(error, SecurityError | BadHost):  # a host we do not answer to: no page can be addressed under it
            return _as_json(status, RefusalError.reason, IN_WORDS[status])
        line = IN_WORDS.get(status, f"request: {error.name}; check the address")
        response = _answer(status, REASONS.get(status, RefusalError.reason), line)
        for name, value in error.get_headers():
            if name in {"Allow", "Location"}:
                response.headers[name] = value
        return response


def _once_in(seconds: float) -> Callable[[str], bool]:
    """Return a function that returns True if a line was not logged in the last `seconds`."""
    logged: dict[str, float] = {}

    def is_news(line: str) -> bool:
        now = monotonic()
        news = line not in logged or now - logged[line] >= seconds
        if news:
            logged[line] = now
        return news

    return is_news


def _answer(status: int, reason: str, line: str, study: Study | None = None, lines: Sequence[str] = ()) -> Response:
    """Return an error as JSON for a program, or as a page.

    The text of `lines`, which may name files, is shown only in previews.
    """
    if request.path.startswith(f"{PREFIX}/"):
        response = _as_json(status, reason, line)
    else:
        response = make_response(render_template("error.html", reason=reason, study=study, lines=lines), status)
    if status in RETRY_SECONDS:
        response.headers["Retry-After"] = str(RETRY_SECONDS[HTTPStatus(status)])
    return response


def _as_json(status: int, reason: str, line: str) -> Response:
    return make_response(jsonify(error=line, reason=reason), status)
