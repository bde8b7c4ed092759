"""The static files in ``static/``, which are served byte for byte, so that everybody can read what the browser runs.

The scripts that disguise answers are in ``static/disguise/``. No script is minified, so that everybody can compare a
served script with its source.
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

    The server reads each file once, and browsers check for a newer file each time. The style sheet of a survey is
    served under ``/style/``, and is made from the colour and font in its name. Pages show people the hash of the files
    that disguise answers, and give the browser the hash of each script.
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
    """Return an HTTP response that browsers cache, but check for changes each time."""
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    answer.make_conditional(request)
    return answer
