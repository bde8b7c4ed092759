"""The texts of the page's script and of refusals, in the language of the page."""

from dataclasses import dataclass
from math import exp, prod

from collector.coding.threshold_coding import THRESHOLDS
from collector.disclosure.accounting import group_ratio
from collector.disclosure.lints import LARGE_EPSILON
from collector.survey.group import Group
from collector.survey.question import EXTRAS, SKIPPED, YES_NO, Question
from collector.survey.screen import GRID, MULTIPLE, NUMBER, RANKING, TOGETHER, Screen
from collector.survey.survey import Survey
from collector.wording.wording import extra_words, is_cut, wordings
from respondent.pages.card import disguise, disguising
from respondent.pages.languages import Interface

MANY = exp(LARGE_EPSILON)  # factor above which a response is hardly hidden, as in static/page/card.mjs


@dataclass(frozen=True)
class ErrorWords:
    """The words for a person whose request or form is refused.

    Attributes:
        heading: What went wrong, in a few words.
        remedy: What the person can do, in one to three sentences.
    """

    heading: str
    remedy: str


def script_texts(interface: Interface, *, disguised: bool = True, routed: bool = False) -> dict[str, str]:
    """Return every text of the script static/page/survey.mjs, by the name of the text in the script."""
    _ = interface.gettext
    return {
        **odds_texts(interface),
        **kind_texts(interface),
        "error": _("Error: "),
        "count": _("Question {number} of up to {all}") if routed else _("Question {number} of {all}"),
        "next": _("Continue"),
        "send": _("Send disguised answers") if disguised else _("Send answers"),
        "see": _("Lock answers and see what is sent"),
        "change": _("Change"),
        "sent": _("Sent: {answer}"),
        "total": _(
            "Your answers taken together: at worst, somebody who wavers between two sets of them can guess which is "
            "yours, and is wrong in only 1 of {number} cases."
        ),
        "vast": _(
            "Each single answer is disguised. But this survey asks so much that all your answers together are hardly "
            "hidden."
        ),
        "and": _("{first} and {last}"),
        "comma": _(", "),
        "exit": _("Or press Shift three times"),
        "missing": _("Choose an answer."),
        "number": _("Write one number in digits, such as 1200 or 12.5, without a mark that can be read in two ways."),
        "whole": _("Write a whole number, in digits only."),
        "minimum": _("Write a number of {minimum} or more."),
        "maximum": _("Write a number of {maximum} or less."),
        "uninvited": _("Write the invitation code that you were given: 26 letters and digits."),
        "whose": _("Answers of an earlier visit wait here, not yet sent. Are they yours?"),
        "sending": _("Sending\u2026"),
        "again": _("Try again"),
        "offline": _("The server could not be reached, or could not keep the response just now."),
        "kept": _("Nothing is lost: trying again sends the very same response."),
        "recode": _("Nothing is lost: with another code the very same response is sent."),
        "refused": _("The server refused the response. Leave, and open the survey again."),
        "outdated": _("The survey was changed after you opened this page. Leave, and open it again."),
        "closed": _("The survey is closed and takes no more responses. Thank you for coming."),
        "full": _("The survey has as many such responses as it takes. Thank you for coming."),
        "unknown-invitation": _("This invitation code is not known here. Check it, and try again."),
        "used-invitation": _("A response came with this invitation before. Each is good for one."),
        "deleted": _("Your response is deleted."),
        "unknown": _("No response here has this receipt, or ever had it. Check the receipt."),
        "copied": _("Copied."),
    }


def interval_words(survey: Survey, language: str) -> dict[str, tuple[str, ...]]:
    """Return the words of all intervals, by question, for the page's script."""
    cut = [each for each in survey.questions if is_cut(survey, each)]
    return {each.name: wordings(survey, each, language)[: len(each.base)] for each in cut}


def kind_texts(interface: Interface) -> dict[str, str]:
    """Return the texts for kinds of questions with special controls."""
    _ = interface.gettext
    return {
        **extra_words(interface.language),
        "lines": _("Each line has odds of its own."),
        "each-grid": _("For each statement: {odds}"),
        "each-multiple": _("For each option: {odds}"),
        "optional": _("You may skip this question."),
        "coin-here": _(
            "One coin decides for all answers to question {numbers} together: whoever knows one of your true answers "
            "to it can work out the others from what is sent."
        ),
        "coin-here-more": _(
            "One coin decides for all answers to question {numbers} together: whoever knows one of your true answers "
            "to it learns more about the others from what is sent."
        ),
        "few": _("Tick {least} or more."),
        "many": _("Tick {most} at most."),
        "rank": _("Put all {all} in order."),
        "tap": _("Tap what comes first, then what comes second, and so on. Tap again to take it back."),
        "unticked": _("Nothing ticked"),
        "search": _("Search"),
        "found": _("Answers: {count}"),
    }


def odds_texts(interface: Interface) -> dict[str, str]:
    """Return the texts on values, codes and odds for static/page/odds.mjs and static/page/words.mjs."""
    _ = interface.gettext
    return {
        "yes": _("Yes"),
        "no": _("No"),
        "least": _("{number} or more"),
        "bare": _("code {code}"),
        "one-of": _("one of {answers}"),
        "with-code": _("{answer} (code {code})"),
        "fewer": _("fewer than 1"),
        "over": _("more than 99"),
        "about": _("about {number}"),
        "open": _("Not disguised: it is sent as you answer it."),
        "all-open": _("Not disguised, and sent as answered: question {numbers}."),
        "people": _("Of 100 people who answer \u201c{answer}\u201d, {parts}."),
        "first": _("{count} are sent as \u201c{sent}\u201d"),
        "more": _("{count} as \u201c{sent}\u201d"),
        "another": _("{count} as another answer"),
        "sure": _("Everybody who answers \u201c{answer}\u201d is sent as \u201c{answer}\u201d: what is sent shows it."),
        "certain": _("The disguise is certain, so that it hides nothing."),
        "differs": _("What is sent depends on your true answer."),
        "even": _(
            "Of 100 people, whatever they answer, {count} are sent as they answer and {other} as any other answer, "
            "equally often."
        ),
        "right": _("Of 100 people, what is sent is right for {count}."),
        "changed": _("Chance changes the answer of {other} in 100 people before it is sent."),
        "changed-asked": _("Chance changes the answer of {other} in 100 people who are asked this before it is sent."),
        "set": _(
            "What is sent stands for several answers at once. Of 100 people, whatever they answer, their answer is "
            "among them for {count}, and any other answer for {other}."
        ),
        "side": _(
            "What is sent says whether your answer is above a point of the scale that is drawn by chance. Of 100 "
            "people, whatever they answer, this is right for {count}."
        ),
        "coin": _(
            "One coin decides for questions {numbers} together: whoever knows your true answer to one of them can work "
            "out the others from what is sent."
        ),
        "coin-more": _(
            "One coin decides for questions {numbers} together: whoever knows your true answer to one of them learns "
            "more about the others from what is sent."
        ),
        "example": _("Example, question {number}."),
        "picture": _("100 people, {count} of them marked"),
        "limit": _(
            "Question {number}: what is sent may raise the chance that your answer is \u201c{answer}\u201d from "
            "{before} to {after} in 100, at most."
        ),
        "code": _("Sent for {people}."),
        "never": _("Never sent."),
        "who-one": _("{count} of 100 people who answer \u201c{answer}\u201d"),
        "who-these": _("{count} of 100 people who answer one of these"),
        "who-others": _("{count} of 100 people who answer anything else"),
    }


OF_DISGUISE = {"right", "people", "first", "more", "fewer", "over", "about", "another", "example", "picture", "limit"}
OF_CODES = {"sent", "code", "who-one", "who-others"}
OF_INVITATIONS = {"uninvited", "unknown-invitation", "used-invitation", "recode"}
OF_NUMBERS = {"minimum", "least"}
LONG = 15  # as in static/page/sections.mjs


def texts_for(survey: Survey, interface: Interface, *, by_invitation: bool) -> dict[str, str]:
    """Return only the texts that the script may need in this survey, to keep the page small."""
    groups = [disguising(survey, question) for question in survey.questions]
    disguised = [each for each, group in zip(survey.questions, groups, strict=True) if group]
    numbers: list[Question | Screen] = [each for each in survey.questions if each.cuts]
    numbers += [each for each in survey.screens if each.kind == NUMBER]
    lone = any(each.coding.scheme == "szucs" or each.coding.replacement for each in disguised)
    shared = [each.coding.scheme for each in disguised if each.coding.shared]
    kinds = {screen.kind for screen in survey.screens}
    groups_here = [group for group in groups if group and len(group.questions) > 1]
    together = {(_on_one_screen(survey, group), group.channel.replacement.paired) for group in groups_here}
    values = {value for each in survey.questions for value in each.values}
    coded = survey.preview != "off"
    paired = any(bool(each.coding.complements) for each in disguised if len(each.values) > 2)
    several = any(bool(each.coding.complements) for each in survey.questions if len(each.values) > 2)
    said = _said_of_all(survey) | {
        **dict.fromkeys(OF_INVITATIONS, by_invitation),
        **dict.fromkeys(OF_NUMBERS, bool(numbers)),
        "number": not all(each.whole for each in numbers),
        "whole": any(each.whole for each in numbers),
        "full": survey.study is not None and bool(survey.study.quota or survey.study.quotas),
        "maximum": any(each.maximum is not None for each in numbers),
        **dict.fromkeys(("yes", "no"), any(each.base == YES_NO and not each.shown for each in survey.questions)),
        **dict.fromkeys(("open", "all-open"), not all(groups)),
        **dict.fromkeys(OF_DISGUISE, bool(disguised)),
        "even": any(len(each.values) > 2 for each in disguised),
        "differs": lone or paired,
        "right": bool(shared),
        "changed": len(shared) < len(disguised),
        "changed-asked": any(each.coding.routed for each in disguised),
        "with-code": several and coded,
        "certain": any(group and group.channel.coin.fixed == 0 for group in groups),
        "coin": (False, True) in together,
        "coin-more": (False, False) in together or survey.sampling is not None,
        "coin-here": (True, True) in together,
        "coin-here-more": (True, False) in together,
        **{value: value in values for value in EXTRAS},
        "optional": SKIPPED in values,
        **dict.fromkeys(("few", "many", "unticked"), MULTIPLE in kinds),
        "lines": bool(kinds & {*TOGETHER}),
        "each-grid": GRID in kinds,
        "each-multiple": MULTIPLE in kinds,
        **dict.fromkeys(("rank", "tap"), RANKING in kinds),
        **dict.fromkeys(("search", "found"), any(len(each.values) > LONG for each in survey.questions)),
        "sure": lone or survey.sampling is not None,
        "set": bool({*shared} - {THRESHOLDS}),
        "side": THRESHOLDS in shared,
        **dict.fromkeys(OF_CODES, coded),
        "see": survey.preview == "before",
        **dict.fromkeys(("bare", "never"), lone and coded),
        "one-of": any(each.coding.shared for each in survey.questions) and coded,
        "who-these": bool(shared) and coded,
    }
    routed = any(screen.ask_if for screen in survey.screens)
    texts = script_texts(interface, disguised=disguise(survey).every, routed=routed)
    return {name: text for name, text in texts.items() if said.get(name, True)}


def _on_one_screen(survey: Survey, group: Group) -> bool:
    """Return whether all questions of a group are on one screen that every respondent sees."""
    return survey.sampling is None and any({*group.questions} <= {*each.questions} for each in survey.screens)


def _said_of_all(survey: Survey) -> dict[str, bool]:
    """Return which sentences the page shows on what a whole response discloses.

    The key ``total`` is true if the whole response has a meaningful epsilon, and ``vast`` if the epsilon is too large
    to state.
    """
    bounds = [group_ratio(survey, group) for group in survey.groups]
    known = [each for each in bounds if each]
    bounded = len(known) == len(bounds) or survey.sampling is not None
    most = prod(known)
    return {
        "total": bool(known) and bounded and (most <= MANY or survey.sampling is not None),
        "vast": bounded and most > MANY,
    }


def error_words(reason: str, interface: Interface) -> ErrorWords:
    """Return the words that explain the reason of a refusal (see `respondent.errors`)."""
    _ = interface.gettext
    not_stored = _("Your response was not stored")
    answer_anew = _("Open the survey\u2019s own page, and answer there.")
    words = {
        "no-such-address": ErrorWords(_("Page not found"), _("Check the link that you were given.")),
        "no-such-survey": ErrorWords(
            _("Survey not found"), _("There is no survey at this address. Check the link that you were given.")
        ),
        "closed": ErrorWords(_("The survey is closed"), _("It takes no more responses. Thank you for coming.")),
        "early": ErrorWords(_("The survey has not opened yet"), _("Please come back when it opens.")),
        "full": ErrorWords(
            _("The survey has enough responses"), _("It takes no more of this kind. Thank you for coming.")
        ),
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
            not_stored, _("What was sent is not a whole response. Go back, mark one line for each question, and send.")
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
        "broken": ErrorWords(
            _("The survey file cannot be shown"),
            _("Mend what is named below, save the file, and load this page again."),
        ),
    }
    return words.get(reason, words["malformed"])
