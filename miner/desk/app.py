"""Serve the desk as a web application for one browser on this machine (`owner.guarded`)."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from threading import Lock

from flask import Blueprint, Flask, Response, abort, redirect, request
from werkzeug.wrappers import Response as Answer

from collector.errors import DeniableError
from collector.maintenance.running import state_of
from miner.desk.desk import Desk, Snapshot
from miner.desk.files import csv_file, parquet_file, report_file
from miner.desk.page import page
from owner.guarded import Guarded
from owner.link import Link

ROOM = Path(__file__).resolve().parent
LONGEST = 1024  # largest request in bytes
TYPES = {"desk.css": "text/css", "desk.mjs": "text/javascript"}
GUARDED = Guarded("miner desk", LONGEST, "Back to the desk", "desk.css", {})


def create_app(desk: Desk, link: Link) -> Flask:
    """Return the application of the desk."""
    inside = Blueprint("inside", __name__)

    @inside.errorhandler(DeniableError)
    def refuse(error: DeniableError) -> Response:
        return GUARDED.message("That did not work", f"{error}.", HTTPStatus.CONFLICT, way_back=True)

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
    return GUARDED.app(link, inside)


def _hand_out(desk: Desk, inside: Blueprint) -> None:
    """Add the routes from which the desk's files are downloaded."""
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
