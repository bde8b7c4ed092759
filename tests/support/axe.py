"""What axe finds wrong with a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

VIOLATIONS = """async ([options, exclude]) => {
  const { violations } = await axe.run({ exclude }, options);
  return violations.map(({ id, nodes }) => [id, nodes.map((each) => each.html)]);
}"""
"""The rules that are broken and where. Axe lists the other rules too, and sending them takes as long as the search."""
Violation = list[Any]  # the rule's name, and the elements


def violations(page: Page, options: Mapping[str, Any] | None = None, exclude: str | None = None) -> list[Violation]:
    """Return the rules that a page breaks, and the elements that break them; axe is loaded once into each document."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    settings = {"resultTypes": ["violations"], **(options or {})}
    found: list[Violation] = page.evaluate(VIOLATIONS, [settings, [[exclude]] if exclude else []])
    return found
