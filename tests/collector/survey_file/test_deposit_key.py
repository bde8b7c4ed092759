"""The key `deposit`: in the design only when set, kept by every reader and writer, refused where it cannot hold."""

from __future__ import annotations

import pytest

from collector.errors import SurveyError
from collector.survey.design import survey_from_json
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from small_surveys import HEAD

YES_NO = '[[questions]]\nname = "{0}"\nlabel = "Q?"\nkind = "yes_no"\ngroup = "g"\n'
SAFE = f'{HEAD}{YES_NO.format("a")}[groups]\ng = {{ truth = "4/5" }}\n'
DECLARED = f"deposit = true\n{SAFE}"


def test_a_survey_that_does_not_declare_it_keeps_its_fingerprint() -> None:
    assert parse_survey(f"deposit = false\n{SAFE}").fingerprint == parse_survey(SAFE).fingerprint
    assert "deposit" not in parse_survey(SAFE).canonical


def test_the_declaration_is_part_of_the_design_and_of_the_file_that_is_written_from_it() -> None:
    survey = parse_survey(DECLARED)
    assert survey.design["deposit"] is True
    assert survey.fingerprint != parse_survey(SAFE).fingerprint
    assert survey_from_json(survey.canonical).deposit
    assert parse_survey(survey_text(survey, "again")).fingerprint == survey.fingerprint


@pytest.mark.parametrize(
    "text",
    [
        DECLARED.replace("[groups]", f"{YES_NO.format('b')}[groups]"),
        DECLARED.replace('kind = "yes_no"', 'kind = "choice"\nvalues = ["x", "y", "z"]'),
        f"{DECLARED.partition('group =')[0]}[privacy]\ncentral_epsilon = 1\nrespondents = 4000\n",
    ],
)
def test_several_bits_of_a_complement_group_and_a_central_epsilon_are_refused(text: str) -> None:
    assert not parse_survey(text.replace("deposit = true\n", "")).deposit
    with pytest.raises(SurveyError) as caught:
        parse_survey(text)
    assert caught.value.place == "deposit"
