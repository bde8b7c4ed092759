"""The preview of `respondent design` in a real Chromium: at the question that is edited, and to be tried from there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from benchmarks.performance.designing import designing
from browser_fixtures import Visit
from collector.survey_file.survey_file import parse_survey
from design_page import choose, open_design, settled, table_of
from kind_surveys import EVERY_KIND

pytestmark = pytest.mark.browser

ROUTED = """
name = "routed"
title = { en = "Routed", ar = "موجه" }
languages = ["en", "ar"]

[[questions]]
name = "work"
label = { en = "Do you work?", ar = "هل تعمل؟" }
kind = "choice"
values = ["none", "part", "full"]
sensitive = false

[[questions]]
name = "hours"
label = { en = "How many hours?", ar = "كم ساعة؟" }
kind = "number"
cuts = [10, 30]
sensitive = false
ask_if = "work in (part, full)"

[[questions]]
name = "tools"
label = { en = "What do you use?", ar = "ماذا تستخدم؟" }
kind = "multiple"
options.pen = { en = "A pen", ar = "قلم" }
options.saw = { en = "A saw", ar = "منشار" }
sensitive = false

[[questions]]
name = "tired"
label = { en = "Are you tired?", ar = "هل أنت متعب؟" }
hint = { en = "At the end of a day.", ar = "في نهاية اليوم." }
kind = "yes_no"
group = "tired"
ask_if = 'hours = HIGHEST and tools_saw = yes'

[groups]
tired = { truth = "4/5" }
"""


def framed(page: Page) -> FrameLocator:
    """The respondent's page that is shown."""
    return page.frame_locator("#phone iframe:not(.coming)")


def section(page: Page, name: str) -> Locator:
    """The section of a question in it."""
    return framed(page).locator(f'#survey section[data-question="{name}"]')


@pytest.fixture
def routed_file(tmp_path: Path) -> Path:
    """A survey of two languages, in which answers decide what is asked."""
    path = tmp_path / "routed.toml"
    highest = parse_survey(ROUTED.split('[[questions]]\nname = "tired"', maxsplit=1)[0]).questions[1].values[2]
    path.write_text(ROUTED.replace("HIGHEST", f'"{highest}"'), "utf-8")
    return path


def test_the_question_that_is_edited_is_shown_stays_and_is_tried_from_there(
    routed_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(routed_file) as link:
        here = visit(viewport={"width": 1440, "height": 900})
        page = here.page
        open_design(page, link)
        expect(section(page, "work")).to_be_visible()
        choose(page, "q.3")  # asked only where four answers before are as its conditions say
        expect(section(page, "tired")).to_be_visible()
        expect(page.locator('[id="preview.said"]')).to_be_empty()
        page.fill('[id="f.questions.3.label.en"]', "Are you very tired?")
        page.keyboard.press("Tab")
        expect(section(page, "tired").locator("h1")).to_have_text("Are you very tired?")
        assert page.evaluate("document.activeElement.id") == "f.questions.3.label.ar", "the preview takes no focus"
        choice = section(page, "tired").locator("label").first
        choice.click()
        expect(choice.locator("input")).to_be_checked()
        expect(page.locator(".pointed")).to_have_attribute("id", "f.questions.3.words.en.0.field")
        page.fill("#respondents", "500")
        page.keyboard.press("Tab")
        expect(page.locator("#said")).to_have_text("Figures are for 500 people.")
        expect(page.locator(".pointed")).to_have_attribute("id", "f.questions.3.words.en.0.field")
        framed(page).locator("#next").click()
        expect(framed(page).locator("#check")).to_be_visible()
        page.click('[id="preview.again"]')
        section(page, "tired").locator(".hint").first.click()
        assert page.evaluate("document.activeElement.id") == "f.questions.3.hint.en"
        framed(page).locator("#back").click()
        section(page, "tools_pen").locator("h1").click()
        expect(page.locator('[id="f.questions.2.label.en"]')).to_be_focused()
        section(page, "tools_pen").locator("label").last.click()
        expect(page.locator(".pointed")).to_have_attribute("id", "f.questions.2.options.1.en.field")
        assert here.complaints == []


def test_a_missing_translation_is_said_and_another_language_stands_for_it(
    routed_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(routed_file) as link:
        here = visit(viewport={"width": 1440, "height": 900})
        page = here.page
        open_design(page, link)
        choose(page, "q.3")
        page.fill('[id="f.questions.3.hint.ar"]', "")
        page.fill('[id="f.questions.3.label.en"]', "Tired?")
        page.keyboard.press("Tab")
        settled(page)
        expect(page.locator('[id="preview.none"]')).to_have_text(
            "Not translated yet: Question 4: the line below it (ar). The preview shows another language, or the name."
        )
        expect(section(page, "tired").locator("h1")).to_have_text("Tired?")
        page.select_option('[id="preview.language"]', "ar")
        expect(framed(page).locator("html")).to_have_attribute("dir", "rtl")
        expect(section(page, "tired").locator(".hint").first).to_have_text("At the end of a day.")
        for width in (360, 768, 1280):
            page.select_option('[id="preview.width"]', str(width))
            assert section(page, "tired").evaluate("(each) => each.ownerDocument.defaultView.innerWidth") == width
        page.fill('[id="f.questions.3.ask_if"]', "7")
        page.keyboard.press("Tab")
        expect(page.locator('[id="preview.none"]')).to_contain_text("the last version without errors")
        assert here.complaints == []


def test_every_kind_of_question_is_reached(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    path = tmp_path / "kinds.toml"
    path.write_text(EVERY_KIND, "utf-8")
    with designing(path) as link:
        here = visit(viewport={"width": 1440, "height": 900})
        page = here.page
        open_design(page, link)
        for index, question in enumerate(table_of(EVERY_KIND)["questions"]):
            choose(page, f"q.{index}")
            shown = framed(page).locator("#survey section[data-question]:not([hidden]) h1")
            expect(shown).to_have_text(
                question["label"] if isinstance(question["label"], str) else question["label"]["en"]
            )
            expect(page.locator('[id="preview.said"]')).to_be_empty()
        assert here.complaints == []
