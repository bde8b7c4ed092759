"""The table of translations of `respondent design` in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.performance.designing import designing
from browser_fixtures import Visit
from collector.survey_file.survey_file import read_survey_file
from design_looks import ON_A_WIDE_SCREEN, look_at
from design_page import Hand, Hands, choose, open_design, settled, table_of

pytestmark = pytest.mark.browser

SURVEY = """
name = "two"
title = { en = "Two", de = "Zwei" }
languages = ["en", "de"]

[[questions]]
name = "year"
label = { en = "Which year?", de = "Welches Jahr?" }
kind = "scale"
values = ["first", "second"]
sensitive = false

[[questions]]
name = "fear"
label = { en = "What do you fear?" }
kind = "multiple"
options = { dogs = { en = "Dogs", de = "Hunde" }, cats = { en = "Cats" } }
group = "fear"

[groups]
fear = { truth = "3/4" }
"""


@pytest.fixture
def survey_file(tmp_path: Path) -> Path:
    """A survey that is translated in part."""
    path = tmp_path / "two.toml"
    path.write_text(SURVEY, "utf-8")
    return path


@pytest.mark.parametrize("hand", Hands)
def test_a_survey_is_translated_in_the_table(
    hand: Callable[..., Hand], survey_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(survey_file) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        by = hand(page)
        by.turn("translations")
        expect(by.at("tab.translations")).to_contain_text("4 to look at")
        expect(by.at("texts.state")).to_contain_text("German (de): 4 of 7 texts missing")
        by.tick("texts.only", on=True)
        expect(page.locator("#texts fieldset")).to_have_count(4)
        by.write("t.questions.0.words.first.de", "Erstes")
        page.keyboard.press("Enter")
        expect(by.at("t.questions.0.words.second.de")).to_be_focused()
        page.keyboard.insert_text("Zweites")
        page.keyboard.press("Enter")
        page.keyboard.insert_text("Was fürchten Sie?")
        page.keyboard.press("Enter")
        page.keyboard.insert_text("Katzen")
        page.keyboard.press("Tab")
        settled(page)
        expect(page.locator("#texts fieldset")).to_have_count(4)  # what is done stays until the box is left
        expect(by.at("texts.state")).to_contain_text("German (de): all 7 texts translated")
        found = read_survey_file(survey_file)
        assert found.questions[0].shown[0]["de"] == "Erstes"
        by.tick("texts.only", on=False)
        by.write("t.title.en", "Two questions")
        page.keyboard.press("Tab")
        settled(page)
        expect(by.at("t.title.de.field")).to_contain_text("The original has changed since.")
        by.press("t.title.de.right")
        expect(by.at("t.title.de.field")).not_to_contain_text("The original has changed since.")
        assert here.complaints == []


def test_a_table_goes_out_and_comes_back_once_its_changes_were_seen_and_is_undone(
    tmp_path: Path, survey_file: Path, visit: Callable[..., Visit]
) -> None:
    with designing(survey_file) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        choose(page, "tab.translations")
        with page.expect_download() as download:
            page.click('[id="texts.csv"]')
        assert download.value.suggested_filename == "two_texts.csv"
        table = tmp_path / "back.csv"
        text = Path(download.value.path()).read_text("utf-8-sig")
        table.write_text(text.replace("Cats,", "Cats,Katzen").replace(",", ";"), "utf-8")  # as a spreadsheet saves it
        page.click('[id="texts.take"]')
        page.click('[id="dialog.act"]')
        expect(page.locator('[id="dialog.wrong"]')).to_have_text("Choose a file first.")
        page.set_input_files('[id="texts.file"]', survey_file)
        page.click('[id="dialog.act"]')
        expect(page.locator('[id="dialog.wrong"]')).to_contain_text("two.toml: the table is neither CSV nor XLSX")
        page.set_input_files('[id="texts.file"]', table)
        page.click('[id="dialog.act"]')
        expect(page.locator('[id="dialog.title"]')).to_have_text("1 text will change")
        expect(page.locator('[id="texts.changes"] li')).to_have_text("Question 2: option “cats” (de)Katzen")
        assert survey_file.read_text("utf-8") == SURVEY
        page.click('[id="dialog.act"]')
        expect(page.locator("#said")).to_have_text("1 text changed. Undo takes it back.")
        settled(page)
        options = table_of(survey_file.read_text("utf-8"))["questions"][1]["options"]
        assert options["cats"] == {"en": "Cats", "de": "Katzen"}
        page.click("#undo")
        settled(page)
        assert survey_file.read_text("utf-8") == SURVEY
        assert len(here.complaints) == 1, "the browser says that one table was refused"


@pytest.mark.parametrize(("width", "look"), ON_A_WIDE_SCREEN, ids=str)
def test_everybody_can_read_the_table_and_what_an_import_changes(
    width: int, look: dict[str, str], tmp_path: Path, survey_file: Path, visit: Callable[..., Visit]
) -> None:
    table = tmp_path / "back.csv"
    table.write_text("place,en,de\n/title,Two,Zwo\n/questions/fear/options/dogs,Hounds,Hunde\n", "utf-8")
    with designing(survey_file) as link:
        here = visit(viewport={"width": width, "height": 900}, **look)
        page = here.page
        open_design(page, link)
        choose(page, "tab.translations")
        page.fill('[id="t.title.en"]', "Two questions")
        page.keyboard.press("Tab")
        settled(page)
        look_at(page, width)
        page.fill('[id="t.title.en"]', "Two")
        page.keyboard.press("Tab")
        settled(page)
        page.click('[id="texts.take"]')
        look_at(page, width)
        page.set_input_files('[id="texts.file"]', table)
        page.click('[id="dialog.act"]')
        expect(page.locator('[id="dialog.title"]')).to_have_text("1 text will change")
        look_at(page, width)
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_be_hidden()
        assert here.complaints == []
