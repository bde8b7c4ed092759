"""Receipts, invitations and a survey that is closed, in a real Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from browser_fixtures import Served, Visit
from collector.survey import Survey
from filling import RECEIPT, WORDS, answer, failed, proceed, thanked

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
