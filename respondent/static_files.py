"""Static files as they are served: the checkout's, without the comments and the indentation that people read there.

A survey has to be light on a slow phone. What is taken out is what no browser acts on, by two rules that a person can
check: every ``/** ... */``, and the white space and the lines of ``//`` comment at the beginning of lines.
"""

from __future__ import annotations

import re
from pathlib import Path

from flask import Flask, Response, abort, request

BLOCK_COMMENT = re.compile(r"/\*\*.*?\*/ ?", re.DOTALL)
TYPES = {".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def tight(text: str) -> str:
    """A script or style sheet without ``/** */`` comments, lines of ``//`` comment, indentation and empty lines."""
    lines = (line.strip() for line in BLOCK_COMMENT.sub("", text).splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


def serve_static(app: Flask, folder: Path) -> None:
    """Serve a folder's files under ``/static/``, read once; browsers ask each time if they changed."""
    files = {path.name: tight(path.read_text(encoding="utf-8")) for path in folder.iterdir() if path.suffix in TYPES}

    @app.get("/static/<filename>", endpoint="static")
    def static(filename: str) -> Response:
        if filename not in files:
            abort(404)
        answer = Response(files[filename], mimetype=TYPES[Path(filename).suffix])
        answer.headers["Cache-Control"] = "no-cache"
        answer.add_etag()
        answer.make_conditional(request)
        return answer
