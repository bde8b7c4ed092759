"""What `collector check` prints of random designs, against an enumeration that shares nothing with it.

`DENIABLE_DESIGNS=1000` compares a thousand designs in place of `FEW` (`python -m pytest -s` prints how many figures).
"""

from __future__ import annotations

import os

import pytest

from collector.disclosure import family as family_module
from collector.errors import SurveyError
from collector.survey_file.survey_file import parse_survey
from soak import part_of
from watched_designs import Watched, watched
from watching import some_design

DESIGNS = part_of(300, least=100)
FEW = 120


@pytest.mark.parametrize("part", range(10))
def test_no_answer_becomes_likelier_than_is_printed_and_none_is_forced_unless_it_is_refused(part: int) -> None:
    found = Watched()
    for number in range(part * DESIGNS // 10, (part + 1) * DESIGNS // 10):
        try:
            found.watch(parse_survey(some_design(number)))
        except (SurveyError, OverflowError):  # no survey, or too large to be enumerated
            continue
    assert found.counts["designs"] > DESIGNS // 20
    assert found.wrong == []


@pytest.mark.timeout(900)
def test_figures_of_designs_of_every_kind_hold_in_every_draw_and_only_what_is_certain_is_refused() -> None:
    found = watched(0, int(os.environ.get("DENIABLE_DESIGNS", FEW)))
    print(dict(found.counts))  # noqa: T201 - how much was compared
    assert found.counts["split"] > found.counts["designs"] // 5
    assert found.counts["forced"]
    assert found.counts["refused_by_a_bound"] <= found.counts["designs"] // 200  # too large to be listed
    assert found.wrong == []


def test_bounds_of_designs_that_are_too_large_to_be_listed_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family_module, "MOST_TERMS", 10)
    found = watched(5_000, int(os.environ.get("DENIABLE_DESIGNS", FEW)))
    assert found.counts["bounded_posteriors"] > found.counts["posteriors"] // 5
    assert found.counts["bounded_entropies"] > found.counts["entropies"] // 5
    assert found.wrong == []
