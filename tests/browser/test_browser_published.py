"""Three published questionnaires on a small phone: by keyboard, by touch, and by hand without a script."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from playwright.sync_api import Locator, Page

from benchmarks.collecting.weight import PUBLISHED, example
from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from filling import PHONE, by_hand
from screens import judge
from soak import some_of

pytestmark = pytest.mark.browser

PAIRS = [*product(PUBLISHED, ("en", "ar"))]
EVERY = pytest.mark.parametrize(("name", "language"), some_of(PAIRS, [PAIRS[0], PAIRS[3], PAIRS[4]]))
"""Each in one of two languages, and in both with ``--soak``."""
LEAST = 44  # CSS pixels, of what is touched
TABS = 40  # at most: behind the answers to check there are as many buttons as there are answers
FOCUS = "document.activeElement.matches('[data-question] input[type=radio]') ? document.activeElement.id : ''"


def publish(served: Served, name: str) -> Survey:
    survey = example(name)
    served.store.publish(survey)
    return survey


def tab_to(page: Page, wanted: Callable[[], bool]) -> None:
    """Press Tab until something has the focus."""
    for _ in range(TABS):
        page.keyboard.press("Tab")
        if wanted():
            return
    pytest.fail("it cannot be reached")


@EVERY
def test_by_the_keyboard_alone(name: str, language: str, served: Served, visit: Callable[..., Visit]) -> None:
    survey = publish(served, name)
    here = visit(**PHONE).open(f"{served.page(survey)}?lang={language}")
    page, answered = here.page, set[str]()
    tab_to(page, lambda: page.evaluate("document.activeElement.id") == "start")
    page.keyboard.press("Enter")
    while not page.is_visible("#check"):
        judge(page)
        for _ in page.locator("[data-question]:visible [role=radiogroup]").all():
            tab_to(page, lambda: page.evaluate(FOCUS) not in {"", *answered})
            page.keyboard.press("ArrowDown")
            answered.add(page.evaluate(FOCUS))
        page.keyboard.press("Enter")
    judge(page)
    tab_to(page, lambda: page.evaluate("document.activeElement.id") == "next")
    page.keyboard.press("Enter")
    page.wait_for_selector("#thanks:visible")
    assert here.complaints == []
    assert len(served.responses(survey)) == 1
    assert len(answered) == len(survey.questions)


def tap(control: Locator) -> None:
    """Touch the middle of it with a finger: the browser gets touch events, and the page what it makes of them."""
    control.scroll_into_view_if_needed()
    box = control.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= LEAST
    control.tap(no_wait_after=True)


@EVERY
def test_by_touch(name: str, language: str, served: Served, visit: Callable[..., Visit]) -> None:
    survey = publish(served, name)
    here = visit(**PHONE).open(f"{served.page(survey)}?lang={language}")
    page = here.page
    page.evaluate("addEventListener('touchstart', () => (globalThis.touched = (globalThis.touched ?? 0) + 1))")
    tap(page.locator("#start"))
    while not page.is_visible("#check"):
        for group in page.locator("[data-question]:visible [role=radiogroup]").all():
            tap(group.locator(".choice").last)
        tap(page.locator("#next"))
    tap(page.locator("#next"))
    page.wait_for_selector("#thanks:visible")
    assert page.evaluate("touched") > len(survey.questions)
    assert here.complaints == []
    assert len(served.responses(survey)) == 1


@EVERY
def test_by_hand_without_a_script(name: str, language: str, served: Served, visit: Callable[..., Visit]) -> None:
    survey = publish(served, name)
    here = visit(java_script_enabled=False, locale=language, **PHONE)
    page = here.page
    page.goto(served.page(survey))
    page.click("a[href*=by-hand]")
    for question in survey.questions:
        page.click(by_hand(question.name, question.codes[-1]))
    page.click("form button")
    page.wait_for_selector("h1")
    assert served.responses(survey) == [tuple(question.codes[-1] for question in survey.questions)]
    assert here.complaints == []
