"""The figures of a running survey, which change in batches to hide when a person responded.

Section 15 of docs/guarantee.md states what an observer of the figures can learn.
"""

from collections.abc import Callable, Sized
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from collector.errors import StoreError
from collector.store.published import SurveyState
from collector.store.store import Invitations, Store
from collector.survey.moment import in_words
from collector.survey.survey import Survey

BATCH = 10
"""The smallest difference, in responses, between two figures that are shown."""
LOOK_SECONDS = 60.0
"""Number of seconds between two checks of a running survey."""
SCALES = 24  # number of window lengths. The longest window has 2^23 checks, sixteen years
ESTIMATES = "deniable.watch"
"""Group of the entry point by which `best_counts` finds the package for estimates."""
FEW = f"fewer than {BATCH}"
Figures = TypeVar("Figures", bound=Sized)


class Batches:
    """The rule that decides when the figures of a running survey may change.

    The number of responses is checked regularly, and the checks are divided into successive windows of 1, 2, 4, 8, ...
    checks. Figures change at the end of a window in which the number of responses changed by at least `BATCH`, if the
    number also differs by at least `BATCH` from the number shown. Therefore the moment at which figures change does not
    reveal the moment at which a single response arrived.
    """

    def __init__(self) -> None:
        self._looks = self._shown = 0
        self._at_start = [0] * SCALES  # of the window of each scale: the number of responses

    def is_due(self, count: int) -> bool:
        """Count a regular check, and return whether the shown figures should be replaced now."""
        due = False
        for scale, before in enumerate(self._at_start):
            if self._looks % 2**scale == 0:
                due |= min(abs(count - before), abs(count - self._shown)) >= BATCH
                self._at_start[scale] = count
        self._looks += 1
        return due

    def show(self, count: int) -> None:
        """Record the number of responses on which the shown figures are based."""
        self._shown = count


@dataclass(frozen=True)
class Counts:
    """The numbers of responses and invitations of a survey at one moment.

    Attributes:
        responses: Number of responses to the newest version.
        invitations: Numbers of invitations to all versions.
        estimates: Rows of text for each value of each question: share with interval, half length of the interval, and
            planned half length.
    """

    responses: int
    invitations: Invitations
    estimates: tuple[tuple[str, ...], ...] = ()

    def __len__(self) -> int:
        return self.responses


def counts(store: Store, state: SurveyState) -> Counts:
    """Return the current counts of a survey."""
    return Counts(store.count(state.newest.survey), store.invitations(state.newest.name))


def best_counts() -> Callable[[Store, SurveyState], Counts]:
    """Return a function that counts responses and, if the package `miner` is installed, also estimates shares.

    Loading the package `miner` takes seconds.
    """
    for found in entry_points(group=ESTIMATES):
        with suppress(ImportError):
            take: Callable[[Store, SurveyState], Counts] = found.load()
            return take
    return counts


def planned(store: Store, survey: Survey) -> int | None:
    """Return the planned number of respondents (quota or number of invitations), or None if it is not set."""
    return (survey.study.quota if survey.study else None) or store.invitations(survey.name).issued or None


def state_of(store: Store, name: str) -> SurveyState:
    """Return the current state of a survey.

    Raises:
        StoreError: If no survey with this name is published.
    """
    state = store.state(name)
    if state is None:
        raise StoreError(str(store.path), f'no survey "{name}" is published here', "publish the survey first")
    return state


def state_line(state: SurveyState) -> str:
    """Return a line that states whether a survey takes responses, or why not."""
    study = state.newest.survey.study
    if state.is_simulated:
        return "closed: it takes no responses beside simulated ones"
    if state.for_good:
        return "closed for good: its receipts are erased, and it cannot be opened again"
    if state.is_closed:
        over = study is not None and study.is_over
        return f"closed: its last day, {in_words(study.until, study.timezone)}, is over" if study and over else "closed"
    if study is not None and state.is_early:
        return f"not open yet: it opens {in_words(study.opens, study.timezone)}"
    if study is not None and state.is_full:
        return f"full: its quota of {study.quota} is reached"
    full = state.quota.full_values(state.newest.survey)
    words = "; ".join(f"{question} = {', '.join(values)}" for question, values in full.items())
    last = None if study is None or study.until is None else in_words(study.until, study.timezone)
    until = "open" if last is None else f"open until {last}"
    return f"{until}, but for {words}: that quota is reached" if words else until


class Running(Generic[Figures]):
    """The figures of a running survey that may be shown to observers.

    Args:
        store: Store, which must stay open.
        name: Name of the survey.
        take: Function that computes the figures, as an object whose length is the number of responses.
        count: Function that counts the responses.
        pooled: Whether the figures include responses to older versions of the survey.

    Attributes:
        shown: Figures that may be shown, or None while there are fewer than `BATCH` responses.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        take: Callable[[Store, SurveyState], Figures],
        count: Callable[[Store, SurveyState], int] = lambda store, state: store.count(state.newest.survey),
        *,
        pooled: bool = False,
    ) -> None:
        self.store, self.name, self._take, self._count, self._pooled = store, name, take, count, pooled
        self._batches, self._version = Batches(), ""
        self.shown: Figures | None = None

    def look(self) -> SurveyState:
        """Return the state of the survey, and replace the shown figures if a batch of responses is complete.

        Raises:
            StoreError: If the survey no longer exists, or the store cannot be read.
        """
        state = state_of(self.store, self.name)
        if state.newest.fingerprint != self._version:
            self._version, self.shown = state.newest.fingerprint, None
            if not self._pooled:  # a new version begins without responses
                self._batches = Batches()
        count = self._count(self.store, state)
        if self._batches.is_due(count):
            self.shown = self._take(self.store, state) if count >= BATCH else None
            self._batches.show(0 if self.shown is None else len(self.shown))
        return state
