"""Static files as they are served: the checkout's, without the comments and the white space that people read there.

A survey has to be light on a slow phone. What is taken out is what no browser acts on, by rules that a person can
check: every ``/* ... */``; a ``//`` with a space on both sides, or at the beginning of a line, and all that follows it
there; the white space at both ends of a line; and in a style sheet that after ``:`` and ``,`` and before ``{``. The
scripts and styles keep to them: none has any of this inside a text, and a test looks.
"""

from __future__ import annotations

import re
from pathlib import Path

from flask import Flask, Response, abort, request

BLOCK_COMMENT = re.compile(r"/\*.*?\*/ ?", re.DOTALL)
LINE_COMMENT = re.compile(r"(^|\s)// .*")
LOOSE = re.compile(r"(?<=[:,]) | (?=\{)")
TYPES = {".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def tight(text: str, *, style: bool = False) -> str:
    """A script, or a style sheet, without comments, indentation and empty lines."""
    lines = (LINE_COMMENT.sub("", line).strip() for line in BLOCK_COMMENT.sub("", text).splitlines())
    whole = "".join(f"{line}\n" for line in lines if line)
    return LOOSE.sub("", whole) if style else whole


def serve_static(app: Flask, folder: Path) -> None:
    """Serve a folder's files under ``/static/``, read once; browsers ask each time if they changed."""
    files = {
        path.name: tight(path.read_text(encoding="utf-8"), style=path.suffix == ".css")
        for path in folder.iterdir()
        if path.suffix in TYPES
    }

    @app.get("/static/<filename>", endpoint="static")
    def static(filename: str) -> Response:
        if filename not in files:
            abort(404)
        answer = Response(files[filename], mimetype=TYPES[Path(filename).suffix])
        answer.headers["Cache-Control"] = "no-cache"
        answer.add_etag()
        answer.make_conditional(request)
        return answer
