"""Refuses callers who ask for more than `respondent.intake.callers` lets one of them ask for, or send."""

from __future__ import annotations

from collections import Counter
from logging import Logger
from threading import Lock

from collector.survey.survey import Survey
from respondent.errors import TooManyError
from respondent.intake.callers import ALIKE, HOUR, SAMPLE, Limits, Sample, Window, network

MINUTE = 60.0  # seconds
MOST_REFUSED = 20  # responses, one after another
STORE = "store"  # no survey's name matters where nothing can be stored
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
    """The sender of one response, counted when it is about to be stored."""

    def __init__(self, window: Window, address: str) -> None:
        self._window = window
        self._address = address
        self._counted: str | None = None  # the name of the survey

    def admit(self, newest: Survey) -> bool:
        """Count it, and say whether the survey takes it.

        Args:
            newest: Its newest wording: an older one, which somebody may still send, has no say.
        """
        most = newest.study.per_address if newest.study else None
        if most is None or not network(self._address):  # those whose address cannot be read are not one sender
            return True
        admitted = self._window.admit(self._address, to=newest.name, most=most)
        self._counted = newest.name if admitted else None
        return admitted

    def take_back(self) -> None:
        """Count it no longer: nothing was stored."""
        if self._counted is not None:
            self._window.take_back(self._address, to=self._counted)


class Senders:
    """Counts the responses of each address to the surveys that limit them (`Study.per_address`)."""

    def __init__(self) -> None:
        self._sent = Window(0, HOUR)  # each survey has its own limit

    def sender(self, address: str) -> Sender:
        """The sender of one response, not counted yet."""
        return Sender(self._sent, address)


class Callers:
    """Counts what each address asks for, and what is guessed."""

    def __init__(self, limits: Limits, logger: Logger) -> None:
        self._asked = Window(limits.per_minute, MINUTE)
        self._guesses = Window(limits.guesses_per_hour, HOUR)
        self._warned = Window(1, HOUR)
        self._most_guesses = limits.guesses_per_hour
        self._sample = Sample()
        self._logger = logger

    def check(self, address: str) -> None:
        """Count a request. One whose address cannot be read is not counted: all such would share one limit.

        Raises:
            TooManyError: If too many came from its address.
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
        """Log a line, once an hour."""
        if self._warned.admit("", to=line):
            self._logger.error("%s", line)

    def count_guess(self, name: str, reason: str) -> None:
        """Count a guess by what is guessed, whoever guesses, and tell the operator once an hour."""
        guessed = f"{name}: {reason}"
        if not self._guesses.admit("", to=guessed) and self._warned.admit("", to=guessed):
            self._logger.error("%s: more than %d times within an hour", guessed, self._most_guesses)


class Health:
    """Whether responses are stored: a page may be up while all that it sends is refused, and no fault of anybody's.

    Counted are refusals one after another, in this worker's memory.

    Args:
        logger: Takes one line an hour for each survey that has `MOST_REFUSED` of them.
    """

    def __init__(self, logger: Logger) -> None:
        self._logger = logger
        self._warned = Window(1, HOUR)
        self._refused: Counter[str] = Counter()
        self._lock = Lock()

    def stored(self, name: str) -> None:
        """A response to a survey is stored."""
        if self._refused:
            self._refused.pop(name, None)
            self._refused.pop(STORE, None)

    def refused(self, name: str = STORE) -> None:
        """A response is refused, to a survey that is published, or because the store does not work."""
        with self._lock:  # threads that count at once would tell each other's number
            self._refused[name] += 1
            count = self._refused[name]
            warned = count >= MOST_REFUSED and self._warned.admit("", to=name)
        if warned:
            self._logger.error("%s: the last %d responses were refused: %s", name, count, WHY.get(name, WHY[""]))

    @property
    def is_good(self) -> bool:
        """Whether no survey, and not the store, refuses all it is sent."""
        return all(count < MOST_REFUSED for count in self._refused.values())
