"""Every screen that a respondent can meet, each looked at by axe and, with ``--soak``, kept as a picture.

The screens stand in `PARTS`, by the walk that reaches them, each with what it shows. A walk that leaves one out or
meets one more fails (`Gallery`), and so does a page, a screen, a failure or a refusal in the code that no screen here
shows (`shown_by_the_code`).
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from playwright.sync_api import Error, Page

from axe import violations
from filling import DESKTOP, PHONE
from respondent.app import REASONS
from respondent.errors import NoSuchResponseError, RefusalError
from respondent.pages.languages import interface
from respondent.pages.texts import kind_texts, odds_texts, script_texts
from soak import soaking

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / ".screenshots"
ATTEMPTS = 3  # at a picture
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}
SMALL_LOOKS = {
    "phone-light-en": ({**PHONE, "color_scheme": "light", "locale": "en"}, "en"),
    "phone-dark-ar": ({**PHONE, "color_scheme": "dark", "locale": "ar"}, "ar"),
}
LOOKS = SMALL_LOOKS | {
    "desktop-dark-en": ({**DESKTOP, "color_scheme": "dark", "locale": "en"}, "en"),
    "desktop-light-ar": ({**DESKTOP, "color_scheme": "light", "locale": "ar"}, "ar"),
}

FAILURES = ("unknown-invitation", "used-invitation", "outdated", "closed", "full", "refused", "broken")
STATUSES = ("deleted", "unknown")
REFUSALS = sorted(
    {RefusalError.reason, *REASONS.values(), *(each.reason for each in RefusalError.__subclasses__())}
    - {NoSuchResponseError.reason}  # only the interface for programs says so
)
PARTS = {
    "survey": {
        "card": "survey.html #card",
        "year": "survey.html radios",
        "year-error": "survey.html #summary",
        "cannabis": "survey.html radios",
        "cannabis-error": "survey.html #summary",
        "drinking": "survey.html radios",
        "drinking-error": "survey.html #summary",
        "income": "survey.html number",
        "income-error": "survey.html #summary",
        "check": "survey.html #check",
        "preview": "survey.html #preview",
        "failure-offline": "failure offline",
        "thanks": "survey.html #thanks",
    },
    "endings": {
        "card-uninvited": "survey.html #invitation-error",
        "check": "survey.html #check",
        "locked": "survey.html #locked",
        "left": "survey.html #left",
        "thanks-with-bytes": "survey.html #bytes",
        "deleted": "status deleted",
        "unknown": "status unknown",
    },
    "failures": {
        **{f"failure-{reason}": f"failure {reason}" for reason in FAILURES[:3]},
        "whose": "restored.mjs #whose",
        **{f"failure-{reason}": f"failure {reason}" for reason in FAILURES[3:]},
        "full": "survey.html #full",
    },
    "split": {
        "card": "survey.html #card",
        "city": "survey.html radios",
        "check": "survey.html #check",
        "preview": "survey.html #preview",
        "by-hand": "by_hand.html obstacle",
    },
    "closed-cards": {
        "card-waiting": "survey.html #waiting",
        "card-broken": "survey.html #late",
        "card-without-script": "survey.html noscript",
    },
    "pages": {
        "index": "index.html",
        "exit": "exit.html",
        "by-hand": "by_hand.html form",
        "by-hand-by-invitation": "by_hand.html #invitation",
        "by-hand-impossible": "by_hand.html obstacle",
        "thanks-by-hand": "stored.html",
        **{f"error-{reason}": f"error.html {reason}" for reason in REFUSALS},
    },
}


def shown_by_the_code() -> set[str]:
    """The names of all screens and texts, found in the templates and in the texts, not in the list above."""
    templates = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "templates").glob("*.html")}
    pages = {name for name, text in templates.items() if '{% extends "base.html" %}' in text}
    survey = templates["survey.html"]
    sections = [*re.findall(r'<section id="(\w+)"', survey), "summary", "waiting", "bytes"]
    english = interface("en")
    own = script_texts(english).keys() - odds_texts(english).keys() - kind_texts(english).keys()
    said = {key for key in own if script_texts(english)[key].endswith(".")} | {"broken"}
    told_at_questions, told_below = {"missing", "number", "whole", "minimum", "maximum"}, {"kept", "recode"}
    told_with_the_receipt, told_on_the_card = {"copied"}, {"total", "vast"}
    return (
        pages - {"survey.html", "by_hand.html", "error.html"}
        | {f"survey.html #{section}" for section in sections}
        | {
            "survey.html #invitation-error",
            "survey.html radios",
            "survey.html number",
            "survey.html noscript",
            "survey.html #late",
            "restored.mjs #whose",
        }
        | {f"by_hand.html {part}" for part in ("form", "#invitation", "obstacle")}
        | {f"error.html {reason}" for reason in REFUSALS}
        | {
            f"failure {key}"
            for key in said
            - told_at_questions
            - told_below
            - told_with_the_receipt
            - told_on_the_card
            - {"uninvited"}
            - set(STATUSES)
        }
        | {f"status {key}" for key in STATUSES}
    )


def take_picture(page: Page, path: Path) -> None:
    """Keep a whole page for people to look at.

    A browser on a busy machine is sometimes unable to take it; nothing is judged by it, so it is asked again.
    """
    for _ in range(ATTEMPTS - 1):
        with suppress(Error):
            page.screenshot(path=path, full_page=True)
            return
    page.screenshot(path=path, full_page=True)


class Gallery:
    """Looks at the screens of one part, in order, in one look: phone-light-en, say."""

    def __init__(self, look: str, part: str) -> None:
        self._folder = PICTURES / look
        self._folder.mkdir(parents=True, exist_ok=True)
        self._part = part
        self._seen: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Refuse to have left out a screen."""
        if kind is None:
            assert self._seen == list(PARTS[self._part])

    def look(self, page: Page, screen: str, *, alike: bool = False) -> None:
        """`judge` the screen and, with ``--soak``, keep a picture; one alike the last but for words only has to fit."""
        self._seen.append(screen)
        if soaking():
            page.evaluate("scrollTo(0, 0)")  # else the header stands where the reader was
            take_picture(page, self._folder / f"{self._part}-{len(self._seen):02}-{screen}.png")
        if alike and not soaking():
            fit(page, screen)
        else:
            judge(page, screen)


def fit(page: Page, screen: str) -> None:
    """Refuse what does not fit the width."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{screen} is too wide"


def judge(page: Page, screen: str = "the page") -> None:
    """Refuse what axe finds wrong, or what does not fit the width."""
    fit(page, screen)
    assert violations(page, RULES) == [], screen
