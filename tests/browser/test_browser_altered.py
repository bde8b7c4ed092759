"""No altered page that ran in a browser is called the same: a sample of benchmarks/collecting/altered_pages.py."""

from __future__ import annotations

from itertools import islice

from playwright.sync_api import Browser

from benchmarks.collecting.altered_pages import (
    HEADERS,
    INLINE,
    Mutant,
    altering,
    called_the_same,
    carried_by,
    inserted,
    tried,
    wrapped,
)
from browser_fixtures import Served

POLICY_AWAY = next(change for name, change in HEADERS if name == "no policy")


def test_an_altered_page_that_runs_is_not_called_the_same(served: Served, browser: Browser) -> None:
    chosen = [*islice(wrapped(), 0, 5, 2), Mutant("header", "no policy", inserted(0.9, INLINE), POLICY_AWAY)]
    with altering(served.store) as (altered, address):
        honest = carried_by(browser, address)
        assert called_the_same(address)
        found = [tried(browser, altered, address, mutant, honest) for mutant in chosen]
    assert found == [(True, False)] * len(chosen)
