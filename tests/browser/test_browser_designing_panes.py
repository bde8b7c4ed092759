"""The three panes of `respondent design` in a real Chromium: the list, the form, and the preview with what it costs."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from benchmarks.performance.designing import designing, survey
from browser_fixtures import Visit
from design_looks import look_at
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
            shown = page.frame_locator("#phone iframe:not(.coming)")
            expect(shown.locator('#survey section[data-question="q54"]')).to_be_visible()
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
        expect(page.locator("#list .dragged")).to_have_count(1)
        mark = page.locator("#list .above")
        for x in cycle((20, 24)):  # a list that is drawn anew has no mark until the mouse moves
            page.hover('[id="q.1"]', position={"x": x, "y": 10})
            if mark.count():
                break
        expect(mark).to_have_attribute("id", "q.1.row")
        page.mouse.up()
        settled(page)
        assert names_in(path) == ["q0", "q3", "q1", "q2"]
        expect(page.locator("#list :is(.above, .below, .dragged)")).to_have_count(0)


PASTE = """([id, text]) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.getElementById(id).dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
}"""


def question(path: Path, index: int) -> dict[str, Any]:
    """A question of a survey file."""
    found: dict[str, Any] = table_of(path.read_text("utf-8"))["questions"][index]
    return found


def focused(page: Page) -> str:
    """The id of the control that has the focus."""
    return str(page.evaluate("document.activeElement.id"))


def test_a_question_is_copied_and_undo_says_what_it_undoes_and_goes_there(
    tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "long.toml"
    path.write_text(survey(30), "utf-8")
    with designing(path) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        said = page.locator("#said")
        menu(page, 0, "duplicate")
        settled(page)
        assert names_in(path)[:3] == ["q0", "q0_2", "q1"]
        assert focused(page) == "f.questions.1.label.en"
        page.keyboard.insert_text("Another?")
        page.keyboard.press("Tab")
        settled(page)
        assert question(path, 1) == question(path, 0) | {"name": "q0_2", "group": "q0_2", "label": "Another?"}
        menu(page, 30, "top")
        settled(page)
        choose(page, "q.30")
        for undone, chosen in (
            ("moving question 31 to 1", 30),
            ("the label of question 2", 1),
            ("adding question 2", 1),
        ):
            page.click("#undo")
            settled(page)
            expect(said).to_have_text(f"Undone: {undone}.")
            expect(page.locator('.question[aria-current="true"]')).to_have_attribute("id", f"q.{chosen}")
            expect(page.locator(f'[id="q.{chosen}"]')).to_be_in_viewport(ratio=1)
        assert path.read_text("utf-8") == survey(30)
        page.click("#redo")
        expect(said).to_have_text("Done again: adding question 2.")
        page.click('[id="tab.survey"]')
        page.fill('[id="f.title.en"]', "Longer")
        page.click("#undo")
        expect(said).to_have_text("Undone: the title of the survey.")
        assert here.complaints == []


def test_several_answers_are_pasted_at_once(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    path = tmp_path / "short.toml"
    path.write_text(survey(1), "utf-8")
    with designing(path) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        values = "f.questions.0.values"
        page.evaluate(PASTE, [f"{values}.1", ' "Very often" \r\n\r\n- often\n\nd\noften\n'])
        settled(page)
        assert question(path, 0)["values"] == ["a", "Very often", "often", "c", "d", "e"]
        assert focused(page) == f"{values}.4"
        page.select_option("#new-kind", "scale")
        page.click("#add")
        settled(page)
        page.evaluate(PASTE, ["f.questions.1.values.0", "never, monthly, weekly"])
        settled(page)
        assert question(path, 1)["values"] == ["never", "monthly", "weekly"]
        page.select_option("#new-kind", "multiple")
        page.click("#add")
        settled(page)
        page.evaluate(PASTE, ["f.questions.2.options.0.en", "Beer, or cider; Wine; Wine; Über"])
        settled(page)
        options = {"beer_or_cider": "Beer, or cider", "wine": "Wine", "uber": "Über"}
        assert json.dumps(question(path, 2)["options"]) == json.dumps(options)
        assert focused(page) == "f.questions.2.options.2.name"
        page.click('[id="f.questions.2.options.add"]')
        settled(page)
        assert focused(page) == "f.questions.2.options.3.name"
        page.evaluate(PASTE, ["f.questions.2.options.3.name", "only one"])
        settled(page)
        assert len(table_of(path.read_text("utf-8"))["questions"][2]["options"]) == 4, "one is pasted as usual"
        assert page.locator(".wrong").count() == 0
        assert here.complaints == []


def test_texts_that_are_pasted_in_another_language_fill_its_boxes(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    path = tmp_path / "short.toml"
    path.write_text(survey(1).replace('languages = ["en"]', 'languages = ["en", "de"]'), "utf-8")
    with designing(path) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        words = "f.questions.0.words.de"
        page.evaluate(PASTE, [f"{words}.1", "Zwei; Drei"])
        settled(page)
        assert question(path, 0)["values"] == ["a", "b", "c", "d", "e"]
        assert question(path, 0)["words"] == {"de": {"a": "a", "b": "Zwei", "c": "Drei", "d": "d", "e": "e"}}
        page.evaluate(PASTE, [f"{words}.4", "Fünf\nSechs"])
        settled(page)
        assert question(path, 0)["words"] == {"de": {"a": "a", "b": "Zwei", "c": "Drei", "d": "d", "e": "Fünf"}}
        page.select_option("#new-kind", "multiple")
        page.click("#add")
        settled(page)
        page.evaluate(PASTE, ["f.questions.1.options.0.en", "Beer\nWine\nTea"])
        settled(page)
        page.evaluate(PASTE, ["f.questions.1.options.1.de", "Wein\nTee"])
        settled(page)
        assert question(path, 1)["options"] == {
            "beer": {"en": "Beer", "de": "Beer"},
            "wine": {"en": "Wine", "de": "Wein"},
            "tea": {"en": "Tea", "de": "Tee"},
        }
        page.click("#undo")
        settled(page)
        assert question(path, 1)["options"]["tea"] == {"en": "Tea", "de": "Tea"}, "one step brings all back"
        assert here.complaints == []


def test_everybody_can_read_the_panes_at_every_width(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    path = tmp_path / "short.toml"
    path.write_text(survey(4), "utf-8")
    with designing(path) as link:
        page = visit(viewport={"width": 768, "height": 900}).page
        open_design(page, link)
        choose(page, "q.3")
        for width in (768, 960, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            look_at(page, width)
