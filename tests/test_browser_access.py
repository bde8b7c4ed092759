"""The page in a real Chromium for people on small screens, without a mouse, in the dark, or who make mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from browser_fixtures import Served, Visit
from collector.survey import Survey
from collector.survey_file import parse_survey
from filling import (
    PHONE,
    answer,
    thanked,
)

pytestmark = pytest.mark.browser


def test_mistakes_are_summed_up_on_top_and_told_at_each_question(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit().open(served.page(wellbeing))
    page = here.page
    page.click("label[for=q-year-0]")
    page.fill("#q-income", "1,500")
    here.send()
    assert page.evaluate("document.activeElement.id") == "summary"
    assert page.title() == "Error: Student wellbeing"
    links = page.locator("#summary a")
    assert links.count() == 5
    assert page.is_hidden("#q-year-error")
    assert page.inner_text("#q-income-error").startswith("Error: Write one number in digits")
    assert page.get_attribute("#q-income", "aria-invalid") == "true"
    assert page.get_attribute("#q-cannabis-question", "aria-invalid") == "true"
    links.nth(0).click()
    assert page.evaluate("document.activeElement.id") == "q-cannabis-0"
    assert page.url == served.page(wellbeing)
    page.fill("#q-income", "-1")
    here.send()
    assert page.inner_text("#q-income-error") == "Error: Write a number of 0 or more."
    answer(page, wellbeing)
    here.send()
    assert thanked(here)
    assert page.title() == "Thank you \u2013 Student wellbeing"
    assert here.complaints == []


def test_radios_behave_as_one_group(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    page = visit().open(served.page(wellbeing)).page
    radios = page.locator("#q-year-question input")

    def state() -> tuple[list[bool], list[int], str]:
        checked = radios.evaluate_all("all => all.map((each) => each.checked)")
        stops = radios.evaluate_all("all => all.map((each) => each.tabIndex)")
        return checked, stops, page.evaluate("document.activeElement.id")

    page.focus("#q-year-0")
    assert state() == ([False] * 4, [0, -1, -1, -1], "q-year-0")
    page.keyboard.press("ArrowUp")
    assert state() == ([False, False, False, True], [-1, -1, -1, 0], "q-year-3")
    page.keyboard.press("ArrowRight")
    assert state() == ([True, False, False, False], [0, -1, -1, -1], "q-year-0")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    assert state() == ([True, False, False, False], [0, -1, -1, -1], "q-year-0")
    page.click("label[for=q-year-2]")
    assert state()[:2] == ([False, False, True, False], [-1, -1, 0, -1])
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert state()[2] == "q-year-2"
    assert page.locator("#q-cannabis-question input:checked").count() == 0


def test_assistive_technology_hears_question_choice_and_place(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    page = visit().open(served.page(wellbeing)).page
    group = page.get_by_role("radiogroup", name="Question 1 of 6 Which year are you in?", exact=True)
    assert group.count() == 1
    assert group.get_by_role("radio", name="second", exact=True).get_attribute("aria-posinset") == "2"
    assert page.get_by_role("textbox", name="Question 4 of 6 How much money").count() == 1
    described = [
        node
        for node in tree(page)
        if node.get("name", {}).get("value") == "Question 4 of 6 How much money do you have to live on each month?"
        and node["role"]["value"] == "textbox"
    ]
    assert "25 will have another answer sent" in described[0]["description"]["value"]
    assert "EUR (0 or more)" in described[0]["description"]["value"]
    assert page.get_by_role("button", name="Send disguised answers").count() == 1


def tree(page: Page) -> list[dict[str, Any]]:
    """The accessibility tree as Chromium computes it."""
    session = page.context.new_cdp_session(page)
    nodes: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    return nodes


def test_on_a_small_phone_nothing_is_cut_off_and_everything_can_be_hit(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    page = visit(**PHONE).open(served.page(wellbeing)).page
    page.click("#send", no_wait_after=True)
    page.wait_for_selector("#summary:not([hidden])")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    targets = page.locator(".choice label, input[type=text], button, summary, #summary a")
    assert targets.count() == 22
    for place in range(targets.count()):
        box = targets.nth(place).bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["width"] >= 44
        assert box["x"] + box["width"] <= 320


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(
    scheme: str, served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(color_scheme=scheme).open(served.page(wellbeing))
    here.page.click("label[for=q-year-0]")
    here.send()
    worst = here.page.evaluate(CONTRAST)
    assert worst["ratio"] >= 4.5, worst


# WCAG 2.2's contrast of every element that holds text against the nearest ground with a colour.
CONTRAST = """() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = parse(colour).map((c) => (c / 255 <= 0.04045 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const solid = (colour) => (parse(colour)[3] ?? 1) === 1;
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (solid(backgroundColor)) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  let worst = { ratio: 99 };
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!text || element.offsetParent === null) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst.ratio) worst = { ratio, text: element.textContent.trim().slice(0, 40) };
  }
  return worst;
}"""


def test_all_a_survey_needs_weighs_under_60_kb(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit()
    weights: list[int] = []
    here.page.on("response", lambda response: weights.append(len(response.body())))
    here.open(served.page(wellbeing))
    here.page.wait_for_load_state("networkidle")
    assert len(weights) == len(here.requests) >= 10
    assert sum(weights) < 60_000


def test_questions_may_be_called_what_objects_call_their_parts(served: Served, visit: Callable[..., Visit]) -> None:
    names = ["constructor", "valueof", "data", "errors", "length", "submit"]
    questions = ", ".join(f'{{ name = "{name}", label = "{name}?", kind = "yes_no", group = "g" }}' for name in names)
    survey = parse_survey(f"""
name = "awkward"
title = "Awkward"
languages = ["en"]
questions = [{questions}]
groups = {{ g = {{ truth = 1 }} }}
""")
    served.store.publish(survey)
    here = visit().open(served.page(survey))
    for name in names:
        here.page.click(f"label[for=q-{name}-1]")
    here.send()
    assert thanked(here)
    assert served.responses(survey) == [(1,) * len(names)]
    assert here.complaints == []


def test_every_page_is_quiet_in_the_console(served: Served, visit: Callable[..., Visit]) -> None:
    here = visit()
    for path in ("/", "/s/wellbeing", "/s/nothing"):
        here.page.goto(f"{served.address}{path}")
    assert [complaint for complaint in here.complaints if "404" not in complaint] == []
