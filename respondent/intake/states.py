"""The refusals of requests for surveys that do not exist or take no responses."""

from collections.abc import Callable

from collector.store.store import Outcome, Store, SurveyState
from collector.survey.survey import Survey
from respondent.errors import (
    ClosedError,
    DeletedError,
    EarlyError,
    FullError,
    NoSuchInvitationError,
    NoSuchResponseError,
    NoSuchSurveyError,
    OutdatedError,
    RefusalError,
    TooManyError,
    UsedInvitationError,
)

REFUSALS: dict[Outcome, Callable[[], RefusalError]] = {
    Outcome.CLOSED: lambda: ClosedError(
        "survey", "the survey is closed and takes no more responses", "thank you for coming; nothing is left to do"
    ),
    Outcome.EARLY: lambda: EarlyError("survey", "the survey has not opened yet", "come back when it opens"),
    Outcome.FULL: lambda: FullError(
        "survey", "the survey has enough responses of this kind", "thank you for coming; nothing is left to do"
    ),
    Outcome.TOO_MANY: lambda: TooManyError(
        "caller", "as many responses came from your address as this survey takes in an hour", "try again later"
    ),
    Outcome.REMOVED: lambda: NoSuchSurveyError(
        "address", "no survey with this name is open here", "check the link you were given"
    ),
    Outcome.OUTDATED: lambda: OutdatedError(
        "fingerprint", "this is not the survey as it is published now", "reload the page"
    ),
    Outcome.DELETED: lambda: DeletedError(
        "receipt", "the response with this receipt was deleted", "open the survey anew to send another one"
    ),
    Outcome.UNKNOWN_INVITATION: lambda: NoSuchInvitationError(
        "invitation", "the code does not belong to this survey", "check the code you were given"
    ),
    Outcome.USED_INVITATION: lambda: UsedInvitationError(
        "invitation",
        "the code has been used for a response before",
        "ask for another invitation: each is good for one response",
    ),
    Outcome.UNKNOWN_RECEIPT: lambda: NoSuchResponseError(
        "receipt", "no response has this receipt, or has ever had it", "check the receipt"
    ),
}


def refusal(outcome: Outcome) -> RefusalError:
    """Return the refusal of a request for the reason that the store returned."""
    return REFUSALS[outcome]()


def open_survey(store: Store, name: str) -> SurveyState:
    """Return the newest published version of a survey that takes responses.

    Raises:
        NoSuchSurveyError: If no survey has this name.
        ClosedError: If the survey is closed.
        EarlyError: If the survey has not opened yet.
        FullError: If the survey has reached its quota of responses.
        StoreError: If the store cannot be read.
    """
    state = newest_of(store, name)
    if not state.is_open:
        early = state.is_early and not (state.is_closed or state.is_simulated)
        full = state.is_full and not (state.is_closed or state.is_simulated)
        error = refusal(Outcome.EARLY if early else Outcome.FULL if full else Outcome.CLOSED)
        error.study = state.newest.survey.study if early else None
        raise error
    return state


def newest_of(store: Store, name: str) -> SurveyState:
    """Return the newest published version of a survey, open or closed.

    Raises:
        NoSuchSurveyError: If no survey has this name.
        StoreError: If the store cannot be read.
    """
    state = store.state(name)
    if state is None:
        raise refusal(Outcome.REMOVED)
    return state


def version_of(store: Store, name: str, fingerprint: str) -> Survey:
    """Return the version of a survey with this fingerprint, whether or not it still takes responses.

    Raises:
        NoSuchSurveyError: If no survey has this name.
        OutdatedError: If the survey never had a version with this fingerprint.
        StoreError: If the store cannot be read.
    """
    version = store.version_of(name, fingerprint)
    if version is not None:
        return version.survey
    newest_of(store, name)
    raise refusal(Outcome.OUTDATED)
