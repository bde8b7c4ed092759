"""Filling in the example survey as people do, under coins that the test chose."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from browser_fixtures import Visit
from collector.survey import Survey
from miner.simulate import code_answers, disguise

PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
TALL_PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
SIZES = pytest.mark.parametrize("size", [PHONE, TALL_PHONE, DESKTOP], ids=["phone", "tall phone", "desktop"])
ADDRESS = "/api/v1/surveys/wellbeing/responses"

# One word for the draw of drinking = never (the first of two codes), then a coin for each group: substances and debts
# are complemented, money is replaced by two more words, health is sent as it is.
WORDS = [0, 4, 2, 7, 4, 0]
ANSWERS: dict[str, str | float] = {
    "year": "third",
    "cannabis": "yes",
    "drinking": "never",
    "income": 850.5,
    "debt": "no",
    "distress": "yes",
}


def twin_sends(survey: Survey, words: list[int]) -> dict[str, int]:
    """What the Python twin sends under the same coins."""
    left = list(words)
    sent = disguise(survey, code_answers(survey, ANSWERS, lambda: left.pop(0)), lambda: left.pop(0))
    assert left == []
    return {question.name: code for question, code in zip(survey.questions, sent, strict=True)}


def control(survey: Survey, name: str) -> str:
    """The control that gives a question's answer."""
    question = survey.question(name)
    return f"#q-{name}" if question.kind == "number" else f"#q-{name}-{question.value_index(str(ANSWERS[name]))}"


def answer(page: Page, survey: Survey) -> None:
    """Answer every question with mouse or finger."""
    for question in survey.questions:
        if question.kind == "number":
            page.fill(control(survey, question.name), "850,5")
        else:
            page.click(f"label[for={control(survey, question.name)[1:]}]")


def thanked(visit: Visit) -> bool:
    """Whether the thanks are shown and have the focus."""
    visit.page.wait_for_selector("#thanks:not([hidden])")
    return bool(visit.page.evaluate("document.activeElement.id") == "thanks")


def failed(visit: Visit) -> str:
    """What the failed send says, once it has the focus."""
    visit.page.wait_for_selector("#failure:not([hidden])")
    assert visit.page.evaluate("document.activeElement.id") == "failure"
    assert visit.page.title().startswith("Error: ")
    return visit.page.inner_text("#failure")


def only_our_failures(visit: Visit) -> bool:
    """Whether the console complains of nothing but the sends that a test made to fail."""
    return all("Failed to load resource" in complaint for complaint in visit.complaints)
