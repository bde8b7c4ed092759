"""The desk as a web application for one browser on this machine: a secret address, a strict policy, no cookie.

The answer to whatever does not have the secret address is 404, the same for all.
"""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from traceback import format_tb
from typing import TYPE_CHECKING

from flask import Blueprint, Flask, Response, abort, make_response, redirect, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as Answer

from collector.errors import DeniableError
from collector.maintenance.running import state_of
from miner.desk.desk import Desk, Snapshot
from miner.desk.files import csv_file, parquet_file, report_file
from miner.desk.link import Link
from miner.desk.page import message, page

if TYPE_CHECKING:
    from _typeshed import OptExcInfo

ROOM = Path(__file__).resolve().parent
NAMES = ["127.0.0.1", "localhost"]  # that the browser may know us by: another site's name may lead here, too
LONGEST = 1024  # bytes that are sent to us
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer browsers send a form as if from "null", as any site may
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
TYPES = {"desk.css": "text/css", "desk.mjs": "text/javascript"}
GONE = "This link opens nothing: it is wrong, or used, or too old. Stop miner desk, and start it again for a new one."
BROKEN = "Something went wrong here. Stop miner desk, and start it again."


def create_app(desk: Desk, link: Link) -> Flask:
    """The application."""
    app = Flask(__name__, static_folder=None, template_folder=None)
    app.config.update(TRUSTED_HOSTS=NAMES, MAX_CONTENT_LENGTH=LONGEST, PROVIDE_AUTOMATIC_OPTIONS=False)
    app.log_exception = partial(_log_exception, app)  # type: ignore[method-assign] # Flask's own tells the address
    app.url_map.merge_slashes = app.url_map.strict_slashes = False

    @app.get("/open/<given>")
    def enter(given: str) -> Answer:
        inside = link.exchange(given) if request.method == "GET" else None
        return redirect(f"/{inside}/", HTTPStatus.SEE_OTHER) if inside else abort(HTTPStatus.NOT_FOUND)

    @app.after_request
    def protect(response: Response) -> Response:
        response.headers.update(HEADERS)
        return response

    @app.errorhandler(DeniableError)
    def refuse(error: DeniableError) -> Response:
        return make_response(message("That did not work", f"{error}.", way_back=True), HTTPStatus.CONFLICT)

    @app.errorhandler(HTTPException)
    def fail(error: HTTPException) -> Response:
        if (error.code or 0) < HTTPStatus.INTERNAL_SERVER_ERROR:
            return make_response(message("Not found", GONE, way_back=False), HTTPStatus.NOT_FOUND)
        return make_response(message("Broken", BROKEN, way_back=False), HTTPStatus.INTERNAL_SERVER_ERROR)

    app.register_blueprint(_inside(desk, link), url_prefix="/<given>")
    return app


def _log_exception(app: Flask, failure: OptExcInfo) -> None:
    kind, _, trace = failure
    app.logger.error("%s%s", "".join(format_tb(trace)), getattr(kind, "__name__", "unknown"))


def _inside(desk: Desk, link: Link) -> Blueprint:
    """What is behind the link."""
    inside = Blueprint("inside", __name__)

    @inside.before_request
    def check() -> None:
        given = (request.view_args or {}).pop("given", "")
        own = request.method != "POST" or request.headers.get("Origin") == request.host_url.rstrip("/")
        if not (link.admits(given) and own):
            abort(HTTPStatus.NOT_FOUND)

    @inside.get("/")
    def show() -> str:
        if not request.path.endswith("/"):  # relative links would lead elsewhere
            abort(HTTPStatus.NOT_FOUND)
        return page(desk, state_of(desk.store, desk.name))

    @inside.get("/<any('desk.css', 'desk.mjs'):name>")
    def part(name: str) -> Response:
        return Response((ROOM / name).read_bytes(), mimetype=TYPES[name])

    @inside.post("/close")
    def close() -> Answer:
        desk.store.close_survey(desk.name)
        return redirect("./", HTTPStatus.SEE_OTHER)

    @inside.post("/open")
    def open_again() -> Answer:
        desk.store.open_survey(desk.name)
        return redirect("./", HTTPStatus.SEE_OTHER)

    _hand_out(desk, inside)
    return inside


def _hand_out(desk: Desk, inside: Blueprint) -> None:
    """The files."""
    making, reports = Lock(), dict[Snapshot, bytes]()

    @inside.get("/responses.csv")
    def as_csv() -> Response:
        return _file(csv_file(_snapshot()), "text/csv", "responses.csv")

    @inside.get("/responses.zip")
    def as_parquet() -> Response:
        return _file(parquet_file(_snapshot()), "application/zip", "responses.zip")

    @inside.get("/report.html")
    def report() -> Response:
        with making:  # one at a time, and one for each batch
            snapshot = _snapshot()
            if snapshot not in reports:
                made = report_file(desk.store, snapshot)
                reports.clear()
                reports[snapshot] = made
            return _file(reports[snapshot], "text/html", "report.html")

    def _snapshot() -> Snapshot:
        return desk.files_of(state_of(desk.store, desk.name))

    def _file(content: bytes, kind: str, name: str) -> Response:
        saved = {"Content-Disposition": f'attachment; filename="{desk.name}-{name}"'}
        return Response(content, mimetype=kind, headers=saved)
