"""What a page loads: the scripts of the kinds of question that it asks, each once and before anything is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.collecting.weight import example, loaded
from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from kind_surveys import EVERY_KIND

pytestmark = pytest.mark.browser

SPLIT = """
name = "split"
title = "Split"
languages = ["en"]
groups = { g = { truth = "1/2", channel = "uniform" }, h = { truth = "1/2", channel = "uniform" } }
questions = [
  { name = "a", label = "A?", kind = "yes_no", group = "g" },
  { name = "b", label = "B?", kind = "yes_no", group = "h" },
]
[sampling]
ask = 1
"""


@pytest.mark.parametrize(
    "survey",
    [parse_survey(EVERY_KIND), parse_survey(SPLIT), example("who5"), example("audit_c")],
    ids=lambda it: it.name,
)
def test_a_page_loads_what_its_weight_counts_and_each_file_once(
    survey: Survey, served: Served, visit: Callable[..., Visit]
) -> None:
    served.store.publish(survey)
    here = visit().open(served.page(survey))
    here.page.wait_for_load_state("networkidle")
    expected = [f"/static/{name}" for name in loaded(survey) if name != "page/icon.svg"]
    assert sorted(here.paths()[1:]) == sorted(expected)
    assert here.complaints == []
