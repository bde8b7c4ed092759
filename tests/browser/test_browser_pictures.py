"""Pictures on the page: loaded by everybody before anything is answered, and seen on their screens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from filling import DESKTOP, PHONE, proceed, start
from pictures import survey_with_pictures
from screens import judge

pytestmark = pytest.mark.browser


@pytest.fixture
def survey(served: Served, tmp_path: Path) -> Survey:
    found = survey_with_pictures(tmp_path / "files")
    served.store.publish(found)
    return found


def answer(page: Page, *, drinks: bool) -> None:
    start(page)
    page.click(f"label:has(#q-drinks-{0 if drinks else 1})")
    proceed(page)
    if drinks:
        page.click("label:has(#q-glass-0)")
        proceed(page)
    page.fill("#q-much", "1.5")
    proceed(page)
    page.wait_for_selector("#check:visible")
    proceed(page)
    page.wait_for_selector("#thanks:visible")


def test_requests_for_pictures_are_the_same_whoever_comes_where(
    served: Served, visit: Callable[..., Visit], survey: Survey
) -> None:
    asked = []
    for drinks in (True, False):
        here = visit(**PHONE).open(served.page(survey))
        loaded = [path for path in here.paths() if path.startswith("/pictures/")]
        assert loaded == [f"/pictures/{each.name}" for each in survey.pictures], "before anything is answered"
        begun = len(here.requests)
        answer(here.page, drinks=drinks)
        asked.append([each.method for each in here.requests[begun:]])
        assert here.complaints == []
    assert asked == [["POST"], ["POST"]]


@pytest.mark.parametrize(("size", "language"), [(PHONE, "ar"), (DESKTOP, "en")], ids=["phone", "desktop"])
def test_a_picture_stands_on_its_screen_with_its_text_and_axe_finds_nothing(
    size: dict[str, Any], language: str, served: Served, visit: Callable[..., Visit], survey: Survey
) -> None:
    page = visit(**size).open(f"{served.page(survey)}?lang={language}").page
    judge(page)
    start(page)
    assert page.locator("img:visible").count() == 1, "the logo"
    page.click("label:has(#q-drinks-0)")
    proceed(page)
    (_, glass, _) = survey.pictures
    page.wait_for_selector(f'img.picture[alt="{glass.text[language]}"]:visible')
    assert page.evaluate("[...document.images].every((each) => each.complete && each.naturalWidth)")
    assert page.locator("img.logo:visible").count() == 1
    judge(page)
    page.click("label:has(#q-glass-0)")
    proceed(page)
    judge(page)


def test_a_picture_that_does_not_come_leaves_its_text_and_the_survey(
    served: Served, visit: Callable[..., Visit], survey: Survey
) -> None:
    here = visit()

    def refuse(route: Route) -> None:
        route.abort()

    here.page.route("**/pictures/*", refuse)
    here.open(served.page(survey))
    answer(here.page, drinks=True)
    assert len(served.responses(survey)) == 1
