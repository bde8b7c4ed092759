"""Leaving the survey, from every screen and at once, in a real Chromium: nothing stays behind, nothing is sent."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from filling import BILINGUAL_WORDS, WORDS, answer, give, proceed, reload_mine, settled, start, thanked

pytestmark = pytest.mark.browser


def test_leaving_is_one_tap_and_forgets_everything(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    here.page.click("#card [data-leave]")
    assert here.page.evaluate("document.activeElement.textContent") == "You have left the survey"
    assert here.page.title() == "Student wellbeing"
    here.open(served.page(wellbeing))
    answer(here.page, wellbeing)
    here.page.click("#leave")
    assert here.page.locator("input").count() == 0
    assert here.page.evaluate("sessionStorage.length") == 0
    assert here.posts == []
    here.page.go_back()
    settled(here.page)
    assert here.page.is_visible("#left")
    assert here.complaints == []


BEFORE = "data:text/html,before"


def entries(page: Page) -> list[str]:
    """The addresses in the history of the tab, those to go forward to included."""
    history = page.context.new_cdp_session(page).send("Page.getNavigationHistory")
    return [entry["url"] for entry in history["entries"]][1:]  # a new tab is empty


def exited(page: Page) -> bool:
    """Whether the empty page is shown, and the tab holds nothing."""
    page.wait_for_url("about:blank")
    return page.locator("body *").count() == 0 and bool(page.evaluate("sessionStorage.length") == 0)


@pytest.mark.parametrize("way", ["question", "check", "preview", "thanks"])
def test_exit_leaves_no_entry_of_the_survey_in_the_history(
    way: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(BILINGUAL_WORDS)
    page = here.page
    page.goto(BEFORE)
    here.open(f"{served.page(bilingual)}?lang=ar#ABCDE-FGHJK")
    page.click("header nav a")
    page.wait_for_selector("html[lang=en] #start:enabled")
    if way == "question":
        start(page)
        give(page, bilingual, "year")
        proceed(page)
        page.click("#back")
        page.wait_for_selector("#q-year-question:visible")
        page.evaluate("location.hash = 'main'")
    else:
        answer(page, bilingual)
    if way in {"preview", "thanks"}:
        proceed(page)
        page.wait_for_selector("#preview:visible")
    if way == "thanks":
        proceed(page)
        assert thanked(here)
    page.click("#exit", no_wait_after=True)
    assert exited(page)
    assert entries(page) == [BEFORE, "about:blank", f"{served.address}/exit"]
    page.go_back()
    assert page.url == BEFORE


def test_exit_is_on_every_screen(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    start(here.page)
    for question in wellbeing.questions:
        assert here.page.is_visible("#exit")
        give(here.page, wellbeing, question.name)
        proceed(here.page)
    assert here.page.is_visible("#exit")


def test_a_reload_does_not_hide_entries_from_exit(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(BILINGUAL_WORDS)
    here.page.goto(BEFORE)
    here.open(served.page(bilingual))
    answer(here.page, bilingual)
    proceed(here.page)
    reload_mine(here.page)
    here.page.wait_for_selector("#preview:visible")
    here.page.click("#exit", no_wait_after=True)
    assert exited(here.page)
    assert entries(here.page) == [BEFORE, "about:blank", f"{served.address}/exit"]


def test_three_presses_of_shift_within_five_seconds_exit_at_once(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS)
    here.page.clock.install()
    here.open(served.page(wellbeing))
    page = here.page
    start(page)
    for key in ("Shift", "Shift", "A", "Shift", "Shift"):
        page.keyboard.press(key)
    assert page.is_visible("#q-year-question"), "two in a row are too few"
    page.clock.fast_forward(5_000)
    page.keyboard.press("Shift")
    assert page.is_visible("#q-year-question"), "they were pressed too long ago"
    page.keyboard.press("Shift")
    page.keyboard.press("Shift")
    assert exited(page)


def test_exit_asks_nothing_of_the_network_and_names_no_host_offline(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    start(here.page)
    give(here.page, wellbeing, "year")
    proceed(here.page)
    loaded = here.paths()
    here.page.context.set_offline(True)
    here.page.click("#exit", no_wait_after=True)
    assert exited(here.page)
    assert here.page.title() == ""
    assert here.paths() == loaded


def test_leaving_at_the_preview_sends_nothing(served: Served, visit: Callable[..., Visit], bilingual: Survey) -> None:
    here = visit(BILINGUAL_WORDS).open(served.page(bilingual))
    answer(here.page, bilingual)
    proceed(here.page)
    here.page.click("#leave")
    assert here.page.is_visible("#left")
    assert here.posts == []
    assert here.page.evaluate("sessionStorage.length") == 0
