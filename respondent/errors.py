"""Refusals of the web server, each kind with its HTTP status and the reason that a program can read."""

from typing import ClassVar

from collector.errors import DeniableError
from collector.survey.study import Study


class ServeError(DeniableError):
    """The server cannot be started as asked."""


class RefusalError(DeniableError):
    """A request that is refused. Raised as one of its children.

    Attributes:
        study: Says when the survey opens, where it has not yet.
    """

    study: Study | None = None
    status: ClassVar[int] = 400
    reason: ClassVar[str] = "malformed"


class UnmarkedError(RefusalError):
    """A form by hand in which a question has no mark: it is shown once more, with all that is missing."""


class ForeignError(RefusalError):
    """Another site's page sent it."""

    status = 403
    reason = "foreign"


class StaleError(RefusalError):
    """A form by hand that was not made here, or too long ago."""

    status = 403
    reason = "stale"


class NoSuchSurveyError(RefusalError):
    """A survey of this name is not published."""

    status = 404
    reason = "no-such-survey"


class NoSuchInvitationError(RefusalError):
    """This invitation was not issued."""

    status = 404
    reason = "unknown-invitation"


class NoSuchResponseError(RefusalError):
    """A response with this receipt does not exist."""

    status = 404
    reason = "no-such-response"


class IncompleteError(RefusalError):
    """It did not come whole in its time."""

    status = 408
    reason = "incomplete"


class OutdatedError(RefusalError):
    """It answers a design that is not, or no longer, the published one."""

    status = 409
    reason = "outdated"


class UsedInvitationError(RefusalError):
    """A response came with this invitation before."""

    status = 409
    reason = "used-invitation"


class DeletedError(RefusalError):
    """A response with this receipt was stored, and taken back."""

    status = 410
    reason = "deleted"


class ClosedError(RefusalError):
    """The survey takes no more responses."""

    status = 410
    reason = "closed"


class EarlyError(RefusalError):
    """The survey has not opened yet."""

    status = 403
    reason = "early"


class FullError(RefusalError):
    """The survey has all the responses it takes, or all with such an answer to a question that is not disguised."""

    status = 410
    reason = "full"


class MediaTypeError(RefusalError):
    """It is not of the media type taken here, by its own account."""

    status = 415
    reason = "media-type"


class RefusingError(RefusalError):
    """Responses to a survey are all refused just now, whatever they are."""

    status = 503
    reason = "unavailable"


class TooManyError(RefusalError):
    """Too many requests came from one address."""

    status = 429
    reason = "too-many"
