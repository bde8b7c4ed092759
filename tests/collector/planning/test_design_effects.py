"""The planned share and its planned error are of the same people, under every design."""

from __future__ import annotations

import pytest

from collector.errors import DeniableError
from collector.planning.expectations import value_plans
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from random_designs import any_design

DESIGNS = 120


def split_designs_with_conditions() -> list[Survey]:
    found = []
    for number in range(DESIGNS):
        try:
            survey = parse_survey(any_design(number))
        except DeniableError:
            continue
        if survey.sampling is not None and any(each.values[-1] == "not_applicable" for each in survey.questions):
            found.append(survey)
    return found


def test_no_disguise_of_a_split_questionnaire_is_more_precise_than_open_questions() -> None:
    surveys = split_designs_with_conditions()
    assert len(surveys) >= 5
    for survey in surveys:
        for question in survey.questions:
            for each in value_plans(survey, question, 1000):
                assert each.design_effect is None or each.design_effect >= 1 - 1e-12


def test_a_share_in_a_split_questionnaire_is_planned_among_all() -> None:
    (survey, *_) = split_designs_with_conditions()
    for question in survey.questions:
        planned = [each.share for each in value_plans(survey, question, 1000)]
        assert planned == pytest.approx([float(each) for each in question.prior])
