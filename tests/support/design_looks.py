"""The page of `respondent design` as people with other eyes, colours and windows have it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from axe import violations
from soak import some_of

LOOKS: list[dict[str, Any]] = [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}]
EVERY_VIEW = [(width, look) for width in (360, 1440) for look in LOOKS]
VIEWS = some_of(EVERY_VIEW, (EVERY_VIEW[0], EVERY_VIEW[4]))
"""Widths and looks: a light one on a phone and a dark one on a wide screen, and all others with ``--soak``."""
ON_A_PHONE = some_of(EVERY_VIEW, EVERY_VIEW[:1])
ON_A_WIDE_SCREEN = some_of(EVERY_VIEW, EVERY_VIEW[4:5])
"""One of the two, for parts of the page whose frame and tabs are looked at in both: the others with ``--soak``."""
SMALL_TARGETS = """() => [...document.querySelectorAll("button, select, summary, input, textarea")].filter((each) => {
  const box = each.getBoundingClientRect();
  const isBox = each.matches("[type=checkbox], [type=radio]"); // its label is pressed, too
  return each.checkVisibility() && (box.height < 43.9 || (box.width < 43.9 && !isBox));
}).map((each) => each.id || each.textContent)"""


def look_at(page: Page, width: int) -> None:
    """Nothing wider than the window, no target too small, nothing that axe finds."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SMALL_TARGETS) == []
    assert violations(page, exclude="iframe") == []
