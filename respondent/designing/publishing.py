"""Publishing of a survey from the designer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Any

from collector.database.address import read_place
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import DeniableError, SurveyError
from collector.page.link import survey_address
from collector.store.published import Published
from collector.store.store import Store
from collector.survey.revision import changed_wording
from collector.survey.survey import Survey
from respondent.designing.document import SurveyDocument
from respondent.designing.translating.table import languages_of, translations
from respondent.designing.values import EditError

STORE = "deniable.db"
PORT = 8000  # default port of `respondent serve`
HOST = "https://survey.example.org"  # address of a server in examples
FREEZES = (
    "Questions, values, priors, groups and random draws: a change makes another version, with responses of its own.",
    "The odds that respondents are shown: no later version makes them better for responses that were sent.",
    "The name: the address of the survey has it, and so have its invitations.",
)
STILL_OPEN = ("Texts, languages, days and quotas: a change of these alone is a revision, and responses pool.",)
"""What can still be changed after publishing."""


LISTED = 5  # maximum number of places or texts that one sentence names
CARD = {"who": "who asks", "why": "why", "contact": "whom to write to"}
"""Lines of the study card without which respondents do not know whom they answer, and how each reads."""


def offered_store(document: SurveyDocument, survey: Survey) -> str:
    """Return the store to offer for publishing.

    It is the store that was used last, or else the first store beside the survey file or in the current folder in which
    the survey is published, or else `STORE`.
    """
    if document.store:
        return document.store
    folders = dict.fromkeys([Path(), document.path.parent])
    for path in [path for folder in folders for path in sorted(folder.glob("*.db"))]:
        with suppress(DeniableError), Store(path) as store:
            if store.state(survey.name) is not None:
                return str(path)
    return STORE


def frozen_by(survey: Survey, store: str) -> list[str]:
    """Return sentences on the version that publishing would make, and on what could no longer be changed."""
    place = read_place(store)
    if isinstance(place, Path) and not place.is_file():
        return [_first(survey), *FREEZES]
    with Store(place) as opened:
        before = opened.state(survey.name)
        return [_first(survey) if before is None else _becomes(opened, survey, before.newest), *FREEZES]


def _first(survey: Survey) -> str:
    return f'It becomes version 1 of "{survey.name}", with the fingerprint {survey.fingerprint}.'


def _becomes(store: Store, survey: Survey, newest: Published) -> str:
    """Return a sentence on what publishing would make of a survey that has been published before."""
    kept, count = store.kept_version(survey), store.count(newest.survey)
    so_far = "the 1 response so far stays" if count == 1 else f"the {count} responses so far stay"
    if kept is None:
        number = store.next_version(survey.name)
        made = f'This will be version {number} of "{survey.name}": {so_far} with version {newest.version}.'
        return f"{made} Its fingerprint is {survey.fingerprint}."
    if kept.version < newest.version or survey.fingerprint == newest.survey.fingerprint:
        return (
            f'"{survey.name}" is published as version {kept.version} already, with the fingerprint {kept.fingerprint}: '
            f"publishing it again changes nothing. Respondents get version {newest.version}."
        )
    return (
        f"This will be a revision of version {kept.version}: only words or days change "
        f"({_listed(changed_wording(newest.survey, survey))}). {so_far[0].upper()}{so_far[1:]} in it, and new ones are "
        "counted with them."
    )


def unfinished(document: SurveyDocument) -> list[str]:
    """Return sentences on what a survey file lacks that can be published: translations, and lines of the study card."""
    found = []
    rows = translations(document.values, document.originals)
    for language in languages_of(document.values):
        missing = [row["name"] for row in rows if language in row["missing"]]
        older = [row["name"] for row in rows if language in row["changed"]]
        if missing:
            found.append(f"Not translated ({language}): {_listed(missing)}. Respondents see the names from the file.")
        if older:
            found.append(f"The original has changed since it was translated ({language}): {_listed(older)}.")
    card = document.values.get("study")
    lacking = [words for key, words in CARD.items() if not (isinstance(card, dict) and card.get(key))]
    if len(lacking) == len(CARD):
        found.append("The study card is empty: respondents do not read who asks, why, and whom to write to.")
    elif lacking:
        found.append(f"The study card does not say {' and '.join(lacking)}.")
    return found


def problem_before(document: SurveyDocument) -> EditError:
    """Return the error for publishing a survey file that has errors."""
    shown = document.previewed()
    if shown is None or shown.is_stale or not shown.missing:
        return EditError("survey", "some problems are not fixed yet", "choose “to fix” at the top of the page")
    languages = dict.fromkeys(language for _, language in shown.missing)
    counts = ", ".join(f"{language}: {sum(each == language for _, each in shown.missing)}" for language in languages)
    return EditError("translations", f"some texts are not translated yet ({counts})", "fill them in under Translations")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - LISTED
    return f"{', '.join(names[:LISTED])}{f' and {more} more' if more > 0 else ''}"


def published_in(survey: Survey, store: str) -> Published:
    """Publish a survey in a store, and create the store if it does not exist.

    Raises:
        SurveyError: If `collector check` refuses the design.
        StoreError: If the store cannot publish the survey (see `Store.publish`).
    """
    refusals = SurveyPrivacy(survey).refusals
    if refusals:
        raise SurveyError(refusals[0].place, refusals[0].problem, refusals[0].remedy)
    with Store(read_place(store), create=True) as opened:
        opened.refuse_tests()
        return opened.publish(survey)


def as_plain(published: Published, store: str) -> dict[str, Any]:
    """Return a published version as plain JSON values, with the address and the commands that open it."""
    return {
        "published": published.name,
        "version": published.version,
        "fingerprint": published.fingerprint,
        "address": survey_address(f"http://127.0.0.1:{PORT}", published.name),
        "steps": _steps(published.name, store),
    }


def _steps(name: str, store: str) -> list[dict[str, str]]:
    """Return what to do to open a published survey to respondents, each with its command."""
    stored = f"--store {quote(store)}"
    with Store(read_place(store)) as opened:
        state = opened.state(name)
    steps = {
        "Serve it from this computer until you press Ctrl-C": f"respondent serve {stored}",
        "Print the address as a QR code": f"collector link {name} --address {HOST} -o {name}.svg",
        "Or let only those answer who have a code": f"collector invite {name} --count 100 --links {HOST} {stored}",
        "See how many have answered": f"collector status {name} {stored}",
    }
    if state is not None and state.is_closed and not state.for_good:
        steps = {"It is closed: open it": f"collector open {name} {stored}"} | steps
    return [{"words": words, "command": command} for words, command in steps.items()]
