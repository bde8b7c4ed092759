"""Receipts, invitations and a survey that is closed, in a real Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page

from browser_fixtures import Served, Visit
from collector.store.store import Sent
from collector.survey.survey import Survey
from filling import RECEIPT, WORDS, answer, failed, proceed, reload_mine, thanked
from soak import some_of

pytestmark = pytest.mark.browser


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


UNKNOWN = "7ZQ4K-7ZQ4K-7ZQ4K-7ZQ4K-7ZQ4K7"
INVITED = pytest.mark.parametrize("preview", ["before", "after", "off"])


def test_an_invitation_comes_with_the_link(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    (code,) = served.store.invite("wellbeing", 1)
    here = visit(WORDS)
    here.open(f"{served.page(wellbeing)}#{code}")
    assert here.page.url == served.page(wellbeing), "the code stays in the address"
    assert here.page.input_value("#invitation") == code
    answer(here.page, wellbeing)
    proceed(here.page)
    assert thanked(here)
    assert json.loads(here.posts[0].post_data or "")["invitation"] == code
    assert all(code not in request.url for request in here.requests)
    assert served.store.invitations("wellbeing").used == 1


def test_an_invitation_is_asked_for_before_any_answer_and_its_form_looked_at_without_a_request(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    (code,) = served.store.invite("wellbeing", 1)
    here = visit(WORDS).open(served.page(wellbeing))
    loaded = here.paths()
    for wrong in ("", "ABCDE", code[:-1], f"{code}7", code[:-1] + "U", "\u00e4" * 26):
        here.page.fill("#invitation", wrong)
        here.page.click("#start")
        assert here.page.is_visible("#card")
        assert "26 letters and digits" in here.page.inner_text("#invitation-error")
        assert here.page.evaluate("document.activeElement.id") == "invitation"
    here.page.fill("#invitation", code.lower().replace("-", " ").replace("0", "o").replace("1", "l"))
    answer(here.page, wellbeing)
    assert here.paths() == loaded
    proceed(here.page)
    assert thanked(here)


@pytest.mark.parametrize("fragment", some_of(("%", "%E0%A4%A", "a b", "main"), ("%", "main")))
def test_a_fragment_that_is_no_code_does_not_keep_the_survey_closed(
    fragment: str, served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    served.store.invite("wellbeing", 1)
    here = visit().open(f"{served.page(wellbeing)}#{fragment}")
    assert here.page.url == served.page(wellbeing)
    assert here.complaints == []


@INVITED
def test_a_code_that_turns_out_unknown_or_used_costs_no_answer(
    preview: str, served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    survey = replace(wellbeing, name="invited", preview=preview)
    served.store.publish(survey)
    used, spare = served.store.invite("invited", 2)
    codes = survey.checked_codes({question.name: question.codes[0] for question in survey.questions})
    served.store.receive(survey, Sent(codes, b"7" * 32, used))
    here = visit().open(f"{served.page(survey)}#{used}")
    page = here.page
    answer(page, survey)
    proceed(page)
    if preview == "before":
        proceed(page)
    told = failed(here)
    assert "A response came with this invitation before" in told
    assert "with another code the very same response is sent" in told
    assert_nothing_contradicts(page)
    page.fill("#invitation", UNKNOWN)
    proceed(page)
    page.wait_for_selector("#failure:has-text('not known here')")
    reload_mine(page)
    page.wait_for_selector("#next:visible")
    assert_nothing_contradicts(page)
    proceed(page)
    assert "not known here" in failed(here)
    page.fill("#invitation", "ABCDE")
    proceed(page)
    assert "26 letters and digits" in page.inner_text("#invitation-error")
    page.fill("#invitation", spare)
    proceed(page)
    assert thanked(here)
    sent = [json.loads(post.post_data or "") for post in here.posts]
    assert [each["invitation"] for each in sent] == [used, UNKNOWN, UNKNOWN, spare]
    assert len({json.dumps([each["codes"], each["receipt"]]) for each in sent}) == 1, "disguised anew"
    assert served.store.count(survey) == 2


def assert_nothing_contradicts(page: Page) -> None:
    """Once the answers are forgotten no screen calls them there, or offers to go back to them."""
    assert page.is_hidden("#check")
    assert page.is_hidden("#back")
    assert "Your answers are locked" in page.inner_text("main")
    assert "true answers" not in page.inner_text("main").replace("Your true answers are erased.", "")
    assert page.is_visible("#next")


def test_a_closed_survey_refuses_politely(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    answer(here.page, wellbeing)
    served.store.close_survey("wellbeing")
    proceed(here.page)
    assert "The survey is closed" in failed(here)
    assert here.page.is_hidden("#next")
    assert here.page.is_visible("#leave")


def test_the_receipt_is_explained_on_the_screen_that_sends(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    for preview, screen in (("before", "#preview"), ("after", "#check"), ("off", "#check")):
        survey = replace(wellbeing, name=f"receipts_{preview}", preview=preview)
        served.store.publish(survey)
        page = visit().open(served.page(survey)).page
        answer(page, survey)
        page.wait_for_selector("#check:visible")
        if preview == "before":
            assert "receipt" not in page.inner_text("#check")
            proceed(page)
        assert "After you send, you get a receipt" in page.inner_text(screen)
