"""A shortcut around Flask for responses, because Flask's request object takes as much time as all other work.

The shortcut handles responses that the page's script sends, if they can be stored. Flask handles all other requests,
including responses that are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from flask import Flask, request
from werkzeug.exceptions import SecurityError
from werkzeug.wsgi import get_host

from collector.survey.survey import LARGEST_RESPONSE
from respondent.intake.intake import PREFIX, STATUSES, Intake

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

RESPONSES = re.compile(rf"{PREFIX}/surveys/([a-z0-9_-]+)/responses")
LENGTH = re.compile(r"[0-9]{1,9}")
REFUSED = "deniable.refused"  # key of a refusal in the environment of a request


def shorten(app: Flask, intake: Intake, check_caller: Callable[[str], None]) -> None:
    """Add the shortcut to the application, and check the limits on callers for all requests.

    Args:
        app: Application, which is changed in place.
        intake: Intake that stores the responses.
        check_caller: Function that is called once for each request, and raises an error to refuse the request.
    """
    long_way, trusted = app.wsgi_app, app.config["TRUSTED_HOSTS"]
    lines = {outcome: f"{status.value} {status.phrase}" for outcome, status in STATUSES.items()}

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        length = environ.get("CONTENT_LENGTH", "")
        found = RESPONSES.fullmatch(environ["PATH_INFO"]) if environ["REQUEST_METHOD"] == "POST" else None
        if not found or not LENGTH.fullmatch(length) or int(length) > LARGEST_RESPONSE:
            return long_way(environ, start_response)
        try:
            get_host(environ, trusted).encode("idna")  # as Flask does, which refuses labels of more than 63 characters
        except (SecurityError, UnicodeError):
            return long_way(environ, start_response)
        try:
            check_caller(environ.get("REMOTE_ADDR", ""))
            read = partial(environ["wsgi.input"].read, int(length))
            line = lines[intake.handle_json(environ, found[1], read)]
        except Exception as failure:  # noqa: BLE001 - Flask has the answer to each
            environ[REFUSED] = failure
            return long_way(environ, start_response)
        start_response(line, [("Content-Length", "0")])  # the status says it all
        return ()

    @app.before_request
    def refuse() -> None:
        if REFUSED in request.environ:
            raise request.environ[REFUSED]
        if request.endpoint not in {"static", "pages.picture"}:  # what a page asks for on its own
            check_caller(request.remote_addr or "")

    app.wsgi_app = answer  # type: ignore[method-assign] # as Flask's documentation has it
