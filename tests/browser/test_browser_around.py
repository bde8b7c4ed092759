"""What surrounds the questions, in a real Chromium: a full quota ends before anything is sent; thanks come after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from browser_fixtures import Served, Visit
from collector.survey.study import Study
from collector.survey.survey import Survey
from collector.survey.text import Text
from filling import answer, give, proceed, start, thanked

pytestmark = pytest.mark.browser
SITE = "https://panel.example/done"


def test_an_answer_whose_quota_is_full_ends_the_visit_and_sends_nothing(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    full = replace(wellbeing, study=Study(quotas=(("year", (("third", 0),)),)))
    served.store.publish(full)
    here = visit().open(served.page(full))
    start(here.page)
    give(here.page, full, "year")
    proceed(here.page)
    here.page.wait_for_selector("#full:visible")
    assert here.page.query_selector("#survey") is None
    assert here.posts == []


@pytest.mark.parametrize(("scheme", "colour"), [("light", "rgb(26, 107, 82)"), ("dark", "rgb(93, 150, 133)")])
def test_a_survey_has_a_colour_and_letters_of_its_own(
    scheme: str, colour: str, served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    survey = replace(wellbeing, name="coloured", study=Study(accent="#1a6b52", font="serif"))
    served.store.publish(survey)
    here = visit(color_scheme=scheme).open(served.page(survey))
    style = "getComputedStyle(document.querySelector('#start'))"
    assert here.page.evaluate(f"{style}.backgroundColor") == colour
    assert here.page.evaluate(f"{style}.fontFamily").startswith("Georgia")
    assert here.complaints == []


def test_thanks_code_and_link_are_shown_once_the_response_is_stored_and_exit_is_off(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    study = Study(thanks=Text.of(en="Well done."), code="C0FFEE", redirect=SITE, no_exit="A kiosk.")
    around = replace(wellbeing, study=study)
    served.store.publish(around)
    here = visit().open(served.page(around))
    assert here.page.is_hidden("text=C0FFEE")
    for _ in range(3):
        here.page.keyboard.press("Shift")
    answer(here.page, around)
    assert here.page.is_hidden("text=C0FFEE")
    here.send()
    assert thanked(here)
    assert here.page.is_visible("text=Well done.")
    assert here.page.is_visible("text=C0FFEE")
    assert here.page.get_attribute("#thanks a.target", "href") == SITE
    assert "C0FFEE" not in (here.posts[0].post_data or "")
