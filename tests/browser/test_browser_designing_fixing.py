"""What is to be fixed, in the designer in a real Chromium: how much it is, and the way to each field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.performance.designing import designing
from browser_fixtures import Visit
from design_looks import ON_A_WIDE_SCREEN, look_at
from design_page import Hand, Hands, choose, open_design, settled

pytestmark = pytest.mark.browser

SURVEY = """
name = "two"
title = { en = "Two" }
languages = ["en", "de"]

[[questions]]
name = "year"
label = { en = "Which year?", de = "Welches Jahr?" }
kind = "scale"
values = ["first", "second"]
sensitive = false

[[questions]]
name = "fear"
label = { en = "What do you fear?", de = "Wovor?" }
kind = "multiple"
options = { dogs = { en = "Dogs", de = "Hunde" }, cats = { en = "Cats" } }
group = "fear"

[groups]
fear = { truth = "7" }
"""
FIELDS = {
    "Title": "f.title.de",
    "Question 2: option “cats”": "f.questions.1.options.1.de",
    "group fear": "f.groups.fear.truth",
}


@pytest.fixture
def survey_file(tmp_path: Path) -> Path:
    """A survey with three things to fix."""
    path = tmp_path / "two.toml"
    path.write_text(SURVEY, "utf-8")
    return path


@pytest.mark.parametrize("hand", Hands)
def test_a_summary_leads_to_the_field_of_each_thing_to_fix(
    hand: Callable[..., Hand], survey_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(survey_file) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        by = hand(page)
        expect(by.at("fix")).to_have_text("3 things to fix")
        for words, field in FIELDS.items():
            by.press("fix")
            expect(by.at("fix.survey.title")).to_have_text("3 things to fix")
            line = page.locator('[id="fix.survey"] .link').filter(has_text=words)
            by.press(line.get_attribute("id") or "")
            expect(by.at(field)).to_be_focused()
            expect(by.at(field)).to_be_visible()
        choose(page, "q.1")
        expect(by.at("fix.question.title")).to_have_text("1 thing to fix")
        expect(by.at("fix.question")).to_contain_text("It is not in de, a language of the survey.")
        expect(by.at("fix.question").locator("pre")).to_be_hidden()
        by.press("fix.question.0")
        page.keyboard.insert_text("Katzen")
        page.keyboard.press("Tab")
        settled(page)
        expect(by.at("fix.question")).to_have_count(0)
        expect(by.at("fix")).to_have_text("2 things to fix")
        assert here.complaints == []


def test_the_reason_stands_under_the_box_that_is_empty(survey_file: Path, visit: Callable[..., Visit]) -> None:
    with designing(survey_file) as link:
        page = visit().page
        open_design(page, link)
        choose(page, "tab.survey")
        expect(page.locator('[id="f.title.de"]')).to_have_attribute("aria-invalid", "true")
        expect(page.locator('[id="f.title.de.wrong"]')).to_contain_text("Add it, or leave the language out.")
        expect(page.locator('[id="f.title.en"]')).not_to_have_attribute("aria-invalid", "true")


@pytest.mark.parametrize(("width", "look"), ON_A_WIDE_SCREEN, ids=str)
def test_everybody_can_read_what_is_to_be_fixed(
    width: int, look: dict[str, str], survey_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(survey_file) as link:
        page = visit(viewport={"width": width, "height": 900}, **look).page
        open_design(page, link)
        page.click("#fix")
        page.click('[id="fix.survey.open"]')
        expect(page.locator('[id="fix.survey"] pre')).to_contain_text("is not in de")
        look_at(page, width)
        choose(page, "tab.privacy")
        look_at(page, width)
