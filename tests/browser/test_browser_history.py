"""What the browser's history and its profile tell of a visit: nothing that depends on answers or on routing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from time import sleep

import pytest
from playwright.sync_api import Page, sync_playwright

from benchmarks.collecting.profile_files import contents
from benchmarks.collecting.profiles import opened
from browser_fixtures import Served, Visit, wait_until
from collector.survey_file.survey_file import parse_survey
from elsewhere import elsewhere
from filling import proceed, settled, start
from soak import part_of

pytestmark = pytest.mark.browser

FOLLOWERS = ("Who zqdid it?", "Where zqwas it?", "Whom zqwas it told?")
ROUTED = parse_survey(f"""
name = "routed"
title = "Life at school"
languages = ["en"]
questions = [
  {{ name = "gate", label = "Were you zqbullied?", kind = "yes_no", sensitive = false }},
  {{ name = "one", label = "{FOLLOWERS[0]}", kind = "yes_no", sensitive = false, ask_if = "gate = yes" }},
  {{ name = "two", label = "{FOLLOWERS[1]}", kind = "yes_no", sensitive = false, ask_if = "gate = yes" }},
  {{ name = "three", label = "{FOLLOWERS[2]}", kind = "yes_no", sensitive = false, ask_if = "gate = yes" }},
  {{ name = "last", label = "Do you come zqby bus?", kind = "yes_no", sensitive = false }},
]
""")
ROUTES = {"yes": ("gate", "one", "two", "three", "last"), "no": ("gate", "last")}
PAIRS = part_of(6, least=2)
BEFORE = "data:text/html,before"


def respond(page: Page, answer: str) -> None:
    """Answer, as one whom the gate sends on or past its followers, up to the screen that shows all answers."""
    start(page)
    for name in ROUTES[answer]:
        page.wait_for_selector(f"#q-{name}-question:visible")
        page.click(f"label:has(#q-{name}-{0 if name != 'gate' or answer == 'yes' else 1})")
        proceed(page)
    page.wait_for_selector("#check:visible")


def visited(address: str, folder: Path) -> None:
    """Six pairs of visits, each with a profile that stays, which end in turn with Exit and with the response sent."""
    with sync_playwright() as playwright:
        for number in range(PAIRS):
            contexts = {answer: opened(playwright, folder / f"{number}-{answer}") for answer in ROUTES}
            for answer, context in contexts.items():
                visited_once(address, context.pages[0], answer, leaving=number % 2 == 0)
            settled(context.pages[0])
            for context in contexts.values():
                context.close()


def visited_once(address: str, page: Page, answer: str, *, leaving: bool) -> None:
    """A visit up to its end."""
    page.goto(address)
    page.wait_for_selector("#start:enabled")
    respond(page, answer)
    if leaving:
        page.click("#exit", no_wait_after=True)
        page.wait_for_url("about:blank")
    else:
        proceed(page)
        page.wait_for_selector("#thanks:visible")


def history(profile: Path) -> tuple[list[tuple[str, str, int]], int]:
    """The pages that Chromium lists, with titles and how often it says that each was opened; and how many visits."""
    with closing(sqlite3.connect(profile / "Default" / "History")) as listed:
        pages = listed.execute("SELECT url, title, visit_count FROM urls ORDER BY url").fetchall()
        return pages, listed.execute("SELECT count(*) FROM visits").fetchone()[0]


def named(profile: Path, words: Sequence[str]) -> list[str]:
    """The files of a profile in which a word stands, in bytes of either width, and the word."""
    files = list(contents(profile))
    sought = [(word, word.encode(code)) for word in words for code in ("utf-8", "utf-16-le")]
    return [f"{name}: {word}" for name, raw in files for word, needle in sought if needle in raw]


@pytest.mark.slow
def test_pairs_of_profiles_do_not_tell_who_was_asked_more(served: Served, tmp_path: Path) -> None:
    served.store.publish(ROUTED)
    words = [question.label["en"] for question in ROUTED.questions]
    elsewhere(visited, served.page(ROUTED), tmp_path)
    for number in range(PAIRS):
        listed = []
        for answer in ROUTES:
            profile = tmp_path / f"{number}-{answer}"
            assert named(profile, words) == []
            assert named(profile, [ROUTED.title["en"]]), "the search does not find what is there"
            listed.append(history(profile))
        assert listed[0] == listed[1]
        assert {title for _, title, _ in listed[0][0]} <= {ROUTED.title["en"], ""}


def visited_late(address: str, profile: Path) -> None:
    """A visit whose scripts come a second after the page."""
    with sync_playwright() as playwright, closing(opened(playwright, profile)) as context:
        page = context.pages[0]
        page.route("**/screens*.mjs*", lambda route: (sleep(1), route.continue_()))
        page.goto(address, wait_until="commit")
        page.wait_for_selector("#start:enabled")
        settled(page)


def test_a_page_that_is_opened_is_one_visit_however_late_its_scripts_come(served: Served, tmp_path: Path) -> None:
    served.store.publish(ROUTED)
    elsewhere(visited_late, served.page(ROUTED), tmp_path)
    assert history(tmp_path) == ([(served.page(ROUTED), ROUTED.title["en"], 1)], 1)


def entries(page: Page) -> list[tuple[str, str]]:
    """The addresses and titles of the tab's history, those to go forward to included."""
    found = page.context.new_cdp_session(page).send("Page.getNavigationHistory")
    return [(entry["url"], entry["title"]) for entry in found["entries"]][1:]  # a new tab is empty


def test_title_entries_and_state_are_the_same_on_every_screen_whatever_is_answered(
    served: Served, visit: Callable[..., Visit]
) -> None:
    served.store.publish(ROUTED)
    address = served.page(ROUTED)
    for answer, names in ROUTES.items():
        page = visit().open(address).page
        assert entries(page) == [(address, "Life at school")]
        start(page)
        proceed(page)
        assert page.evaluate("document.activeElement.id") == "summary"
        assert page.title() == "Life at school", "that something is wrong"
        for name in names:
            focused = page.evaluate("document.activeElement.textContent")
            assert name == "gate" or focused == ROUTED.question(name).label["en"], "it is read out"
            assert page.evaluate("history.state") == {"depth": 1}
            assert entries(page) == [(address, "Life at school")] * 2
            page.click(f"label:has(#q-{name}-{0 if name != 'gate' or answer == 'yes' else 1})")
            proceed(page)
        page.wait_for_selector("#check:visible")
        proceed(page)
        page.wait_for_selector("#thanks:visible")
        assert entries(page) == [(address, "Life at school")] * 2
        assert page.evaluate("history.state") == {"depth": 1}


def test_back_goes_one_screen_back_and_from_the_first_out_of_the_survey(
    served: Served, visit: Callable[..., Visit]
) -> None:
    served.store.publish(ROUTED)
    here = visit()
    page = here.page
    page.goto(BEFORE)
    here.open(served.page(ROUTED))
    respond(page, "no")
    for name in ("last", "gate"):  # a screen that does not apply is left out
        page.evaluate("history.back()")
        page.wait_for_selector(f"#q-{name}-question:visible")
        wait_until(page, "history.state.depth === 1")
        assert page.evaluate("document.activeElement.tagName") == "H1"
    assert page.is_checked("#q-gate-1"), "the answer is gone"
    page.evaluate("history.back()")
    page.wait_for_selector("#card:visible")
    page.on("dialog", lambda dialog: dialog.accept())
    page.go_back()
    page.wait_for_url(BEFORE)


def test_back_while_one_answer_is_changed_returns_to_what_is_checked(
    served: Served, visit: Callable[..., Visit]
) -> None:
    served.store.publish(ROUTED)
    page = visit().open(served.page(ROUTED)).page
    respond(page, "yes")
    page.locator("#answers button").nth(1).click()
    page.wait_for_selector("#q-one-question:visible")
    page.click("#back")
    page.wait_for_selector("#check:visible")
    page.click("#back")
    page.wait_for_selector("#q-last-question:visible")


def test_a_part_of_the_page_in_the_address_keeps_back_and_exit_working(
    served: Served, visit: Callable[..., Visit]
) -> None:
    served.store.publish(ROUTED)
    here = visit()
    page = here.page
    page.goto(BEFORE)
    here.open(served.page(ROUTED))
    respond(page, "no")
    page.evaluate("location.hash = 'main'")
    wait_until(page, "history.state?.depth === 2")
    page.evaluate("history.back()")
    page.wait_for_selector("#q-last-question:visible")
    wait_until(page, "history.state.depth === 2")
    page.click("#exit", no_wait_after=True)
    page.wait_for_url("about:blank")
    assert [url for url, _ in entries(page)] == [BEFORE, "about:blank", f"{served.address}/exit"]
