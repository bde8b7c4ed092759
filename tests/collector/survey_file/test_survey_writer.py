"""A survey is written as the file it could have been read from."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from made_up_surveys import MadeUp, made_up_surveys
from small_surveys import mixed_survey, survey_of


@given(made_up_surveys())
def test_any_survey_reads_back_as_itself(made_up: MadeUp) -> None:
    assert parse_survey(survey_text(made_up.survey, "as it was")).fingerprint == made_up.survey.fingerprint


def test_the_examples_read_back_as_themselves(wellbeing: Survey, bilingual: Survey) -> None:
    for survey in (wellbeing, bilingual, mixed_survey()):
        text = survey_text(survey, "as it was")
        assert text.startswith("# as it was\n")
        assert parse_survey(text).fingerprint == survey.fingerprint


@given(st.integers(1, 2**40), st.integers(1, 2**12))
def test_a_prior_that_is_no_decimal_is_kept_exactly(part: int, other: int) -> None:
    share = Fraction(part, part + other)
    prior = f'prior = {{ yes = "{share}", no = "{1 - share}" }}'
    survey = survey_of((f'kind = "yes_no"\n{prior}', "g", 'truth = "3/4"'))
    assert parse_survey(survey_text(survey, "x")).fingerprint == survey.fingerprint
