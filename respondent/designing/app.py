"""The survey designer as a web application for one browser on this machine (see `owner.guarded`)."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from decimal import Decimal
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Response, abort, request, send_file
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Response as Answer

from collector.errors import DeniableError, SurveyError
from collector.survey_file.survey_file import Compiled
from owner.guarded import HEADERS, Guarded
from owner.link import Link
from respondent.designing.beginnings import beginnings, begun
from respondent.designing.chosen import chosen_design
from respondent.designing.document import OvertakenError, SurveyDocument
from respondent.designing.figures import slid
from respondent.designing.meaning.offers import group_offers, offers_of
from respondent.designing.meaning.plain import draws_for_coins
from respondent.designing.meaning.prices import price_of_mend
from respondent.designing.meaning.whole import whole_offers
from respondent.designing.mends import difference, label_of
from respondent.designing.operations import edited
from respondent.designing.publishing import (
    STILL_OPEN,
    as_plain,
    frozen_by,
    offered_store,
    problem_before,
    published_in,
    unfinished,
)
from respondent.designing.showing.draft import DraftAddress, respondents_page
from respondent.designing.showing.file_lines import lines_of
from respondent.designing.showing.routes import routes_of
from respondent.designing.state import state_of
from respondent.designing.translating.table import read_table, table_of
from respondent.designing.values import EditError

PAGE = Path(__file__).resolve().parent / "page"
LARGEST_FILE = 20_000_000  # maximum number of bytes of an uploaded file
LONGEST = LARGEST_FILE * 4 // 3 + 10_000  # maximum number of bytes of a request, with the file in base64
TYPES = {".css": "text/css", ".mjs": "text/javascript"}
FRAMING = "frame-ancestors 'none'"
POLICY = HEADERS["Content-Security-Policy"] + "; frame-src 'self'; img-src 'self'"
GUARDED = Guarded("respondent design", LONGEST, "Back to the survey", "design.css", {"Content-Security-Policy": POLICY})
MOST_PRICED = 100  # maximum number of groups for which a fix is priced unasked: more would slow the next edit down
RESPONDENTS = 1000  # default number of respondents
Body = dict[str, Any]


def create_app(document: SurveyDocument, link: Link, draft: DraftAddress | None = None) -> Flask:
    """Return the application that edits a survey file.

    Args:
        document: The survey file.
        link: Secret link of the browser that may use the designer.
        draft: Second address at which others can read the draft, or None.
    """
    inside = Blueprint("inside", __name__)
    _refuse(document, inside)
    _page(inside)
    _edit(document, inside)
    _figures(document, inside)
    _whole_response(document, inside)
    _translate(document, inside)
    _begin_and_publish(document, inside)
    _preview(document, inside)
    _show(document, inside)
    app = GUARDED.app(link, inside)
    if draft is not None:
        app.register_blueprint(draft.routes(document))
    return app


def _refuse(document: SurveyDocument, inside: Blueprint) -> None:
    """Add the handlers that answer refused requests with an error in JSON."""

    @inside.errorhandler(OvertakenError)
    def refuse_outdated(error: OvertakenError) -> Response:
        return as_json({"problem": str(error), "state": state_of(document, _respondents())}, HTTPStatus.CONFLICT)

    @inside.errorhandler(RequestEntityTooLarge)
    def refuse_large(_: RequestEntityTooLarge) -> Response:
        problem = f"This is too large. Files of at most {LARGEST_FILE // 1_000_000} MB fit."
        return as_json({"problem": problem}, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)

    @inside.errorhandler(DeniableError)
    def refuse(error: DeniableError) -> Response:
        return as_json({"problem": str(error)}, HTTPStatus.BAD_REQUEST)


def _page(inside: Blueprint) -> None:
    """Add the routes that send the HTML page, its scripts and its styles."""

    @inside.get("/")
    def show() -> Response:
        if not request.path.endswith("/"):  # relative links would lead elsewhere
            abort(HTTPStatus.NOT_FOUND)
        return Response((PAGE / "design.html").read_bytes(), mimetype="text/html")

    @inside.get("/<path:name>")
    def part(name: str) -> Response:
        path = (PAGE / name).resolve()
        if path.suffix not in TYPES or not path.is_relative_to(PAGE) or not path.is_file():
            abort(HTTPStatus.NOT_FOUND)
        return Response(path.read_bytes(), mimetype=TYPES[path.suffix])


def _edit(document: SurveyDocument, inside: Blueprint) -> None:
    """Add the routes that send the state of the designer and edit the survey file."""

    def changed(change: Callable[[int, Body], None]) -> Response:
        body = body_of_request()
        with document.lock:
            change(_version(body), body)
            return as_json(state_of(document, _respondents()))

    @inside.get("/state")
    def state() -> Response:
        with document.lock:
            document.look()
            return as_json(state_of(document, _respondents()))

    @inside.post("/edit")
    def edit() -> Response:
        return changed(lambda version, body: document.edit(version, _edits(body)))

    @inside.post("/mend")
    def mend() -> Response:
        body = body_of_request()
        with document.lock:
            document.check(_version(body))
            before, after = document.text, document.mended(str(body.get("mend")), _respondents())
            if body.get("apply") is True:
                document.replace(document.version, after)
            diff = difference(before, after, document.path.name)
            price = price_of_mend(before, after, document.path.parent, _respondents())
            return as_json({"diff": diff, "cost": price.sentence, "state": state_of(document, _respondents())})

    @inside.post("/undo")
    def undo() -> Response:
        return changed(lambda version, _: document.undo(version))

    @inside.post("/redo")
    def redo() -> Response:
        return changed(lambda version, _: document.redo(version))


def _figures(document: SurveyDocument, inside: Blueprint) -> None:
    """Add the routes that send the figures of the current design and of designs that the user tries."""

    @inside.get("/statement")
    def statement() -> Response:
        with document.lock:
            figures = document.figures(_respondents())
            return as_json([] if figures is None else [draws_for_coins(each) for each in figures.lines])

    @inside.get("/slider")
    def slider() -> Response:
        group, strength = request.args.get("group", ""), "epsilon" if "epsilon" in request.args else "truth"
        with document.lock:
            if document.last is None:
                raise EditError(
                    "survey",
                    "the survey file still has errors",
                    "fix the problems of the survey first",
                )
            return as_json(slid(document.last, group, strength, request.args.get(strength, ""), _respondents()))

    @inside.get("/presets")
    def presets() -> Response:
        with document.lock:
            text, found = document.text, document.compiled()
        index, offers = request.args.get("question", -1, int), group_offers if "group" in request.args else offers_of
        known = found if isinstance(found, Compiled) else None
        return as_json(offers(text, document.path.parent, index, _respondents(), known))

    @inside.get("/price")
    def price() -> Response:
        try:
            with document.lock:
                before, make = document.text, document.mending(request.args.get("mend", ""), _respondents())
                if len(document.values.get("groups", {})) > MOST_PRICED:
                    return as_json(None)
            after = make()
            price = price_of_mend(before, after, document.path.parent, _respondents())
            return as_json(
                {"words": price.short, "factor": price.factor, "label": label_of(before, after, document.path.parent)}
            )
        except EditError:  # an edit has removed the remark meanwhile, or it is followed by hand
            return as_json(None)


def _whole_response(document: SurveyDocument, inside: Blueprint) -> None:
    """Add the routes that send what an epsilon of the whole response would mean."""

    @inside.get("/whole")
    def whole() -> Response:
        with document.lock:
            text = document.text
        return as_json(whole_offers(text, document.path.parent, _respondents()))

    @inside.get("/chosen")
    def chosen() -> Response:
        with document.lock:
            found, values = document.compiled(), document.values
        if not isinstance(found, Compiled):
            return as_json(None)
        epsilon = request.args.get("epsilon")
        return as_json(chosen_design(found, values, document.path.parent, _respondents(), epsilon))


def _translate(document: SurveyDocument, inside: Blueprint) -> None:
    """Add the routes that export the texts of the survey as a table, and import the translated table."""

    @inside.get("/texts<any('.csv', '.xlsx'):suffix>")
    def texts(suffix: str) -> Response:
        with document.lock:
            table = table_of(document.values, suffix)
        name = f"{document.path.stem}_texts{suffix}"
        return send_file(BytesIO(table), download_name=name, as_attachment=True)

    @inside.post("/translated")
    def translated() -> Response:
        body = body_of_request()
        content = _content(body)
        with document.lock:
            document.check(_version(body))
            found = read_table(document.values, str(body.get("name", "")), content)
            if body.get("apply") is True:
                document.edit(document.version, found.edits)
            else:
                edited(document.text, found.edits)
            state = state_of(document, _respondents())
            return as_json({"changes": found.changes, "notes": found.notes, "state": state})

    @inside.post("/confirm")
    def confirm() -> Response:
        body = body_of_request()
        with document.lock:
            document.check(_version(body))
            document.originals.confirm(document.values, str(body.get("name")), str(body.get("language")))
            return as_json(state_of(document, _respondents()))


def _begin_and_publish(document: SurveyDocument, inside: Blueprint) -> None:
    """Add the routes that begin a new survey file and publish the survey."""

    @inside.get("/beginnings")
    def show_beginnings() -> Response:
        return as_json(beginnings())

    @inside.post("/begin")
    def begin() -> Response:
        body = body_of_request()
        new = begun(str(body.get("kind")), str(body.get("name", "")), _content(body), str(body.get("language", "")))
        with document.lock:
            document.replace(_version(body), new.text)
            return as_json({"begun": new.report, "state": state_of(document, _respondents())})

    @inside.post("/publish")
    def publish() -> Response:
        body = body_of_request()
        with document.lock:
            document.check(_version(body))
            found = document.compiled()
            if isinstance(found, SurveyError):
                raise problem_before(document)
            store = body["store"] if "store" in body else offered_store(document, found.survey)
            if not isinstance(store, str) or not store:
                raise EditError("store", "the value is not text", "name the store, such as deniable.db")
            if body.get("confirmed") is not True:
                freezes = frozen_by(found.survey, store)
                return as_json(
                    {"freezes": freezes, "open": STILL_OPEN, "store": store, "unfinished": unfinished(document)}
                )
            published = published_in(found.survey, store)
            document.store = store
            return as_json(as_plain(published, store))


def _preview(document: SurveyDocument, inside: Blueprint) -> None:
    """Add the route of the preview, which shows the respondent's page inside the designer and stores nothing."""
    page = respondents_page(document, "preview")

    @inside.route("/preview/<path:below>", methods=["GET", "POST", "DELETE"])
    def preview(below: str) -> Answer:
        answer = page(request.path[: request.path.index("/preview/") + len("/preview")], below)
        policy = answer.headers.get("Content-Security-Policy", "")
        answer.headers["Content-Security-Policy"] = policy.replace(FRAMING, "frame-ancestors 'self'")
        return answer


def _show(document: SurveyDocument, inside: Blueprint) -> None:
    """Add the routes that send who is asked each question, and the lines of the survey file."""

    @inside.get("/routes")
    def routes() -> Response:
        with document.lock:
            shown, values = document.previewed(), document.values
        if shown is None or shown.is_stale:
            return as_json(None)
        return as_json(routes_of(shown.survey, values, _respondents()))

    @inside.get("/lines")
    def lines() -> Response:
        with document.lock:
            return as_json(lines_of(document.text, state_of(document, _respondents())["problems"]))


def _version(body: Body) -> int:
    version = body.get("version")
    if type(version) is not int:
        raise EditError(
            "version", "the version is not a whole number", "send the version number of the draft that you edited"
        )
    return version


def _content(body: Body) -> bytes:
    """Return the bytes of the uploaded file in the body of a request."""
    try:
        return b64decode(str(body.get("content", "")), validate=True)
    except ValueError:
        raise EditError("content", "the file did not arrive as base64", "choose the file again") from None


def _respondents() -> int:
    return max(1, request.args.get("respondents", RESPONDENTS, int))


def body_of_request() -> Body:
    """Return the JSON body of the current request, with decimal numbers as `Decimal`.

    Raises:
        EditError: If the body is not a JSON object.
    """
    try:
        found = json.loads(request.get_data(), parse_float=Decimal, parse_constant=_no_number)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise EditError("body", "the request is not a JSON object", "reload the page")
    return found


def _no_number(text: str) -> float:
    raise ValueError(text)


def _edits(body: Body) -> list[Body]:
    edits = body.get("edits")
    if not (isinstance(edits, list) and all(isinstance(each, dict) for each in edits)):
        raise EditError("edits", "the edits are not a list of objects", "reload the page")
    return edits


def as_json(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:  # noqa: ANN401 - any JSON
    """Return a JSON response that keeps the order of keys."""
    return Response(json.dumps(value, default=_plain, ensure_ascii=False), status, mimetype="application/json")


def _plain(value: object) -> object:
    """Return a decimal as a float, and a date or a time as ISO text."""
    return float(value) if isinstance(value, Decimal) else str(getattr(value, "isoformat", lambda: value)())
