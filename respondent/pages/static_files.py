"""The static files, served byte for byte: the browser runs the files in ``static/``, and everybody can read them.

A suspicious person can read ``static/disguise/``. Nothing is minified, so that everybody can compare a served script
with its source. The bytes of the comments are the price.
"""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from flask import Flask, Response, abort, request

from collector.page.static_files import disguise_hash, static_files
from collector.page.style import style_sheet
from respondent.pages.compression import compressed

TYPES = {".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def serve_static(app: Flask, folder: Path) -> None:
    """Serve the files of a folder under ``/static/``.

    Files are read once. Browsers ask each time whether they changed.

    Style sheets of surveys are made from their names, under ``/style/``. Pages get two kinds of hashes: one of the
    files that disguise answers, to show to people, and one of each script, for the browser.
    """
    files = static_files(folder)
    scripts = {name: content for name, content in files.items() if name.endswith(".mjs")}
    hashes = {name: f"sha256-{b64encode(sha256(content).digest()).decode()}" for name, content in scripts.items()}
    app.jinja_env.globals |= {"script_hash": disguise_hash(files), "hashes": hashes}

    @app.get("/static/<path:filename>", endpoint="static")
    def static(filename: str) -> Response:
        if filename not in files:
            abort(404)
        return checked(compressed(files[filename], TYPES[Path(filename).suffix]))

    @app.get("/style/<name>", endpoint="style")
    def style(name: str) -> Response:
        content = style_sheet(name)
        if content is None:
            abort(404)
        return checked(Response(content, mimetype=TYPES[".css"]))


def checked(answer: Response) -> Response:
    """Return an HTTP response that a browser stores, and checks for changes each time."""
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    answer.make_conditional(request)
    return answer
