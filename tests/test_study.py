"""The study card: what the survey file says of it comes back from the published design, and nothing else is taken."""

from __future__ import annotations

from datetime import date

import pytest

from collector.design import survey_from_json
from collector.errors import SurveyError
from collector.study import Study, read_study, study_from_design
from collector.survey import Survey
from collector.text import Text


def test_the_card_of_the_example_is_what_its_file_says(wellbeing: Survey) -> None:
    study = wellbeing.study
    assert study is not None
    assert study.minutes == 3
    assert study.until == date(2027, 6, 30)
    assert study.contact == Text.of(en="wellbeing@university.example")
    assert [key for key, _ in study.texts()] == ["who", "why", "contact", "ethics"]


def test_a_card_comes_back_from_the_design_the_same(wellbeing: Survey, bilingual: Survey) -> None:
    for survey in (wellbeing, bilingual):
        assert survey_from_json(survey.canonical).study == survey.study


def test_every_line_of_a_card_may_be_absent() -> None:
    assert read_study({}, ["en"]) == Study()
    assert read_study(None, ["en"]) is None
    assert study_from_design(Study().design) == Study()


@pytest.mark.parametrize("minutes", [-1, 0, 601])
def test_a_length_that_nobody_means_is_refused(minutes: int) -> None:
    with pytest.raises(SurveyError, match="study, minutes: it is not 1 to 600; give whole minutes"):
        Study(minutes=minutes)
