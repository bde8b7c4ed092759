"""The page words each answer as collector.wording does: in every language, on its check screen and in its preview."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from playwright.sync_api import Page

from browser_fixtures import Served, Visit, in_browser
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.wording.languages import SHIPPED, number_words
from collector.wording.wording import wordings
from filling import proceed, start
from kind_surveys import EVERY_KIND
from respondent.pages.languages import interface
from respondent.pages.texts import interval_words, texts_for
from vector_surveys import surveys
from worded_survey import READ, worded_survey

pytestmark = pytest.mark.browser

WORDED = """return argument.design.questions.map((question) => {
  const screen = argument.design.screens?.find((each) => each.questions.includes(question.name)) ?? {};
  return wording.valueWords(question, screen, argument.language, argument.texts);
});"""


def worded(modules: Page, survey: Survey, language: str) -> list[list[str]]:
    """The words of all values as the script of the page has them, given the texts that it is sent."""
    texts = texts_for(survey, interface(language), by_invitation=False)
    given = texts | {"intervals": interval_words(survey, language)}
    argument = {"design": survey.design, "language": language, "texts": given}
    found: list[list[str]] = in_browser(modules, WORDED, argument)
    return found


def test_the_script_words_every_kind_of_answer_as_everything_else_does_in_each_language(modules: Page) -> None:
    survey = worded_survey(SHIPPED)
    for language in SHIPPED:
        assert worded(modules, survey, language) == [
            list(wordings(survey, each, language)) for each in survey.questions
        ], language


def test_the_script_words_values_of_other_surveys_and_names_that_read_alike_as_everything_else_does(
    modules: Page, wellbeing: Survey
) -> None:
    odd = worded_survey(["en"])
    coats = [("not_at_all", "a b"), ("a_bit", "a bit"), ("_", "__")]
    twins = [
        replace(
            odd,
            questions=tuple(
                replace(each, values=each.values if each.name != "coat" else coat) for each in odd.questions
            ),
        )
        for coat in coats
    ]
    for survey in (wellbeing, parse_survey(EVERY_KIND), *surveys().values(), *twins):
        language = survey.languages[0]
        assert worded(modules, survey, language) == [
            list(wordings(survey, each, language)) for each in survey.questions
        ], survey.name


def test_the_script_writes_numbers_as_intervals_have_them_in_each_language(modules: Page) -> None:
    numbers = [
        "0",
        "1",
        "1.5",
        "0.125",
        "1.234",
        "999.125",
        "999",
        "1000",
        "1234",
        "12345",
        "1234567.125",
        "123456789.75",
    ]
    numbers += [f"-{each}" for each in numbers[1:]]
    argument = {"numbers": [float(each) for each in numbers], "languages": SHIPPED}
    body = "return argument.languages.map((tag) => argument.numbers.map((each) => numbers.numberWords(each, tag)));"
    for language, found in zip(SHIPPED, in_browser(modules, body, argument), strict=True):
        assert found == [number_words(Decimal(each), language) for each in numbers], language


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_check_screen_and_the_preview_say_each_answer_in_the_same_words(
    language: str, served: Served, visit: Callable[..., Visit]
) -> None:
    survey = worded_survey(truth="1")
    served.store.publish(survey)
    page = visit().open(f"{served.page(survey)}?lang={language}").page
    read = {name: words[language] for name, words in READ.items()}
    start(page)
    for item in (1, 0):
        page.click(f"#q-fruit-{item}")
    proceed(page)
    page.fill("#q-rent", "500")
    proceed(page)
    page.fill("#q-steps", "500")
    proceed(page)
    press(page, "#q-moved-1")
    press(page, "#q-pets-1", "#q-pets-0")
    proceed(page)
    press(page, "#q-drinks_tea-0", "#q-drinks_ale-0")
    press(page, "#q-town_quiet-1", "#q-town_clean-2")
    press(page, "#q-smokes-0")
    press(page, "#q-often-0")
    press(page, "#q-coat-0")
    answers = [each.split("\n")[0] for each in page.locator("#answers dd").all_inner_texts()]
    assert answers == [
        read["fruit"][1],
        f"500 {read['rent'][2].split(' ')[1]}",
        "500 m",
        read["moved"][1],
        read["pets"][3],
        read["tools"][0],
        {"en": "Black tea + Pale ale", "de": "Schwarzer Tee + Helles Bier"}[language],
        read["town_quiet"][1],
        read["town_quiet"][2],
        read["smokes"][0],
        read["often"][0],
        read["coat"][0],
    ]
    proceed(page)
    page.wait_for_selector("#preview:visible")
    sent = page.inner_text("#codes")
    for name, value in {"fruit": 1, "rent": 1, "steps": 1, "moved": 1, "pets": 3, "tools": 0, "often": 0}.items():
        assert read[name][value] in sent


def press(page: Page, *controls: str) -> None:
    """Touch these controls, and go on."""
    for control in controls:
        page.click(f"label:has({control})")
    proceed(page)
