"""A web application for one browser on this machine, with a secret address, a strict content policy and no cookie.

Requests without the secret address always get the status 404. Refused requests with the secret address get an
explanation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from traceback import format_tb
from typing import TYPE_CHECKING

from flask import Blueprint, Flask, Response, abort, make_response, redirect, render_template, request
from werkzeug.exceptions import HTTPException, SecurityError
from werkzeug.wrappers import Response as Answer

from owner.link import Link

if TYPE_CHECKING:
    from _typeshed import OptExcInfo

ROOM = Path(__file__).resolve().parent
MEGABYTE = 10**6
NAMES = ["127.0.0.1", "localhost"]  # names of this machine in the browser. Another site's name may lead here too
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "worker-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer browsers send a form as if from "null", as any site may
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Guarded:
    """The settings of a page that is available to only one browser on this machine.

    Attributes:
        command: Command line of the command that shows the page.
        longest: Largest allowed size of a request, in bytes.
        back: Text of the link on an error message that leads back to the page.
        style: Name of the page's style sheet, below the secret address.
        headers: HTTP headers that replace headers of equal names in `HEADERS`.
    """

    command: str
    longest: int
    back: str
    style: str
    headers: dict[str, str]

    def app(self, link: Link, inside: Blueprint) -> Flask:
        """Return the application with the one-time link, and with a Flask blueprint behind the secret address."""
        app = Flask(__name__, static_folder=None, template_folder=str(ROOM))
        app.config.update(TRUSTED_HOSTS=NAMES, MAX_CONTENT_LENGTH=self.longest, PROVIDE_AUTOMATIC_OPTIONS=False)
        app.log_exception = partial(_log_exception, app)  # type: ignore[method-assign] # Flask's own tells the address
        app.url_map.merge_slashes = app.url_map.strict_slashes = False

        @app.get("/open/<given>")
        def enter(given: str) -> Answer:
            secret = link.exchange(given) if request.method == "GET" else None
            return redirect(f"/{secret}/", HTTPStatus.SEE_OTHER) if secret else abort(HTTPStatus.NOT_FOUND)

        @app.after_request
        def protect(response: Response) -> Response:
            for name, value in (HEADERS | self.headers).items():
                response.headers.setdefault(name, value)
            return response

        @app.errorhandler(HTTPException)
        def fail(error: HTTPException) -> Response:
            again, said = f"Stop {self.command}, and start it again", self._said(error)
            of_ours = request.method in {"GET", "HEAD", "POST"} and not isinstance(error, SecurityError)
            if said and of_ours and link.admits(request.path.split("/")[1]):
                return self.message("Not done", said, HTTPStatus(error.code or 0), way_back=True)
            if (error.code or 0) < HTTPStatus.INTERNAL_SERVER_ERROR:
                gone = f"This link opens nothing: it is wrong, or used, or too old. {again} for a new one."
                return self.message("Not found", gone, HTTPStatus.NOT_FOUND, way_back=False)
            broken = f"Something went wrong here. {again}."
            return self.message("Broken", broken, HTTPStatus.INTERNAL_SERVER_ERROR, way_back=False)

        inside.before_request(partial(_check, link))
        app.register_blueprint(inside, url_prefix="/<given>")
        return app

    def _said(self, error: HTTPException) -> str:
        """Return the message for a refused request, which is empty if the page does not exist."""
        return {
            HTTPStatus.BAD_REQUEST: "The request could not be read. Reload the page, and try again.",
            HTTPStatus.METHOD_NOT_ALLOWED: "The page cannot do this at this address. Reload the page, and try again.",
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE: f"This is too large. At most {self.longest / MEGABYTE:g} MB fit.",
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The request could not be read. Reload the page, and try again.",
        }.get(HTTPStatus(error.code or HTTPStatus.NOT_FOUND), "")

    def message(self, title: str, words: str, status: HTTPStatus, *, way_back: bool) -> Response:
        """Return a page that explains a refusal."""
        shown = render_template("message.html", title=title, words=words, way_back=way_back, page=self)
        return make_response(shown, status)


def _check(link: Link) -> None:
    """Refuse requests without the secret address, and requests from other sites."""
    given = (request.view_args or {}).pop("given", "")
    own = request.method in {"GET", "HEAD"} or request.headers.get("Origin") == request.host_url.rstrip("/")
    if not (link.admits(given) and own):
        abort(HTTPStatus.NOT_FOUND)


def _log_exception(app: Flask, failure: OptExcInfo) -> None:
    kind, _, trace = failure
    app.logger.error("%s%s", "".join(format_tb(trace)), getattr(kind, "__name__", "unknown"))
