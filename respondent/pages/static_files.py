"""Static files, served byte for byte: what runs in a browser is what stands in ``static/``, and can be read.

``static/disguise/`` is what a suspicious person has to read. Nothing is minified: what comments weigh is what it costs
that everybody can compare the served script with its source.
"""

from __future__ import annotations

from pathlib import Path

from flask import Flask, Response, abort, request

TYPES = {".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def serve_static(app: Flask, folder: Path) -> None:
    """Serve a folder's files of these types under ``/static/``, read once; browsers ask each time if they changed."""
    paths = (path for path in folder.rglob("*") if path.suffix in TYPES)
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}

    @app.get("/static/<path:filename>", endpoint="static")
    def static(filename: str) -> Response:
        if filename not in files:
            abort(404)
        answer = Response(files[filename], mimetype=TYPES[Path(filename).suffix])
        answer.headers["Cache-Control"] = "no-cache"
        answer.add_etag()
        answer.make_conditional(request)
        return answer
