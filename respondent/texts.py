"""What the page's script says, in the language of the page."""

from __future__ import annotations

from respondent.languages import Interface


def script_texts(interface: Interface) -> dict[str, str]:
    """Every text of static/survey.mjs, by the name it has there."""
    _ = interface.gettext
    return {
        "error": _("Error: "),
        "next": _("Continue"),
        "send": _("Send disguised answers"),
        "see": _("Lock answers and see what is sent"),
        "change": _("Change"),
        "sent": _("Sent: {answer}; {odds}"),
        "missing": _("Choose an answer."),
        "number": _("Write one number in digits without a thousands mark, such as 1200 or 12.5."),
        "minimum": _("Write a number of {minimum} or more."),
        "uninvited": _("Write the invitation code that you were given."),
        "sending": _("Sending\u2026"),
        "again": _("Try again"),
        "offline": _("The server could not be reached, or could not keep the response just now."),
        "kept": _("Nothing is lost: trying again sends the very same disguised answers."),
        "refused": _("The server refused the response. Leave, and open the survey again."),
        "outdated": _("The survey was changed after you opened this page. Leave, and open it again."),
        "closed": _("The survey is closed and takes no more responses. Thank you for coming."),
        "unknown-invitation": _("This invitation code is not known here. Check it, and try again."),
        "used-invitation": _("A response came with this invitation before. Each is good for one."),
        "deleted": _("Your response is deleted."),
        "unknown": _("No response here has this receipt. It may be deleted already."),
    }
