"""Answering in a real Chromium: back, forward, reload, second thoughts, offline, on paper, zoomed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog

from browser_fixtures import Served, Visit, wait_until
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from filling import (
    ADDRESS,
    BILINGUAL_WORDS,
    WORDS,
    answer,
    failed,
    give,
    proceed,
    reload_mine,
    settled,
    start,
    thanked,
    twin_sends,
)
from soak import some_of

pytestmark = pytest.mark.browser


def test_back_and_forward_and_reload_break_nothing_and_toss_nothing(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    page = here.page
    start(page)
    for name in ("year", "cannabis"):
        give(page, wellbeing, name)
        proceed(page)
    assert page.is_visible("#q-drinking-question")
    page.click("#back")
    page.wait_for_selector("#q-cannabis-question:visible")
    assert page.is_checked("#q-cannabis-0"), "the answer is gone"
    page.evaluate("history.back()")
    page.wait_for_selector("#q-year-question:visible")
    wait_until(page, "history.state.depth === 1")
    page.evaluate("history.back()")
    page.wait_for_selector("#card:visible")
    page.go_forward()
    assert page.is_visible("#card"), "there is nothing to go forward to"
    start(page)
    assert page.is_checked("#q-year-2"), "the answer is gone"
    assert page.evaluate("draws()") == 1, "more than the word that tries whether there is chance"
    page.reload()
    page.wait_for_selector("#start:enabled")
    answer(page, wellbeing)
    proceed(page)
    assert thanked(here)
    page.go_back()
    settled(page)
    assert page.is_visible("#thanks")
    assert here.complaints == []
    assert served.responses(wellbeing) == [tuple(twin_sends(wellbeing).values())]


def test_the_tab_keeps_nothing_until_the_frozen_response_and_that_alone(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(BILINGUAL_WORDS).open(served.page(bilingual))
    page = here.page
    answer(page, bilingual)
    assert page.evaluate("sessionStorage.length") == 0
    proceed(page)
    (frozen,) = page.evaluate("Object.values(sessionStorage).map(JSON.parse)")
    assert frozen.keys() == {"body"}
    assert json.loads(frozen["body"])["codes"] == twin_sends(bilingual, BILINGUAL_WORDS)


def test_what_is_shown_before_it_is_sent_is_what_is_sent_even_after_back_and_reload(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(BILINGUAL_WORDS).open(served.page(bilingual))
    page = here.page
    answer(page, bilingual)
    proceed(page)
    shown = page.inner_text("#bytes")
    assert json.loads(shown)["codes"] == twin_sends(bilingual, BILINGUAL_WORDS)
    assert page.is_hidden("#back")
    page.go_back()
    settled(page)
    assert page.is_visible("#preview")
    assert page.locator("input:enabled:visible").count() == 0
    reload_mine(page)
    page.wait_for_selector("#preview:visible")
    assert page.evaluate("draws()") == 1, "more than the word that tries whether there is chance"
    assert page.inner_text("#bytes") == shown
    told = page.locator("#codes dd").nth(1).inner_text().splitlines()
    odds = "Sent for about 33 of 100 people who answer “Yes” and about 67 of 100 people who answer “No”."
    assert [line for line in told if line] == ["Sent: No", odds]
    assert page.locator("#codes dd p").first.inner_text() == "Not disguised: it is sent as you answer it."
    assert "people who answer anything else." in page.locator("#codes dd p").nth(3).inner_text()
    proceed(page)
    assert thanked(here)
    (post,) = here.posts
    assert post.post_data == shown
    assert page.evaluate("sessionStorage.length") == 0


def test_an_answer_can_be_changed_until_it_is_sent(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    page = here.page
    answer(page, wellbeing)
    rows = page.locator("#answers dd")
    assert rows.nth(0).inner_text().startswith("third")
    assert rows.nth(3).inner_text().startswith("850.5 EUR")
    page.get_by_role("button", name="Change Which year are you in?").click()
    page.click("label:has(#q-year-0)")
    proceed(page)
    assert page.is_visible("#check"), "the questions in between are asked again"
    assert rows.nth(0).inner_text().startswith("first")
    proceed(page)
    assert thanked(here)
    assert served.responses(wellbeing) == [(0, *list(twin_sends(wellbeing).values())[1:])]


def test_no_coin_is_tossed_while_answers_can_be_changed_and_none_once_they_are_locked(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(BILINGUAL_WORDS).open(served.page(bilingual))
    answer(here.page, bilingual)
    here.page.get_by_role("button", name="Change How often do you have six or more drinks").click()
    here.page.click("label:has(#q-drinking-2)")
    proceed(here.page)
    assert here.page.evaluate("draws()") == 1, "more than the word that tries whether there is chance"
    proceed(here.page)
    tossed = here.page.evaluate("draws()")
    assert tossed > 1
    proceed(here.page)
    assert thanked(here)
    assert here.page.evaluate("draws()") == tossed


def test_a_page_that_is_left_holds_no_answer_and_comes_back_new(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    """As a browser does that keeps the page in its back/forward cache."""
    here = visit(WORDS).open(served.page(wellbeing))
    answer(here.page, wellbeing)
    assert "850.5" in here.page.content()
    here.page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert "850.5" not in here.page.content()
    assert here.page.locator("body *").count() == 0
    here.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    here.page.wait_for_selector("#start:enabled")
    assert here.page.input_value("#q-income") == ""


def test_a_reload_asks_first_where_answers_would_be_lost_and_nowhere_else(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(BILINGUAL_WORDS).open(served.page(bilingual))
    page = here.page
    asked: list[str] = []

    def note(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", note)
    page.reload()
    page.wait_for_selector("#start:enabled")
    assert asked == []
    answer(page, bilingual)
    page.reload()
    page.wait_for_selector("#start:enabled")
    assert asked == ["beforeunload"]
    answer(page, bilingual)
    proceed(page)
    reload_mine(page)
    page.wait_for_selector("#preview:visible")
    proceed(page)
    assert thanked(here)
    page.reload()
    page.wait_for_selector("#start:enabled")
    assert asked == ["beforeunload"]


def test_a_restored_tab_asks_whose_the_locked_answers_are_before_it_shows_any(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(BILINGUAL_WORDS).open(served.page(bilingual))
    page = here.page
    answer(page, bilingual)
    proceed(page)
    body = page.inner_text("#bytes")
    receipt = json.loads(body)["receipt"]
    page.reload()
    page.wait_for_selector("#whose")
    assert page.inner_text("#whose h1") == "Answers of an earlier visit wait here, not yet sent. Are they yours?"
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert receipt not in page.inner_text("body")
    assert (page.text_content("#bytes"), page.text_content("#codes")) == ("", "")
    assert page.is_hidden("#card")
    assert page.is_hidden("#next")
    page.click("#whose button >> nth=1")
    page.wait_for_selector("#start:enabled")
    assert page.evaluate("sessionStorage.length") == 0
    answer(page, bilingual)
    proceed(page)
    proceed(page)
    assert thanked(here)
    assert len(here.posts) == 1


def test_on_paper_only_the_screen_is_printed(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    here.page.emulate_media(media="print")
    assert here.page.is_visible("#card h1")
    assert here.page.is_hidden("#exit")
    assert here.page.is_hidden("#start")


def test_unplugged_between_load_and_send(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    here.page.wait_for_load_state("networkidle")
    loaded = here.paths()
    here.page.context.set_offline(True)
    answer(here.page, wellbeing)
    assert here.paths() == loaded
    proceed(here.page)
    assert "Nothing is lost" in failed(here)
    here.page.context.set_offline(False)
    proceed(here.page)
    assert thanked(here)
    assert len({post.post_data for post in here.posts}) == 1
    assert served.responses(wellbeing) == [tuple(twin_sends(wellbeing).values())]


def test_at_400_percent_nothing_is_cut_off(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    """1280 by 1024 CSS pixels at 400 % are 320 by 256 (WCAG 1.4.10)."""
    here = visit(WORDS, viewport={"width": 320, "height": 256}).open(served.page(wellbeing))
    start(here.page)
    for question in wellbeing.questions:
        assert here.page.evaluate("document.documentElement.scrollWidth") <= 320
        give(here.page, wellbeing, question.name)
        proceed(here.page)
    assert here.page.evaluate("document.documentElement.scrollWidth") <= 320
    proceed(here.page)
    assert thanked(here)


def test_no_request_leaves_between_the_screens(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    here.page.wait_for_load_state("networkidle")
    loaded = here.paths()
    answer(here.page, wellbeing)
    assert here.paths() == loaded
    proceed(here.page)
    assert thanked(here)
    assert here.paths() == [*loaded, ADDRESS]


EARNED = """
name = "earned"
title = { en = "Earned", de = "Verdient", ar = "?" }
languages = ["en", "de", "ar"]
groups = { g = { truth = "2/3", channel = "uniform" } }

[[questions]]
name = "income"
label = { en = "How much?", de = "Wie viel?", ar = "?" }
kind = "number"
minimum = 10
maximum = 5000
cuts = [400, 800]
group = "g"
"""
COUNTED = EARNED.replace("[400, 800]", "[400, 800]\nwhole = true").replace('"earned"', '"counted"')
TWO = "without a mark that can be read in two ways"


READ: list[tuple[str, str, str | None]] = [
    ("en", "1,200", None),
    ("en", "1.200", TWO),
    ("de", "1.200", None),
    ("de", "1,200", "das man auf zwei Arten lesen kann"),
    ("en", "12.5", None),
    ("en", "4,999.99", None),
    ("en", "5,000", None),
    ("en", "5,000.01", "Write a number of 5,000 or less."),
    ("en", "9.5", "Write a number of 10 or more."),
    ("en", "much", "Write one number in digits"),
    ("ar", "1,200", None),
    ("ar", "\u0661\u066c\u0662\u0660\u0660", None),
    ("ar", "\u200e1,200", None),
    ("en", "\uff11\uff12\uff10\uff10", None),
]


@pytest.mark.parametrize(("language", "typed", "problem"), some_of(READ, [READ[each] for each in (0, 3, 7, 9, 11)]))
def test_a_number_is_read_as_it_is_written_in_the_language_of_the_page(
    language: str, typed: str, problem: str | None, served: Served, visit: Callable[..., Visit]
) -> None:
    survey = parse_survey(EARNED)
    served.store.publish(survey)
    page = visit().open(f"{served.page(survey)}?lang={language}").page
    start(page)
    assert "10" in page.inner_text("#q-income-unit")
    assert re.search("5[.,]000", page.inner_text("#q-income-unit"))
    page.fill("#q-income", typed)
    proceed(page)
    assert page.is_visible("#check") == (problem is None)
    assert page.is_visible("#summary") == (problem is not None)
    if problem is not None:
        assert problem in page.inner_text("#q-income-error")


HINTS = {"en": "Write a whole number, in digits only.", "de": "Schreiben Sie eine ganze Zahl, nur in Ziffern."}


WHOLE: list[tuple[str, str, str | None]] = [
    ("en", "1,200", None),
    ("en", "12.0", None),
    ("en", "12.5", HINTS["en"]),
    ("en", "1.200", HINTS["en"]),
    ("en", "", HINTS["en"]),
    ("en", "9", "Write a number of 10 or more."),
    ("de", "12,5", HINTS["de"]),
]


@pytest.mark.parametrize(("language", "typed", "problem"), some_of(WHOLE, [WHOLE[each] for each in (0, 2, 6)]))
def test_where_numbers_are_whole_the_page_says_so_and_takes_no_others(
    language: str, typed: str, problem: str | None, served: Served, visit: Callable[..., Visit]
) -> None:
    for extra in ("", "decline = true"):
        survey = parse_survey(f"{COUNTED}{extra}")
        served.store.publish(survey)
        page = visit().open(f"{served.page(survey)}?lang={language}").page
        start(page)
        assert page.inner_text(".hint:visible") == HINTS[language]
        page.fill("#q-income", typed)
        proceed(page)
        assert page.is_visible("#check") == (problem is None)
        assert (problem or "") in (page.text_content("#q-income-error") or "")


def test_by_hand_a_whole_number_is_asked_for(served: Served, visit: Callable[..., Visit]) -> None:
    for text, count in ((COUNTED, 1), (EARNED, 0)):
        survey = parse_survey(text)
        served.store.publish(survey)
        page = visit(java_script_enabled=False).page
        page.goto(f"{served.page(survey)}/by-hand?lang=en")
        assert page.locator("text=Answer with a whole number.").count() == count
