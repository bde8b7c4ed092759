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
from pictures import ANSWERS, survey_with_pictures
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


@pytest.mark.parametrize(("size", "language"), [(PHONE, "ar"), (DESKTOP, "en")], ids=["phone", "desktop"])
def test_pictures_stand_in_the_labels_of_answers_and_are_loaded_by_everybody(
    size: dict[str, Any], language: str, served: Served, visit: Callable[..., Visit], tmp_path: Path
) -> None:
    found = survey_with_pictures(tmp_path / "answers", ANSWERS)
    served.store.publish(found)
    here = visit(**size).open(f"{served.page(found)}?lang={language}")
    page, (shelf, glass, jug) = here.page, (f"/pictures/{each.name}" for each in found.pictures)
    assert [path for path in here.paths() if path.startswith("/pictures/")] == [shelf, glass, jug]
    start(page)
    shown = page.locator(".choice:visible:has(img)")
    wine, beer = (found.question("which").shown[at][language] for at in (0, 1))
    assert [each.inner_text().strip() for each in shown.all()] == [wine, beer]
    assert page.evaluate(
        "[...document.querySelectorAll('.choice img')].every((each) => each.alt === '' && each.naturalWidth)"
    )
    assert page.get_by_role("radio", name=beer, exact=True).count() == 1, "its name is read once"
    judge(page)
    shown.nth(1).locator("img").click()
    proceed(page)
    page.wait_for_selector("#q-ever_beer-0:visible")
    assert page.locator(".choice:visible:has(img)").inner_text().strip() == found.question("ever_beer").label[language]
    judge(page)
    page.locator(".choice:visible img").click()
    proceed(page)
    page.wait_for_selector("#check:visible")
    assert found.question("ever_beer").label[language] in page.inner_text("#answers")
    begun = len(here.requests)
    proceed(page)
    page.wait_for_selector("#thanks:visible")
    assert [each.method for each in here.requests[begun:]] == ["POST"]
    assert here.complaints == []


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
