"""A complete survey in a real Chromium, screen by screen: sizes, keyboard, languages, offline, by hand, axe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from browser_fixtures import Served, Visit
from collector.survey import Survey
from filling import (
    ADDRESS,
    ANSWERS,
    DESKTOP,
    PHONE,
    RECEIPT,
    SIZES,
    WORDS,
    answer,
    failed,
    give,
    proceed,
    start,
    thanked,
    twin_sends,
)
from screens import Gallery

pytestmark = pytest.mark.browser

LOOKS = {
    "phone-light-en": ({**PHONE, "color_scheme": "light"}, "en"),
    "phone-dark-ar": ({**PHONE, "color_scheme": "dark"}, "ar"),
    "desktop-dark-en": ({**DESKTOP, "color_scheme": "dark"}, "en"),
    "desktop-light-ar": ({**DESKTOP, "color_scheme": "light"}, "ar"),
}
# Of the survey in two languages: drinking = never takes the first of its two codes; substances are complemented (2 is
# not below 2 of 3), and income is replaced by the third of its codes.
BILINGUAL_WORDS = ([0], [2, 1, 2])


@pytest.mark.parametrize("look", LOOKS)
def test_every_screen_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    size, language = LOOKS[look]
    here = visit(BILINGUAL_WORDS, locale=language, **size)
    here.open(served.page(bilingual))
    page, gallery = here.page, Gallery(here.page, look)
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
        language, "rtl" if language == "ar" else "ltr",
    ]  # fmt: skip
    for summary in page.locator("#card summary").all():
        summary.click()
    gallery.look("card")
    start(page)
    for question in bilingual.questions:
        gallery.look(question.name)
        proceed(page)
        assert page.is_visible("#summary")
        gallery.look(f"{question.name}-error")
        give(page, bilingual, question.name)
        proceed(page)
    gallery.look("check")
    proceed(page)
    gallery.look("preview")
    page.context.set_offline(True)
    proceed(page)
    failed(here, "خطأ: " if language == "ar" else "Error: ")
    gallery.look("failure")
    page.context.set_offline(False)
    proceed(page)
    assert thanked(here)
    gallery.look("thanks")
    assert served.responses(bilingual) == [tuple(twin_sends(bilingual, BILINGUAL_WORDS).values())]


@pytest.mark.parametrize(
    "path", ["/", "/exit", "/s/nothing", "/s/wellbeing/by-hand", "/s/wellbeing_two_languages/by-hand?lang=ar"]
)
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_every_other_page_pleases_axe_and_fits(
    size: dict[str, Any], path: str, served: Served, visit: Callable[..., Visit]
) -> None:
    here = visit(**size)
    here.page.goto(served.address + path)
    name = re.sub(r"\W+", "-", path).strip("-") or "index"
    Gallery(here.page, f"pages-{size['viewport']['width']}").look(name)


def test_leaving_is_one_tap_and_forgets_everything(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    gallery = Gallery(here.page, "left")
    here.page.click("#card [data-leave]")
    gallery.look("left-at-once")
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


@SIZES
def test_a_survey_can_be_answered_with_the_keyboard_alone(
    size: dict[str, Any], served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS, **size).open(served.page(wellbeing))
    page = here.page
    reach(page, "start")
    page.keyboard.press("Enter")
    for question in wellbeing.questions:
        heading = page.evaluate("[document.activeElement.tagName, document.activeElement.innerText]")
        assert heading == ["H1", question.label["en"]], "the heading is not heard first"
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
    assert thanked(here)
    assert served.responses(wellbeing) == [tuple(twin_sends(wellbeing).values())]
    assert here.complaints == []


def reach(page: Page, prefix: str) -> None:
    """Press Tab until an element whose id begins so has the focus."""
    for _ in range(25):
        page.keyboard.press("Tab")
        if str(page.evaluate("document.activeElement.id")).startswith(prefix):
            return
    pytest.fail(f"{prefix} cannot be reached")


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
    page.go_back()
    page.wait_for_selector("#q-year-question:visible")
    page.go_back()
    page.wait_for_selector("#card:visible")
    page.go_forward()
    page.wait_for_selector("#q-year-question:visible")
    page.go_forward()
    page.go_forward()
    page.wait_for_selector("#q-drinking-question:visible")
    kept = page.evaluate("JSON.stringify(sessionStorage)")
    assert page.evaluate("draws()") == 2, "the words and the receipt"
    page.reload()
    page.wait_for_selector("#start:enabled")
    assert page.evaluate("draws()") == 0, "drawn anew"
    assert page.evaluate("JSON.stringify(sessionStorage)") == kept
    page.go_back()
    page.wait_for_selector("#card:visible")
    answer(page, wellbeing)
    proceed(page)
    assert thanked(here)
    page.go_back()
    page.wait_for_timeout(100)
    assert page.is_visible("#thanks")
    assert here.complaints == []
    assert served.responses(wellbeing) == [tuple(twin_sends(wellbeing).values())]


def test_before_any_answer_the_tab_keeps_words_and_afterwards_the_frozen_response_alone(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(BILINGUAL_WORDS).open(served.page(bilingual))
    page = here.page
    kept = page.evaluate("JSON.parse(Object.values(sessionStorage)[0])")
    assert page.evaluate("sessionStorage.length") == 1
    assert sorted(kept) == ["body", "receipt", "words"]
    assert kept["body"] is None
    answer(page, bilingual)
    assert page.evaluate("JSON.parse(Object.values(sessionStorage)[0])") == kept, "an answer rests in the tab"
    proceed(page)
    frozen = page.evaluate("JSON.parse(Object.values(sessionStorage)[0])")
    assert frozen["words"] is None
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
    page.wait_for_timeout(100)
    assert page.is_visible("#preview")
    assert page.locator("input:enabled:visible").count() == 0
    page.reload()
    page.wait_for_selector("#preview:visible")
    assert page.evaluate("draws()") == 0
    assert page.inner_text("#bytes") == shown
    assert (
        "Sent: No; sent for 1 of 3 people whose answer is Yes and 2 of 3 people whose answer is No"
        in page.inner_text("#codes")
    )
    proceed(page)
    assert thanked(here)
    (post,) = here.posts
    assert post.post_data == shown
    assert page.evaluate("sessionStorage.length") == 0


def test_leaving_at_the_preview_sends_nothing(served: Served, visit: Callable[..., Visit], bilingual: Survey) -> None:
    here = visit(BILINGUAL_WORDS).open(served.page(bilingual))
    answer(here.page, bilingual)
    proceed(here.page)
    here.page.click("#leave")
    assert here.page.is_visible("#left")
    assert here.posts == []
    assert here.page.evaluate("sessionStorage.length") == 0


def test_an_answer_can_be_changed_until_it_is_sent(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    page = here.page
    answer(page, wellbeing)
    rows = page.locator("#answers dd")
    assert rows.nth(0).inner_text().startswith("third")
    assert rows.nth(3).inner_text().startswith("850,5 EUR")
    page.get_by_role("button", name="Change Which year are you in?").click()
    page.click("label[for=q-year-0]")
    proceed(page)
    assert page.is_visible("#check"), "the questions in between are asked again"
    assert rows.nth(0).inner_text().startswith("first")
    proceed(page)
    assert thanked(here)
    assert served.responses(wellbeing) == [(0, *list(twin_sends(wellbeing).values())[1:])]


def test_changing_an_answer_moves_no_coin(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    """Coding "never" takes a word of chance and coding "weekly" takes none; the coins have words of their own."""
    here = visit(WORDS).open(served.page(wellbeing))
    answer(here.page, wellbeing)
    here.page.get_by_role("button", name="Change How often do you have six or more drinks").click()
    here.page.click("label[for=q-drinking-2]")
    proceed(here.page)
    proceed(here.page)
    assert thanked(here)
    drinking = wellbeing.question("drinking").coding
    (weekly,) = drinking.codes_of(2)
    sent = twin_sends(wellbeing) | {"drinking": drinking.complement(weekly)}
    assert served.responses(wellbeing) == [tuple(sent.values())]


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


def test_the_receipt_deletes_the_response(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    answer(here.page, wellbeing)
    proceed(here.page)
    assert thanked(here)
    assert here.page.inner_text("#receipt") == RECEIPT
    here.page.click("[data-delete=receipt]")
    here.page.wait_for_selector("text=Your response is deleted.")
    assert served.responses(wellbeing) == []


def test_the_receipt_deletes_the_response_on_another_day_too(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    answer(here.page, wellbeing)
    proceed(here.page)
    assert thanked(here)
    here.open(served.page(wellbeing))
    here.page.click("text=Delete a response that you sent")
    for receipt, told in (
        ("A" * 43, "No response here has this receipt"),
        (f" {RECEIPT} ", "Your response is deleted"),
    ):
        here.page.fill("#old", receipt)
        here.page.click("[data-delete=old]")
        here.page.wait_for_selector(f"#old-status:has-text('{told}')")
    assert served.responses(wellbeing) == []


def test_an_invitation_comes_with_the_link_and_is_used_once(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    code, spare = served.store.invite("wellbeing", 2)
    here = visit(WORDS)
    here.open(f"{served.page(wellbeing)}#{code}")
    assert here.page.url == served.page(wellbeing), "the code stays in the address"
    answer(here.page, wellbeing)
    assert here.page.input_value("#invitation") == code
    proceed(here.page)
    assert thanked(here)
    assert json.loads(here.posts[0].post_data or "")["invitation"] == code
    assert all(code not in request.url for request in here.requests)
    again = visit().open(f"{served.page(wellbeing)}#{code}")
    answer(again.page, wellbeing)
    proceed(again.page)
    assert "A response came with this invitation before" in failed(again)
    assert served.store.invitations("wellbeing").used == 1
    third = visit().open(served.page(wellbeing))
    gallery = Gallery(third.page, "invitation")
    answer(third.page, wellbeing)
    gallery.look("check")
    proceed(third.page)
    assert "Write the invitation code" in failed(third)
    gallery.look("missing")
    third.page.fill("#invitation", "ABCDE")
    proceed(third.page)
    assert "not known here" in failed(third)
    gallery.look("unknown")
    third.page.fill("#invitation", spare.lower().replace("-", " "))
    proceed(third.page)
    assert thanked(third)
    sent = [json.loads(post.post_data or "") for post in third.posts]
    assert sent[0]["codes"] == sent[1]["codes"], "disguised anew"
    assert served.store.count(wellbeing) == 2


def test_a_closed_survey_refuses_politely(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    answer(here.page, wellbeing)
    served.store.close_survey("wellbeing")
    proceed(here.page)
    assert "The survey is closed" in failed(here)
    assert here.page.is_hidden("#next")
    assert here.page.is_visible("#leave")


@pytest.mark.parametrize("language", ["en", "ar"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_by_hand_without_javascript(
    size: dict[str, Any], language: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(java_script_enabled=False, locale=language, **size)
    page = here.page
    page.goto(served.page(bilingual))
    page.click("noscript a")
    assert page.get_attribute("html", "lang") == language
    chosen = {question.name: question.codes[-1] for question in bilingual.questions}
    for name, code in chosen.items():
        page.click(f"label[for=q-{name}-{code}]")
    assert here.posts == []
    page.click("form button")
    page.wait_for_selector("h1")
    assert served.responses(bilingual) == [tuple(chosen.values())]
    (post,) = here.posts
    sent = dict(part.split("=") for part in (post.post_data or "").split("&"))
    assert set(sent) == {"fingerprint", "receipt", *(f"q-{name}" for name in chosen)}
    assert page.get_attribute("html", "lang") == language
    assert here.complaints == []


def test_by_hand_a_form_that_is_sent_twice_counts_once(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(java_script_enabled=False)
    here.page.goto(f"{served.page(bilingual)}/by-hand")
    for question in bilingual.questions:
        here.page.click(f"label[for=q-{question.name}-{question.codes[0]}]")
    here.page.click("form button")
    here.page.wait_for_selector("h1:has-text('Thank you')")
    here.page.reload()
    here.page.wait_for_selector("h1:has-text('Thank you')")
    assert len(here.posts) == 2
    assert served.store.count(bilingual) == 1


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
