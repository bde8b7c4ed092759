"""The views of `respondent design` that change nothing, in a real Chromium: the routes and the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from benchmarks.performance.designing import designing
from browser_fixtures import Visit
from design_looks import ON_A_PHONE, look_at
from design_page import choose, open_design, settled

pytestmark = pytest.mark.browser

ROUTED = """
name = "routed"
title = "Routed"
languages = ["en"]

[[questions]]
name = "work"
label = "Do you work?"
kind = "choice"
values = ["none", "part", "full"]
sensitive = false

[[questions]]
name = "tired"
label = "Are you tired?"
kind = "yes_no"
group = "tired"
ask_if = "work = full"

[[questions]]
name = "ghost"
label = "Who are you?"
kind = "yes_no"
group = "ghost"
ask_if = "tired = yes and work = part"

[groups]
tired = { truth = "4/5" }
ghost = { truth = "4/5" }
"""


@pytest.fixture
def routed_file(tmp_path: Path) -> Path:
    path = tmp_path / "routed.toml"
    path.write_text(ROUTED, "utf-8")
    return path


def test_the_routes_say_who_reaches_each_question(routed_file: Path, visit: Callable[..., Visit]) -> None:
    with designing(routed_file) as link:
        here = visit(viewport={"width": 1440, "height": 900})
        page = here.page
        open_design(page, link)
        page.click('[id="tab.routes"]')
        lines = page.locator('[id="routes.list"] > li')
        expect(lines).to_have_count(3)
        expect(lines.nth(0)).to_contain_text("Everybody: 1,000 of 1,000.")
        expect(lines.nth(1)).to_contain_text("Only if 1. “Do you work?” is “full”. About 333 of 1,000.")
        expect(lines.nth(2)).to_contain_text("Nobody reaches it.")
        expect(page.locator('[id="routes.about"]')).to_contain_text(
            "no expected shares for the answers to questions 1, 2"
        )
        expect(page.locator('[id="routes.picture"] svg text.nobody')).to_have_text("nobody")
        expect(page.locator('[id="routes.picture"] svg .way')).to_have_count(3)
        page.fill("#respondents", "300")
        page.keyboard.press("Tab")
        expect(lines.nth(1)).to_contain_text("About 100 of 300.")
        page.click('[id="routes.1.open"]')
        expect(page.locator('[id="f.questions.1.ask_if"]')).to_be_visible()
        page.fill('[id="f.questions.1.ask_if"]', "")
        page.keyboard.press("Tab")
        settled(page)
        page.click('[id="tab.routes"]')
        expect(lines.nth(1)).to_contain_text("Everybody: 300 of 300.")
        assert here.complaints == []


def test_the_file_shows_problems_at_their_lines_and_leads_to_their_fields(
    routed_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(routed_file) as link:
        here = visit(viewport={"width": 1440, "height": 900})
        page = here.page
        open_design(page, link)
        page.click('[id="tab.file"]')
        expect(page.locator('[id="file.lines"] code')).to_have_text(ROUTED.splitlines())
        expect(page.locator('[id="file.lines"] .wrong')).to_have_count(0)
        assert page.locator("#file :is(input, textarea)").count() == 0
        choose(page, "q.1")
        page.fill('[id="f.questions.1.ask_if"]', "nobody = yes")
        page.keyboard.press("Tab")
        settled(page)
        page.click('[id="tab.file"]')
        wrong = page.locator('[id="file.lines"] li.wrong').filter(has_text="nobody = yes")
        expect(wrong.locator("p")).to_contain_text("Question 2: asked only if")
        wrong.locator("button").click()
        expect(page.locator('[id="f.questions.1.ask_if"]')).to_be_focused()
        assert here.complaints == []


@pytest.mark.parametrize(("width", "look"), ON_A_PHONE, ids=str)
def test_everybody_can_read_the_views(
    width: int, look: dict[str, Any], routed_file: Path, visit: Callable[..., Visit]
) -> None:
    routed_file.write_text(ROUTED.replace('"yes_no"', '"maybe"', 1), "utf-8")
    with designing(routed_file) as link:
        here = visit(viewport={"width": width, "height": 900}, **look)
        page = here.page
        open_design(page, link)
        choose(page, "tab.routes")
        expect(page.locator('[id="routes.none"]')).to_contain_text("once nothing is left to fix")
        choose(page, "tab.file")
        expect(page.locator('[id="file.lines"] li.wrong')).not_to_have_count(0)
        look_at(page, width)
        routed_file.write_text(ROUTED, "utf-8")
        page.click('[id="notice.load"]')
        settled(page)
        choose(page, "tab.routes")
        expect(page.locator('[id="routes.list"] > li')).to_have_count(3)
        look_at(page, width)
        assert here.complaints == []
