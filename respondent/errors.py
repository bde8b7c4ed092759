"""The refusals of the web server, each with an HTTP status and a reason for programs."""

from typing import ClassVar

from collector.errors import DeniableError
from collector.survey.study import Study


class ServeError(DeniableError):
    """An error for a server that cannot be started with the given options."""


class RefusalError(DeniableError):
    """The base class of all refusals of a request. Only subclasses of this error are raised.

    Attributes:
        study: Study card with the opening time, if the request was refused before the survey opened.
    """

    study: Study | None = None
    status: ClassVar[int] = 400
    reason: ClassVar[str] = "malformed"


class UnmarkedError(RefusalError):
    """A refusal of a form for disguising by hand in which a question has no code marked."""


class ForeignError(RefusalError):
    """A refusal of a request from a page of another site."""

    status = 403
    reason = "foreign"


class StaleError(RefusalError):
    """A refusal of a form for disguising by hand that comes from another server or is too old."""

    status = 403
    reason = "stale"


class NoSuchSurveyError(RefusalError):
    """A refusal because no survey with this name is published."""

    status = 404
    reason = "no-such-survey"


class NoSuchInvitationError(RefusalError):
    """A refusal of an invitation code that was never issued."""

    status = 404
    reason = "unknown-invitation"


class NoSuchResponseError(RefusalError):
    """A refusal because no response has this receipt."""

    status = 404
    reason = "no-such-response"


class IncompleteError(RefusalError):
    """A refusal of a request that did not arrive completely in time."""

    status = 408
    reason = "incomplete"


class OutdatedError(RefusalError):
    """A refusal of a response to an outdated design."""

    status = 409
    reason = "outdated"


class UsedInvitationError(RefusalError):
    """A refusal of an invitation code that was used for another response."""

    status = 409
    reason = "used-invitation"


class DeletedError(RefusalError):
    """A refusal of a response that was stored before and then withdrawn."""

    status = 410
    reason = "deleted"


class ClosedError(RefusalError):
    """A refusal because the survey is closed."""

    status = 410
    reason = "closed"


class EarlyError(RefusalError):
    """A refusal because the survey has not opened yet."""

    status = 403
    reason = "early"


class FullError(RefusalError):
    """A refusal because the survey has reached a quota of all responses, or of an answer to an undisguised question."""

    status = 410
    reason = "full"


class MediaTypeError(RefusalError):
    """A refusal of a request with a media type that the address does not accept."""

    status = 415
    reason = "media-type"


class RefusingError(RefusalError):
    """A refusal because the server currently refuses every response to a survey."""

    status = 503
    reason = "unavailable"


class TooManyError(RefusalError):
    """A refusal because too many requests came from one address."""

    status = 429
    reason = "too-many"
