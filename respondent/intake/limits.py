"""Refusal of requests that exceed the limits on callers, and the health of the intake."""

from __future__ import annotations

from collections import Counter
from logging import Logger
from threading import Lock

from collector.survey.survey import Survey
from respondent.errors import TooManyError
from respondent.intake.callers import ALIKE, HOUR, SAMPLE, CallerSample, Limits, Window, network

MINUTE = 60.0  # number of seconds of a minute
MOST_REFUSED = 20  # number of consecutive refusals from which a survey counts as unhealthy
STORE = "store"  # name that stands for all surveys if the store does not work
UNREADABLE = "the address of callers cannot be read, so they have no limit: see whether --proxy-hops is right"
SHARED = (
    f"{ALIKE} of {SAMPLE} requests came from one address: if a proxy stands in front of the server, "
    "see whether --proxy-hops is right"
)
WHY = {
    STORE: "nothing can be stored; the lines before this one say why",
    "": "they answer another design than the published one; see whether a proxy keeps an old page",
}


class Sender:
    """The sender of a response, for the limits on responses per address."""

    def __init__(self, window: Window, address: str) -> None:
        self._window = window
        self._address = address
        self._counted: str | None = None  # the name of the survey

    def admit(self, newest: Survey) -> bool:
        """Count the response, and return whether the limits of the survey allow the response.

        Args:
            newest: Newest wording of the survey, whose limits apply even to responses to older wordings.
        """
        most = newest.study.per_address if newest.study else None
        if most is None or not network(self._address):  # those whose address cannot be read are not one sender
            return True
        admitted = self._window.admit(self._address, to=newest.name, most=most)
        self._counted = newest.name if admitted else None
        return admitted

    def take_back(self) -> None:
        """Subtract a response that was not stored from the count of its sender."""
        if self._counted is not None:
            self._window.take_back(self._address, to=self._counted)


class Senders:
    """The numbers of responses by address, for surveys that limit the responses per address."""

    def __init__(self) -> None:
        self._sent = Window(0, HOUR)  # each survey has its own limit

    def sender(self, address: str) -> Sender:
        """Return the sender of a response, without counting the response."""
        return Sender(self._sent, address)


class Callers:
    """The numbers of requests by address, and of guessed invitations and receipts."""

    def __init__(self, limits: Limits, logger: Logger) -> None:
        self._asked = Window(limits.per_minute, MINUTE)
        self._guesses = Window(limits.guesses_per_hour, HOUR)
        self._warned = Window(1, HOUR)
        self._most_guesses = limits.guesses_per_hour
        self._sample = CallerSample()
        self._logger = logger

    def check(self, address: str) -> None:
        """Count a request.

        Requests without a readable address are not counted, because they would all share one limit.

        Raises:
            TooManyError: If too many requests came from the address.
        """
        caller = network(address)
        if not caller:
            self._warn(UNREADABLE)
            return
        if self._sample.ends_alike(caller):
            self._warn(SHARED)
        if not self._asked.admit(address):
            raise TooManyError("caller", "too many requests came from your address", "try again later")

    def _warn(self, line: str) -> None:
        """Log a line at most once an hour."""
        if self._warned.admit("", to=line):
            self._logger.error("%s", line)

    def count_guess(self, name: str, reason: str) -> None:
        """Count a wrong invitation or receipt, and warn the operator of many guesses at most once an hour."""
        guessed = f"{name}: {reason}"
        if not self._guesses.admit("", to=guessed) and self._warned.admit("", to=guessed):
            self._logger.error("%s: more than %d times within an hour", guessed, self._most_guesses)


class Health:
    """The health of the intake, that is, whether responses are stored.

    A fault of the server may let a survey's page work but refuse all responses. Each worker counts consecutive refusals
    of responses, to notice faults of the server.

    Args:
        logger: Logger for one line an hour about each survey with `MOST_REFUSED` consecutive refusals.
    """

    def __init__(self, logger: Logger) -> None:
        self._logger = logger
        self._warned = Window(1, HOUR)
        self._refused: Counter[str] = Counter()
        self._lock = Lock()

    def stored(self, name: str) -> None:
        """Record that a response to a survey was stored."""
        if self._refused:
            self._refused.pop(name, None)
            self._refused.pop(STORE, None)

    def refused(self, name: str = STORE) -> None:
        """Record that a response to a survey was refused, or that the store cannot be read or written."""
        with self._lock:  # threads that count at once would tell each other's number
            self._refused[name] += 1
            count = self._refused[name]
            warned = count >= MOST_REFUSED and self._warned.admit("", to=name)
        if warned:
            self._logger.error("%s: the last %d responses were refused: %s", name, count, WHY.get(name, WHY[""]))

    @property
    def is_good(self) -> bool:
        """Whether the store works and no survey currently refuses all responses."""
        return all(count < MOST_REFUSED for count in self._refused.values())
