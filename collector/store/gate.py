"""Who may pass into a survey: whether it is open, for whom, and for how many; and what may become of a response."""

from collections.abc import Callable
from enum import Enum, auto

from collector.database.session import Session
from collector.errors import StoreError
from collector.store.published import Published
from collector.store.quota import Quota, quota_of
from collector.store.schema import INVITATION_SQL, STATE_SQL, insert_sql, receipt_sql
from collector.survey.survey import Row, Survey


class Outcome(Enum):
    """What became of a response that was sent, or of the wish to take one back."""

    STORED = auto()
    REPEATED = auto()  # a response with this receipt is there, whatever its codes are: the first one stays
    DELETED = auto()  # a response with this receipt was there, and was taken back
    CLOSED = auto()
    EARLY = auto()  # it has not opened yet
    FULL = auto()  # its quota is, or that of a value of a question that is sent as it is
    OUTDATED = auto()  # another version is the newest
    UNKNOWN_INVITATION = auto()  # also: none where one is needed, and one where none is
    USED_INVITATION = auto()
    WITHDRAWN = auto()
    UNKNOWN_RECEIPT = auto()


class Gate:
    """Who may pass into one version of a survey. It holds for the length of a transaction."""

    def __init__(self, database: Session, published: Published, published_as: Callable[[str], Published]) -> None:
        self._name = published.name
        state = database.execute(STATE_SQL, (published.name,)).fetchone()
        if state is None:
            raise StoreError(f'survey "{published.name}"', "it was removed", "publish it again")
        newest, closed, invited, simulated, shown = state
        self.insert = insert_sql(published.table, published.survey)
        self.lookup = receipt_sql(published.table)
        survey = published_as(shown).survey
        self._obstacle = Outcome.CLOSED if closed or simulated else schedule(survey)
        self._outdated = newest != published.fingerprint
        self._quota = Quota() if self._outdated else quota_of(database, published.table, survey)
        self._invited = bool(invited)

    def judge(self, database: Session, codes: Row, invitation: bytes | None) -> Outcome | None:
        """Why one may not; None if it may. The same statement runs for every invitation, known or not."""
        if self._obstacle is not None:
            return self._obstacle
        if self._outdated:
            return Outcome.OUTDATED
        if not self._quota.takes(codes):
            return Outcome.FULL
        if invitation is None and not self._invited:
            return None
        used = database.execute(INVITATION_SQL, (self._name, invitation)).fetchone()
        if used is None:
            return Outcome.UNKNOWN_INVITATION
        return Outcome.USED_INVITATION if used[0] else None

    def count(self, codes: Row) -> None:
        """Count one that was stored towards the quotas."""
        self._quota.count(codes)


def schedule(survey: Survey) -> Outcome | None:
    """Why a survey takes no response now, by its own dates; None if it does."""
    if survey.study is None or not (survey.study.is_over or survey.study.is_early):
        return None
    return Outcome.CLOSED if survey.study.is_over else Outcome.EARLY
