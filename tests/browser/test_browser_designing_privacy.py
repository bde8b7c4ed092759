"""Privacy is chosen in words on the page of `respondent design`: at a question, in its menu, and on its tab."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from benchmarks.performance.designing import designing
from browser_fixtures import Visit
from collector.survey_file.survey_file import read_survey_file
from design_looks import ON_A_PHONE, look_at
from design_page import Keyboard, choose, menu, open_design, settled, table_of
from respondent.designing.beginnings import blank
from vector_surveys import EXAMPLES

pytestmark = pytest.mark.browser

WELLBEING = (EXAMPLES / "wellbeing.toml").read_text("utf-8")
STRONG = "If 3 in 10 would say “Yes”: of those whose “Yes” arrives, at most 57 in 100 meant it."


@pytest.fixture
def wellbeing_file(tmp_path: Path) -> Path:
    """The example, to be changed."""
    path = tmp_path / "wellbeing.toml"
    path.write_text(WELLBEING, "utf-8")
    return path


def groups_in(path: Path) -> dict[str, Any]:
    """The groups of a file."""
    found: dict[str, Any] = table_of(path.read_text("utf-8"))["groups"]
    return found


def checked(page: Page, name: str) -> str:
    """The id of the radio that is checked among those of a name; empty without one."""
    found = page.evaluate("(name) => document.querySelector(`[name='${name}']:checked`)?.id ?? ''", name)
    return str(found)


def test_a_preset_says_what_it_means_before_it_is_chosen_and_is_saved_and_undone(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        choose(page, "q.4")
        expect(page.locator('[id="strength.now"]')).to_contain_text("Now: between Strong and Balanced.")
        expect(page.locator('[id="strength.strong.means"]')).to_contain_text(STRONG)
        expect(page.locator('[id="strength.doubled"]')).to_contain_text("Twice the privacy")
        page.check('[id="strength.strong"]')
        settled(page)
        expect(page.locator("#said")).to_have_text("Saved: the privacy of question 5 is Strong.")
        assert groups_in(wellbeing_file)["debts"] == {"truth": "3/4"}
        expect(page.locator('[id="promise.debt"]')).to_contain_text(STRONG)
        expect(page.locator('[id="strength.now"]')).to_have_count(0)
        page.click("#undo")
        settled(page)
        assert checked(page, "strength") == ""
        page.click("#redo")
        settled(page)
        assert checked(page, "strength") == "strength.strong"
        page.check('[id="strength.open"]')
        settled(page)
        assert "debts" not in groups_in(wellbeing_file)
        assert not read_survey_file(wellbeing_file).question("debt").sensitive
        expect(page.locator('[id="f.questions.4.sensitive"]')).not_to_be_checked()
        assert here.complaints == []


def test_the_list_shows_how_private_each_answer_is_and_its_menu_changes_that(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        marks = page.locator(".question .dots")
        expect(marks).to_contain_text(["privacy Open", *["privacy between Strong and Balanced"] * 5])
        menu(page, 3, "light")
        settled(page)
        assert groups_in(wellbeing_file)["money"] == {"truth": "9/10", "channel": "uniform"}
        expect(marks.nth(3)).to_contain_text("privacy Light")
        expect(page.locator("#said")).to_have_text("Saved: the privacy of question 4 is Light.")


def test_the_tab_of_privacy_chooses_for_each_group_and_for_one_epsilon(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        choose(page, "tab.privacy")
        page.locator('[id="g.1.strength"]').scroll_into_view_if_needed()  # offers are asked for as one comes near
        expect(page.locator('[id="g.1.strength.lead"]')).to_contain_text(
            "What the answer to income tells once it arrives"
        )
        for name, belief in (
            ("strong", "at most 63 in 100"),
            ("balanced", "at most 82 in 100"),
            ("light", "at most 93 in"),
        ):
            expect(page.locator(f'[id="g.1.strength.{name}.means"]')).to_contain_text(belief)
            expect(page.locator(f'[id="g.1.strength.{name}.means"]')).to_contain_text("times as many people")
        page.check('[id="g.1.strength.balanced"]')
        settled(page)
        assert groups_in(wellbeing_file)["money"]["truth"] == "3/4"
        expect(page.locator('[id="g.1.strength.balanced.means"]')).to_contain_text("If 1 in 4 would say")
        page.check('[id="way.privacy"]')
        settled(page)
        assert checked(page, "whole.strength") == "whole.strength.balanced"
        page.check('[id="whole.strength.strong"]')
        settled(page)
        assert table_of(wellbeing_file.read_text("utf-8"))["privacy"] == {"epsilon": 2}
        page.click("#undo")
        settled(page)
        assert checked(page, "whole.strength") == "whole.strength.balanced"
        page.click("#undo")  # which shows the questions that get their groups back
        settled(page)
        choose(page, "tab.privacy")
        assert page.is_checked('[id="way.groups"]')  # what is undone is shown by the radios, too


def test_privacy_begins_with_what_a_whole_response_may_tell_and_is_chosen_by_the_keyboard(
    tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "new.toml"
    path.write_text(blank(), "utf-8")
    with designing(path) as link:
        here = visit(viewport={"width": 360, "height": 800})
        page = here.page
        open_design(page, link)
        hand = Keyboard(page)
        hand.turn("privacy")
        assert checked(page, "whole.strength") == "whole.strength.balanced"
        for name in ("strongest", "strong", "balanced", "light"):
            means = page.locator(f'[id="whole.strength.{name}.means"]')
            expect(means).to_contain_text("Taken together, a response tells")
            expect(means).to_contain_text(re.compile(r"you need [\d,]+ people"))
        look_at(page, 360)
        hand.reach("whole.strength.balanced")
        page.keyboard.press("ArrowUp")
        settled(page)
        assert table_of(path.read_text("utf-8"))["privacy"] == {"epsilon": 2}
        page.check('[id="whole.strength.strongest"]')
        settled(page)
        expect(page.locator("#said")).to_have_text("Saved: the privacy of the whole response is Strongest, epsilon 1.")
        expect(page.locator(".question .dots").first).to_have_text("●●●●privacy Strongest")
        page.check('[id="whole.strength.strong"]')
        settled(page)
        assert checked(page, "whole.strength") == "whole.strength.strong"
        assert here.complaints == []


def test_a_button_asks_each_person_as_many_questions_as_take_the_fewest_people(
    tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "new.toml"
    more = "".join(f'\n[[questions]]\nname = "q{at}"\nlabel = "And {at}?"\nkind = "yes_no"\n' for at in range(2, 9))
    path.write_text(blank() + more, "utf-8")
    with designing(path) as link:
        page = visit().page
        open_design(page, link)
        choose(page, "tab.privacy")
        expect(page.locator('[id="whole.strength.balanced.fewer.words"]')).to_have_text(
            "Ask each person 4 of the 8 questions: 1,296 people instead of 6,405, for ± 5 points at every question."
        )
        page.click('[id="whole.strength.strong.fewer.take"]')
        settled(page)
        expect(page.locator("#said")).to_contain_text("is Strong, and each person is asked 2 of the 8 questions.")
        file = table_of(path.read_text("utf-8"))
        assert (file["privacy"]["epsilon"], file["sampling"]) == (2, {"ask": 2})
        assert page.input_value('[id="f.sampling.ask"]') == "2"
        expect(page.locator('[id="whole.strength.strong.means"]')).to_contain_text(
            "Each person is asked 2 of 8 questions."
        )
        expect(page.locator('[id="whole.strength.strong.fewer"]')).to_have_count(0)
        page.click("#undo")
        settled(page)
        assert "sampling" not in table_of(path.read_text("utf-8"))


def test_a_central_epsilon_is_given_the_new_people_of_each_publication(
    tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "central.toml"
    text = WELLBEING.partition("[groups]")[0].replace('group = "', '# group = "').replace('coding = "', '# coding = "')
    path.write_text(f"{text}\n[privacy]\ncentral_epsilon = 1\nrespondents = 4000\n", "utf-8")
    with designing(path) as link:
        page = visit().page
        open_design(page, link)
        choose(page, "tab.privacy")
        page.fill('[id="f.privacy.new"]', "400")
        page.keyboard.press("Enter")
        settled(page)
        assert table_of(path.read_text("utf-8"))["privacy"]["new"] == 400


def test_what_a_whole_response_tells_stands_above_publish_and_is_mended_there(
    tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "who5.toml"
    path.write_text((EXAMPLES / path.name).read_text("utf-8"), "utf-8")
    with designing(path) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        expect(page.locator('[id="tab.privacy"] .mark')).to_contain_text("1")
        expect(page.locator('[id="tab.survey"] .mark')).to_have_count(0)
        choose(page, "q.0")
        expect(page.locator('[id="together.question.words"]')).to_contain_text("a response tells nearly all")
        expect(page.locator('[id="together.question.words"]')).to_contain_text("All answers of one person together.")
        expect(page.locator('[id="promise.who5_cheerful"]')).to_contain_text("This answer. If")
        expect(page.locator('[id="strength.lead"]')).to_contain_text("after this answer arrives")
        price = page.locator('[id="together.question.mend.price"]')
        price.scroll_into_view_if_needed()  # prices are asked for as one comes near
        expect(price).to_have_text(
            re.compile(r"^Price: [\d.]+ times as many people as the present design, for the same precision\.$")
        )
        expect(page.locator('[id="together.question.mend"]')).to_have_text("Ask each person 4 of the 5 questions…")
        expect(page.locator('[id="together.question.remark"]')).to_contain_text("You ask 5 disguised questions of each")
        page.click("#publish")
        expect(page.locator('[id="publish.together.words"]')).to_contain_text("a response tells nearly all")
        expect(page.locator('[id="publish.mend.price"]')).to_have_text(price.text_content() or "")
        page.click('[id="publish.mend"]')
        expect(page.locator("dialog ins").last).to_contain_text("ask = 4")
        page.click('[id="dialog.act"]')
        settled(page)
        assert table_of(path.read_text("utf-8"))["sampling"] == {"ask": 4}
        page.click("#publish")
        expect(page.locator('[id="publish.together.remark"]')).to_have_count(0)
        assert here.complaints == []


@pytest.mark.parametrize(("width", "look"), ON_A_PHONE, ids=str)
def test_everybody_can_read_what_privacy_means(
    width: int, look: dict[str, Any], wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit(viewport={"width": width, "height": 900}, **look).page
        open_design(page, link)
        choose(page, "q.4")
        expect(page.locator('[id="strength.strong.means"]')).to_contain_text(STRONG)
        page.check('[id="strength.strong"]')
        settled(page)
        look_at(page, width)
        choose(page, "tab.privacy")
        page.click('[id="g.0.open"]')
        look_at(page, width)


def test_figures_say_their_level_what_epsilon_means_and_what_the_marks_of_the_curve_are(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        choose(page, "q.3")
        page.click('[id="figures.open"]')
        expect(page.locator("#balance figcaption")).to_contain_text("the design as it is")
        expect(page.locator("#balance figcaption")).to_contain_text("where the slider is")
        expect(page.locator('[id="balance.words"]')).to_contain_text("no response is more than 9 times as likely")
        expect(page.locator('[id="balance.words"]')).to_contain_text("± 4.0 points (95 % interval)")
        expect(page.locator('[id="cost.income"] thead')).to_contain_text("share of 1000 people: 95 % interval")
        expect(page.locator('[id="cost.income"] tbody')).to_contain_text("± 4.0 points")
        times = "async (epsilon) => (await import('./cost.mjs')).inTimes(epsilon)"
        said = {epsilon: page.evaluate(times, epsilon) for epsilon in (log(3), 2.5, log(12346), 20)}
        assert ["no response is more than 3 times" in said[log(3)], "than 12.2 times" in said[2.5]] == [True, True]
        assert "than 12,400 times" in said[log(12346)], "it is rounded up"
        assert "over 1,000,000 times" in said[20]
        assert here.complaints == []


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1440, 900)])
def test_the_preview_has_room_next_to_what_a_design_costs(
    width: int, height: int, wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit(viewport={"width": width, "height": height}).page
        open_design(page, link)
        for index in range(6):
            choose(page, f"q.{index}")
            assert page.evaluate("document.getElementById('preview.frame').clientHeight") >= 300


def test_the_present_design_stands_in_the_middle_of_its_curve_and_what_is_promised_in_view(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit(viewport={"width": 1440, "height": 900}).page
        open_design(page, link)
        for index in (1, 2, 3):
            choose(page, f"q.{index}")
            bottom = "(id) => document.getElementById(id).getBoundingClientRect().bottom"
            assert page.evaluate(bottom, "promise") <= page.evaluate(bottom, "seen"), "it is not cut off"
        page.click('[id="figures.open"]')
        ring = page.locator(".balance .present")
        middle = (44 + 320 - 30) / 2  # of the axis: twice the present width is at its end
        assert abs(float(ring.get_attribute("cx") or 0) - middle) < 1
        figures = page.locator('.balance text[text-anchor="middle"]').all_text_contents()
        assert figures == ["± 0", "± 4.0", "± 8.1"]


def test_words_and_marks_are_explained_where_they_first_stand(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        for words in ("◐ another strength", "●●● strong", "in a red ring counts what to fix or look at"):
            expect(page.locator("#legend")).to_contain_text(words)
        choose(page, "tab.privacy")
        page.click('[id="way.words.open"]')
        for word in ("Group", "Random draw", "Truth probability", "Channel", "Epsilon"):
            expect(page.locator('[id="way.words"] b', has_text=word)).to_be_visible()
        choose(page, "q.1")
        expect(page.locator('[id="strength.doubled"]')).to_contain_text("half the epsilon of the random draw")
        expect(page.locator('[id="strength.card"]')).to_contain_text("an answer that arrives is no proof")
        page.click('[id="figures.open"]')
        expect(page.locator('[id="cost.readers"]')).to_contain_text("who reads only what you publish")
        unlimited = "tells somebody who knows more about a person, such as another answer of this group"
        for place in ("balance.words", "cost.cannabis"):
            expect(page.locator(f'[id="{place}"]')).to_contain_text(unlimited)
            expect(page.locator(f'[id="{place}"]')).to_contain_text("Choose the uniform channel to set a limit.")


def test_the_curve_of_a_group_goes_once_it_may_be_of_another_group(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        choose(page, "q.1")
        page.click('[id="figures.open"]')
        expect(page.locator('[id="balance.title"]')).to_have_text("Privacy against precision: group substances")
        page.select_option('[id="f.questions.1.group"]', "debts")
        settled(page)
        expect(page.locator('[id="balance.title"]')).to_have_text("Privacy against precision: group debts")
        page.select_option('[id="f.questions.1.group"]', "")
        settled(page)
        expect(page.locator("#fix")).to_be_visible()
        expect(page.locator("#balance > *")).to_have_count(0)


def test_a_remedy_says_what_it_costs_and_publishing_under_a_remark_does_not_invite(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    wellbeing_file.write_text(WELLBEING.replace('debts = { truth = "4/5"', 'debts = { truth = "99/100"'), "utf-8")
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        expect(page.locator("#publish")).to_have_class("plain")
        choose(page, "q.4")
        expect(page.locator('[id="remarks.question.mend0"]')).to_have_text(
            'Disguise group "debts" more, until this remark goes…'
        )
        page.click('[id="remarks.question.mend0"]')
        expect(page.locator('[id="mend.cost"]')).to_contain_text(
            'This costs precision, most at "debt": 1,000 people give'
        )
        expect(page.locator('[id="mend.cost"]')).to_contain_text("times as many people as with the present design.")
        page.click('[id="dialog.close"]')
        page.click("#publish")
        expect(page.locator('[id="dialog.act"]')).to_have_text("Publish all the same")
        expect(page.locator('[id="dialog.act"]')).to_have_class("plain")
        page.keyboard.press("Escape")
        page.click("#begin")
        page.click('[id="begin.new.blank"]')
        settled(page)
        expect(page.locator("#publish")).not_to_have_class("plain")


def test_an_edit_makes_only_the_form_of_its_group_again(wellbeing_file: Path, visit: Callable[..., Visit]) -> None:
    with designing(wellbeing_file) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        page.click('[id="tab.privacy"]')
        for group in ("g.0", "g.1", "g.2"):
            page.locator(f'[id="{group}.strength"]').scroll_into_view_if_needed()
            expect(page.locator(f'[id="{group}.strength.strong.means"]')).to_contain_text("of those whose")
        page.evaluate(
            """() => {
              globalThis.made = [];
              const create = document.createElement.bind(document);
              document.createElement = (tag) => {
                const element = create(tag);
                made.push(element);
                return element;
              };
            }"""
        )
        names = [*groups_in(wellbeing_file)]
        page.click('[id="g.0.open"]')
        page.fill(f'[id="f.groups.{names[0]}.truth"]', "5/6")
        page.evaluate("() => (made.length = 0)")
        page.keyboard.press("Enter")
        settled(page)
        groups = page.evaluate(
            "() => [...new Set(made.map((each) => /^g[.][0-9]+$/.exec(each.id)?.[0]).filter(Boolean))]"
        )
        assert groups == ["g.0"]
        page.check('[id="g.1.strength.light"]')  # its handlers are those of an earlier version
        settled(page)
        assert groups_in(wellbeing_file)[names[0]]["truth"] == "5/6"
        expect(page.locator('[id="g.1.strength.light"]')).to_be_checked()
        page.click("#undo")
        settled(page)
        expect(page.locator('[id="g.1.strength.light"]')).not_to_be_checked()
        assert here.complaints == []


def test_the_reason_of_a_refusal_goes_with_what_was_refused(wellbeing_file: Path, visit: Callable[..., Visit]) -> None:
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        page.click('[id="tab.privacy"]')
        page.click('[id="g.0.open"]')
        box, reason = page.locator('[id="g.0.name"]'), page.locator('[id="g.0"] .wrong')
        box.fill("money")  # another group's
        page.keyboard.press("Enter")
        settled(page)
        expect(reason).to_have_count(1)
        box.fill("substances")
        page.keyboard.press("Enter")
        settled(page)
        expect(reason).to_have_count(0)
        expect(box).to_have_value("substances")
