"""What the pages weigh, uncompressed: all that a browser loads to answer a survey, and what more questions add.

Counted are the survey's page with every text of the survey in it, the scripts that it loads, styles and the icon.
"""

from __future__ import annotations

import pytest

from benchmarks.collecting.weight import EXAMPLES, MANY, PUBLISHED, example, survey_with, weigh
from collector.wording.languages import SHIPPED
from soak import some_of

LIMIT = 90_000
SPARE = 2_000  # for a longer survey of somebody else's
PER_QUESTION, BY_HAND = 100, 850  # bytes beyond its design


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_of_a_survey_and_all_its_code_weigh_under_90_kb(name: str) -> None:
    survey = example(name)
    for language in (tag for tag in SHIPPED if tag in survey.languages):
        found = weigh(survey, language)
        assert min(found.files, found.page, found.by_hand, found.others) > 1000, "something was not weighed"
        assert found.visit < LIMIT - SPARE


@pytest.mark.parametrize("language", some_of(SHIPPED[1:], ("ar", "hi")))
def test_a_published_questionnaire_in_english_and_any_other_of_our_languages_weighs_under_90_kb(language: str) -> None:
    assert max(weigh(example(name, language), language).visit for name in PUBLISHED) < LIMIT


@pytest.mark.parametrize("language", some_of(SHIPPED, ("en", "ar")))
def test_each_question_adds_its_design_its_texts_and_little_else(language: str) -> None:
    one, two, many = (weigh(survey_with(questions), language) for questions in (1, 2, MANY))
    design = (len(survey_with(MANY).canonical) - len(survey_with(1).canonical)) / (MANY - 1)
    page, by_hand = (many.page - one.page) / (MANY - 1), (many.by_hand - one.by_hand) / (MANY - 1)
    assert page < PER_QUESTION + design
    assert by_hand < BY_HAND
    assert abs(page - (two.page - one.page)) < 30, "it grows faster than the questions"
    assert abs(by_hand - (two.by_hand - one.by_hand)) < 30
    assert (many.files, many.others) == (one.files, one.others)
