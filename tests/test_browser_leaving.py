"""Leaving the survey, from every screen and at once, in a real Chromium: nothing stays behind, nothing is sent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from browser_fixtures import Served, Visit
from collector.survey import Survey
from filling import BILINGUAL_WORDS, WORDS, answer, give, proceed, start

pytestmark = pytest.mark.browser


def test_leaving_is_one_tap_and_forgets_everything(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    here.page.click("#card [data-leave]")
    assert here.page.title() == "You have left the survey \u2013 Student wellbeing"
    here.open(served.page(wellbeing))
    answer(here.page, wellbeing)
    here.page.click("#leave")
    assert here.page.locator("input").count() == 0
    assert here.page.evaluate("sessionStorage.length") == 0
    assert here.posts == []
    here.page.go_back()
    here.page.wait_for_timeout(100)
    assert here.page.is_visible("#left")
    assert here.complaints == []


def test_exit_is_on_every_screen_and_back_finds_nothing(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    start(here.page)
    for question in wellbeing.questions:
        assert here.page.is_visible("#exit")
        give(here.page, wellbeing, question.name)
        proceed(here.page)
    assert here.page.is_visible("#exit")
    here.page.click("#exit")
    here.page.wait_for_url("**/exit")
    assert here.page.evaluate("sessionStorage.length") == 0
    here.page.go_back()
    here.page.wait_for_selector("#start:enabled")
    assert here.page.is_visible("#card")
    assert here.page.locator("input:checked").count() == 0
    assert here.page.input_value("#q-income") == ""


def test_three_presses_of_shift_exit_at_once(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    page = here.page
    start(page)
    for key in ("Shift", "Shift", "A", "Shift", "Shift"):
        page.keyboard.press(key)
    assert page.is_visible("#q-year-question"), "two in a row are too few"
    page.keyboard.press("Shift")
    page.wait_for_url("**/exit")
    assert page.evaluate("sessionStorage.length") == 0


def test_exit_clears_the_screen_whatever_the_network_does(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    start(here.page)
    here.page.route("**/exit", lambda route: route.fulfill(status=204))  # a browser then stays where it is
    here.page.click("#exit", no_wait_after=True)
    here.page.wait_for_selector("body", state="hidden")
    assert here.page.evaluate("sessionStorage.length") == 0


def test_leaving_at_the_preview_sends_nothing(served: Served, visit: Callable[..., Visit], bilingual: Survey) -> None:
    here = visit(BILINGUAL_WORDS).open(served.page(bilingual))
    answer(here.page, bilingual)
    proceed(here.page)
    here.page.click("#leave")
    assert here.page.is_visible("#left")
    assert here.posts == []
    assert here.page.evaluate("sessionStorage.length") == 0
