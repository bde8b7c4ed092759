"""Options to tick that are one question: what is sent, by touch and by keyboard, and what the page says of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from filling import PHONE, proceed, start
from kind_surveys import TICKS
from screens import judge

pytestmark = pytest.mark.browser

AS_ANSWERED = parse_survey(TICKS.replace('"1/2"', "1").replace('"3/4"', "1"))
"""Every coin says to send the truth: what is stored is what was answered."""


@pytest.fixture
def ticks(served: Served) -> Survey:
    served.store.publish(AS_ANSWERED)
    return AS_ANSWERED


def tick(page: Page, *controls: str) -> None:
    """Touch these controls, and go on."""
    for control in controls:
        page.click(f"label:has({control})")
    proceed(page)


def sent(served: Served, page: Page, words: str) -> str:
    """Lock, look whether it is sent in these words, and send; the value that was stored."""
    assert words in page.inner_text("#answers")
    proceed(page)
    page.wait_for_selector("#preview:visible")
    assert f"Sent: {words}" in page.inner_text("#codes")
    proceed(page)
    page.wait_for_selector("#thanks:visible")
    (row,) = served.responses(AS_ANSWERED)
    question = AS_ANSWERED.questions[0]
    return question.values[question.coding.value_of(row[0]) or 0]


def test_options_are_ticked_by_touch_and_one_value_is_sent(
    served: Served, visit: Callable[..., Visit], ticks: Survey
) -> None:
    here = visit(**PHONE).open(served.page(ticks))
    page = here.page
    start(page)
    assert page.inner_text("#q-how-title") == "How were you bullied?"
    assert "In the last year" in page.inner_text("#q-how-odds")
    assert "Tick 2 at most." in page.inner_text("#q-how-odds")
    proceed(page)
    assert "Tick 1 or more." in page.inner_text("#summary")
    tick(page, "#q-how-0", "#q-how-1", "#q-how-2")
    assert "Tick 2 at most." in page.inner_text("#summary")
    judge(page, "ticks")
    page.click("#summary a")
    assert page.evaluate("document.activeElement.id") == "q-how-0"
    tick(page, "#q-how-1")
    page.wait_for_selector("#q-site-question:visible")
    tick(page, "#q-site-1")
    page.wait_for_selector("#check:visible")
    assert "How were you bullied?\nBy words + On the net" in page.inner_text("#answers")
    assert sent(served, page, "By words + On the net") == "words+net"
    assert here.complaints == []


@pytest.mark.parametrize(
    ("control", "value"),
    [("q-how-none", "none"), ("q-how-decline", "prefer_not_to_say")],
)
def test_none_of_the_options_and_declining_are_values_by_keyboard_which_exclude_the_options(
    control: str, value: str, served: Served, visit: Callable[..., Visit], ticks: Survey
) -> None:
    page = visit().open(served.page(ticks)).page
    start(page)
    for name in ("q-how-1", control):
        while page.evaluate("document.activeElement.id") != name:
            page.keyboard.press("Tab")
        page.keyboard.press("Space")
    assert not page.is_checked("#q-how-1")
    page.keyboard.press("Enter")
    page.wait_for_selector("#check:visible")
    words = {"none": "None of these", "prefer_not_to_say": "Prefer not to say"}
    assert "On which net?" not in page.inner_text("#answers"), "it is asked of those who ticked it"
    assert sent(served, page, words[value]) == value
