"""Filling in the example survey as people do, under coins that the test chose."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from browser_fixtures import Visit
from collector.survey.survey import Survey
from one_respondent import code_answers, disguise

PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
TALL_PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
SIZES = pytest.mark.parametrize("size", [PHONE, TALL_PHONE, DESKTOP], ids=["phone", "tall phone", "desktop"])
ADDRESS = "/api/v1/surveys/wellbeing/responses"

# One word codes drinking = never (the first of two codes). Then a coin for each group: substances and debts are
# complemented, money is replaced by two more words, health is sent as it is.
CODING = [0]
COINS = [4, 2, 7, 4, 0]
WORDS = (CODING, COINS)
# Of the survey in two languages: drinking = never takes the first of its two codes; substances are complemented (2 is
# not below 2 of 3), and income is replaced by the third of its codes.
BILINGUAL_WORDS = ([0], [2, 1, 2])
ANSWERS: dict[str, str | float] = {
    "year": "third",
    "cannabis": "yes",
    "drinking": "never",
    "income": 850.5,
    "debt": "no",
    "distress": "yes",
}
RECEIPT = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"  # 32 bytes of 7, which is what the injected chance gives


def twin_sends(survey: Survey, words: tuple[list[int], list[int]] = WORDS) -> dict[str, int]:
    """The codes that the Python twin sends with equal coins."""
    coding, coins = list(words[0]), list(words[1])
    answers = {question.name: ANSWERS[question.name] for question in survey.questions}
    sent = disguise(survey, code_answers(survey, answers, lambda: coding.pop(0)), lambda: coins.pop(0))
    assert coding == coins == []
    return {question.name: code for question, code in zip(survey.questions, sent, strict=True)}


def control(survey: Survey, name: str) -> str:
    """The control that gives a question's answer."""
    question = survey.question(name)
    return f"#q-{name}" if question.kind == "number" else f"#q-{name}-{question.value_index(str(ANSWERS[name]))}"


def give(page: Page, survey: Survey, name: str) -> None:
    """Answer the question on the screen with mouse or finger."""
    if survey.question(name).kind == "number":
        page.fill(control(survey, name), "850,5")
    else:
        page.click(f"label:has({control(survey, name)})")


def by_hand(name: str, code: int) -> str:
    """The label of a code on the form to fill in by hand."""
    return f"label:has([name=q-{name}][value='{code}'])"


def settled(page: Page) -> None:
    """Let a page do what it has begun: the screen is drawn twice, and its server answers a request for the icon."""
    page.evaluate("""async () => {
      for (const _ of "12") await new Promise(requestAnimationFrame);
      if (location.protocol !== "about:") await fetch("/static/page/icon.svg", { cache: "no-store" });
    }""")


def start(page: Page) -> None:
    """Agree to take part."""
    page.click("#start")


def reload_mine(page: Page) -> None:
    """Load the page again while it holds locked answers, and say that they are one's own."""
    page.reload()
    page.click("#whose button >> nth=0")


def proceed(page: Page) -> None:
    """Press the button under the screen. The policy blocks a native submit, whose navigation must not be waited for."""
    page.click("#next", no_wait_after=True)


def answer(page: Page, survey: Survey) -> None:
    """Go from the study card to the screen that shows every answer, answering with mouse or finger."""
    start(page)
    for question in survey.questions:
        assert page.is_visible(f"#q-{question.name}-question")
        give(page, survey, question.name)
        proceed(page)
    assert page.is_visible("#check")


def thanked(visit: Visit) -> bool:
    """Whether the thanks are shown and have the focus."""
    visit.page.wait_for_selector("#thanks:not([hidden])")
    return bool(visit.page.evaluate("document.activeElement.parentElement.id") == "thanks")


def failed(visit: Visit) -> str:
    """The message of the failed send, once it has the focus."""
    visit.page.wait_for_selector("#failure:not([hidden])")
    assert visit.page.evaluate("document.activeElement.id") == "failure"
    return visit.page.inner_text("#failure")


def only_our_failures(visit: Visit) -> bool:
    """Whether the console complains of nothing but the sends that a test made to fail."""
    return all("Failed to load resource" in complaint for complaint in visit.complaints)
