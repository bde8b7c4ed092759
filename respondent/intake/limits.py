"""Refuses callers who ask for more than `respondent.intake.callers` lets one of them ask for, or send."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging import Logger

from collector.survey.survey import Survey
from respondent.errors import TooManyError
from respondent.intake.callers import HOUR, Limits, Window

MINUTE = 60.0  # seconds


class Senders:
    """Counts the responses of each address to the surveys that limit them (`Study.per_address`)."""

    def __init__(self) -> None:
        self._sent = Window(0, HOUR)  # each survey has its own limit

    @contextmanager
    def counted(self, survey: Survey, address: str) -> Iterator[Callable[[], None]]:
        """Count a response that an address sends, unless what is done in the block comes to nothing.

        Yields:
            What is to be called once the response is stored.

        Raises:
            TooManyError: If as many came from this address within the hour as the survey takes.
        """
        stored: list[bool] = []
        try:
            most = survey.study.per_address if survey.study else None
            if most is not None and not self._sent.admit(address, to=survey.name, most=most):
                raise TooManyError(
                    "caller",
                    "as many responses came from your address as this survey takes in an hour",
                    "try again later",
                )
            yield lambda: stored.append(True)
        finally:
            if not stored:
                self._sent.take_back(address, to=survey.name)


class Callers:
    """Counts what each address asks for, and what is guessed."""

    def __init__(self, limits: Limits, logger: Logger) -> None:
        self._asked = Window(limits.per_minute, MINUTE)
        self._guesses = Window(limits.guesses_per_hour, HOUR)
        self._warned = Window(1, HOUR)
        self._most_guesses = limits.guesses_per_hour
        self._logger = logger

    def check(self, address: str) -> None:
        """Count a request.

        Raises:
            TooManyError: If too many came from its address.
        """
        if not self._asked.admit(address):
            raise TooManyError("caller", "too many requests came from your address", "try again later")

    def count_guess(self, name: str, reason: str) -> None:
        """Count a guess by what is guessed, whoever guesses, and tell the operator once an hour."""
        guessed = f"{name}: {reason}"
        if not self._guesses.admit("", to=guessed) and self._warned.admit("", to=guessed):
            self._logger.error("%s: more than %d times within an hour", guessed, self._most_guesses)
