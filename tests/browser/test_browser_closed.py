"""A page whose script does not come says so after some seconds, and what to do; one whose script runs never does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser_fixtures import Served, Visit
from collector.survey_file.survey_file import parse_survey
from collector.wording.languages import SHIPPED
from respondent.pages.languages import interface
from soak import some_of

pytestmark = pytest.mark.browser

SENTENCE = (
    "This survey cannot be answered here: its script did not come, the page is damaged, or this browser is too old. "
    "Nothing was sent. Reload the page, try another browser, or write to those who sent you the link."
)
ANIMATIONS = "() => document.getAnimations().map((each) => each.effect.getComputedTiming().endTime)"
FINISH = "() => document.getAnimations().forEach((each) => each.finish())"
SPOKEN = "\n".join(f'{tag} = "?"' for tag in SHIPPED)
SURVEY = parse_survey(f"""
name = "spoken"
languages = [{", ".join(f'"{tag}"' for tag in SHIPPED)}]
questions = [{{ name = "a", label = {{ {SPOKEN.replace(chr(10), ", ")} }}, kind = "yes_no", group = "g" }}]
groups = {{ g = {{ truth = "3/4" }} }}
title = {{ {SPOKEN.replace(chr(10), ", ")} }}
""")


def lost(page: Page, pattern: str) -> None:
    """Answer 404 to all addresses of a pattern, as a site does whose path the page's files are not under."""
    page.route(pattern, lambda route: route.fulfill(status=404, body="Not Found"))


def heard(page: Page) -> str:
    """What a screen reader finds in the line about the script."""
    return page.locator("#waiting").aria_snapshot()


@pytest.mark.parametrize("pattern", ["**/*.mjs", "**/static/**"], ids=["scripts", "everything"])
def test_a_page_without_its_script_says_so_after_ten_seconds(
    pattern: str, served: Served, visit: Callable[..., Visit]
) -> None:
    served.store.publish(SURVEY)
    page = visit().page
    lost(page, pattern)
    page.goto(served.page(SURVEY))
    late = page.locator("#late")
    assert not late.is_visible(), "a script that is on its way is given time"
    assert "did not come" not in heard(page)
    assert page.evaluate(ANIMATIONS) == [10_000]
    page.evaluate(FINISH)
    expect(late).to_be_visible()
    assert page.get_by_role("status").first.inner_text().endswith(SENTENCE)
    assert "did not come" in heard(page)
    assert "status" in heard(page)
    assert page.is_disabled("#start")


@pytest.mark.parametrize("language", some_of(SHIPPED, ("en", "ar")))
def test_it_says_so_in_each_language(language: str, served: Served, visit: Callable[..., Visit]) -> None:
    served.store.publish(SURVEY)
    page = visit(reduced_motion="reduce").page
    lost(page, "**/static/**")
    page.goto(f"{served.page(SURVEY)}?lang={language}")
    page.evaluate(FINISH)
    said = interface(language).gettext(SENTENCE)
    assert (said != SENTENCE) == (language != "en")
    expect(page.locator("#late")).to_be_visible()
    assert page.inner_text("#late") == said


def test_a_page_whose_script_runs_never_says_so(served: Served, visit: Callable[..., Visit]) -> None:
    served.store.publish(SURVEY)
    page = visit().open(served.page(SURVEY)).page
    assert page.evaluate(ANIMATIONS) == []
    assert "did not come" not in page.content()
