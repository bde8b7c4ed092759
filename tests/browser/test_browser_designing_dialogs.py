"""Dialogs of the page of `respondent design` in a real Chromium: what it begins with, and publishing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from benchmarks.performance.designing import designing
from browser_fixtures import Visit
from collector.store.store import Store
from collector.survey_file.survey_file import read_survey_file
from design_looks import ON_A_PHONE, ON_A_WIDE_SCREEN, look_at
from design_page import Hand, Hands, choose, menu, open_design, settled, table_of
from spreadsheets import FORM, save_form
from vector_surveys import EXAMPLES

pytestmark = pytest.mark.browser

WELLBEING = (EXAMPLES / "wellbeing.toml").read_text("utf-8")
SURVEYJS = {
    "title": "Smoking",
    "elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?"}],
}


@pytest.fixture
def wellbeing_file(tmp_path: Path) -> Path:
    """The example, to be changed."""
    path = tmp_path / "wellbeing.toml"
    path.write_text(WELLBEING, "utf-8")
    return path


def begin_with(page: Page, name: str) -> None:
    """Choose a beginning from the list."""
    page.click("#begin")
    page.click(f'[id="begin.{name}"]')
    expect(page.locator("dialog")).to_be_hidden()
    settled(page)


def begin_with_file(page: Page, kind: str, path: Path, *, is_taken: bool = True) -> None:
    """Begin with a file of ours."""
    page.click("#begin")
    page.select_option('[id="begin.kind"]', kind)
    page.set_input_files('[id="begin.file"]', path)
    page.click('[id="begin.upload"]')
    if is_taken:
        expect(page.locator('[id="begun.disguise"]')).to_be_visible()
        page.click('[id="dialog.close"]')
    expect(page.locator("dialog")).to_be_hidden()
    settled(page)


def labels(path: Path) -> list[object]:
    """The labels of the questions of a survey file."""
    return [each["label"] for each in table_of(path.read_text("utf-8")).get("questions", [])]


def test_a_design_begins_blank_with_an_example_and_with_forms_of_other_programs_and_goes_back(
    tmp_path: Path, wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    surveyjs, xlsform, none = tmp_path / "smoking.json", tmp_path / "form.xlsx", tmp_path / "none.json"
    surveyjs.write_text(json.dumps(SURVEYJS), "utf-8")
    save_form(xlsform, FORM)
    none.write_text("[", "utf-8")
    with designing(wellbeing_file) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        page.click("#begin")
        page.fill('[id="begin.new.title"]', "Fears of students")
        page.click('[id="begin.new.blank"]')
        expect(page.locator("#said")).to_contain_text("Begun with a blank survey. Undo brings back what was there.")
        settled(page)
        assert labels(wellbeing_file) == ["Question 1"]
        assert read_survey_file(wellbeing_file).name == "fears_of_students"
        begin_with(page, "who5")
        assert read_survey_file(wellbeing_file).fingerprint == read_survey_file(EXAMPLES / "who5.toml").fingerprint
        expect(page.locator('[id="form.title"]')).to_contain_text("Over the last two weeks")
        page.click("#begin")
        page.click('[id="begin.upload"]')
        expect(page.locator("#said")).to_have_text("Choose a file first.")
        page.click('[id="dialog.close"]')
        begin_with_file(page, "surveyjs", surveyjs)
        assert labels(wellbeing_file) == ["Do you smoke?"]
        begin_with_file(page, "xlsform", xlsform)
        assert labels(wellbeing_file)[:2] == ["Which year are you in?", "Have you used cannabis?"]
        before = wellbeing_file.read_bytes()
        assert here.complaints == []
        begin_with_file(page, "surveyjs", none, is_taken=False)
        expect(page.locator("#notice")).to_contain_text("SurveyJS: the file is not valid JSON")
        expect(page.locator("#notice")).to_be_visible()
        assert wellbeing_file.read_bytes() == before
        for _ in range(4):
            page.click("#undo")
            settled(page)
        assert wellbeing_file.read_text("utf-8") == WELLBEING


@pytest.mark.parametrize("hand", Hands)
def test_a_new_file_begins_with_a_title_a_language_and_a_question_and_is_previewed_at_once(
    hand: Callable[[Page], Hand], tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "new.toml"
    with designing(path) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        by = hand(page)
        expect(by.at("fix")).to_be_hidden()
        by.write("start.title", "Ängste")
        by.write("start.language", "de")
        by.press("start.blank")
        expect(by.at("f.questions.0.label.de")).to_be_focused()
        expect(
            page.frame_locator("#phone iframe:not(.coming)").locator("h1").filter(has_text="Question 1")
        ).to_be_visible()
        survey = read_survey_file(path)
        assert (survey.name, survey.languages, survey.title["de"]) == ("angste", ("de",), "Ängste")
        page.keyboard.insert_text("Haben Sie Angst?")
        page.keyboard.press("Tab")
        settled(page)
        assert labels(path) == ["Haben Sie Angst?"]
        assert here.complaints == []


@pytest.mark.parametrize("width", [360, 1440])
def test_after_a_form_the_page_names_what_is_left_out_and_disguises_what_is_ticked(
    width: int, tmp_path: Path, wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    form = tmp_path / "form.json"
    more = {"type": "comment", "name": "more", "title": "Anything else?"}
    drinks = {"type": "boolean", "name": "drinks", "title": "Do you drink?"}
    form.write_text(json.dumps(SURVEYJS | {"elements": [*SURVEYJS["elements"], more, drinks]}), "utf-8")
    with designing(wellbeing_file) as link:
        here = visit(viewport={"width": width, "height": 900})
        page = here.page
        open_design(page, link)
        page.click("#begin")
        page.set_input_files('[id="begin.file"]', form)
        page.click('[id="begin.upload"]')
        expect(page.locator('[id="begun.tally"]')).to_contain_text("2 taken, 1 left out")
        expect(page.locator('[id="begun.left"] li')).to_have_count(1)
        look_at(page, width)
        page.check('[id="begun.1"]')
        page.click('[id="dialog.act"]')
        expect(page.locator("dialog")).to_be_hidden()
        settled(page)
        survey = table_of(wellbeing_file.read_text("utf-8"))
        assert [each.get("sensitive") for each in survey["questions"]] == [False, None]
        assert (survey["privacy"], "groups" in survey) == ({"epsilon": 4}, False)
        assert here.complaints == []


def test_publishing_asks_first_says_what_it_freezes_and_is_done_once_it_is_confirmed(
    tmp_path: Path, wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    place = tmp_path / "deniable.db"
    survey = read_survey_file(wellbeing_file)
    with designing(wellbeing_file) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        page.click("#publish")
        expect(page.locator('[id="publish.becomes"]')).to_have_text(
            f'It becomes version 1 of "wellbeing", with the fingerprint {survey.fingerprint}.'
        )
        expect(page.locator('[id="publish.freezes"] li')).to_have_count(3)
        expect(page.locator('[id="publish.open"] li')).to_have_count(1)
        page.fill('[id="publish.store"]', str(place))
        page.click('[id="dialog.close"]')
        settled(page)
        assert not place.exists(), "nothing is published before it is confirmed"
        page.click("#publish")
        page.fill('[id="publish.store"]', str(place))
        page.click('[id="dialog.act"]')
        expect(page.locator("#said")).to_have_text("Published: wellbeing, version 1.")
        with Store(place) as store:
            assert store.published("wellbeing").fingerprint == survey.fingerprint
        expect(page.locator('[id="publish.steps"]')).to_contain_text(f"respondent serve --store {place}")
        expect(page.locator('[id="publish.address"]')).to_contain_text("/s/wellbeing")
        page.click('[id="dialog.close"]')
        page.click("#publish")
        expect(page.locator('[id="publish.store"]')).to_have_value(str(place))
        expect(page.locator('[id="publish.becomes"]')).to_contain_text("is published as version 1")
        page.click('[id="dialog.close"]')
        assert here.complaints == []


def test_publishing_waits_for_the_edit_before_it(
    tmp_path: Path, wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    place = tmp_path / "deniable.db"
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        at_once = """() => {
          const box = document.getElementById("f.questions.0.hint.en");
          box.value = "Of your studies";
          box.dispatchEvent(new Event("change", { bubbles: true }));
          document.getElementById("publish").click();
        }"""
        page.evaluate(at_once)
        page.fill('[id="publish.store"]', str(place))
        page.click('[id="dialog.act"]')
        expect(page.locator("#said")).to_have_text("Published: wellbeing, version 1.")
        with Store(place) as store:
            assert store.published("wellbeing").survey.questions[0].hint["en"] == "Of your studies"


def test_deleting_a_question_names_those_whose_conditions_mention_it(
    wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    asked = 'name = "cannabis"\nask_if = "year = first"'
    wellbeing_file.write_text(WELLBEING.replace('name = "cannabis"', asked), "utf-8")
    place = [each["name"] for each in table_of(WELLBEING)["questions"]].index("cannabis")
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        menu(page, 0, "remove")
        settled(page)
        expect(page.locator("#said")).to_contain_text(f"{place + 1}, ")
        expect(page.locator("#said")).to_contain_text("conditions")


def test_what_is_refused_is_not_published_and_the_page_says_why(
    tmp_path: Path, wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    place = tmp_path / "deniable.db"
    wellbeing_file.write_text(WELLBEING.replace('health = { truth = "4/5"', 'health = { truth = "1"'), "utf-8")
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        page.click("#publish")
        page.fill('[id="publish.store"]', str(place))
        page.click('[id="dialog.act"]')
        expect(page.locator('[id="dialog.wrong"]')).to_contain_text("truth 1")
        assert not place.exists()


@pytest.mark.parametrize(("width", "look"), ON_A_WIDE_SCREEN, ids=str)
def test_everybody_can_read_both_dialogs(
    width: int, look: dict[str, str], wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        here = visit(viewport={"width": width, "height": 900}, **look)
        page = here.page
        open_design(page, link)
        for opener, shown in (("#begin", "begin.list"), ("#publish", "publish.freezes")):
            page.click(opener)
            expect(page.locator(f'[id="{shown}"]')).to_be_visible()
            look_at(page, width)
            page.keyboard.press("Escape")
            expect(page.locator("dialog")).to_be_hidden()
            assert page.evaluate("'#' + document.activeElement.id") == opener
        assert here.complaints == []


@pytest.mark.parametrize(("width", "look"), ON_A_PHONE, ids=str)
def test_everybody_can_read_a_mend_a_notice_and_the_slider_of_one_epsilon(
    width: int, look: dict[str, str], wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(wellbeing_file) as link:
        page = visit(viewport={"width": width, "height": 900}, **look).page
        page.clock.install()
        open_design(page, link)
        page.click('[id="tab.privacy"]')
        page.click('[id="together.privacy.mend"]')
        expect(page.locator("dialog pre")).to_be_hidden()
        page.click('[id="dialog.file"]')
        expect(page.locator("dialog ins").first).to_be_visible()
        look_at(page, width)
        page.keyboard.press("Escape")
        page.check('[id="way.privacy"]')
        settled(page)
        choose(page, "q.3")
        if width == 360:
            page.click('[id="to.seen"]')
        page.click('[id="figures.open"]')
        expect(page.locator("#whole")).to_be_visible()
        look_at(page, width)
        wellbeing_file.write_text(WELLBEING, "utf-8")
        page.clock.run_for(6000)
        expect(page.locator("#notice")).to_contain_text("Another program changed this survey.")
        look_at(page, width)


def test_a_store_that_cannot_be_published_in_stays_in_its_box_with_the_reason(
    tmp_path: Path, wellbeing_file: Path, visit: Callable[..., Visit]
) -> None:
    place = tmp_path / "no" / "folder.db"
    with designing(wellbeing_file) as link:
        page = visit().page
        open_design(page, link)
        page.click("#publish")
        page.fill('[id="publish.store"]', str(place))
        page.click('[id="dialog.act"]')
        expect(page.locator('[id="dialog.wrong"]')).to_contain_text("folder.db")
        expect(page.locator('[id="publish.store"]')).to_have_value(str(place))
        page.fill('[id="publish.store"]', str(tmp_path / "deniable.db"))
        page.click('[id="dialog.act"]')
        expect(page.locator("#said")).to_have_text("Published: wellbeing, version 1.")
        expect(page.locator('[id="publish.store"]')).to_have_count(0)
