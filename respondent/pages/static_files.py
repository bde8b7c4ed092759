"""Static files, served byte for byte: what runs in a browser is what stands in ``static/``, and can be read.

``static/disguise/`` is what a suspicious person has to read. Nothing is minified: what comments weigh is what it costs
that everybody can compare the served script with its source.
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
    """Serve a folder's files of these types under ``/static/``, read once; browsers ask each time if they changed.

    Style sheets that surveys have of their own are made from their names, under ``/style/``.

    Pages are given hashes: of what disguises answers, to show, and of each script, for the browser.
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
    """An answer that a browser keeps, and asks for each time if it changed."""
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    answer.make_conditional(request)
    return answer
