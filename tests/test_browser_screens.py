"""A complete survey in a real Chromium, screen by screen: sizes, keyboard, languages, offline, by hand, axe."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from browser_fixtures import Served, Visit
from collector.channel import channel
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
from screens import FAILURES, LOOKS, PARTS, PICTURES, REFUSALS, SMALL_LOOKS, Gallery, shown_by_the_code

pytestmark = pytest.mark.browser

# Of the survey in two languages: drinking = never takes the first of its two codes; substances are complemented (2 is
# not below 2 of 3), and income is replaced by the third of its codes.
BILINGUAL_WORDS = ([0], [2, 1, 2])


def test_every_screen_there_is_is_among_those_that_axe_looks_at() -> None:
    listed = {shown for part in PARTS.values() for shown in part.values()}
    assert listed == shown_by_the_code()


@pytest.mark.parametrize("look", LOOKS)
def test_every_screen_of_a_survey_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    options, language = LOOKS[look]
    here = visit(BILINGUAL_WORDS, **options).open(served.page(bilingual))
    page = here.page
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
        language, "rtl" if language == "ar" else "ltr",
    ]  # fmt: skip
    with Gallery(look, "survey") as gallery:
        unfold(page, "#card")
        gallery.look(page, "card")
        start(page)
        for question in bilingual.questions:
            unfold(page, f"#q-{question.name}-question")
            gallery.look(page, question.name)
            proceed(page)
            assert page.is_visible("#summary")
            gallery.look(page, f"{question.name}-error")
            give(page, bilingual, question.name)
            proceed(page)
        gallery.look(page, "check")
        proceed(page)
        gallery.look(page, "preview")
        page.context.set_offline(True)
        proceed(page)
        failed(here, MARKS[language])
        gallery.look(page, "failure-offline")
        page.context.set_offline(False)
        proceed(page)
        assert thanked(here)
        gallery.look(page, "thanks")
    assert served.responses(bilingual) == [tuple(twin_sends(bilingual, BILINGUAL_WORDS).values())]


MARKS = {"en": "Error: ", "ar": "\u062e\u0637\u0623: "}


def unfold(page: Page, screen: str) -> None:
    """Open everything on a screen that can be opened."""
    for summary in page.locator(f"{screen} summary").all():
        summary.click()


@pytest.mark.parametrize("look", SMALL_LOOKS)
def test_every_ending_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    options, _ = LOOKS[look]
    survey = replace(bilingual, name="afterwards", preview="after")
    served.store.publish(survey)
    here = visit(BILINGUAL_WORDS, **options).open(served.page(survey))
    page = here.page
    with Gallery(look, "endings") as gallery:
        answer(page, survey)
        gallery.look(page, "check")
        page.click("#leave")
        gallery.look(page, "left")
        here.open(served.page(survey))
        answer(page, survey)
        proceed(page)
        assert thanked(here)
        unfold(page, "#thanks")
        gallery.look(page, "thanks-with-bytes")
        page.click("[data-delete=receipt]")
        page.wait_for_selector("#receipt-status:not(:empty)")
        page.wait_for_selector("[data-delete=receipt]", state="detached")
        gallery.look(page, "deleted")
        here.open(served.page(survey))
        unfold(page, "#card")
        page.fill("#old", "A" * 43)
        with page.expect_response("**/responses"):
            page.click("[data-delete=old]")
        page.wait_for_function("document.getElementById('old-status').textContent.endsWith('.')")
        gallery.look(page, "unknown")


@pytest.mark.parametrize("look", SMALL_LOOKS)
def test_every_failure_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    options, language = LOOKS[look]
    served.store.invite(bilingual.name, 1)
    here = visit(BILINGUAL_WORDS, **options).open(served.page(bilingual))
    page = here.page
    with Gallery(look, "failures") as gallery:
        answer(page, bilingual)
        for reason in FAILURES[:-1]:
            if reason == "unknown-invitation":
                page.fill("#invitation", "ABCDE")
                proceed(page)
            page.unroute_all()
            page.route("**/responses", refusing(reason))
            proceed(page)
            failed(here, MARKS[language])
            gallery.look(page, f"failure-{reason}")
            if page.is_hidden("#next"):
                page.reload()
                page.wait_for_selector("#preview:visible")
        page.evaluate("sessionStorage.clear()")
        here.open(served.page(bilingual))
        page.evaluate(SPOIL)
        here.open(served.page(bilingual))
        answer(page, bilingual)
        page.fill("#invitation", "ABCDE")
        proceed(page)
        failed(here, MARKS[language])
        gallery.look(page, "failure-broken")


def by_hand(name: str, code: int) -> str:
    """The label of a code on the form to fill in by hand."""
    return f"label:has([name=q-{name}][value='{code}'])"


def refusing(reason: str) -> Callable[[Route], None]:
    """What a server answers that refuses with this reason."""
    return lambda route: route.fulfill(status=409, json={"reason": reason})


SPOIL = """() => {
  const [key] = Object.keys(sessionStorage);
  const tab = JSON.parse(sessionStorage.getItem(key));
  tab.words.fill(null);
  sessionStorage.setItem(key, JSON.stringify(tab));
}"""


@pytest.mark.parametrize("look", SMALL_LOOKS)
def test_a_page_that_stays_closed_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    options, _ = LOOKS[look]
    with Gallery(look, "closed-cards") as gallery:
        waiting = visit(**options).page
        waiting.route("**/*.mjs", lambda route: route.abort())
        waiting.goto(served.page(bilingual))
        gallery.look(waiting, "card-waiting")
        broken = visit(**options).page
        broken.route(f"**/s/{bilingual.name}", damaged)
        broken.goto(served.page(bilingual))
        broken.wait_for_function("document.getElementById('waiting').textContent === document.forms[0].dataset.broken")
        gallery.look(broken, "card-broken")
        look_without_script(visit(**options).page, served.page(bilingual), gallery)


def damaged(route: Route) -> None:
    """A page whose design says nothing at all."""
    original = route.fetch()
    route.fulfill(response=original, body=original.text().replace('"truth":[2,3]', '"truth":[1,2]'))


def look_without_script(page: Page, address: str, gallery: Gallery) -> None:
    """Look at the page as it is with JavaScript off.

    axe is JavaScript. So the page is loaded, parsed and drawn with scripts switched off, and they are switched on
    afterwards: the page's own were never fetched and do not run. What the switch itself would change is held: what is
    in `noscript` stays, and what `scripting: none` hides stays hidden. That the page reads the same is asserted.
    """
    switch = page.context.new_cdp_session(page)
    switch.send("Emulation.setScriptExecutionDisabled", {"value": True})
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(address)
    assert not [url for url in fetched if url.endswith(".mjs")]
    reads = page.evaluate("document.body.innerText")
    page.screenshot(path=PICTURES / "without-script.png", full_page=True)
    switch.send("Emulation.setScriptExecutionDisabled", {"value": False})
    page.evaluate("""() => {
      const held = new CSSStyleSheet();
      held.replaceSync(".live { display: none !important }");
      document.adoptedStyleSheets = [held];
      for (const part of document.querySelectorAll("noscript")) part.replaceWith(...part.childNodes);
    }""")
    assert page.evaluate("document.body.innerText") == reads
    gallery.look(page, "card-without-script")


@pytest.mark.parametrize("look", SMALL_LOOKS)
def test_every_other_page_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    """These hold no script: with JavaScript off they are the very same documents."""
    options, language = LOOKS[look]
    impossible = [replace(group, channel=channel(group.channel.name, Fraction(3, 7))) for group in bilingual.groups]
    served.store.publish(replace(bilingual, name="impossible", groups=tuple(impossible)))
    served.store.publish(replace(bilingual, name="invited"))
    served.store.invite("invited", 1)
    page = visit(**options).page
    with Gallery(look, "pages") as gallery:
        for path, screen in (
            ("/", "index"),
            ("/exit", "exit"),
            (f"/s/{bilingual.name}/by-hand", "by-hand"),
            ("/s/invited/by-hand", "by-hand-by-invitation"),
            ("/s/impossible/by-hand", "by-hand-impossible"),
        ):
            page.goto(served.address + path)
            assert page.get_attribute("html", "lang") == language
            gallery.look(page, screen)
        page.goto(f"{served.page(bilingual)}/by-hand")
        for question in bilingual.questions:
            page.click(by_hand(question.name, question.codes[0]))
        page.click("form button")
        page.wait_for_selector("form", state="detached")
        gallery.look(page, "thanks-by-hand")
        for reason in REFUSALS:
            page.goto(f"{served.address}/refuse/{reason}")
            assert page.get_attribute("html", "lang") == language
            gallery.look(page, f"error-{reason}")
    assert len(served.responses(bilingual)) == 1


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


def reach(page: Page, prefix: str) -> None:
    """Press Tab until an element whose id, or name where it has none, begins so has the focus."""
    for _ in range(25):
        page.keyboard.press("Tab")
        if str(page.evaluate("document.activeElement.id || document.activeElement.name")).startswith(prefix):
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
    told = page.locator("#codes dd").nth(1).inner_text().splitlines()
    odds = "Sent for 1 of 3 people whose answer is Yes and 2 of 3 people whose answer is No."
    assert [line for line in told if line] == ["Sent: No", odds]
    assert page.locator("#codes dd p").first.inner_text() == "Sent as it is: this question is not disguised."
    assert "people with any other answer." in page.locator("#codes dd p").nth(3).inner_text()
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
    page.click("label:has(#q-year-0)")
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
    here.page.click("label:has(#q-drinking-2)")
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
    answer(third.page, wellbeing)
    proceed(third.page)
    assert "Write the invitation code" in failed(third)
    third.page.fill("#invitation", "ABCDE")
    proceed(third.page)
    assert "not known here" in failed(third)
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
        page.click(by_hand(name, code))
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
        here.page.click(by_hand(question.name, question.codes[0]))
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
