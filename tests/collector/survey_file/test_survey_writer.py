"""A survey is written as the file it could have been read from."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from kind_surveys import EVERY_KIND
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


def test_the_kinds_that_people_write_are_written(root: Path) -> None:
    for text in (EVERY_KIND, *(path.read_text(encoding="utf-8") for path in root.glob("examples/[aws][uht]*_c*.toml"))):
        given, written = tomllib.loads(text), tomllib.loads(survey_text(parse_survey(text), "again"))
        assert "screens" not in written
        for before, after in zip(given["questions"], written["questions"], strict=True):
            assert after == before | {key: after[key] for key in ("prior",) if key in before}
        assert written["groups"].keys() == given["groups"].keys()


def test_what_no_table_can_say_is_written_as_questions_and_screens() -> None:
    """Such as statements of a grid with different priors."""
    survey = parse_survey(EVERY_KIND)
    question = replace(survey.question("climate_voice"), prior=(Fraction(1, 5), Fraction(1, 5), Fraction(3, 5)))
    questions = tuple(question if each.name == question.name else each for each in survey.questions)
    changed = replace(survey, questions=questions)
    text = survey_text(changed, "again")
    assert parse_survey(text).fingerprint == changed.fingerprint
    written = tomllib.loads(text)
    assert [screen["questions"] for screen in written["screens"]] == [["climate_fair", "climate_voice"]]
    assert written["questions"][0]["decline"] is True
