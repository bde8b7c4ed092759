"""The privacy statement: what holds and what does not, in words; and the designs that are refused."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import log

import pytest
from hypothesis import given

from collector.disclosure.accounting import power_above, power_below
from collector.disclosure.privacy import COVERAGE, SurveyPrivacy, accounting_lines
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from made_up_surveys import MadeUp, made_up_surveys
from said import figures

HEAD = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n'


def privacy(groups: str, *questions: str) -> SurveyPrivacy:
    tables = [f'[[questions]]\nname = "q{number}"\nlabel = "Q?"\n{each}\n' for number, each in enumerate(questions)]
    return SurveyPrivacy(parse_survey("\n".join([HEAD, *tables, "[groups]", groups])))


YES_NO = 'kind = "yes_no"\ngroup = "g"'
OPEN = 'kind = "yes_no"\nsensitive = false'
THREE = 'kind = "choice"\nvalues = ["a", "b", "c"]\nprior = { a = 0.5, b = 0.3, c = 0.2 }\ngroup = "g"'


def rare(share: str) -> str:
    return f'kind = "yes_no"\nprior = {{ yes = {share}, no = {1 - float(share):g} }}\ngroup = "g"'


def told(statement: SurveyPrivacy) -> list[str]:
    return [str(lint) for lint in statement.lints]


EXAMPLE = """
group "substances" (cannabis, drinking; complement, truth 4/5): no epsilon holds; a response leaves two candidates, what
  was sent and its complement; one answer known from elsewhere tells the other 1.
group "money" (income; uniform, truth 2/3): local differential privacy, epsilon 2.197, between any two sets of answers
  of one respondent to its question.
group "debts" (debt; complement, truth 4/5): local differential privacy, epsilon 1.386, between any two sets of answers
  of one respondent to its question.
group "health" (distress; complement, truth 4/5): local differential privacy, epsilon 1.386, between any two sets of
  answers of one respondent to its question.
question "year": sent as it is; the collector knows the answer.
question "cannabis": 0.539 bits of 0.722 stay unknown; likelier at most: yes 20.0% to 50.0%, no 80.0% to 94.1%.
question "drinking": 0.539 bits of 1.485 stay unknown; likelier at most: weekly 20.0% to 94.1%, monthly 30.0% to 94.1%,
  never 50.0% to 94.1% (by its code and those of cannabis).
question "income": 1.208 bits of 2.000 stay unknown; likelier at most: <400 25.0% to 75.0%, 400..800 25.0% to 75.0%,
  800..1500 25.0% to 75.0%, >=1500 25.0% to 75.0%.
question "debt": 0.645 bits of 0.881 stay unknown; likelier at most: yes 30.0% to 63.2%, no 70.0% to 90.3%.
question "distress": 0.722 bits of 1.000 stay unknown; likelier at most: yes 50.0% to 80.0%, no 50.0% to 80.0%.
Whole response: no epsilon holds, because of group "substances".
Bits and percentages are for a collector that knows the design, its priors and which answers the screens allow together,
  and has the whole response. How answers go together besides, or a fact known from elsewhere, may tell it more wherever
  no epsilon is given.
"""
REMARKS = """
warn: group "substances": a response leaves 2 of 6 combinations of answers possible, and whoever knows one of its 2
  answers from elsewhere knows them all; give each question its own group, or say channel = "uniform"
note: question "distress": its prior is even: figures take each value to have 50.0%; give a prior if you know better,
  from a pilot or miner recode; keep it if a pilot gave it
note: sent as they are (year): 4 combinations of answers, and a rare one may tell who somebody is; ask fewer, or with
  fewer values
"""


def lines_of(folded: str) -> list[str]:
    """Lines that are folded, for the width of this file, with an indent."""
    return folded.strip().replace("\n  ", " ").splitlines()


def test_the_statement_of_the_example(wellbeing: Survey) -> None:
    statement = SurveyPrivacy(wellbeing)
    assert list(statement.lines) == lines_of(EXAMPLE)
    assert statement.lines[-1] == COVERAGE


def test_the_example_is_accepted_with_its_weakness_named(wellbeing: Survey) -> None:
    statement = SurveyPrivacy(wellbeing)
    assert statement.refusals == ()
    assert told(statement) == lines_of(REMARKS)


def test_where_every_group_has_an_epsilon_they_add_up_and_the_neighbours_and_the_rest_are_named() -> None:
    statement = privacy(
        'g = { truth = "1/2", channel = "uniform" }\nh = { truth = "3/4" }', YES_NO, OPEN, YES_NO.replace('"g"', '"h"')
    )
    assert figures(statement.closing_lines[0])[0] == 2.197
    assert "q1 not covered" in statement.closing_lines[0]


@pytest.mark.parametrize(("ratio", "below", "above"), [(10**15, None, "10^16"), (2 * 10**15, "10^15", "10^16")])
def test_a_power_of_ten_is_said_only_of_numbers_surely_above_it_and_below_it(
    ratio: int, below: str | None, above: str
) -> None:
    assert (power_below(log(ratio)), power_above(log(ratio))) == (below, above)


def test_the_odds_of_a_whole_response_of_any_size_are_bounded_from_above() -> None:
    odds, _ = accounting_lines(1000.0)  # e^1000 is 1.97 x 10^434
    assert "more than 10^435 times" in odds
    assert "1 time in 10^435." in odds


def test_where_nothing_is_disguised_it_says_so() -> None:
    assert privacy("", OPEN).closing_lines[0] == "Whole response: nothing is disguised."


def test_a_uniform_group_of_several_questions_has_one_epsilon_for_all_of_them() -> None:
    (line,) = privacy('g = { truth = "1/2", channel = "uniform" }', YES_NO, YES_NO).group_lines
    assert "epsilon 1.609" in line
    assert "all of its questions" in line


def test_one_question_of_several_values_has_no_epsilon_under_complement() -> None:
    (line,) = privacy('g = { truth = "3/4" }', THREE).group_lines
    assert "no epsilon holds" in line
    assert "two candidates" in line


@pytest.mark.parametrize("truth", ["0", "1"])
def test_a_certain_coin_is_refused(truth: str) -> None:
    statement = privacy(f'g = {{ truth = "{truth}" }}', YES_NO, YES_NO)
    (refusal,) = statement.refusals
    assert str(refusal).startswith(f'refuse: group "g": at truth {truth} ')
    assert "no privacy at all" in statement.group_lines[0]


@pytest.mark.parametrize(
    ("prior", "surest"),
    [
        ("", "50.0%"),  # either of the two values of a code
        ("prior = { a = 0.4, b = 0.3, c = 0.2, d = 0.1 }", "80.0%"),  # a, of the code of a and d
    ],
)
def test_a_certain_coin_with_codes_that_values_share_tells_how_certain_an_answer_becomes(
    prior: str, surest: str
) -> None:
    shared = f'kind = "choice"\nvalues = ["a", "b", "c", "d"]\ngroup = "g"\ncoding = "subsets-2"\n{prior}'
    statement = privacy('g = { truth = "1", channel = "uniform" }', shared)
    left = f"every code is the truth's, and leaves an answer up to {surest} certain"
    assert [lint.problem for lint in statement.refusals] == [f"at truth 1 {left}"]
    assert statement.group_lines == (f'group "g" (q0; uniform, truth 1): no epsilon holds; {left}.',)
    assert f"{float(statement.groups[0].belief.after):.1%}" == surest


@given(made_up_surveys())
def test_every_answer_is_said_to_be_certain_exactly_where_it_is(made_up: MadeUp) -> None:
    statement = SurveyPrivacy(made_up.survey)
    for group, line in zip(statement.groups, statement.group_lines, strict=True):
        told = [each for each in statement.questions if each.question in group.questions]
        certain = all(risk.rise.after == 1 for each in told for risk in replace(each, family=None).risks)
        assert ("every answer is certain" in line) == certain


def test_a_uniform_truth_of_1_is_refused() -> None:
    assert privacy('g = { truth = "1", channel = "uniform" }', YES_NO).refusals


def test_a_value_left_alone_by_szucs_coding_is_refused() -> None:
    (line,) = told(privacy('g = { truth = "3/4" }', THREE + '\ncoding = "szucs"'))
    rise, remedy = (
        '"c" goes from 20.0% to 100.0% once c is sent',
        'say coding = "balanced", which leaves no value alone',
    )
    assert line == f'refuse: question "q0": {rise}; {remedy}'


def test_an_even_szucs_coding_is_accepted() -> None:
    even = 'kind = "choice"\nvalues = ["a", "b", "c", "d"]\nprior = { a = 0.4, b = 0.3, c = 0.2, d = 0.1 }\ngroup = "g"'
    assert not privacy('g = { truth = "3/4" }', even + '\ncoding = "szucs"').refusals


def test_a_nearly_certain_answer_is_warned_of() -> None:
    lints = told(privacy('g = { truth = "49/50" }', rare("0.5")))[:2]
    assert [each.split()[:3] for each in lints] == [["warn:", "question", '"q0":']] * 2
    assert [figures(each)[1:] for each in lints] == [[50.0, 98.0, 1, 2]] * 2
    (lint, *_) = privacy('g = { truth = "49/50", channel = "uniform" }', YES_NO).lints
    assert '"g" towards 0' in lint.remedy


def test_an_answer_that_was_a_safe_guess_before_is_not_warned_of() -> None:
    assert told(privacy('g = { truth = "3/4" }', rare("0.05"))) == []


def test_many_uneven_questions_in_one_group_tell_on_each_other() -> None:
    """No single question says much, but nine together show the coin."""
    lints = told(privacy('g = { truth = "3/4" }', *[rare("0.3")] * 9))
    assert lints[1].startswith('warn: group "g": ')
    assert figures(lints[1]) == [4.0, 99.9]


def test_several_values_without_a_prior_are_noted() -> None:
    three = 'kind = "choice"\nvalues = ["a", "b", "c"]\ngroup = "g"'
    (line,) = told(privacy('g = { truth = "3/4" }', three))
    assert line.startswith('note: question "q0": its prior')
    assert figures(line) == [0, 33.3]


def test_the_gravest_remark_comes_first() -> None:
    statement = privacy(
        'g = { truth = "3/4" }\nh = { truth = "1" }', rare("0.3"), rare("0.3"), YES_NO.replace('"g"', '"h"'), OPEN
    )
    assert [lint.severity for lint in statement.lints] == ["refuse", "warn", "note"]


def test_at_most_four_values_are_shown_the_steepest_rise_first() -> None:
    many = 'kind = "choice"\nvalues = ["a", "b", "c", "d", "e", "f"]\ngroup = "g"\n'
    many += "prior = { a = 0.3, b = 0.3, c = 0.1, d = 0.1, e = 0.1, f = 0.1 }"
    line = privacy('g = { truth = "2/3", channel = "uniform" }', many).lines[1]
    assert re.findall(r"\b(\w) \d", line) == ["a", "b", "c", "d"]
    assert line.endswith(", and 2 more.")


@given(made_up_surveys())
def test_the_statement_of_any_survey_is_json_and_prints_no_epsilon_without_its_neighbours(made_up: MadeUp) -> None:
    statement = SurveyPrivacy(made_up.survey)
    assert json.loads(json.dumps(statement.as_dict, allow_nan=False)) == statement.as_dict
    for line in statement.lines:
        assert ("privacy, epsilon" in line) == ("between any two sets" in line)


@given(made_up_surveys())
def test_a_survey_is_refused_exactly_when_a_sensitive_value_can_become_certain(made_up: MadeUp) -> None:
    statement = SurveyPrivacy(made_up.survey)
    certain = any(risk.rise.after == 1 for each in statement.questions if each.group for risk in each.risks)
    # Where values share codes, a coin that decides nothing leaves a few values possible; that is refused all the same.
    shared = any(
        made_up.survey.question(name).coding.shared
        for group in statement.groups
        if group.candidates == 1
        for name in group.group.questions
    )
    assert bool(statement.refusals) == (certain or shared)
