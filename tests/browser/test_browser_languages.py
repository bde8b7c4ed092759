"""Each text says which language it is in: one that lacks a translation, and those around an untranslated interface."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from filling import proceed, start
from screens import judge
from soak import some_of

pytestmark = pytest.mark.browser

SURVEY = parse_survey("""
name = "half"
title = { en = "Your day", de = "Ihr Tag", fi = "Your day" }
languages = ["en", "de", "fi"]
study = { why = { en = "Research", de = "Research", fi = "Tutkimus" } }
groups = { g = { truth = "1/2", channel = "uniform" } }
[[questions]]
name = "mood"
label = { en = "How are you?", de = "How are you?", fi = "Kuinka voit?" }
kind = "choice"
values = ["well", "badly"]
words = { en = { well = "Well", badly = "Badly" }, de = { well = "Gut", badly = "Badly" }, fi = { well = "Hyvin", badly = "Badly" } }
decline = true
group = "g"
""")  # noqa: E501


@pytest.fixture
def half(served: Served) -> Survey:
    served.store.publish(SURVEY)
    return SURVEY


LANGUAGES = """(words) => {
  const all = [...document.querySelectorAll("main *")].filter((each) => !each.closest("template, noscript, script"));
  const found = all.findLast((each) => each.textContent.trim() === words);
  return found.closest("[lang]").lang;
}"""


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", {"Ihr Tag": "de", "Research": "en", "How are you?": "en", "Gut": "de", "Badly": "en", "Weiter": "de"}),
        (
            "fi",
            {"Your day": "en", "Tutkimus": "fi", "Kuinka voit?": "fi", "Hyvin": "fi", "Badly": "en", "Continue": "en"},
        ),
        ("en", {"Your day": "en", "How are you?": "en", "Badly": "en", "Prefer not to say": "en"}),
    ],
)
def test_a_text_says_which_language_it_is_in(
    language: str, said: dict[str, str], served: Served, visit: Callable[..., Visit], half: Survey
) -> None:
    page = visit().open(f"{served.page(half)}?lang={language}").page
    assert {words: page.evaluate(LANGUAGES, words) for words in said} == said
    start(page)
    judge(page)
    page.click("label:has(#q-mood-0)")
    proceed(page)
    page.wait_for_selector("#check:visible")


@pytest.mark.parametrize("language", ["de", "fi"])
def test_so_do_those_of_the_form_by_hand(
    language: str, served: Served, visit: Callable[..., Visit], half: Survey
) -> None:
    page = visit(java_script_enabled=False).page
    page.goto(f"{served.page(half)}/by-hand?lang={language}")
    marked = page.locator("main [lang]").evaluate_all("all => all.map((each) => [each.textContent, each.lang])")
    expected = {
        "de": [["Research", "en"], ["How are you?", "en"]],
        "fi": [["Tutkimus", "fi"], ["Kuinka voit?", "fi"]],
    }
    assert marked == expected[language]


UNITS = """
name = "hours"
title = { en = "Hours", de = "Stunden" }
languages = ["en", "de"]
groups = { g = { truth = 1 } }
[[questions]]
name = "shift"
label = { en = "Shift?", de = "Schicht?" }
kind = "number"
cuts = [6, 12]
unit = { en = "hours", de = "Stunden" }
group = "g"
EXTRA
"""


@pytest.mark.parametrize("extra", some_of(("", "optional = true"), ("",)))
@pytest.mark.parametrize(("language", "unit"), [("en", "hours"), ("de", "Stunden")])
def test_a_unit_reads_in_the_language_of_the_page(
    language: str, unit: str, extra: str, served: Served, visit: Callable[..., Visit]
) -> None:
    survey = parse_survey(UNITS.replace("EXTRA", extra))
    served.store.publish(survey)
    page = visit().open(f"{served.page(survey)}?lang={language}").page
    start(page)
    assert page.inner_text("#q-shift-unit") == unit
    page.fill("#q-shift", "8")
    proceed(page)
    shown = page.inner_text("#answers dd")
    assert unit in shown


@pytest.mark.parametrize(("language", "unit"), [("en", "hours"), ("de", "Stunden")])
def test_a_unit_reads_in_the_language_of_the_form_by_hand(
    language: str, unit: str, served: Served, visit: Callable[..., Visit]
) -> None:
    survey = parse_survey(UNITS.replace("EXTRA", ""))
    served.store.publish(survey)
    page = visit(java_script_enabled=False).page
    page.goto(f"{served.page(survey)}/by-hand?lang={language}")
    assert f"12 {unit}" in page.inner_text("form")
