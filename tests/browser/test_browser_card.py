"""The study card on a phone, the odds of each question in one line, and the one way not to answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.collecting.weight import EXAMPLES, example
from browser_fixtures import Served, Visit
from collector.survey_file.survey_file import parse_survey
from collector.wording.languages import SHIPPED
from filling import PHONE, start
from kind_surveys import EVERY_KIND
from soak import some_of

pytestmark = pytest.mark.browser

HIGHEST = 960  # pixels: one screen and a half
WAYS = """
name = "ways"
title = "Ways"
languages = ["en"]
groups = { g = { truth = "3/4" } }
questions = [
  { name = "skip", label = "A?", kind = "yes_no", group = "g", optional = true },
  { name = "both", label = "B?", kind = "yes_no", group = "g", optional = true, decline = true },
  { name = "typed", label = "C?", kind = "number", cuts = [1, 2], group = "g", optional = true },
  { name = "either", label = "D?", kind = "number", cuts = [1, 2], group = "g", optional = true, decline = true },
]
"""


@pytest.mark.parametrize("name", some_of(EXAMPLES, ("wellbeing", "staff_climate")))
def test_start_is_within_the_first_screen_and_a_half_of_a_phone(
    name: str, served: Served, visit: Callable[..., Visit]
) -> None:
    survey = example(name)
    served.store.publish(survey)
    page = visit(**PHONE | {"viewport": {"width": 360, "height": 640}}).page
    for language in (tag for tag in SHIPPED if tag in survey.languages):
        page.goto(f"{served.page(survey)}?lang={language}")
        page.wait_for_selector("#start:enabled")
        assert page.locator("#start").evaluate("(it) => it.getBoundingClientRect().top + scrollY") <= HIGHEST


def test_the_odds_are_one_line_whose_reasons_open_by_keyboard_and_without_scripts(
    served: Served, visit: Callable[..., Visit]
) -> None:
    survey = parse_survey(EVERY_KIND)
    served.store.publish(survey)
    page = visit().open(served.page(survey)).page
    short = {
        part.get_attribute("id"): part.locator("p.odds").text_content() for part in page.locator(".question").all()
    }
    assert short["q-bullied-question"] == "Chance changes the answer of about 17 in 100 people before it is sent."
    assert short["q-rank-question"] == "Chance changes the answer of about 42 in 100 people before it is sent."
    line = "For each statement: Chance changes the answer of about 33 in 100 people before it is sent."
    assert short["q-climate_fair-question"] == line
    start(page)
    page.focus("#q-bullied-question summary")
    assert page.locator("#q-bullied-question details li").first.is_hidden()
    page.keyboard.press("Enter")
    assert page.locator("#q-bullied-question details li").first.is_visible()
    assert page.inner_text("#q-bullied-question summary") == "How this protects me"
    assert page.locator("#q-bullied-question summary").evaluate("(it) => it.parentElement.localName") == "details"


def test_odds_of_ticks_are_said_to_be_of_each_option(served: Served, visit: Callable[..., Visit]) -> None:
    survey = parse_survey("""
name = "ticks"
title = "Ticks"
languages = ["en"]
groups = { g = { truth = "3/4" } }
[[questions]]
name = "m"
label = "Which?"
kind = "multiple"
options = { a = "A", b = "B", c = "C" }
coins = "own"
group = "g"
""")
    served.store.publish(survey)
    page = visit().open(served.page(survey)).page
    assert (
        page.locator("p.odds").text_content()
        == "For each option: Chance changes the answer of 25 in 100 people before it is sent."
    )


def test_there_is_one_way_not_to_answer(served: Served, visit: Callable[..., Visit]) -> None:
    survey = parse_survey(WAYS)
    served.store.publish(survey)
    page = visit().open(served.page(survey)).page
    ways = ("You may skip this question.", "No answer", "Prefer not to say")
    parts = {each.name: page.locator(f"#q-{each.name}-question :is(.hint, .choice)") for each in survey.questions}
    said = {name: " ".join(part.all_text_contents()) for name, part in parts.items()}
    assert {name: [way for way in ways if way in words] for name, words in said.items()} == {
        "skip": ["No answer"],
        "both": ["Prefer not to say"],
        "typed": ["You may skip this question."],
        "either": ["Prefer not to say"],
    }
