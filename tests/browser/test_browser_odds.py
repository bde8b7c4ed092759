"""The odds as a respondent reads them, computed in the browser from the design in hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from asked_of_unasked import DESIGNS, surest
from browser_fixtures import Served, Visit, in_browser
from collector.disclosure.families import family_of
from collector.errors import SurveyError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from random_designs import any_design
from respondent.pages.languages import interface
from respondent.pages.texts import interval_words, script_texts, texts_for
from small_surveys import survey_of
from vector_surveys import surveys
from watching import draws, joints, open_gates

pytestmark = pytest.mark.browser

THREE = 'kind = "choice"\nvalues = ["x", "y", "z"]'
THIRDS = f"{THREE}\nprior = {{ x = 0.5, y = 0.25, z = 0.25 }}"
YES_NO = 'kind = "yes_no"'
TOLD = """
  const words = (question) => wording.valueWords(question, {}, "en", argument.texts);
  const all = odds.askedOf(argument.design, words);
  return {
    odds: all.map((each) => odds.toldOdds(each, argument.texts)),
    example: odds.example(all, argument.texts, family.riseAmong(all, routes)),
    limits: all.filter(({ group }) => group)
      .map((each) => odds.limit(each, argument.texts, family.riseAmong(all, routes))),
    codes: all.map((each) => each.question.coding.codes.map((code) => odds.toldCode(each, code, argument.texts))),
  };
"""


def told(modules: Page, survey: Survey) -> Any:  # noqa: ANN401 - JSON
    """What the page says of a survey's odds."""
    return in_browser(
        modules,
        TOLD,
        {"design": survey.design, "texts": script_texts(interface("en")) | {"intervals": interval_words(survey, "en")}},
    )


@pytest.mark.parametrize(
    ("question", "group", "lines"),
    [
        (
            YES_NO,
            'truth = "3/4"',
            [
                "Chance changes the answer of 25 in 100 people before it is sent.",
                "Of 100 people who answer “Yes”, 75 are sent as “Yes” and 25 as “No”.",
                "Of 100 people who answer “No”, 75 are sent as “No” and 25 as “Yes”.",
            ],
        ),
        (
            YES_NO,
            'truth = "2/3"',
            [
                "Chance changes the answer of about 33 in 100 people before it is sent.",
                "Of 100 people who answer “Yes”, about 67 are sent as “Yes” and about 33 as “No”.",
                "Of 100 people who answer “No”, about 67 are sent as “No” and about 33 as “Yes”.",
            ],
        ),
        (
            YES_NO,
            'truth = "1000/1001"',
            [
                "Chance changes the answer of fewer than 1 in 100 people before it is sent.",
                "Of 100 people who answer “Yes”, more than 99 are sent as “Yes” and fewer than 1 as “No”.",
                "Of 100 people who answer “No”, more than 99 are sent as “No” and fewer than 1 as “Yes”.",
            ],
        ),
        (
            YES_NO,
            "truth = 0",
            [
                "Chance changes the answer of 100 in 100 people before it is sent.",
                "Of 100 people who answer “Yes”, 100 are sent as “No”.",
                "Of 100 people who answer “No”, 100 are sent as “Yes”.",
                "The disguise is certain, so that it hides nothing.",
            ],
        ),
        (YES_NO, "truth = 1", ["Not disguised: it is sent as you answer it."]),
        (
            THIRDS,
            'truth = "4/5"',
            [
                "Chance changes the answer of 20 in 100 people before it is sent.",
                "Of 100 people who answer “x”, 80 are sent as “x”, 10 as “y” and 10 as “z”.",
                "Of 100 people who answer “y”, 80 are sent as “y” and 20 as “x”.",
                "Of 100 people who answer “z”, 80 are sent as “z” and 20 as “x”.",
            ],
        ),
        (
            THREE,
            'truth = "7/10", channel = "uniform"',
            [
                "Chance changes the answer of 20 in 100 people before it is sent.",
                (
                    "Of 100 people, whatever they answer, 80 are sent as they answer and 20 as any other answer, "
                    "equally often."
                ),
            ],
        ),
        (
            f'{THIRDS}\ncoding = "szucs"',
            'truth = "4/5"',
            [
                "What is sent depends on your true answer.",
                "Of 100 people who answer “x”, 80 are sent as “x” and 20 as “y”.",
                "Of 100 people who answer “y”, 80 are sent as “y” and 20 as “x”.",
                "Everybody who answers “z” is sent as “z”: what is sent shows it.",
            ],
        ),
    ],
)
def test_what_is_sent_is_told_of_100_people(question: str, group: str, lines: list[str], modules: Page) -> None:
    assert told(modules, survey_of((question, "g", group)))["odds"] == [lines]


def test_the_example_the_limits_and_the_codes_are_told_of_the_same_hundred(modules: Page, wellbeing: Survey) -> None:
    found = told(modules, wellbeing)
    assert found["example"] == {
        "text": (
            "Example, question 3. Of 100 people who answer “weekly”, 80 are sent as “weekly” and 20 as another answer."
        ),
        "marked": 20,
    }
    assert found["limits"][0] == (
        "Question 2: what is sent may raise the chance that your answer is “Yes” from 20 to 50 in 100, at most."
    )
    assert found["codes"][3][1] == (
        "Sent for 75 of 100 people who answer “400 to under 800 EUR” and about 8 of 100 people who answer anything "
        "else."
    )
    assert found["odds"][1][-1] == (
        "One coin decides for questions 2 and 3 together: whoever knows your true answer to one of them can work out "
        "the others from what is sent."
    )


@pytest.mark.parametrize("marked", [1, 9, 10, 25, 99, 100])
def test_the_picture_marks_as_many_as_the_example_says(
    marked: int, served: Served, visit: Callable[..., Visit]
) -> None:
    survey = survey_of((YES_NO, "g", f'truth = "{100 - marked}/100"'))
    served.store.publish(survey)
    page = visit().open(served.page(survey)).page
    assert f"{marked} " in page.inner_text("#sample")
    assert page.get_attribute("#picture", "aria-label") == f"100 people, {marked} of them marked"
    steps = re.findall(r"([MHVZ])(\d+)?(?: (\d+))?", str(page.get_attribute("#marked", "d")))
    corners, x, y = [], 0, 0
    for step, first, _ in steps:
        x, y = (int(first), y) if step == "H" else (x, int(first)) if step == "V" else (x, y)
        corners.append((x, y))
    area = sum(a * d - c * b for (a, b), (c, d) in zip(corners, [*corners[1:], corners[0]], strict=True))
    assert abs(area) == 2 * marked  # the shoelace formula counts twice


def test_where_nothing_is_disguised_there_is_no_example(served: Served, visit: Callable[..., Visit]) -> None:
    survey = survey_of((f"{YES_NO}\nsensitive = false", "", ""))
    served.store.publish(survey)
    page = visit().open(served.page(survey)).page
    assert not page.is_visible("#example")
    assert not page.is_visible("text=What can still be learnt about you")
    assert page.inner_text("#open") == "Not disguised, and sent as answered: question 1."


@pytest.mark.parametrize("name", ["small", "edges", "split", "wellbeing", "bilingual"])
def test_the_page_is_given_every_text_that_its_odds_are_told_in(name: str, modules: Page) -> None:
    """A text that is missing would stand in the page as "undefined"."""
    survey = surveys()[name]
    texts = texts_for(survey, interface("en"), by_invitation=False) | {"intervals": interval_words(survey, "en")}
    argument = {"design": survey.design, "texts": texts}
    found = in_browser(
        modules,
        """const part = sampling.partOf(argument.design, argument.design.questions.map(({ name }) => name));
      const all = odds.askedOf(part, (question) => wording.valueWords(question, {}, "en", argument.texts));
      const { texts } = argument;
      const codes = ({ question, words }, each) => question.coding.codes.map((code) =>
        [odds.toldCode(each, code, texts), wording.codeWords(question, code, words, texts)]);
      const rise = family.riseAmong(all, routes);
      return JSON.stringify(all.map((each) => [each.words, odds.toldOdds(each, texts), odds.example(all, texts, rise),
        each.group && odds.limit(each, texts, family.riseAmong(all, routes)), codes(each, each)]));""",
        argument,
    )
    assert "undefined" not in found
    assert "{" not in found.replace('{"text":', "").replace("}", "")


def test_the_card_promises_nothing_of_ticks_that_tell_of_each_other(modules: Page) -> None:
    """Three of four ticks at least: what is sent may raise an option from .1 to .87, as the check says."""
    survey = parse_survey("""
name = "ticks"
title = "Ticks"
languages = ["en"]
[[questions]]
name = "m"
label = "Which?"
kind = "multiple"
options = { a = "A", b = "B", c = "C", d = "D" }
prior = { a = 0.1, b = 0.1, c = 0.1, d = 0.1 }
least = 3
coins = "own"
group = "g"
[groups]
g = { truth = "1/5", channel = "uniform" }
""")
    texts = texts_for(survey, interface("en"), by_invitation=False) | {"intervals": interval_words(survey, "en")}
    argument = {"design": survey.design, "texts": texts}
    lines = in_browser(
        modules,
        """const part = sampling.partOf(argument.design, argument.design.questions.map(({ name }) => name));
      const all = odds.askedOf(part, ({ values }) => values);
      return all.map((each) => odds.limit(each, argument.texts, family.riseAmong(all, routes)));""",
        argument,
    )
    assert all("to 100 in 100" in line for line in lines)


def test_the_page_says_how_likely_an_answer_can_become_of_a_question_that_some_are_asked_who_were_not_asked_another(
    modules: Page,
) -> None:
    """It said that an answer cannot become likely at all."""
    for name, survey in DESIGNS.items():
        rises = in_browser(
            modules,
            """const all = odds.askedOf(argument.design, ({ values }) => values);
          const rise = family.riseAmong(all, routes);
          return all.map((each) => each.question.values.map((_, value) => rise(each, value)));""",
            {"design": survey.design},
        )
        for column, (question, told) in enumerate(zip(survey.questions, rises, strict=True)):
            for value, (before, after) in enumerate(told[: len(question.coding.owners)]):
                true = [float(share) for share in surest(survey, column, {question.values[value]})]
                if family_of(survey, question.name).free:
                    assert [before, after] == pytest.approx(true, abs=1e-9), (name, question.name, value)
                else:
                    assert before == pytest.approx(true[0], abs=1e-9), (name, question.name, value)
                    assert after >= true[1] - 1e-9, (name, question.name, value)


def test_the_page_says_of_no_answer_that_it_becomes_less_likely_than_it_does_in_the_draw_at_hand(modules: Page) -> None:
    """Whether questions that are sent as they are tell who was asked was left out, and how many are not asked."""
    cases, true = [], []
    for number in range(60):
        try:
            design = parse_survey(any_design(number)).design
            found = list(joints(design))
        except (SurveyError, OverflowError):
            continue
        for asked, (people, _, joint) in zip(draws(design), found, strict=True):
            cases.append({"design": design, "asked": asked})
            true.append((people, joint))
    all_rises = in_browser(
        modules,
        """return argument.map(({ design, asked }) => {
        const all = odds.askedOf(sampling.partOf(design, asked), ({ values }) => values);
        const rise = family.riseAmong(all, routes);
        return all.map((each) => each.group && each.question.values.map((_, value) => rise(each, value)));
      });""",
        cases,
    )
    assert len(cases) > 60
    for case, rises, (people, joint) in zip(cases, all_rises, true, strict=True):
        questions = case["design"]["questions"]
        for name, told in zip(case["asked"], rises, strict=True):
            column = [each["name"] for each in questions].index(name)
            routed = questions[column]["coding"]["scheme"] == "routed"
            for value, (_, after) in enumerate(told or ()):
                word = questions[column]["values"][value]
                if word == "not_applicable" and (routed or open_gates(case["design"], name)):
                    continue  # nothing is said of it, or what is sent as it is says it already
                share = (joint[people[:, column] == value].sum(axis=0) / joint.sum(axis=0)).max()
                assert after >= share - 1e-9, (case["design"]["name"], case["asked"], name, word)


def test_a_question_sent_as_it_is_shows_the_answer_that_it_depends_on(
    served: Served, visit: Callable[..., Visit]
) -> None:
    """The card said that it is as safe as it would be alone."""
    survey = parse_survey("""
name = "shown"
title = "Shown"
languages = ["en"]
[[questions]]
name = "gate"
label = "Gate?"
kind = "yes_no"
group = "g"
[[questions]]
name = "often"
label = "Often?"
kind = "yes_no"
ask_if = "gate = yes"
sensitive = false
[groups]
g = { truth = "51/100" }
""")
    served.store.publish(survey)
    page = visit().open(served.page(survey)).page
    assert "from 50 to 100 in 100, at most" in (page.text_content("#limits") or "")
