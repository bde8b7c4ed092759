"""Texts of a survey that turn the direction of writing turn nothing that stands beside them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from filling import DESKTOP, proceed, start

pytestmark = pytest.mark.browser

TURNED = """
name = "turned"
title = "\\u2067Turned"
languages = ["en"]
groups = { g = { truth = "4/5" }, h = { truth = "2/3", channel = "uniform" } }

[[questions]]
name = "often"
label = "\\u202bHow often?"
section = "\\u2067גשם"
kind = "choice"
values = ["never", "once", "daily"]
words = { en = { never = "\\u202bאף", once = "\\u2069\\u2067פעם", daily = "\\u202c\\u202bשבת" } }
prior = { never = 0.5, once = 0.25, daily = 0.25 }
group = "g"

[[questions]]
name = "pay"
label = "\\u2067Pay?"
kind = "number"
unit = "\\u2069\\u202bשח"
minimum = 5
maximum = 900
cuts = [40, 80]
group = "h"
"""
PLACES = """([selector, first, second]) => [...document.querySelectorAll(selector)].flatMap((each) => {
  const texts = document.createTreeWalker(each, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const at = node.data.indexOf(first);
    const then = node.data.indexOf(second, at + first.length);
    if (at < 0 || then < 0) continue;
    const boxes = [[at, first], [then, second]].map(([from, { length }]) => {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, from + length);
      return range.getBoundingClientRect();
    });
    if (boxes[0].width && boxes[0].bottom === boxes[1].bottom) found.push(boxes[0].right <= boxes[1].left + 1);
  }
  return found;
})"""


@pytest.fixture
def turned(served: Served) -> Survey:
    survey = parse_survey(TURNED)
    served.store.publish(survey)
    return survey


def in_order(page: Page, selector: str, first: str, second: str) -> None:
    """Check that, wherever the second text follows the first in a line, it stands to the right of it."""
    found = page.evaluate(PLACES, [selector, first, second])
    assert found, f"no line of {selector} has both {first!r} and {second!r}"
    assert all(found), f"{second!r} stands left of {first!r}"


def test_what_stands_beside_a_text_that_turns_stays_where_it_is(
    served: Served, visit: Callable[..., Visit], turned: Survey
) -> None:
    page = visit(**DESKTOP).open(served.page(turned)).page
    start(page)
    in_order(page, ".question .count", "גשם", "Question")
    page.locator("#q-often-question summary").click()
    in_order(page, "#q-often-question li", "אף", "are sent")
    in_order(page, "#q-often-question li", "פעם", "are sent")
    in_order(page, "#q-often-question li", "שבת", "are sent")
    page.click("label:has(#q-often-1)")
    proceed(page)
    in_order(page, "#q-pay-unit", "שח", "(5")
    page.fill("#q-pay", "50")
    proceed(page)
    in_order(page, "#answers dd", "50", "שח")
    proceed(page)
    page.wait_for_selector("#thanks:visible")
    page.click("#thanks summary")
    in_order(page, "#codes p", "שח", "and")


def test_by_hand_what_stands_beside_a_text_that_turns_stays_where_it_is(
    served: Served, visit: Callable[..., Visit], turned: Survey
) -> None:
    page = visit(java_script_enabled=False, **DESKTOP).page
    page.goto(f"{served.page(turned)}/by-hand")
    in_order(page, ".choice", "אף", "(code")
    in_order(page, ".choice", "80", "שח")


def test_each_block_of_a_page_has_a_direction_that_ends_with_it(
    served: Served, visit: Callable[..., Visit], turned: Survey
) -> None:
    page = visit(**DESKTOP).open(served.page(turned)).page
    shown = "all => all.map((each) => getComputedStyle(each).display)"
    for selector in ("h1", ".choice", "legend", "dd", "dt", "li"):
        found = page.locator(selector).evaluate_all(shown)
        assert not {*found} & {"inline", "contents"}, selector
