"""Every kind of question of the survey file is shown on the page, and offered by the designer."""

from __future__ import annotations

from pathlib import Path

import pytest

from collector.survey.screen import DATE, KINDS, NUMBER, PLAIN
from collector.survey_file.kinds.registry import KINDS as QUESTION_KINDS
from collector.survey_file.survey_file import parse_survey
from kind_surveys import EVERY_KIND
from respondent.pages.kinds import scripts_of
from small_surveys import mixed_survey

PAGE = Path(__file__).resolve().parents[3] / "static" / "page"
OWN = sorted({*KINDS} - {PLAIN, NUMBER, DATE})  # the others are asked by sections.mjs and numbers.mjs


@pytest.mark.parametrize("kind", OWN)
def test_each_kind_of_screen_has_a_script_that_is_loaded_where_it_is_asked_and_nowhere_else(kind: str) -> None:
    assert (PAGE / f"{kind}.mjs").is_file()
    files = [f"page/{path.name}" for path in PAGE.glob("*.mjs")]
    assert f"page/{kind}.mjs" in scripts_of(parse_survey(EVERY_KIND), files, by_invitation=False)
    assert f"page/{kind}.mjs" not in scripts_of(mixed_survey(), files, by_invitation=False)


@pytest.mark.parametrize("kind", QUESTION_KINDS)
def test_the_designer_offers_each_kind(root: Path, kind: str) -> None:
    script = (root / "respondent" / "designing" / "page" / "kinds.mjs").read_text(encoding="utf-8")
    assert f"\n  {kind}: {{" in script.partition("export const KINDS")[2].partition("\n};")[0]
