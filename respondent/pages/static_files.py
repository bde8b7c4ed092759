"""Static files as they are served: the checkout's, without the comments and the white space that people read there.

A survey has to be light on a slow phone. rjsmin and rcssmin take out what no browser acts on and rename nothing, so
that what is served can still be read, and compared with its source, by anybody who lays it out again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flask import Flask, Response, abort, request
from rcssmin import cssmin  # type: ignore[import-untyped] # it brings no types
from rjsmin import jsmin  # type: ignore[import-untyped] # nor does it

TYPES = {".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
TIGHTEN: dict[str, Callable[[str], str]] = {".mjs": jsmin, ".css": cssmin, ".svg": str.strip}


def tight(path: Path) -> str:
    """A static file without comments and white space that mean nothing."""
    return TIGHTEN[path.suffix](path.read_text(encoding="utf-8"))


def serve_static(app: Flask, folder: Path) -> None:
    """Serve a folder's files under ``/static/``, read once; browsers ask each time if they changed."""
    files = {path.name: tight(path) for path in folder.iterdir() if path.suffix in TYPES}

    @app.get("/static/<filename>", endpoint="static")
    def static(filename: str) -> Response:
        if filename not in files:
            abort(404)
        answer = Response(files[filename], mimetype=TYPES[Path(filename).suffix])
        answer.headers["Cache-Control"] = "no-cache"
        answer.add_etag()
        answer.make_conditional(request)
        return answer
