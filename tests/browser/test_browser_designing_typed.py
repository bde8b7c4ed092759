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
