"""Numbers, days and lists are taken as people type them on the page of `respondent design`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.performance.designing import designing
from browser_fixtures import Visit
from collector.survey_file.survey_file import read_survey_file
from design_page import Mouse, choose, open_design, settled, table_of
from vector_surveys import EXAMPLES

pytestmark = pytest.mark.browser

NUMBERS = {
    "5000": 5000,
    "5,000": 5000,
    "1,234,567.5": 1234567.5,
    "5 000": 5000,
    "5 000,5": 5000.5,
    "0,75": 0.75,
    "-2.5": -2.5,
    "1,2,3": "1,2,3",
    "many": "many",
}
DAYS = {"31.12.2027": "2027-12-31", "1.2.2027": "2027-02-01", "2027-12-31": "2027-12-31", "soon": "soon"}
DATE = """
name = "born"
title = "Born"
languages = ["en"]

[[questions]]
name = "born"
label = "When were you born?"
kind = "date"
cuts = [2010-01-01]
sensitive = false
"""
LISTS = [
    ("400, 800", "number", [400, 800]),
    ("400,800", "number", [400, 800]),
    ("400 800", "number", [400, 800]),
    ("400 800  1500", "number", [400, 800, 1500]),
    ("1,000; 5,000;", "number", [1000, 5000]),
    ("1,000, 5,000", "number", [1000, 5000]),
    ("5,000", "number", [5000]),
    ("1.1.2020; 1.1.2025", "day", ["2020-01-01", "2025-01-01"]),
    ("en de", "word", ["en", "de"]),
    ("en,, de,", "word", ["en", "de"]),
    ("en\nde", "word", ["en", "de"]),
]


def test_what_people_type_is_read_as_they_mean_it_and_written(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    path = tmp_path / "wellbeing.toml"
    path.write_text((EXAMPLES / path.name).read_text("utf-8"), "utf-8")
    with designing(path) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        read = "async ([name, words, of]) => (await import('./reading/typed.mjs'))[name](words, of)"
        assert {each: page.evaluate(read, ["numberIn", each, ""]) for each in NUMBERS} == NUMBERS
        assert {each: page.evaluate(read, ["dayIn", each, ""]) for each in DAYS} == DAYS
        assert [page.evaluate(read, ["listIn", words, of]) for words, of, _ in LISTS] == [each for _, _, each in LISTS]
        hand = Mouse(page)
        choose(page, "q.3")
        hand.write("f.questions.3.cuts", "500; 1,000; 5,000")
        hand.turn("study")
        hand.write("f.study.until", "31.12.2098")
        page.keyboard.press("Tab")
        settled(page)
        expect(page.locator(".wrong")).to_have_count(0)
        found = table_of(path.read_text("utf-8"))
        assert found["questions"][3]["cuts"] == [500, 1000, 5000]
        assert str(found["study"]["until"]) == "2098-12-31"
        assert read_survey_file(path).question("income").cuts == (500, 1000, 5000)
        assert here.complaints == []


def test_a_day_is_picked_from_a_calendar_beside_its_box(tmp_path: Path, visit: Callable[..., Visit]) -> None:
    path = tmp_path / "born.toml"
    path.write_text(DATE, "utf-8")
    with designing(path) as link:
        here = visit()
        page = here.page
        open_design(page, link)
        pick = {
            name: page.locator(f'[id="f.{name}.pick"]')
            for name in ("questions.0.minimum", "questions.0.cuts", "study.until")
        }
        pick["questions.0.minimum"].fill("1900-02-28")
        settled(page)
        expect(page.locator('[id="f.questions.0.minimum"]')).to_have_value("1900-02-28")
        pick["questions.0.cuts"].fill("2001-05-06")
        settled(page)
        expect(page.locator('[id="f.questions.0.cuts"]')).to_have_value("2001-05-06, 2010-01-01")
        choose(page, "tab.study")
        pick["study.until"].focus()
        page.keyboard.type("12312097")  # key by key: 31 December 2097 as English has it
        settled(page)
        expect(page.locator('[id="f.study.until"]')).to_have_value("2097-12-31")
        page.fill('[id="f.study.until"]', "31.12.2098")
        page.keyboard.press("Tab")
        settled(page)
        expect(pick["study.until"]).to_have_value("2098-12-31")
        page.fill('[id="f.study.until"]', "")
        page.keyboard.press("Tab")
        settled(page)
        found = table_of(path.read_text("utf-8"))
        assert [str(each) for each in found["questions"][0]["cuts"]] == ["2001-05-06", "2010-01-01"]
        assert str(found["questions"][0]["minimum"]) == "1900-02-28"
        assert "study" not in found
        assert here.complaints == []
