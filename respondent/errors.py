"""The refusals of the web server, each with its HTTP status and a reason that programs can read."""

from typing import ClassVar

from collector.errors import DeniableError
from collector.survey.study import Study


class ServeError(DeniableError):
    """The server cannot be started with these options."""


class RefusalError(DeniableError):
    """The base of all refusals of a request. Only its subclasses are raised.

    Attributes:
        study: Study card with the opening time, if the survey has not opened yet.
    """

    study: Study | None = None
    status: ClassVar[int] = 400
    reason: ClassVar[str] = "malformed"


class UnmarkedError(RefusalError):
    """A question of a form by hand has no mark. The form is shown again, with all missing marks named."""


class ForeignError(RefusalError):
    """The request comes from a page of another site."""

    status = 403
    reason = "foreign"


class StaleError(RefusalError):
    """A form by hand comes from another server, or is too old."""

    status = 403
    reason = "stale"


class NoSuchSurveyError(RefusalError):
    """No survey with this name is published."""

    status = 404
    reason = "no-such-survey"


class NoSuchInvitationError(RefusalError):
    """The invitation code was never issued."""

    status = 404
    reason = "unknown-invitation"


class NoSuchResponseError(RefusalError):
    """No response has this receipt."""

    status = 404
    reason = "no-such-response"


class IncompleteError(RefusalError):
    """The request did not arrive completely in time."""

    status = 408
    reason = "incomplete"


class OutdatedError(RefusalError):
    """The response answers a design that is not the current one."""

    status = 409
    reason = "outdated"


class UsedInvitationError(RefusalError):
    """The invitation code was used for another response."""

    status = 409
    reason = "used-invitation"


class DeletedError(RefusalError):
    """A response with this receipt was stored and then withdrawn."""

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
    """The survey has reached a quota: of all responses, or of this answer to an undisguised question."""

    status = 410
    reason = "full"


class MediaTypeError(RefusalError):
    """The request has another media type than the one accepted here."""

    status = 415
    reason = "media-type"


class RefusingError(RefusalError):
    """The server refuses every response to a survey at the moment, whatever it is."""

    status = 503
    reason = "unavailable"


class TooManyError(RefusalError):
    """Too many requests came from one address."""

    status = 429
    reason = "too-many"
