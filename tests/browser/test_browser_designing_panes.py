"""The three panes of `respondent design` in a real Chromium: the list, the form, and the preview with what it costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.performance.designing import designing, survey
from browser_fixtures import Visit
from design_page import choose, menu, open_design, settled, table_of

pytestmark = pytest.mark.browser

LAST_LINE = '[id="q.54"]'


def names_in(path: Path) -> list[str]:
    """The names of the questions in their order."""
    return [each["name"] for each in table_of(path.read_text("utf-8"))["questions"]]


def test_a_question_far_below_is_chosen_with_its_form_and_its_line_in_view(
    tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "long.toml"
    path.write_text(survey(60), "utf-8")
    with designing(path) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        for width, height in ((1440, 900), (1100, 700), (360, 640)):
            page.set_viewport_size({"width": width, "height": height})
            choose(page, "q.0")
            choose(page, "q.54")
            expect(page.locator('[id="form.title"]')).to_have_text("55. Question 55?")
            expect(page.locator('[id="form.title"]')).to_be_in_viewport(ratio=1)
            if width == 360:
                expect(page.locator("#seen")).to_be_hidden()
                page.click("#back")
                assert page.evaluate("document.activeElement.id") == "q.54"
            expect(page.locator(LAST_LINE)).to_be_in_viewport(ratio=1)
            if width == 360:
                continue
            assert page.evaluate("document.scrollingElement.scrollTop") == 0
            page.locator('[id="f.questions.54.unasked"]').scroll_into_view_if_needed()
            expect(page.locator(LAST_LINE)).to_be_in_viewport(ratio=1)
            expect(page.locator("#phone")).to_be_in_viewport()
        assert here.complaints == []


def test_the_list_is_worked_by_keys_and_by_the_menu_of_each_line(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    path = tmp_path / "short.toml"
    path.write_text(survey(4), "utf-8")
    with designing(path) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        page.focus('[id="q.0"]')
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator('[id="form.title"]')).to_have_text("3. Question 3?")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.keyboard.press("End")
        assert page.evaluate("document.activeElement.id") == "menu.remove"
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.id") == "q.2.more"
        menu(page, 2, "top")
        settled(page)
        assert names_in(path) == ["q2", "q0", "q1", "q3"]
        assert page.evaluate("document.activeElement.id") == "q.0"
        menu(page, 1, "end")
        settled(page)
        assert names_in(path) == ["q2", "q1", "q3", "q0"]
        menu(page, 0, "below")
        settled(page)
        assert names_in(path) == ["q2", "question_5", "q1", "q3", "q0"]
        assert page.evaluate("document.activeElement.id") == "f.questions.1.label.en"
        menu(page, 1, "remove")
        settled(page)
        assert names_in(path) == ["q2", "q1", "q3", "q0"]
        menu(page, 3, "kind")
        assert page.evaluate("document.activeElement.id") == "kind"
        assert here.complaints == []


def test_dragging_shows_where_a_question_falls(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    path = tmp_path / "short.toml"
    path.write_text(survey(4), "utf-8")
    with designing(path) as link:
        page = visit().page
        open_design(page, link)
        page.hover('[id="q.3"]')
        page.mouse.down()
        page.hover('[id="q.1"]')
        page.hover('[id="q.1"]')  # the first only begins it
        expect(page.locator("#list .above")).to_have_attribute("id", "q.1.row")
        page.mouse.up()
        settled(page)
        assert names_in(path) == ["q0", "q3", "q1", "q2"]
        expect(page.locator("#list :is(.above, .below, .dragged)")).to_have_count(0)
