"""Values that the kind of a question gives are not listed in its table, and none that is listed is left unread."""

from __future__ import annotations

import pytest

from collector.errors import SurveyError
from collector.survey_file.survey_file import parse_survey

HEAD = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n[groups]\ng = { truth = "3/4" }\n[[questions]]\n'
YES_NO = f'{HEAD}name = "q"\nlabel = "Q?"\ngroup = "g"\nkind = "yes_no"\n'
OTHERS = {
    "date": "cuts = [2000-01-01]\n",
    "ranking": 'items = { a = "A", b = "B" }\n',
    "multiple": 'options = { a = "A", b = "B" }\ndecline = true\n',
    "number": "cuts = [3]\ndecline = true\n",
}


@pytest.mark.parametrize("values", ['["yes", "no", "n/a"]', '["maybe"]', '["no", "yes"]', '"maybe"', "[]"])
@pytest.mark.parametrize("flag", ["", "optional = true\n", "decline = true\n"])
def test_other_values_of_a_yes_no_are_refused_with_what_to_write(values: str, flag: str) -> None:
    with pytest.raises(SurveyError) as refused:
        parse_survey(f"{YES_NO}{flag}values = {values}\n")
    assert refused.value.place == 'question "q", values'
    assert 'kind = "choice"' in refused.value.remedy


@pytest.mark.parametrize("flag", ["", "optional = true\n", "decline = true\n"])
def test_yes_and_no_may_be_listed_and_change_nothing(flag: str) -> None:
    listed = parse_survey(f'{YES_NO}{flag}values = ["yes", "no"]\n')
    assert listed.fingerprint == parse_survey(f"{YES_NO}{flag}").fingerprint


@pytest.mark.parametrize("kind", OTHERS)
def test_values_that_another_kind_gives_are_refused(kind: str) -> None:
    table = f'{HEAD}name = "q"\nlabel = "Q?"\ngroup = "g"\nkind = "{kind}"\n{OTHERS[kind]}'
    parse_survey(table)
    with pytest.raises(SurveyError, match="values"):
        parse_survey(f'{table}values = ["a", "b"]\n')
