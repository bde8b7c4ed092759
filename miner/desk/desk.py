"""What the desk knows of a running survey: figures of one batch of responses, and what was planned of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from threading import Event

from collector.disclosure.lints import Lint
from collector.disclosure.precision import interval_width, response_variance
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import DeniableError, QueryError
from collector.exchange.remarks import remarks
from collector.maintenance.running import FEW, LOOK_SECONDS, Running
from collector.store.published import Published, State
from collector.store.store import Invitations, Store
from collector.survey.survey import Survey
from miner.estimates.estimate import Estimate, frequencies
from miner.responses.responses import Responses

MILESTONES = 3  # earlier intervals that are drawn below the present one
Estimates = tuple[tuple[Estimate | None, ...], ...]
"""By question and value; None where too few were asked."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One batch: all that the desk shows and hands out until the next.

    Attributes:
        published: The version that it is of.
        responses: All of them at that look.
        invitations: Likewise.
        estimates: Of each value's share.
    """

    published: Published
    responses: Responses
    invitations: Invitations
    estimates: Estimates

    def __len__(self) -> int:
        return len(self.responses)


@dataclass(frozen=True)
class Outlook:
    """What can be said of a survey before anybody has answered.

    Attributes:
        respondents: How many were planned; None where nothing says so.
        reaches: By question and value: half of the expected length of the 95 % interval with so many; empty if None.
        lints: Of `collector check`, the gravest first.
    """

    respondents: int | None
    reaches: tuple[tuple[float, ...], ...]
    lints: tuple[Lint, ...]


class Desk:
    """A running survey as its owner sees it.

    Args:
        store: Open for as long as this is used.
        name: Of the survey.
        respondents: How many are planned. The survey's quota unless said, or the number of invitations.

    Attributes:
        earlier: How many responses there were in some earlier batches, each at least twice the one before, and their
            estimates.
    """

    def __init__(self, store: Store, name: str, respondents: int | None = None) -> None:
        self.store, self.name, self._respondents = store, name, respondents
        self._running = Running(store, name, self._take)
        self.earlier: list[tuple[int, Estimates]] = []
        self._outlook: tuple[object, Outlook] | None = None

    def shown(self, state: State) -> Snapshot | None:
        """The newest batch of the newest version; None while there are too few responses."""
        found = self._running.shown
        return found if found and found.published.fingerprint == state.newest.fingerprint else None

    def look(self) -> State:
        """Look at the store, once every `LOOK_SECONDS`.

        Raises:
            StoreError: If there is no such survey any more, or the store cannot be read.
        """
        return self._running.look()

    def keep_looking(self, stopped: Event) -> None:
        """Look again and again until stopped; what cannot be read just now is read at the next look."""
        while not stopped.wait(LOOK_SECONDS):
            with suppress(DeniableError):  # whoever opens the page is told
                self.look()

    def _take(self, store: Store, state: State) -> Snapshot:
        before = self.shown(state)
        if before is None:
            self.earlier = []
        elif not self.earlier or len(before) >= 2 * self.earlier[-1][0]:
            self.earlier = [*self.earlier, (len(before), before.estimates)][-MILESTONES:]
        return snapshot_of(store, self.name, state)

    def files_of(self, state: State) -> Snapshot:
        """What reports and exports are made of: the batch shown; once no response is taken any more, all there are.

        Raises:
            QueryError: If there are too few responses.
        """
        shown, count = self.shown(state), self.store.count(state.newest.survey)
        if not (state.is_open or state.is_early) and count and (shown is None or len(shown) != count):
            return snapshot_of(self.store, self.name, state)
        if shown is None:
            raise QueryError(f'survey "{self.name}"', f"there are {FEW} responses yet", "wait for more")
        return shown

    def outlook(self, survey: Survey) -> Outlook:
        """What was planned. Worked out once for a wording and a number of respondents."""
        planned = self._respondents or (survey.study.quota if survey.study else None)
        planned = planned or self.store.invitations(self.name).issued or None
        key = (survey.fingerprint, planned)
        if self._outlook is None or self._outlook[0] != key:
            self._outlook = key, _outlook(survey, planned)
        return self._outlook[1]


def snapshot_of(store: Store, name: str, state: State) -> Snapshot:
    """The responses that there are to the newest version, and what they say."""
    published = store.published(name, state.newest.version)
    responses = Responses.from_store(store, name, published.version)
    return Snapshot(published, responses, store.invitations(name), tuple(frequencies(responses).values()))


def _outlook(survey: Survey, planned: int | None) -> Outlook:
    reaches: tuple[tuple[float, ...], ...] = ()
    if planned is not None:
        reaches = tuple(
            tuple(
                interval_width(response_variance(survey, question, value), planned) / 2
                for value in range(len(question.values))
            )
            for question in survey.questions
        )
    return Outlook(planned, reaches, remarks(SurveyPrivacy(survey), planned))
