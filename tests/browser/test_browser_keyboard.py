"""A complete survey in a real Chromium with the keyboard alone, by hand too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from filling import ANSWERS, BILINGUAL_WORDS, PHONE, SIZES, WORDS, thanked, twin_sends

pytestmark = pytest.mark.browser


@SIZES
def test_a_survey_can_be_answered_with_the_keyboard_alone(
    size: dict[str, Any], served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS, **size).open(served.page(wellbeing))
    answer_by_keyboard(here.page, wellbeing, "en")
    assert thanked(here)
    assert served.responses(wellbeing) == [tuple(twin_sends(wellbeing).values())]
    assert here.complaints == []


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_survey_with_a_preview_can_be_answered_with_the_keyboard_alone_in_both_languages(
    language: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(BILINGUAL_WORDS, locale=language, **PHONE).open(served.page(bilingual))
    answer_by_keyboard(here.page, bilingual, language)
    reach(here.page, "next")
    here.page.keyboard.press("Enter")
    assert thanked(here)
    assert served.responses(bilingual) == [tuple(twin_sends(bilingual, BILINGUAL_WORDS).values())]
    assert here.complaints == []


def answer_by_keyboard(page: Page, survey: Survey, language: str) -> None:
    """From the study card to the button under every answer, pressed."""
    reach(page, "start")
    page.keyboard.press("Enter")
    for question in survey.questions:
        heading = page.evaluate("[document.activeElement.tagName, document.activeElement.innerText]")
        assert heading == ["H1", question.label[language]], "the heading is not heard first"
        reach(page, f"q-{question.name}")
        if question.kind == "number":
            page.keyboard.type("850.5")
            page.keyboard.press("Enter")  # as the button does
            continue
        if (steps := question.value_index(str(ANSWERS[question.name]))) == 0:
            page.keyboard.press("Space")
        for _ in range(steps):
            page.keyboard.press("ArrowDown")
        reach(page, "next")
        page.keyboard.press("Enter")
    reach(page, "next")
    page.keyboard.press("Enter")


def test_by_hand_with_the_keyboard_alone(served: Served, visit: Callable[..., Visit], bilingual: Survey) -> None:
    page = visit(java_script_enabled=False, **PHONE).page
    page.goto(f"{served.page(bilingual)}/by-hand")
    for question in bilingual.questions:
        reach(page, f"q-{question.name}")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
    for _ in range(3):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "BUTTON":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("form", state="detached")
    assert served.responses(bilingual) == [tuple(question.codes[1] for question in bilingual.questions)]


def reach(page: Page, prefix: str) -> None:
    """Press Tab until an element whose id, or name where it has none, begins so has the focus."""
    for _ in range(25):
        page.keyboard.press("Tab")
        if str(page.evaluate("document.activeElement.id || document.activeElement.name")).startswith(prefix):
            return
    pytest.fail(f"{prefix} cannot be reached")
