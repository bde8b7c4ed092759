"""Compute what the desk shows of a running survey: estimates from one batch of responses, and the plan."""

from contextlib import suppress
from dataclasses import dataclass
from math import nan
from threading import Event

import numpy as np

from collector.disclosure.lint import Lint
from collector.disclosure.precision import interval_width, is_filtered, reported_variance
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import DeniableError, QueryError
from collector.exchange.remarks import remarks
from collector.maintenance.running import FEW, LOOK_SECONDS, Running, planned
from collector.store.published import Published, SurveyState
from collector.store.store import Invitations, Store
from collector.survey.survey import Survey
from miner.desk.sequence import at_every_look, stretch
from miner.estimates.estimate import frequencies
from miner.figures.estimate import Estimate
from miner.reporting.composed import Composed, composed
from miner.reporting.shares import among_asked
from miner.responses.pooling import pooled, pooled_count
from miner.responses.responses import Responses

MILESTONES = 3  # number of earlier intervals that are drawn below the present one
Estimates = tuple[tuple[Estimate | None, ...], ...]
"""By question and value; None where too few were asked."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Batch of responses, with everything that the desk shows and offers for download until the next batch.

    Attributes:
        published: Published version of the survey.
        responses: All responses of the batch.
        invitations: Numbers of invitations at the time of the batch.
        estimates: Estimates of each value's share, with intervals that are valid at every look (`miner.desk.sequence`).
            Shares of a question that is not asked of everybody are among those asked, without the last value.
        composed: First choices and mean places of rankings, and shares of options that are ticked together, with
            intervals that are valid at every look.
        pooled: Pooled versions in words, or empty if all responses are to the newest version.
    """

    published: Published
    responses: Responses
    invitations: Invitations
    estimates: Estimates
    composed: dict[str, Composed]
    pooled: str = ""

    def __len__(self) -> int:
        return len(self.responses)


@dataclass(frozen=True)
class Outlook:
    """Facts about a survey that are known before anybody has answered.

    Attributes:
        respondents: Planned number of respondents, or None without a plan.
        reaches: Half of the expected length of the interval of each shown share, by question and value, or empty
            without a planned number of respondents.
        lints: Remarks of `collector check`, sorted by severity.
    """

    respondents: int | None
    reaches: tuple[tuple[float, ...], ...]
    lints: tuple[Lint, ...]


class Desk:
    """Running survey, as the desk shows it to the owner.

    Args:
        store: Store, which must stay open as long as the desk is used.
        name: Name of the survey.
        respondents: Planned number of respondents, or None for the survey's quota or the number of invitations.
        pool: Whether to pool the versions whose questions agree with the newest version.

    Attributes:
        earlier: Numbers of responses in some earlier batches, each number at least twice the one before, with the
            estimates from these responses.
        path: Number of responses of each batch since the desk was started, with half of the length of the widest
            interval.
    """

    def __init__(self, store: Store, name: str, respondents: int | None = None, *, pool: bool = False) -> None:
        self.store, self.name, self._respondents, self._pool = store, name, respondents, pool
        self._running = Running(store, name, self._take, self._count, pooled=pool)
        self._last: Snapshot | None = None
        self.earlier: list[tuple[int, Estimates]] = []
        self.path: list[tuple[int, float]] = []
        self._outlook: tuple[object, Outlook] | None = None

    def shown(self, state: SurveyState) -> Snapshot | None:
        """Return the newest batch of the newest version, or None as long as there are too few responses."""
        found = self._running.shown
        return found if found and found.published.fingerprint == state.newest.fingerprint else None

    def look(self) -> SurveyState:
        """Read the store, at most once every `LOOK_SECONDS`.

        Raises:
            StoreError: If the survey no longer exists, or the store cannot be read.
        """
        return self._running.look()

    def keep_looking(self, stopped: Event) -> None:
        """Read the store repeatedly until stopped."""
        while not stopped.wait(LOOK_SECONDS):
            with suppress(DeniableError):  # whoever opens the page is told
                self.look()

    def _take(self, _: Store, state: SurveyState) -> Snapshot:
        before = self.shown(state)
        if before is None:
            self.earlier, self.path = [], []
        elif not self.earlier or len(before) >= 2 * self.earlier[-1][0]:
            self.earlier = [*self.earlier, (len(before), before.estimates)][-MILESTONES:]
        now = self.snapshot(state)
        parts = (tuple(share for _, share in made.shares) for made in now.composed.values())
        reaches = [reach_of(each) for found in (*now.estimates, *parts) for each in found]
        self.path.append((len(now), max((each for each in reaches if each is not None), default=nan)))
        return now

    def _count(self, store: Store, state: SurveyState) -> int:
        return pooled_count(store, self.name) if self._pool else store.count(state.newest.survey)

    def snapshot(self, state: SurveyState) -> Snapshot:
        """Return all present responses with their estimates, which may be shown only in batches."""
        published = self.store.published(self.name, state.newest.version)
        if self._pool:
            responses, _, line = pooled(self.store, self.name)
        else:
            responses, line = Responses.from_store(self.store, self.name, published.version), ""
        expected = self._planned(published.survey)
        everybody = {
            name: tuple(None if each is None else at_every_look(each, expected) for each in found)
            for name, found in frequencies(responses).items()
        }
        asked = among_asked(responses, lambda n: stretch(n, expected))
        estimates = tuple((everybody | asked).values())
        parts = composed(responses, lambda n: stretch(n, expected))
        issued = self.store.invitations(self.name)
        return Snapshot(published, responses, issued, estimates, parts, line)

    def files_of(self, state: SurveyState) -> Snapshot:
        """Return the responses for reports and exports: the shown batch, or all responses of a closed survey.

        Raises:
            QueryError: If there are too few responses.
        """
        shown, count = self.shown(state), self._count(self.store, state)
        if not (state.is_open or state.is_early) and count and (shown is None or len(shown) != count):
            whole, last = self.snapshot(state), self._last
            if last is None or last.published != whole.published or not same_codes(last, whole):
                self._last = last = whole
            return last  # the very same while nothing changes, so that a report of it is made once
        if shown is None:
            raise QueryError(f'survey "{self.name}"', f"there are {FEW} responses yet", "wait for more responses")
        return shown

    def outlook(self, survey: Survey) -> Outlook:
        """Return the planned figures, which are computed once for each wording and number of respondents."""
        respondents = self._planned(survey)
        key = (survey.fingerprint, respondents)
        if self._outlook is None or self._outlook[0] != key:
            self._outlook = key, _outlook(survey, respondents)
        return self._outlook[1]

    def _planned(self, survey: Survey) -> int | None:
        return self._respondents or planned(self.store, survey)


def reach_of(found: Estimate | None) -> float | None:
    """Return half of the length of an estimate's interval, or None without an interval."""
    return None if found is None or found.interval is None else (found.interval[1] - found.interval[0]) / 2


def same_codes(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two batches have equal codes in equal order."""
    return np.array_equal(one.responses.codes, other.responses.codes)


def _outlook(survey: Survey, respondents: int | None) -> Outlook:
    reaches: tuple[tuple[float, ...], ...] = ()
    if respondents is not None:
        longer = stretch(respondents, respondents)
        reaches = tuple(
            tuple(
                interval_width(reported_variance(survey, question, value), respondents) / 2 * longer
                for value in range(len(question.values) - is_filtered(question))  # the last value is not shown
            )
            for question in survey.questions
        )
    return Outlook(respondents, reaches, remarks(SurveyPrivacy(survey), respondents))
