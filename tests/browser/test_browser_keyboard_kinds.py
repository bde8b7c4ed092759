"""Every kind of question by the keyboard alone, long lists searched and not, with everything that can be left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page

from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from filling import PHONE
from kind_surveys import EVERY_KIND
from screens import judge

pytestmark = pytest.mark.browser
AS_ANSWERED = parse_survey(EVERY_KIND.replace('"3/4"', "1").replace('"1/2"', "1"))
IN_TWO_LANGUAGES = pytest.mark.parametrize("language", ["en", "ar"])
MISSING = {"en": "Choose an answer.", "ar": "اختر إجابة."}
ORDER = {"en": "Put all 3 in order.", "ar": "رتب العناصر كلها، وعددها 3."}


@dataclass
class Keys:
    """Hands that are on the keyboard."""

    page: Page

    def press(self, *keys: str) -> None:
        """Press these, one after another."""
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def focused(self) -> str:
        """The id of what has the focus, which is in sight."""
        name, seen = self.page.evaluate("[document.activeElement.id, document.activeElement.checkVisibility()]")
        assert seen, f"{name} has the focus, and cannot be seen"
        return str(name)

    def tab_to(self, name: str) -> None:
        """Press Tab until this has the focus."""
        for _ in range(30):
            if self.focused == name:
                return
            self.press("Tab")
        pytest.fail(f"{name} cannot be reached")

    def follow(self, number: int) -> str:
        """Open a link of the summary, which has the focus; what it leads to."""
        assert self.focused == "summary"
        self.press(*["Tab"] * (number + 1), "Enter")
        return self.focused

    def to_summary(self) -> None:
        """Go on with something left out."""
        self.tab_to("next")
        self.press("Enter")


@pytest.fixture
def keys(served: Served, visit: Callable[..., Visit], language: str) -> Keys:
    """On the card of the survey, on a small phone."""
    served.store.publish(AS_ANSWERED)
    return Keys(visit(**PHONE).open(f"{served.page(AS_ANSWERED)}?lang={language}").page)


def to_bus(keys: Keys) -> None:
    """Answer all but the last question."""
    keys.tab_to("start")
    keys.press("Enter")
    keys.tab_to("q-bullied-0")
    keys.press("Space", "Enter")
    for name in ("q-how_words-0", "q-how_hands-0"):
        keys.tab_to(name)
        keys.press("Space")
    keys.press("Enter")
    for name in ("q-climate_fair-0", "q-climate_voice-0"):
        keys.tab_to(name)
        keys.press("ArrowDown")
    keys.press("Enter")
    for item in (0, 2, 1):
        keys.tab_to(f"q-rank-{item}")
        keys.press("Enter")
    keys.tab_to("next")
    keys.press("Enter")
    keys.tab_to("q-moved-0")
    keys.press("ArrowDown", "ArrowDown", "Enter")
    keys.tab_to("q-money-decline")
    keys.press("Space", "Enter")


def sent(served: Served, survey: Survey) -> dict[str, str]:
    """The values of the one response that was stored."""
    (row,) = served.responses(survey)
    return {
        each.name: each.values[each.coding.value_of(code) or 0]
        for each, code in zip(survey.questions, row, strict=True)
    }


@IN_TWO_LANGUAGES
def test_every_kind_is_answered_by_the_keyboard_alone(keys: Keys, served: Served) -> None:
    to_bus(keys)
    keys.tab_to("q-bus-0")
    keys.press("ArrowUp")
    assert keys.focused == "q-bus-15", "the list is a ring"
    keys.tab_to("next")
    keys.press("Enter")
    keys.page.wait_for_selector("#check:visible")
    for _ in range(2):
        keys.tab_to("next")
        keys.press("Enter")
    keys.page.wait_for_selector("#thanks:visible")
    values = sent(served, AS_ANSWERED)
    assert [values[name] for name in ("how_words", "how_hands", "how_net")] == ["yes", "yes", "no"]
    assert [values[name] for name in ("climate_fair", "rank", "moved")] == ["partly", "pay>peers>time", ">=2020-01-01"]
    assert [values[name] for name in ("money", "bus")] == ["prefer_not_to_say", "Métro"]


@IN_TWO_LANGUAGES
def test_a_list_that_is_searched_is_walked_over_what_is_in_sight_alone(keys: Keys) -> None:
    to_bus(keys)
    keys.tab_to("q-bus-search")
    keys.page.keyboard.type("1")  # Line 1, and 10 to 15
    seen = keys.page.locator("#q-bus-question .choice:visible input")
    assert seen.count() == 7
    assert seen.nth(1).get_attribute("aria-posinset") == "2"
    assert seen.nth(1).get_attribute("aria-setsize") == "7"
    keys.press("ArrowDown")
    assert keys.focused == "q-bus-0", "down from the box to the first answer in sight"
    assert keys.page.locator("#q-bus-question :checked").count() == 0, "which is chosen by who wants to"
    keys.press("ArrowDown")
    assert keys.focused == "q-bus-9"
    assert keys.page.is_checked("#q-bus-9")
    keys.press("ArrowUp", "ArrowUp")
    assert keys.focused == "q-bus-14"
    judge(keys.page, "searched")


@IN_TWO_LANGUAGES
def test_the_only_answer_that_a_search_leaves_is_reached_by_tab_and_by_the_link_of_an_error(keys: Keys) -> None:
    to_bus(keys)
    keys.tab_to("q-bus-search")
    keys.page.keyboard.type("metro")
    assert keys.page.locator("#q-bus-question .choice:visible").count() == 1
    keys.press("Tab")
    assert keys.focused == "q-bus-15"
    keys.to_summary()
    assert keys.follow(0) == "q-bus-15"
    keys.tab_to("next")
    keys.press("Shift+Tab", "Shift+Tab")
    assert keys.focused == "q-bus-search"
    keys.page.keyboard.type("nothing")
    assert keys.page.locator("#q-bus-question .choice:visible").count() == 0
    keys.to_summary()
    assert keys.follow(0) == "q-bus-search", "where there is no answer to go to"


@IN_TWO_LANGUAGES
def test_all_that_is_left_out_of_a_grid_and_a_ranking_is_said_at_its_row_and_linked(keys: Keys, language: str) -> None:
    page = keys.page
    keys.tab_to("start")
    keys.press("Enter")
    keys.tab_to("q-bullied-0")
    keys.press("ArrowDown", "Enter")  # no
    page.wait_for_selector("#q-climate_fair-question:visible")
    keys.to_summary()
    statements = [AS_ANSWERED.question(f"climate_{name}").label[language] for name in ("fair", "voice")]
    assert page.locator("#summary a").all_text_contents() == [f"{each}: {MISSING[language]}" for each in statements]
    rows = page.locator("#q-climate_fair-question .line")
    assert [row.locator(".error").count() for row in rows.all()] == [1, 1]
    assert [row.get_attribute("aria-invalid") for row in rows.all()] == ["true", "true"]
    judge(page, "grid-error")
    assert keys.follow(1) == "q-climate_voice-0"
    keys.press("Space")
    keys.to_summary()
    assert page.locator("#summary a").all_text_contents() == [f"{statements[0]}: {MISSING[language]}"]
    assert rows.nth(0).locator(".error").inner_text().endswith(MISSING[language])
    assert rows.nth(1).locator(".error").count() == 0
    assert rows.nth(1).get_attribute("aria-invalid") is None
    assert keys.follow(0) == "q-climate_fair-0"
    keys.press("Space", "Enter")
    keys.tab_to("q-rank-1")
    keys.press("Space")
    assert keys.focused == "q-rank-1", "where it went, the focus went"
    keys.to_summary()
    assert page.locator("#summary a").all_text_contents() == [ORDER[language]]
    rows = page.locator("#q-rank-question li")
    assert [each.get_attribute("aria-invalid") for each in rows.all()] == [None, "true", None]
    assert rows.locator(".error").all_text_contents() == [{"en": "Error: ", "ar": "خطأ: "}[language] + ORDER[language]]
    judge(page, "ranking-error")
    assert keys.follow(0) == "q-rank-0", "what has no place yet"
    keys.press("Space", "Tab")
    assert page.evaluate("document.activeElement.textContent") == "\u2191"
    keys.press("Enter")
    assert page.locator("#q-rank-question li button:first-child").first.get_attribute("id") == "q-rank-0"
    assert keys.focused == "q-rank-0", "the button that moved it is gone at the top"
    keys.to_summary()
    assert keys.follow(0) == "q-rank-2"
