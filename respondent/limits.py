"""Has the app refuse callers who ask for more than `respondent.callers` lets one of them ask for."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask, request

from respondent.callers import Limits, Window
from respondent.errors import TooManyError

MINUTE, HOUR = 60.0, 3600.0  # seconds
INTAKE = "intake"  # the blueprint
UNLIMITED = frozenset({"static"})  # what a page asks for on its own


def limit(app: Flask, limits: Limits) -> Callable[[], None]:
    """Have the app answer 429 to whoever asks for more.

    Returns:
        What is to be called where the intake answers with 404.
    """
    asked = Window(limits.per_minute, MINUTE)
    unknown = Window(limits.unknown_per_hour, HOUR)

    @app.before_request
    def refuse_too_many() -> None:
        if request.endpoint in UNLIMITED:
            return
        address = request.remote_addr or ""
        guesses = request.blueprint == INTAKE
        if not asked.admit(address) or (guesses and not unknown.admit(address, counting=False)):
            raise TooManyError("caller", "too many requests came from your address", "try again later")

    def count_unknown() -> None:
        unknown.admit(request.remote_addr or "")

    return count_unknown
