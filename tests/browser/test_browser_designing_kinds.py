"""Published questionnaires, and one with every kind of question, built from blank in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Page

from benchmarks.performance.designing import designing
from browser_fixtures import Visit
from collector.survey_file.survey_file import parse_survey, read_survey_file
from design_page import Hand, Keyboard, Mouse, build, open_design, table_of
from kind_surveys import EVERY_KIND
from soak import some_of
from vector_surveys import EXAMPLES

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SURVEYS = {name: (EXAMPLES / f"{name}.toml").read_text("utf-8") for name in ("who5", "audit_c", "staff_climate")}
SURVEYS["every_kind"] = EVERY_KIND
BOTH = list(product((Mouse, Keyboard), SURVEYS))


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("hand", "name"), some_of(BOTH, ((Keyboard, "every_kind"),)))
def test_it_compiles_to_the_fingerprint_of_its_file(
    hand: Callable[[Page], Hand], name: str, tmp_path: Path, visit: Callable[..., Visit]
) -> None:
    path = tmp_path / f"{name}.toml"
    with designing(path) as link:
        here = visit()
        open_design(here.page, link)
        build(hand(here.page), table_of(SURVEYS[name]))
        assert read_survey_file(path).fingerprint == parse_survey(SURVEYS[name]).fingerprint
        assert here.complaints == []
