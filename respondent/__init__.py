"""The web server: hands out the published design as a page, takes in disguised codes, and never meets an answer."""

from __future__ import annotations

import mimetypes
from http import HTTPStatus
from pathlib import Path

from flask import Flask, Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException

from collector.errors import DeniableError, ResponseError, StoreError
from collector.store import Store
from respondent.errors import RefusalError
from respondent.headers import protect
from respondent.intake import LARGEST_BODY, PREFIX, intake
from respondent.pages import pages

PACKAGE = Path(__file__).resolve().parent
RETRY_SECONDS = 10
IN_WORDS: dict[int, str] = {
    HTTPStatus.NOT_FOUND: "address: there is no such page here; check the link you were given",
    HTTPStatus.METHOD_NOT_ALLOWED: "address: it does not take that method; open the survey's page instead",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: f"body: it is longer than {LARGEST_BODY} bytes; send one response",
    HTTPStatus.INTERNAL_SERVER_ERROR: "server: something went wrong here; try again later",
    HTTPStatus.SERVICE_UNAVAILABLE: "server: it cannot read or store anything just now; try again in a minute",
}


def create_app(store: Store) -> Flask:
    """The web app, reading surveys from this store and keeping responses in it."""
    app = Flask(__name__, static_folder=str(_folder("static")), template_folder=str(_folder("templates")))
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    app.url_map.merge_slashes = False  # an address that is not quite right is not found, and not redirected
    mimetypes.add_type("text/javascript", ".mjs")  # else a browser told not to guess runs none of it
    app.register_blueprint(pages(store))
    app.register_blueprint(intake(store))
    protect(app)
    _translate_errors(app)
    return app


def _folder(name: str) -> Path:
    """Inside the package where it was installed, beside it in a checkout."""
    packed = PACKAGE / name
    return packed if packed.is_dir() else PACKAGE.parent / name


def _translate_errors(app: Flask) -> None:
    """Turn every error into an answer, once: JSON under the API's prefix, a page elsewhere."""

    @app.errorhandler(DeniableError)
    def refuse(error: DeniableError) -> Response:
        if isinstance(error, RefusalError):
            return _answer(error.status, str(error))
        if isinstance(error, ResponseError):
            return _answer(HTTPStatus.BAD_REQUEST, str(error))
        app.logger.error("%s", error)  # for the operator: it names the store, and no respondent
        busy = isinstance(error, StoreError)
        status = HTTPStatus.SERVICE_UNAVAILABLE if busy else HTTPStatus.INTERNAL_SERVER_ERROR
        return _answer(status, IN_WORDS[status])

    @app.errorhandler(HTTPException)
    def fail(error: HTTPException) -> Response:
        status = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
        response = _answer(status, IN_WORDS.get(status, f"request: {error.name}; check the address"))
        for name, value in error.get_headers():
            if name in {"Allow", "Location"}:
                response.headers[name] = value
        return response


def _answer(status: int, line: str) -> Response:
    if request.path.startswith(f"{PREFIX}/"):
        response = make_response(jsonify(error=line), status)
    else:
        response = make_response(render_template("error.html", line=line), status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response
