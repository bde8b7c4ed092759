"""The page in a real Chromium for people on small screens, without a mouse, in the dark, or who make mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Response

from axe import violations
from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from filling import PHONE, give, proceed, start, thanked

pytestmark = pytest.mark.browser


def test_axe_tells_which_rule_an_element_breaks_and_leaves_out_what_it_is_told_to(visit: Callable[..., Visit]) -> None:
    page = visit().page
    page.set_content("<html lang=en><title>A</title><main><h1>A</h1><p id=part><img src=a.svg></p></main>")
    assert violations(page) == [["image-alt", ['<img src="a.svg">']]]
    assert violations(page, exclude="#part") == []


def test_a_mistake_is_told_in_a_summary_and_at_the_question(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit().open(served.page(wellbeing))
    page = here.page
    start(page)
    assert page.evaluate("document.activeElement.textContent") == "Which year are you in?"
    proceed(page)
    assert page.evaluate("document.activeElement.id") == "summary"
    assert page.get_attribute("#q-year-question fieldset", "aria-invalid") == "true"
    page.click("#summary a")
    assert page.evaluate("document.activeElement.id") == "q-year-0"
    assert page.url == served.page(wellbeing)
    for name in ("year", "cannabis", "drinking"):
        give(page, wellbeing, name)
        proceed(page)
    for typed, told in (("1.2.3", "Write one number in digits"), ("-1", "Write a number of 0 or more.")):
        page.fill("#q-income", typed)
        proceed(page)
        assert page.inner_text("#q-income-error").startswith(f"Error: {told}")
        assert page.get_attribute("#q-income", "aria-invalid") == "true"
        assert page.title() == "Student wellbeing"
    give(page, wellbeing, "income")
    proceed(page)
    assert page.is_visible("#q-debt-question")
    assert page.is_hidden("#summary")
    assert here.complaints == []


def test_radios_behave_as_one_group(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    page = visit().open(served.page(wellbeing)).page
    start(page)
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
    page.click("label:has(#q-year-2)")
    assert state()[:2] == ([False, False, True, False], [-1, -1, 0, -1])
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert state()[2] == "q-year-2"
    assert page.locator("#q-cannabis-question input:checked").count() == 0


def test_assistive_technology_hears_question_choice_and_place(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    page = visit().open(served.page(wellbeing)).page
    start(page)
    assert page.get_by_role("heading", level=1, name="Which year are you in?").count() == 1
    group = page.get_by_role("radiogroup", name="Which year are you in?", exact=True)
    assert group.get_by_role("radio", name="second", exact=True).get_attribute("aria-posinset") == "2"
    for name in ("year", "cannabis", "drinking"):
        give(page, wellbeing, name)
        proceed(page)
    label = "How much money do you have to live on each month?"
    described = [
        node for node in tree(page) if node.get("name", {}).get("value") == label and node["role"]["value"] == "textbox"
    ]
    assert "changes the answer of 25 in 100" in described[0]["description"]["value"]
    assert "EUR (0 or more)" in described[0]["description"]["value"]
    assert page.get_by_role("button", name="Continue").count() == 1


def tree(page: Page) -> list[dict[str, Any]]:
    """The accessibility tree as Chromium computes it."""
    session = page.context.new_cdp_session(page)
    nodes: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    return nodes


TARGETS = ".choice, input[type=text], button, summary, header a, #summary a"


def test_on_a_small_phone_everything_can_be_hit(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    page = visit(**PHONE).open(served.page(wellbeing)).page
    seen = hit(page)
    start(page)
    for question in wellbeing.questions:
        proceed(page)
        seen += hit(page)
        give(page, wellbeing, question.name)
        proceed(page)
    seen += hit(page)
    assert seen > 40


def hit(page: Page) -> int:
    """How many targets there are on the screen; none is smaller than 44 by 44 or cut off."""
    targets = [target for target in page.locator(TARGETS).all() if target.is_visible()]
    for target in targets:
        box = target.bounding_box()
        assert box is not None
        assert min(box["height"], box["width"]) >= 43.9, target.inner_text()
        assert box["x"] + box["width"] <= 320
    return len(targets)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(
    scheme: str, served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(color_scheme=scheme).open(served.page(wellbeing))
    start(here.page)
    proceed(here.page)
    for name in wellbeing.questions:
        worst = here.page.evaluate(CONTRAST)
        assert worst["ratio"] >= 4.5, worst
        give(here.page, wellbeing, name.name)
        proceed(here.page)
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


@pytest.mark.parametrize("address", ["/s/wellbeing", "/s/wellbeing_two_languages?lang=ar"])
def test_all_a_survey_needs_its_own_texts_included_weighs_under_90_kb(
    address: str, served: Served, visit: Callable[..., Visit]
) -> None:
    here = visit()
    weights: list[int] = []

    def weigh(response: Response) -> None:
        weights.append(len(response.body()))

    here.page.on("response", weigh)
    here.open(served.address + address)
    here.page.wait_for_load_state("networkidle")
    here.page.remove_listener("response", weigh)
    assert len(weights) >= len(here.requests) >= 12
    assert sum(weights) < 88_000


def test_with_text_twice_as_large_the_skip_link_covers_nothing(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    page = visit(viewport={"width": 360, "height": 740}).open(f"{served.page(bilingual)}?lang=en").page
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    boxes = page.evaluate(
        "['.skip', '#exit'].map((each) => document.querySelector(each).getBoundingClientRect().toJSON())"
    )
    assert boxes[0]["top"] >= 0, "its first line is cut off"
    assert boxes[0]["bottom"] <= boxes[1]["top"]


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
    start(here.page)
    for name in names:
        here.page.click(f"label:has(#q-{name}-1)")
        proceed(here.page)
    here.send()
    assert thanked(here)
    assert served.responses(survey) == [(1,) * len(names)]
    assert here.complaints == []


def test_every_page_is_quiet_in_the_console(served: Served, visit: Callable[..., Visit]) -> None:
    here = visit()
    for path in ("/", "/s/wellbeing", "/s/wellbeing/by-hand", "/exit", "/s/nothing"):
        here.page.goto(f"{served.address}{path}")
    assert [complaint for complaint in here.complaints if "404" not in complaint] == []
