"""The form to fill in by hand, in a real Chromium with JavaScript off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from filling import DESKTOP, PHONE, by_hand
from kind_surveys import EVERY_KIND

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("size", "language"),
    [
        pytest.param(PHONE, "en", marks=pytest.mark.soak),
        (PHONE, "ar"),
        (DESKTOP, "en"),
        pytest.param(DESKTOP, "ar", marks=pytest.mark.soak),
    ],
    ids=["phone-en", "phone-ar", "desktop-en", "desktop-ar"],
)
def test_by_hand_without_javascript(
    size: dict[str, Any], language: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    here = visit(java_script_enabled=False, locale=language, **size)
    page = here.page
    page.goto(served.page(bilingual))
    page.click("a[href*=by-hand]")
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
    assert set(sent) == {"fingerprint", "receipt", "proof", *(f"q-{name}" for name in chosen)}
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


def test_by_hand_a_response_whose_invitation_is_refused_is_sent_with_another(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    (code,) = served.store.invite(bilingual.name, 1)
    page = visit().page
    page.goto(f"{served.page(bilingual)}/by-hand")
    page.fill("#invitation", "nonsense")
    for question in bilingual.questions:
        page.click(by_hand(question.name, question.codes[0]))
    page.click("form button")
    page.wait_for_selector("h1:has-text('not stored')")
    page.fill("#invitation", code)
    page.click("form button")
    page.wait_for_selector("h1:has-text('Thank you')")
    assert served.store.count(bilingual) == 1


def test_by_hand_all_that_was_left_out_is_named_marked_and_linked_in_both_languages(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    first, *others = bilingual.questions
    for language in ("en", "ar"):
        page = visit(locale=language, **PHONE).page
        page.goto(f"{served.page(bilingual)}/by-hand")
        page.click(by_hand(first.name, first.codes[1]))
        page.click("form button")
        page.wait_for_selector("#summary:focus")
        assert page.locator("#summary a").count() == len(others)
        assert page.locator("fieldset[aria-invalid] .error").count() == len(others)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        reached = page.evaluate("document.activeElement.name")
        assert reached == page.locator("fieldset[aria-invalid] input").first.get_attribute("name")
        assert page.is_checked(f"[name=q-{first.name}][value='{first.codes[1]}']"), "what was marked stays"
        for question in others:
            page.click(by_hand(question.name, question.codes[0]))
        page.click("form button")
        page.wait_for_selector("form", state="detached")
    expected = (first.codes[1], *(question.codes[0] for question in others))
    assert served.responses(bilingual) == [expected] * 2


@pytest.mark.parametrize("language", ["en", "ar"])
def test_every_kind_is_answered_by_hand_without_javascript_on_a_small_phone(
    language: str, served: Served, visit: Callable[..., Visit]
) -> None:
    survey = parse_survey(EVERY_KIND)
    served.store.publish(survey)
    here = visit(java_script_enabled=False, locale=language, **PHONE)
    page = here.page
    page.goto(served.page(survey))
    page.click("a[href*=by-hand]")
    page.wait_for_load_state()  # its style changes the widths
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.click("form button")
    page.wait_for_selector("#summary")
    assert page.locator("#summary a").count() == len(survey.questions)
    here.complaints.clear()  # the answer to a form with nothing in it is 400
    chosen = {question.name: question.codes[-1] for question in survey.questions}
    for name, code in chosen.items():
        page.click(f"#summary a[href*='{name}'] >> nth=0")
        page.click(by_hand(name, code))
    page.click("form button")
    page.wait_for_selector("form", state="detached")
    assert served.responses(survey) == [tuple(chosen.values())]
    assert page.get_attribute("html", "lang") == language
    assert here.complaints == []
