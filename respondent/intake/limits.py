"""Has the app refuse callers who ask for more than `respondent.intake.callers` lets one of them ask for, or send."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flask import Flask, request

from collector.survey.survey import Survey
from respondent.errors import TooManyError
from respondent.intake.callers import HOUR, Limits, Window

MINUTE = 60.0  # seconds
UNLIMITED = frozenset({"static"})  # what a page asks for on its own


class Senders:
    """Counts the responses of each address to the surveys that limit them (`Study.per_address`)."""

    def __init__(self) -> None:
        self._sent = Window(0, HOUR)  # each survey has its own limit

    @contextmanager
    def counted(self, survey: Survey) -> Iterator[Callable[[], None]]:
        """Count a response of the caller, unless what is done in the block comes to nothing.

        Yields:
            What is to be called once the response is stored.

        Raises:
            TooManyError: If as many came from this address within the hour as the survey takes.
        """
        limit = None if survey.study is None else survey.study.per_address
        if limit is None:
            yield lambda: None
            return
        address, stored = request.remote_addr or "", []
        try:
            if not self._sent.admit(address, to=survey.name, most=limit):
                raise TooManyError(
                    "caller",
                    "as many responses came from your address as this survey takes in an hour",
                    "try again later",
                )
            yield lambda: stored.append(True)
        finally:
            if not stored:
                self._sent.take_back(address, to=survey.name)


def limit(app: Flask, limits: Limits) -> Callable[[str], None]:
    """Have the app answer 429 to whoever asks for more.

    Returns:
        What is to be called, with the reason, where the intake does not know an invitation or a receipt.
    """
    asked = Window(limits.per_minute, MINUTE)
    guesses = Window(limits.guesses_per_hour, HOUR)
    warned = Window(1, HOUR)

    @app.before_request
    def refuse_too_many() -> None:
        if request.endpoint not in UNLIMITED and not asked.admit(request.remote_addr or ""):
            raise TooManyError("caller", "too many requests came from your address", "try again later")

    def count_guess(reason: str) -> None:
        """Count a guess by what is guessed, whoever guesses, and tell the operator once an hour."""
        guessed = f"{(request.view_args or {}).get('name')}: {reason}"
        if not guesses.admit("", to=guessed) and warned.admit("", to=guessed):
            app.logger.error("%s: more than %d times within an hour", guessed, limits.guesses_per_hour)

    return count_guess
