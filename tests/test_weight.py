"""What the pages weigh, uncompressed: the rule, and what a longer survey adds to it.

Counted is what we wrote: all code, style and markup, and the interface's own texts, of every page that a respondent can
meet. A survey's own texts, its design, and the odds that follow from them are its authors' to keep short: what each
question may add is bounded here, and what all of the example survey weighs in a browser is bounded too
(tests/test_browser_access.py).
"""

from __future__ import annotations

import pytest

from benchmarks.weight import MANY, survey_with, weigh
from respondent.languages import SHIPPED

LIMIT = 60_000
MARGIN = 8_000  # what is left of it for what is still to be written
PER_QUESTION = 1_350  # bytes beyond its design


@pytest.mark.parametrize("language", SHIPPED)
def test_all_we_wrote_weighs_under_60_kb_over_all_pages_with_room_left(language: str) -> None:
    found = weigh(survey_with(1), language)
    assert min(found.files, found.page, found.by_hand, found.others) > 1000, "something was not weighed"
    assert found.total < LIMIT - MARGIN


@pytest.mark.parametrize("language", SHIPPED)
def test_each_question_adds_its_design_its_texts_and_little_else(language: str) -> None:
    one, two, many = (weigh(survey_with(questions), language) for questions in (1, 2, MANY))
    design = (len(survey_with(MANY).canonical) - len(survey_with(1).canonical)) / (MANY - 1)
    page, by_hand = (many.page - one.page) / (MANY - 1), (many.by_hand - one.by_hand) / (MANY - 1)
    assert page < PER_QUESTION + design
    assert by_hand < PER_QUESTION
    assert abs(page - (two.page - one.page)) < 30, "it grows faster than the questions"
    assert abs(by_hand - (two.by_hand - one.by_hand)) < 30
    assert (many.files, many.others) == (one.files, one.others)
