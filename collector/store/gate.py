"""The decision whether a response to a survey may be stored, with the reason for a refusal."""

from enum import Enum, auto

from collector.database.session import Session
from collector.store.published import Designs
from collector.store.quota import Quota, quota_of
from collector.store.schema import INVITATION_SQL, STATE_SQL, insert_sql, receipt_sql
from collector.survey.survey import Row, Survey


class Outcome(Enum):
    """The outcomes of sending a response or of withdrawing one."""

    STORED = auto()
    REPEATED = auto()  # a response with this receipt is stored already, and is not replaced
    DELETED = auto()  # a response with this receipt was stored before and withdrawn
    CLOSED = auto()
    EARLY = auto()  # the survey has not opened yet
    FULL = auto()  # the quota of the survey, or of a value of an undisguised question, is reached
    TOO_MANY = auto()  # the server that received the response counted too many from one address
    OUTDATED = auto()  # the response answers a version that is not the newest
    REMOVED = auto()  # the survey was removed from the store
    UNKNOWN_INVITATION = auto()  # the invitation is unknown, missing, or not needed
    USED_INVITATION = auto()
    WITHDRAWN = auto()
    UNKNOWN_RECEIPT = auto()


class Gate:
    """The conditions under which one wording of a survey takes responses.

    Use a gate only in the transaction that has read it from the store.
    """

    def __init__(self, database: Session, designs: Designs, survey: Survey) -> None:
        self.name = survey.name
        self.published = designs.wording(database, survey.fingerprint)
        state = database.execute(STATE_SQL, (self.name,)).fetchone()
        if state is None or self.published is None:
            self.published = None
            self._obstacle: Outcome | None = Outcome.REMOVED if state is None else Outcome.OUTDATED
            return
        newest, closed, invited, simulated, shown, _ = state
        self.insert = insert_sql(self.published.table, survey)
        self.lookup = receipt_sql(self.published.table)
        self.newest = designs.survey(database, shown)
        """The newest wording, whose limits hold whichever wording is answered."""
        self._obstacle = Outcome.CLOSED if closed or simulated else schedule(self.newest)
        self._outdated = newest != self.published.fingerprint
        self._quota = Quota() if self._outdated else quota_of(database, self.published.table, self.newest)
        self._invited = bool(invited)

    def judge(self, database: Session, codes: Row, invitation: bytes | None) -> Outcome | None:
        """Return the reason why a response may not be stored, or None if the response may be stored.

        Known and unknown invitations cause the same SQL statement, so that timing does not reveal which invitations are
        known.
        """
        if self._obstacle is not None:
            return self._obstacle
        if self._outdated:
            return Outcome.OUTDATED
        if not self._quota.takes(codes):
            return Outcome.FULL
        if invitation is None and not self._invited:
            return None
        used = database.execute(INVITATION_SQL, (self.name, invitation)).fetchone()
        if used is None:
            return Outcome.UNKNOWN_INVITATION
        return Outcome.USED_INVITATION if used[0] else None

    def count(self, codes: Row) -> None:
        """Subtract a stored response from the remaining quotas."""
        self._quota.count(codes)


def schedule(survey: Survey) -> Outcome | None:
    """Return the outcome `CLOSED` or `EARLY` if the dates of a survey do not allow responses now, otherwise None."""
    if survey.study is None or not (survey.study.is_over or survey.study.is_early):
        return None
    return Outcome.CLOSED if survey.study.is_over else Outcome.EARLY
