"""What the page's script says, and what pages say in place of one that is refused, in the language of the page."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from collector.disclosure.accounting import group_ratio
from collector.survey.survey import Survey
from respondent.pages.card import disguise
from respondent.pages.languages import Interface

MANY = 10**6  # as in static/page/survey.mjs
MANY = 10**6  # as in static/page/survey.mjs
OF_INVITATIONS = {"uninvited", "unknown-invitation", "used-invitation", "recode"}
OF_NUMBERS = {"least", "number", "minimum"}
OF_MAXIMA = {"maximum"}
OF_LONE_CODES = {"bare", "never"}  # that stand for no value, or are never sent
OF_SHARED_CODES = {"one-of", "these"}


@dataclass(frozen=True)
class ErrorWords:
    """What a person reads who is refused a page, or whose form by hand is refused.

    Attributes:
        heading: What happened, in a few words.
        advice: What to do, in one to three sentences.
    """

    heading: str
    advice: str


def script_texts(interface: Interface, *, disguised: bool = True) -> dict[str, str]:
    """Every text of static/page/survey.mjs, by the name it has there.

    Args:
        interface: In whose language.
        disguised: Whether every question is.
    """
    _ = interface.gettext
    return {
        "error": _("Error: "),
        "count": _("Question {number} of {all}"),
        "least": _("{number} or more"),
        "next": _("Continue"),
        "send": _("Send disguised answers") if disguised else _("Send answers"),
        "see": _("Lock answers and see what is sent"),
        "change": _("Change"),
        "sent": _("Sent: {answer}"),
        "total": _(
            "All that you send together changes anybody\u2019s odds on your answers to the disguised questions at most "
            "{ratio} times."
        ),
        "vast": _(
            "All that you send together may change anybody\u2019s odds on your answers to the disguised questions more "
            "than a million times: taken together, they are hardly hidden."
        ),
        "bare": _("code {code}"),
        "one-of": _("one of {answers}"),
        "with-code": _("{answer} (code {code})"),
        "never": _("Never sent."),
        "code": _("Sent for {people}."),
        "people": _("{count} of {base} people whose answer is {answer}"),
        "these": _("{count} of {base} people whose answer is one of these"),
        "others": _("{count} of {base} people with any other answer"),
        "and": _("{first} and {last}"),
        "comma": _(", "),
        "exit": _("Or press Shift three times"),
        "missing": _("Choose an answer."),
        "number": _("Write one number in digits, such as 1200 or 12.5, without a mark that can be read in two ways."),
        "minimum": _("Write a number of {minimum} or more."),
        "maximum": _("Write a number of {maximum} or less."),
        "uninvited": _("Write the invitation code that you were given: 26 letters and digits."),
        "sending": _("Sending\u2026"),
        "again": _("Try again"),
        "offline": _("The server could not be reached, or could not keep the response just now."),
        "kept": _("Nothing is lost: trying again sends the very same response."),
        "recode": _("Nothing is lost: with another code the very same response is sent."),
        "refused": _("The server refused the response. Leave, and open the survey again."),
        "outdated": _("The survey was changed after you opened this page. Leave, and open it again."),
        "closed": _("The survey is closed and takes no more responses. Thank you for coming."),
        "unknown-invitation": _("This invitation code is not known here. Check it, and try again."),
        "used-invitation": _("A response came with this invitation before. Each is good for one."),
        "deleted": _("Your response is deleted."),
        "unknown": _("No response here has this receipt, or ever had it. Check the receipt."),
    }


def texts_for(survey: Survey, interface: Interface, *, by_invitation: bool) -> dict[str, str]:
    """Those that the script may say in this survey, and no others: a page is to be light."""
    unsaid = (set() if by_invitation else OF_INVITATIONS) | _unsaid_of_all(survey)
    if not any(question.coding.shared for question in survey.questions):
        unsaid |= OF_SHARED_CODES
    if not any(question.coding.scheme == "szucs" or question.coding.replacement for question in survey.questions):
        unsaid |= OF_LONE_CODES
    numbers = [question for question in survey.questions if question.cuts]
    unsaid |= OF_NUMBERS if not numbers else set()
    unsaid |= OF_MAXIMA if all(question.maximum is None for question in numbers) else set()
    texts = script_texts(interface, disguised=disguise(survey).every)
    return {name: text for name, text in texts.items() if name not in unsaid}


def _unsaid_of_all(survey: Survey) -> set[str]:
    """What is never said of all that one respondent sends: a bound where there is none, or one that is meaningless."""
    bounds = [group_ratio(survey, group) for group in survey.groups]
    known = [each for each in bounds if each]
    bounded = len(known) == len(bounds) or survey.sampling is not None
    said = {"total": bool(known) and bounded, "vast": bounded and prod(known) > MANY}
    return {name for name, is_said in said.items() if not is_said}


def error_words(reason: str, interface: Interface) -> ErrorWords:
    """What to say for a reason that `respondent.errors` or the app itself refuses with."""
    _ = interface.gettext
    not_stored = _("Your response was not stored")
    answer_anew = _("Open the survey\u2019s own page, and answer there.")
    words = {
        "no-such-address": ErrorWords(_("Page not found"), _("Check the link that you were given.")),
        "no-such-survey": ErrorWords(
            _("Survey not found"), _("There is no survey at this address. Check the link that you were given.")
        ),
        "closed": ErrorWords(_("The survey is closed"), _("It takes no more responses. Thank you for coming.")),
        "outdated": ErrorWords(not_stored, _("The survey was changed after you opened this page. Open it again.")),
        "deleted": ErrorWords(
            not_stored, _("The response with this receipt was deleted. To send another one, open the survey anew.")
        ),
        "unknown-invitation": ErrorWords(
            not_stored, _("This invitation code is not known here. Check it, and try again.")
        ),
        "used-invitation": ErrorWords(
            not_stored, _("A response came with this invitation before. Each is good for one.")
        ),
        "malformed": ErrorWords(
            not_stored,
            _("What was sent is not a whole response. Go back, mark one line for each question, and send."),
        ),
        "incomplete": ErrorWords(
            not_stored, _("What was sent did not come whole in time. Go back, and send it again: it counts once.")
        ),
        "too-long": ErrorWords(not_stored, _("What was sent is longer than any response.") + " " + answer_anew),
        "media-type": ErrorWords(not_stored, _("What was sent is not the form of this page.") + " " + answer_anew),
        "foreign": ErrorWords(not_stored, _("It came from a page of another site.") + " " + answer_anew),
        "stale": ErrorWords(
            not_stored, _("This form was not made here, or before yesterday. Open it again, and mark the same lines.")
        ),
        "method": ErrorWords(_("This page cannot be shown"), answer_anew),
        "too-many": ErrorWords(
            _("Too many requests came from your network"), _("Nothing is lost. Wait a few minutes, and try again.")
        ),
        "unavailable": ErrorWords(
            _("Sorry, something went wrong here"),
            _("The server can neither show nor store anything just now. Please try again in a minute."),
        ),
    }
    return words.get(reason, words["malformed"])
