"""What the web server refuses, each kind with the HTTP status it is answered with."""

from __future__ import annotations

from typing import ClassVar

from collector.errors import DeniableError


class ServeError(DeniableError):
    """The server cannot be started as asked."""


class RefusalError(DeniableError):
    """A request that is refused. Raised as one of its children, which say with which HTTP status."""

    status: ClassVar[int] = 400


class ForeignError(RefusalError):
    """Another site's page sent it."""

    status = 403


class NoSuchSurveyError(RefusalError):
    """No survey of this name is open."""

    status = 404


class OutdatedError(RefusalError):
    """It answers a design that is not, or no longer, the published one."""

    status = 409


class MediaTypeError(RefusalError):
    """It is not JSON by its own account."""

    status = 415
