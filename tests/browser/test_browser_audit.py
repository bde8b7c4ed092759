"""The page of an attack audit in a real Chromium: nothing is fetched, axe finds nothing, a phone can show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser
from sklearn.tree import DecisionTreeClassifier

from axe import violations
from benchmarks.releasing.scikit_trees import published_scikit_learn
from miner.attacks.audit import audit
from miner.attacks.page import audit_page
from random_tables import people
from screens import RULES

pytestmark = pytest.mark.browser
WIDTHS = (320, 1280)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_can_be_read_by_everybody(browser: Browser, tmp_path: Path, scheme: Any) -> None:  # noqa: ANN401 - of two words
    members, others = people(200).iloc[:100], people(200).iloc[100:]
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(members.drop(columns="ill"), members["ill"])
    found = audit(published_scikit_learn(tree), members, others, "ill", np.random.default_rng(0))
    path = tmp_path / "audit.html"
    path.write_text(audit_page(found), encoding="utf-8")
    page = browser.new_page(color_scheme=scheme)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert violations(page, RULES) == []
    assert asked == [path.as_uri()]
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.close()
