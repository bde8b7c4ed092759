"""What `collector check` prints of random designs, against an enumeration that shares nothing with it."""

from __future__ import annotations

import pytest

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import SurveyError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from watching import is_forced, posteriors, some_design

DESIGNS = 300
CLOSE = 1e-9


def enumerated(number: int) -> tuple[Survey, dict[str, list[tuple[float, float]]]] | None:
    """A random design with what its responses disclose; None where it is no survey, or too large."""
    try:
        survey = parse_survey(some_design(number))
        return survey, posteriors(survey.canonical)
    except (SurveyError, OverflowError):
        return None


@pytest.mark.parametrize("part", range(10))
def test_no_answer_becomes_likelier_than_is_printed_and_none_is_forced_unless_it_is_refused(part: int) -> None:
    found = [each for each in map(enumerated, range(part * DESIGNS // 10, (part + 1) * DESIGNS // 10)) if each]
    assert len(found) > DESIGNS // 20, "designs that can be enumerated"
    for survey, after_any in found:
        privacy = SurveyPrivacy(survey)
        for each in privacy.questions:
            for risk, (before, after) in zip(each.risks, after_any[each.question.name], strict=True):
                where = f"{survey.name}, {each.question.name}, {each.question.values[risk.value]}"
                assert after <= risk.rise.after + CLOSE, where
                if each.exact:
                    assert float(risk.rise.before) == pytest.approx(before, abs=CLOSE), where
                    assert float(risk.rise.after) == pytest.approx(after, abs=CLOSE), where
        assert bool(privacy.refusals) >= is_forced(survey.canonical), survey.name
