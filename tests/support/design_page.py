"""The page of `respondent design` in a browser: worked by mouse or by keyboard, to build surveys."""

from __future__ import annotations

import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from playwright.sync_api import Locator, Page, expect

PARTS = ("survey", "study", "privacy", "translations", "routes", "file")
STUDY_TEXTS = {"who", "why", "contact", "ethics", "consent", "privacy", "thanks"}
TEXTS = {"label", "hint", "section", "none"}
WRITTEN = {"cuts", "minimum", "maximum", "least", "most", "ask_if"}
FLAGS = {"decline", "optional", "shuffle", "sensitive"}
PICKED = {"group", "coins", "coding", "unasked"}
LISTED = {"options", "statements", "items"}
MOST_TABS = 400
PATIENCE = 120_000  # milliseconds: edits are made faster than any hand makes them, and wait for one another
WAY = """(name) => {
  const [here, there] = [document.activeElement, document.getElementById(name)];
  if (here === there) return null;
  const stops = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter(
    (each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility(),
  );
  const steps = stops.indexOf(there) - stops.indexOf(here);
  const isAbove = here.compareDocumentPosition(there) & Node.DOCUMENT_POSITION_PRECEDING;
  return [isAbove ? "Shift+Tab" : "Tab", stops.includes(here) && stops.includes(there) ? Math.abs(steps) : 1];
}"""
"""The key that moves the focus towards a control, and how often it is pressed as the page is now."""
Table = Mapping[str, Any]


class Hand(ABC):
    """Somebody who works the page.

    Attributes:
        page: With the design open.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(PATIENCE)

    def at(self, name: str) -> Locator:
        """The control with an id."""
        return self.page.locator(f'[id="{name}"]')

    @abstractmethod
    def press(self, name: str) -> None:
        """Press a button."""

    @abstractmethod
    def write(self, name: str, words: object) -> None:
        """Write into a box, in place of what stands there."""

    @abstractmethod
    def pick(self, name: str, value: str) -> None:
        """Choose a value of a list."""

    @abstractmethod
    def tick(self, name: str, *, on: bool) -> None:
        """Let a box be ticked or not."""

    def turn(self, part: str) -> None:
        """Show the form of a part of the survey that is no question."""
        self.press(f"tab.{part}")


class Mouse(Hand):
    """Clicks, and types what has to be typed."""

    def press(self, name: str) -> None:
        """Press a button."""
        self.at(name).click()

    def write(self, name: str, words: object) -> None:
        """Write into a box, in place of what stands there."""
        self.at(name).click()  # once: only the first click of several is sure to hit what it is meant for
        self.at(name).fill(str(words))

    def pick(self, name: str, value: str) -> None:
        """Choose a value of a list."""
        self.at(name).select_option(value)

    def tick(self, name: str, *, on: bool) -> None:
        """Let a box be ticked or not."""
        self.at(name).set_checked(on)


class Keyboard(Hand):
    """Uses no mouse: moves the focus by Tab, and types."""

    def press(self, name: str) -> None:
        """Press a button."""
        self.reach(name)
        self.page.keyboard.press("Enter")

    def write(self, name: str, words: object) -> None:
        """Write into a box, in place of what stands there."""
        self.reach(name)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(str(words))

    def pick(self, name: str, value: str) -> None:
        """Choose a value of a list."""
        self.reach(name)
        expect(self.at(name).locator(f'option[value="{value}"]')).to_have_count(1, timeout=PATIENCE)
        places = "(list, value) => [...list.options].findIndex((each) => each.value === value) - list.selectedIndex"
        steps = self.at(name).evaluate(places, value)
        for _ in range(abs(steps)):
            self.page.keyboard.press("ArrowDown" if steps > 0 else "ArrowUp")
        assert self.at(name).input_value() == value

    def tick(self, name: str, *, on: bool) -> None:
        """Let a box be ticked or not."""
        self.reach(name)
        if self.at(name).is_checked() is not on:
            self.page.keyboard.press("Space")

    def reach(self, name: str) -> None:
        """Move the focus there by Tab or Shift and Tab, and in the list of questions by arrows."""
        if re.fullmatch(r"q\.\d+", name):
            stop = self.page.locator('.question[tabindex="0"]').get_attribute("id") or ""
            self._tab_to(stop)
            steps = int(name[2:]) - int(stop[2:])
            for _ in range(abs(steps)):
                self.page.keyboard.press("ArrowDown" if steps > 0 else "ArrowUp")
            return
        self._tab_to(name)

    def _tab_to(self, name: str) -> None:
        self.at(name).wait_for(state="visible")
        pressed = 0
        while pressed < MOST_TABS:
            way = self.page.evaluate(WAY, name)
            if way is None:
                return
            key, steps = way
            for _ in range(steps):
                self.page.keyboard.press(key)
            pressed += steps
        message = f"no way by Tab to {name}"
        raise AssertionError(message)


def settled(page: Page) -> None:
    """Wait until nothing is under way."""
    expect(page.locator("main")).to_have_attribute("aria-busy", "false", timeout=PATIENCE)


def open_design(page: Page, link: str) -> None:
    """Open the page, and wait until it shows the design."""
    page.goto(link)
    expect(page.locator("#new-kind option")).to_have_count(8, timeout=PATIENCE)
    settled(page)


def menu(page: Page, index: int, key: str) -> None:
    """Do something with a question by its menu."""
    page.click(f'[id="q.{index}.more"]')
    page.click(f'[id="menu.{key}"]')


def choose(page: Page, name: str) -> None:
    """Show the form of a question or of a part, from the list; there may be one pane at a time."""
    back = page.locator("#back")
    if back.is_visible():
        back.click()
    page.click(f'[id="{name}"]')


def build(hand: Hand, survey: Table) -> None:
    """Build a survey from blank, as its file has it."""
    languages = survey["languages"]
    hand.turn("survey")
    hand.write("f.languages", ", ".join(languages))
    for language in languages:
        hand.write(f"f.title.{language}", text_in(survey["title"], language))
    hand.write("f.name", survey["name"])
    if "preview" in survey:
        hand.pick("f.preview", survey["preview"])
    hand.turn("privacy")
    for index, (name, group) in enumerate(survey.get("groups", {}).items()):
        hand.write("g.new", name)
        hand.press("g.add")
        hand.press(f"g.{index}.open")
        hand.write(f"f.groups.{name}.truth", group["truth"])
        hand.pick(f"f.groups.{name}.channel", group.get("channel", ""))
    for index, question in enumerate(survey["questions"]):
        _add_question(hand, index, question, languages)
    if "study" in survey:
        _write_study(hand, survey["study"], languages)
    if "mining" in survey:
        hand.turn("survey")
        hand.pick("target", survey["mining"]["target"])
    hand.press("q.0")  # what was typed last is sent once the focus is elsewhere
    settled(hand.page)


def text_in(text: str | Table, language: str) -> str:
    """A text of a survey file in one language."""
    return text if isinstance(text, str) else text[language]


def _write_study(hand: Hand, study: Table, languages: list[str]) -> None:
    hand.turn("study")
    for key, value in study.items():
        if key in STUDY_TEXTS:
            for language in languages:
                hand.write(f"f.study.{key}.{language}", text_in(value, language))
        else:
            hand.write(f"f.study.{key}", value)


def _add_question(hand: Hand, index: int, question: Table, languages: list[str]) -> None:
    at = f"f.questions.{index}"
    hand.pick("new-kind", question["kind"])
    hand.press("add")
    for key in TEXTS & question.keys():
        for language in languages:
            hand.write(f"{at}.{key}.{language}", text_in(question[key], language))
    hand.write(f"{at}.name", question["name"])
    _list_answers(hand, at, question, languages)
    for key in WRITTEN & question.keys():
        value = question[key]
        hand.write(f"{at}.{key}", ", ".join(map(str, value)) if isinstance(value, list) else value)
    if "unit" in question:
        hand.write(f"{at}.unit.{languages[0]}", question["unit"])
    for key in FLAGS & question.keys():
        hand.tick(f"{at}.{key}", on=question[key])
    for key in PICKED & {"group", *question.keys()}:
        hand.pick(f"{at}.{key}", question.get(key, ""))
    for value, share in question.get("prior", {}).items():
        hand.write(f"{at}.prior.{value}", share)


def _list_answers(hand: Hand, at: str, question: Table, languages: list[str]) -> None:
    for key in LISTED & question.keys():
        _rows(hand, f"{at}.{key}", len(question[key]))
        for row, (name, text) in enumerate(question[key].items()):
            hand.write(f"{at}.{key}.{row}.name", name)
            for language in languages:
                hand.write(f"{at}.{key}.{row}.{language}", text_in(text, language))
    if "values" in question:
        _rows(hand, f"{at}.values", len(question["values"]))
        for row, value in enumerate(question["values"]):
            hand.write(f"{at}.values.{row}", value)
    for language, words in question.get("words", {}).items():
        for row, value in enumerate(question.get("values", ("yes", "no"))):
            hand.write(f"{at}.words.{language}.{row}", words[value])


def _rows(hand: Hand, at: str, count: int) -> None:
    """Add rows until there are as many; a new list has two, or none that is fixed."""
    expect(hand.at(f"{at}.row1")).to_be_visible(timeout=PATIENCE)
    for row in range(2, count):
        hand.press(f"{at}.add")
        expect(hand.at(f"{at}.row{row}")).to_be_visible(timeout=PATIENCE)


def table_of(text: str) -> dict[str, Any]:
    """A survey file as plain values, decimals as they are written."""
    return tomllib.loads(text, parse_float=str)


Hands: tuple[Callable[[Page], Hand], ...] = (Mouse, Keyboard)
