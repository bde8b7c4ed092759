"""Twelve questions of every kind in two languages, built from blank: how many clicks or controls it takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from benchmarks.performance.designing import designing
from browser_fixtures import Visit
from collector.survey_file.kinds.registry import KINDS
from collector.survey_file.survey_file import read_survey_file
from design_page import Keyboard, Mouse, open_design, settled, table_of
from respondent.designing.document import SurveyDocument
from respondent.designing.state import state_of
from soak import some_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MOST_CLICKS = 90
"""Clicks that the twelve questions take at most: 83 today.

A press of a button, a box that is clicked into and a tick count 1, and a choice from a list 2. A box that the page puts
the focus into counts none. Answers are pasted, one click for each language.
"""
Question = tuple[str, str, str, dict[str, str], dict[str, tuple[str, str]]]
"""Kind, name, label in English and, behind a bar, in German; what is written into boxes; what is pasted in both."""
OFTEN = ("never\nrarely\nsometimes\noften", "nie\nselten\nmanchmal\noft")
QUESTIONS: list[Question] = [
    ("yes_no", "work", "Do you work?|Arbeiten Sie?", {}, {}),
    ("yes_no", "tired", "Are you tired?|Sind Sie müde?", {"ask_if": "work = yes"}, {}),
    ("choice", "travel", "How do you travel?|Wie fahren Sie?", {}, {"values": ("bus\nbike\ncar", "Bus\nRad\nAuto")}),
    ("choice", "home", "Where do you live?|Wo wohnen Sie?", {"decline": ""}, {"values": ("town\nland", "Stadt\nLand")}),
    ("scale", "drinks", "How often do you drink?|Wie oft trinken Sie?", {}, {"values": OFTEN}),
    ("scale", "sport", "How often do you train?|Wie oft trainieren Sie?", {}, {"values": OFTEN}),
    ("number", "income", "Your income?|Ihr Einkommen?", {"cuts": "1,000; 2,000"}, {}),
    ("number", "rooms", "How many rooms?|Wie viele Zimmer?", {"cuts": "2; 4"}, {}),
    ("date", "moved", "When did you move in?|Wann sind Sie eingezogen?", {"cuts": "31.12.2009; 31.12.2019"}, {}),
    ("multiple", "pets", "Which pets?|Welche Tiere?", {}, {"options": ("Cat\nDog\nFish", "Katze\nHund\nFisch")}),
    (
        "grid",
        "boss",
        "Do you agree?|Stimmen Sie zu?",
        {},
        {"statements": ("Is fair\nIs there", "Ist fair\nIst da"), "values": ("no\npartly\nyes", "nein\nteils\nja")},
    ),
    ("ranking", "wishes", "What matters?|Was zählt?", {}, {"items": ("Pay\nTime\nTeam", "Geld\nZeit\nTeam")}),
]
PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
}"""


class Builder:
    """Somebody who builds the questions, and what it takes."""

    def __init__(self, hand: Mouse | Keyboard) -> None:
        self.hand, self.count = hand, 0

    def press(self, name: str) -> None:
        """Press a button."""
        self.count += 1
        self.hand.press(name)
        settled(self.hand.page)

    def write(self, name: str, words: str) -> None:
        """Write into a box: one that has the focus already is not clicked into."""
        if self.hand.page.evaluate("document.activeElement.id") == name:
            self.hand.page.keyboard.press("Control+a")
            self.hand.page.keyboard.insert_text(words)
            return
        self.count += 1
        self.hand.write(name, words)

    def paste(self, name: str, text: str) -> None:
        """Paste into a box."""
        self.count += 1
        if isinstance(self.hand, Keyboard):
            self.hand.reach(name)
        else:
            self.hand.at(name).click()
        settled(self.hand.page)
        self.hand.page.evaluate(PASTE, text)
        settled(self.hand.page)

    def pick(self, name: str, value: str) -> None:
        """Choose a value of a list, if another one is chosen."""
        if self.hand.at(name).input_value() != value:
            self.count += 2
            self.hand.pick(name, value)

    def tick(self, name: str) -> None:
        """Tick a box."""
        self.count += 1
        self.hand.tick(name, on=True)

    def build(self) -> None:
        """Build them all from blank."""
        self.write("start.title", "Living")
        self.press("start.blank")
        self.press("tab.survey")
        self.write("f.languages", "en, de")
        self.hand.page.keyboard.press("Tab")
        settled(self.hand.page)
        self.write("f.title.de", "Leben")
        for index, (kind, *_) in enumerate(QUESTIONS):
            if index:
                self.pick("new-kind", kind)
                self.press("add")
            else:
                self.press("q.0")  # which a blank survey has
            self._fill(index)
        self.press("q.0")

    def _fill(self, index: int) -> None:
        _, name, labels, written, pasted = QUESTIONS[index]
        at = f"f.questions.{index}"
        for language, words in zip(("en", "de"), labels.split("|"), strict=True):
            self.write(f"{at}.label.{language}", words)
        self.write(f"{at}.name", name)
        for key, (english, german) in pasted.items():
            if key == "values":
                self.paste(f"{at}.values.0", english)
                self.paste(f"{at}.words.de.0", german)
                self.paste(f"{at}.words.en.0", english.title())
            else:
                self.paste(f"{at}.{key}.0.en", english)
                self.paste(f"{at}.{key}.0.de", german)
        for key, words in written.items():
            if words:
                self.write(f"{at}.{key}", words)
            else:
                self.tick(f"{at}.{key}")


def both(table: dict[str, Any]) -> tuple[str, str]:
    """Texts in both languages, a line each."""
    return "\n".join(each["en"] for each in table.values()), "\n".join(each["de"] for each in table.values())


@pytest.mark.timeout(600)
@pytest.mark.parametrize("hand", some_of((Mouse, Keyboard), (Mouse,)))
def test_twelve_questions_of_every_kind_take_few_clicks(
    hand: Callable[[Page], Mouse | Keyboard], tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / "living.toml"
    with designing(path) as link:
        here = visit(viewport={"width": 1440, "height": 900})
        open_design(here.page, link)
        builder = Builder(hand(here.page))
        here.page.set_default_timeout(20_000)
        builder.build()
        settled(here.page)
        assert here.complaints == []
    read_survey_file(path)
    questions = table_of(path.read_text("utf-8"))["questions"]
    assert [(each["kind"], each["name"]) for each in questions] == [each[:2] for each in QUESTIONS]
    assert {each["kind"] for each in questions} == set(KINDS)
    for question, (_, _, labels, _, pasted) in zip(questions, QUESTIONS, strict=True):
        assert "|".join(question["label"].values()) == labels
        for key, texts in pasted.items():
            if key == "values":
                words = question["words"]
                assert question["values"] == texts[0].split("\n")
                assert list(words["de"].values()) == texts[1].split("\n")
                assert list(words["en"].values()) == texts[0].title().split("\n")
            else:
                assert both(question[key]) == texts
    assert [each for each in state_of(SurveyDocument(path), 1000)["translations"] if each["missing"]] == []
    assert builder.count <= MOST_CLICKS
