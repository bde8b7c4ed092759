"""Every screen of the page, one after another, looked at by axe and kept as a picture for a person to look at."""

from __future__ import annotations

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

PICTURES = Path(__file__).resolve().parent.parent / ".screenshots"
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


class Gallery:
    """Looks at screens under one name: phone-light-en, say."""

    def __init__(self, page: Page, name: str) -> None:
        self._page = page
        self._folder = PICTURES / name
        self._folder.mkdir(parents=True, exist_ok=True)
        self._seen = 0
        self._axe = Axe()

    def look(self, screen: str) -> None:
        """Keep a picture, and refuse what axe finds wrong or what does not fit the width."""
        self._seen += 1
        self._page.screenshot(path=self._folder / f"{self._seen:02}-{screen}.png", full_page=True)
        assert self._page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{screen} is too wide"
        results = self._axe.run(self._page, options=RULES)
        assert results.violations_count == 0, f"{screen}: {results.generate_report()}"
