"""The page of `respondent design` in a real Chromium: surveys are built by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from benchmarks.performance.designing import designing
from browser_fixtures import Visit
from collector.survey_file.kinds.registry import KINDS
from collector.survey_file.survey_file import parse_survey, read_survey_file
from design_looks import VIEWS, look_at
from design_page import PARTS, Hand, Hands, Mouse, build, choose, menu, open_design, settled, table_of
from soak import some_of
from vector_surveys import EXAMPLES

pytestmark = pytest.mark.browser

WELLBEING = (EXAMPLES / "wellbeing.toml").read_text("utf-8")
SMALL = """
name = "small"
title = "Small survey"
languages = ["en"]

[[questions]]
name = "year"
label = "Which year?"
kind = "scale"
values = ["first", "second", "third"]
sensitive = false

[[questions]]
name = "fear"
label = "Were you afraid?"
kind = "yes_no"
prior = { yes = 0.2, no = 0.8 }
group = "fear"

[[questions]]
name = "income"
label = "Income?"
kind = "number"
cuts = [400, 800]
minimum = 0
unit = "EUR"
group = "money"

[groups]
fear = { truth = "4/5" }
money = { truth = "2/3", channel = "uniform" }

[mining]
target = "fear"
"""


@pytest.mark.parametrize("hand", some_of(Hands, (Mouse,)))  # by keyboard alone: a survey of every kind
def test_a_small_survey_is_built_from_blank_and_is_that_of_its_file(
    hand: Callable[[Page], Hand], tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "small.toml"
    with designing(path) as link:
        here = visit()
        open_design(here.page, link)
        build(hand(here.page), table_of(SMALL))
        assert read_survey_file(path).fingerprint == parse_survey(SMALL).fingerprint
        assert here.complaints == []


def test_a_remark_above_leaves_the_box_that_is_written_in_where_it_is(
    tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, "utf-8")
    with designing(path) as link:
        here = visit()
        open_design(here.page, link)
        hand = Mouse(here.page)
        hand.press("q.1")
        settled(here.page)
        hand.at("f.questions.1.hint.en").scroll_into_view_if_needed()
        hand.write("f.questions.1.ask_if", "7")
        top = "(control) => { control.focus(); return control.getBoundingClientRect().top; }"
        place = hand.at("f.questions.1.name").evaluate(top)  # the answer to what was typed is not there yet
        expect(hand.at("fix.question")).to_contain_text("Write NAME = VALUE")
        settled(here.page)
        assert hand.at("f.questions.1.name").evaluate(top) == pytest.approx(place, abs=1)
        assert here.complaints == []


@pytest.fixture
def wellbeing_file(tmp_path: Path) -> Path:
    """The example, to be changed."""
    path = tmp_path / "wellbeing.toml"
    path.write_text(WELLBEING, "utf-8")
    return path


@pytest.mark.parametrize(("width", "look"), VIEWS, ids=str)
def test_everybody_can_read_every_tab_and_press_every_control(
    width: int, look: dict[str, Any], wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        here = visit(viewport={"width": width, "height": 900}, **look)
        page = here.page
        open_design(page, link)
        for index in range(6):
            choose(page, f"q.{index}")
            expect(page.locator(".balance")).to_have_count(1 if index else 0)  # the first is sent as it is
            look_at(page, width)
        if width == 360:
            page.click('[id="to.seen"]')
            look_at(page, width)
        page.click('[id="figures.open"]')
        look_at(page, width)
        expect(page.locator('[id="cost.distress"]')).to_be_visible()
        if width == 360:
            page.click('[id="to.form"]')
            page.click("#back")
        page.click('[id="q.5.more"]')
        look_at(page, width)
        page.keyboard.press("Escape")
        for part in PARTS:
            choose(page, f"tab.{part}")
            look_at(page, width)
        assert here.complaints == []


def test_the_privacy_tab_says_what_readers_of_published_figures_learn(
    tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, "utf-8")
    with designing(path) as link:
        here = visit()
        open_design(here.page, link)
        here.page.click('[id="tab.privacy"]')
        stated = here.page.locator('[id="cost.central"]')
        expect(stated).to_contain_text("respondents gave the same answers to year, central differential privacy")
        here.page.click('[id="figures.open"]')
        here.page.click('[id="cost.lines"] summary')
        expect(here.page.locator('[id="cost.lines"]')).to_contain_text("For people who run the server")
        assert here.complaints == []


def test_edits_are_undone_and_done_again_by_buttons_and_by_keys(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        hand = Mouse(page)
        hand.write("f.questions.0.label.en", "In which year are you?")
        hand.press("q.1")
        settled(page)
        changed = wellbeing_file.read_text("utf-8")
        assert changed == WELLBEING.replace("Which year are you in?", "In which year are you?")
        hand.press("undo")
        expect(page.locator("#said")).to_have_text("Undone: the label of question 1.")
        assert wellbeing_file.read_text("utf-8") == WELLBEING
        page.keyboard.press("Control+Shift+z")
        expect(page.locator("#said")).to_have_text("Done again: the label of question 1.")
        assert wellbeing_file.read_text("utf-8") == changed
        page.keyboard.press("Control+z")
        expect(page.locator("#said")).to_have_text("Undone: the label of question 1.")
        expect(page.locator("#undo")).to_have_attribute("aria-disabled", "true")
        assert wellbeing_file.read_text("utf-8") == WELLBEING


def test_ctrl_z_in_a_text_is_left_to_the_text(wellbeing_file: Path, visit: Callable[..., Visit]) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        Mouse(page).tick("f.questions.0.decline", on=True)
        settled(page)
        page.focus('[id="f.questions.0.label.en"]')
        page.keyboard.type("x")
        page.keyboard.press("Control+z")
        settled(page)
        assert "decline" in wellbeing_file.read_text("utf-8")


def names_in(path: Path) -> list[str]:
    """The names of the questions in their order."""
    return [each["name"] for each in table_of(path.read_text("utf-8"))["questions"]]


def test_questions_are_ordered_by_dragging_by_buttons_and_by_keys_with_the_focus_kept(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit(viewport={"width": 1440, "height": 1200}).page
        open_design(page, link)
        before = names_in(wellbeing_file)
        page.focus('[id="q.0"]')
        page.keyboard.press("Alt+ArrowDown")
        settled(page)
        assert names_in(wellbeing_file) == [before[1], before[0], *before[2:]]
        assert page.evaluate("document.activeElement.id") == "q.1"
        expect(page.locator("#said")).to_have_text("Question 1 is now 2 of 6.")
        page.keyboard.press("Alt+ArrowUp")
        settled(page)
        assert names_in(wellbeing_file) == before
        menu(page, 0, "down")
        settled(page)
        assert page.evaluate("document.activeElement.id") == "q.1"
        assert names_in(wellbeing_file) == [before[1], before[0], *before[2:]]
        page.locator('[id="q.1.row"]').drag_to(page.locator('[id="q.4.row"]'))
        settled(page)
        assert names_in(wellbeing_file) == [before[1], *before[2:5], before[0], before[5]]


def test_what_another_window_edits_is_noticed_and_loaded(wellbeing_file: Path, visit: Callable[..., Visit]) -> None:
    with designing(wellbeing_file) as link:
        here = visit()
        first = here.page
        open_design(first, link)
        second = first.context.new_page()
        open_design(second, first.url)
        Mouse(second).tick("f.questions.0.decline", on=True)
        settled(second)
        Mouse(first).write("f.questions.0.hint.en", "Count from autumn.")
        first.keyboard.press("Tab")
        expect(first.locator("#notice")).to_contain_text("Another window changed this survey. Your words are kept.")
        assert "autumn" not in wellbeing_file.read_text("utf-8")
        first.click("text=Show the new state")
        expect(first.locator("#notice")).to_be_hidden()
        expect(first.locator('[id="f.questions.0.decline"]')).to_be_checked()
        expect(first.locator('[id="f.questions.0.hint.en"]')).to_have_value("Count from autumn.")
        expect(first.locator('[id="f.questions.0.hint.en.refused"]')).to_contain_text(
            "another window changed this survey"
        )
        look_at(first, 1280)
        first.click('[id="f.questions.0.hint.en.again"]')
        settled(first)
        expect(first.locator('[id="f.questions.0.hint.en.refused"]')).to_have_count(0)
        text = wellbeing_file.read_text("utf-8")
        assert "autumn" in text
        assert "decline = true" in text


def test_what_was_refused_is_saved_too_once_the_new_state_is_there(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        first = visit().page
        open_design(first, link)
        second = first.context.new_page()
        open_design(second, first.url)
        Mouse(second).tick("f.questions.0.decline", on=True)
        settled(second)
        Mouse(first).write("f.questions.0.hint.en", "Count from autumn.")
        first.keyboard.press("Tab")
        first.click("text=Save mine too")
        expect(first.locator("#notice")).to_be_hidden()
        expect(first.locator('[id="f.questions.0.hint.en.refused"]')).to_have_count(0)
        settled(first)
        question = table_of(wellbeing_file.read_text("utf-8"))["questions"][0]
        assert (question["hint"], question["decline"]) == ("Count from autumn.", True)


def test_typed_words_stay_with_the_reason_while_the_designer_does_not_answer(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        page.route("**/edit*", lambda route: route.abort())
        page.fill('[id="f.questions.0.hint.en"]', "Count from autumn.")
        page.keyboard.press("Tab")
        expect(page.locator('[id="f.questions.0.hint.en.refused"]')).to_contain_text("does not answer")
        page.click('[id="q.1"]')  # to another question and back
        page.click('[id="q.0"]')
        expect(page.locator('[id="f.questions.0.hint.en"]')).to_have_value("Count from autumn.")
        page.fill('[id="f.questions.0.label.en"]', "")  # refused as well, and of no use
        page.keyboard.press("Tab")
        page.click('[id="f.questions.0.label.en.drop"]')
        expect(page.locator('[id="f.questions.0.label.en"]')).to_have_value("Which year are you in?")
        page.unroute("**/edit*")
        page.click('[id="f.questions.0.hint.en.again"]')
        settled(page)
        assert table_of(wellbeing_file.read_text("utf-8"))["questions"][0]["hint"] == "Count from autumn."


def test_refused_words_follow_their_question_where_another_window_has_moved_it(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        first = visit().page
        open_design(first, link)
        second = first.context.new_page()
        open_design(second, first.url)
        menu(second, 0, "down")
        settled(second)
        first.fill('[id="f.questions.0.hint.en"]', "Count from autumn.")
        first.keyboard.press("Tab")
        expect(first.locator('[id="f.questions.0.hint.en.refused"]')).to_contain_text(
            "another window changed this survey"
        )
        first.click('[id="f.questions.0.hint.en.again"]')
        settled(first)
        expect(first.locator('[id="form.title"]')).to_contain_text("2. Which year")
        questions = table_of(wellbeing_file.read_text("utf-8"))["questions"]
        assert "hint" not in questions[0]
        assert (questions[1]["name"], questions[1]["hint"]) == ("year", "Count from autumn.")


def test_a_file_that_changes_on_the_disk_is_noticed(wellbeing_file: Path, visit: Callable[..., Visit]) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        page.clock.install()
        open_design(page, link)
        wellbeing_file.write_text(WELLBEING.replace("Student wellbeing", "Wellbeing of students"), "utf-8")
        page.clock.run_for(6000)
        expect(page.locator("#notice")).to_contain_text("Another program changed this survey.")
        page.click("text=Show the new state")
        page.click('[id="tab.survey"]')
        expect(page.locator('[id="f.title.en"]')).to_have_value("Wellbeing of students")


def test_a_new_question_of_every_kind_compiles_at_once(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    path = tmp_path / "new.toml"
    path.write_text('name = "new"\ntitle = "New"\nlanguages = ["en"]\n', "utf-8")
    with designing(path) as link:
        page = visit().page
        open_design(page, link)
        offered = page.locator("#new-kind option").evaluate_all("(options) => options.map((each) => each.value)")
        assert sorted(offered) == sorted(KINDS)
        for number, kind in enumerate(KINDS):
            page.select_option("#new-kind", kind)
            page.click("#add")
            settled(page)
            expect(page.locator(".wrong")).to_have_count(0)
            assert page.evaluate("document.activeElement.id") == f"f.questions.{number}.label.en"
        assert [each["kind"] for each in table_of(path.read_text("utf-8"))["questions"]] == list(KINDS)
        assert {screen.kind for screen in read_survey_file(path).screens} >= {"multiple", "grid", "ranking", "date"}


def test_the_slider_shows_other_figures_and_its_truth_is_written(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        page.click('[id="q.3"]')
        expect(page.locator('[id="balance.words"]')).to_contain_text("Truth 2/3: epsilon 2.197")
        page.click('[id="figures.open"]')
        page.focus("#truth")
        for _ in range(20):
            page.keyboard.press("ArrowLeft")
        expect(page.locator('[id="balance.words"]')).not_to_contain_text("Truth 2/3")
        words = page.inner_text('[id="balance.use"]')
        page.click('[id="balance.use"]')
        settled(page)
        truth = table_of(wellbeing_file.read_text("utf-8"))["groups"]["money"]["truth"]
        assert words == f"Use truth {truth}"
        expect(page.locator('[id="balance.use"]')).to_have_text(f"Truth {truth} is in use")
        expect(page.locator('[id="balance.saved"]')).to_have_text(f"Saved in the file: group money has truth {truth}.")
        assert truth != "2/3"


def test_the_mark_is_what_one_epsilon_for_the_whole_response_would_choose(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    wellbeing_file.write_text(WELLBEING.replace('"4/5" }', '"4/5", channel = "uniform" }'), "utf-8")
    with designing(wellbeing_file) as link:
        page = visit().page
        with page.expect_response("**/chosen*") as answer:
            open_design(page, link)
            page.click('[id="q.3"]')
        (money,) = (each for each in answer.value.json()["groups"] if each["name"] == "money")
        group = state_of_design(page)["figures"]["groups"][1]
        curve = group["curve"]
        present = min(curve, key=partial(gap, group["truth"]))
        widest = 2 * present["width"]  # four times as many people make up for it
        assert money["width"] < widest < max(each["width"] for each in curve)
        most = max(each["epsilon"] for each in [*curve, money] if each["width"] <= widest)
        square = page.locator("svg .chosen")
        assert float(square.get_attribute("x") or "") + 5 == pytest.approx(44 + 246 * money["width"] / widest)
        assert float(square.get_attribute("y") or "") + 5 == pytest.approx(160 - 130 * money["epsilon"] / most)
        expect(page.locator("figcaption")).to_contain_text("Square: what one epsilon")


def gap(truth: str, point: dict[str, Any]) -> Fraction:
    """How far a point of a curve is from a truth probability."""
    return abs(Fraction(point["truth"]) - Fraction(truth))


def state_of_design(page: Page) -> dict[str, Any]:
    """The state that the server has now."""
    found: dict[str, Any] = page.evaluate("async () => (await fetch('./state')).json()")
    return found


def test_one_epsilon_for_the_whole_response_is_slid_and_written(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        page.click('[id="tab.privacy"]')
        page.check('[id="way.privacy"]')
        settled(page)
        page.click('[id="q.3"]')
        expect(page.locator('[id="balance.words"]')).to_contain_text("Epsilon 4: an answer to income, common")
        page.click('[id="figures.open"]')
        page.focus("#whole")
        for _ in range(4):
            page.keyboard.press("ArrowLeft")
        expect(page.locator('[id="balance.words"]')).to_contain_text("Epsilon 2: an answer to income, common")
        said = page.inner_text('[id="balance.words"]').split("answer", 1)[1]
        expect(page.locator("svg .tried")).to_have_count(1)
        page.click('[id="balance.use"]')
        settled(page)
        assert table_of(wellbeing_file.read_text("utf-8"))["privacy"] == {"epsilon": 2}
        assert page.inner_text('[id="balance.words"]').split("answer", 1)[1] == said
        assert here.complaints == []


def test_what_is_drawn_anew_leaves_the_selection_of_who_is_about_to_type(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        page.click('[id="q.1"]')
        under_way = list[Route]()
        page.route("**/edit*", lambda route: under_way.append(route))  # noqa: PLW0108 - it is wrapped
        page.fill('[id="f.questions.1.words.en.0"]', "Yes, I have")
        page.keyboard.press("Tab")  # on to the other value, which gets words as soon as the first has
        assert page.evaluate("document.activeElement.id") == "f.questions.1.words.en.1"
        expect(page.locator("main")).to_have_attribute("aria-busy", "true")
        under_way.pop().continue_()
        settled(page)
        page.unroute("**/edit*")
        page.keyboard.insert_text("No, I have not")
        page.keyboard.press("Tab")
        settled(page)
        words = {"yes": "Yes, I have", "no": "No, I have not"}
        assert table_of(wellbeing_file.read_text("utf-8"))["questions"][1]["words"]["en"] == words
        Mouse(page).write("f.questions.1.words.en.1", "")
        page.keyboard.press("Tab")
        expect(page.locator('[id="f.questions.1.words.en.1"]')).to_have_value("no")


def test_a_box_that_is_left_as_it_was_shows_what_it_has_by_then(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        page.click('[id="q.1"]')
        page.fill('[id="f.questions.1.words.en.0"]', "Yes, I have")
        page.keyboard.press("Tab")
        settled(page)
        expect(page.locator('[id="f.questions.1.words.en.1"]')).to_have_value("")
        page.keyboard.press("Tab")
        expect(page.locator('[id="f.questions.1.words.en.1"]')).to_have_value("no")


def test_a_remark_is_mended_once_its_difference_was_shown(wellbeing_file: Path, visit: Callable[..., Visit]) -> None:
    with designing(wellbeing_file) as link:
        page = (here := visit()).page
        open_design(page, link)
        page.click('[id="tab.privacy"]')
        page.click('[id="together.privacy.mend"]')
        page.click('[id="dialog.file"]')
        expect(page.locator("dialog ins")).to_contain_text(['group = "drinking"', "drinking = {"])
        assert wellbeing_file.read_text("utf-8") == WELLBEING
        look_at(page, 1280)
        page.click('[id="dialog.act"]')
        settled(page)
        assert table_of(wellbeing_file.read_text("utf-8"))["questions"][2]["group"] == "drinking"
        page.click("#undo")
        settled(page)
        assert wellbeing_file.read_text("utf-8") == WELLBEING
        assert here.complaints == []
