"""The remarks on a design: each is made where it should be, with its numbers, and not elsewhere."""

from __future__ import annotations

import pytest

from collector.disclosure.lints import precision_lints
from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from said import figures

HEAD = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n'


def survey(groups: str, **questions: str) -> Survey:
    tables = [f'[[questions]]\nname = "{name}"\nlabel = "Q?"\n{each}\n' for name, each in questions.items()]
    return parse_survey("\n".join([HEAD, *tables, "[groups]", groups]))


def told(groups: str, **questions: str) -> list[str]:
    return [str(lint) for lint in SurveyPrivacy(survey(groups, **questions)).lints]


def yes_no(share: str, group: str = "g") -> str:
    return f'kind = "yes_no"\nprior = {{ yes = {share}, no = {1 - float(share):g} }}\ngroup = "{group}"'


THREE = 'kind = "choice"\nvalues = ["a", "b", "c"]\nprior = { a = 0.5, b = 0.3, c = 0.2 }\ngroup = "g"'


def test_a_complement_group_tells_its_anonymity_set_and_what_one_known_answer_does() -> None:
    (line,) = told('g = { truth = "3/4" }', one=yes_no("0.4"), two=yes_no("0.3"), three=THREE)
    assert line.startswith('warn: group "g": ')
    assert figures(line) == [2, 12, 3]
    assert told('g = { truth = "3/4" }', one=yes_no("0.4")) == []


def test_a_question_that_all_answer_alike_gives_the_coin_of_its_group_away() -> None:
    lines = told('g = { truth = "3/4" }', one=yes_no("0.02"), two=yes_no("0.4"))
    # 3/4 x .98 against 1/4 x .02
    (line,) = lines[2:3]
    assert line.startswith('warn: group "g": ')
    assert '"one"' in line
    assert figures(line) == [99.3, 1]
    assert told('g = { truth = "3/4" }\nh = { truth = "3/4" }', one=yes_no("0.02", "h"), two=yes_no("0.4")) == []


def test_a_question_that_others_know_the_answer_to_beside_a_sensitive_one() -> None:
    _, line = told('g = { truth = "3/4" }', birth_quarter=yes_no("0.25"), two=yes_no("0.4"))
    assert line.startswith('warn: group "g": ')
    assert '"birth_quarter" (it asks about birth)' in line
    assert figures(line) == [1, 100.0]
    (line,) = told('g = { truth = "1/2", channel = "uniform" }', gender=yes_no("0.45"), two=yes_no("0.4"))
    assert "with 88.2% certainty from it" in line  # .6 x (1/2 + 1/8) against .4 x 1/8
    assert told('g = { truth = "3/4" }', gender=yes_no("0.45")) == []
    assert told('g = { truth = "3/4" }', package=yes_no("0.45"), two=yes_no("0.4"))[1:] == []


@pytest.mark.parametrize(
    ("label", "known"),
    [
        ("Which year are you in?", True),
        ("Year", True),
        ("Will you leave within a year?", False),
        ("Have you been ill in the last year?", False),
        ("How often per year do you move?", False),
        ("Were you robbed this year?", False),
        ("In the last year, what was your job?", True),
    ],
)
def test_a_year_that_is_a_time_is_no_fact_that_others_know(label: str, *, known: bool) -> None:
    one = yes_no("0.45").replace('group = "g"', f'label = "{label}"\ngroup = "g"')
    table = f'[[questions]]\nname = "one"\n{one}\n[[questions]]\nname = "two"\nlabel = "Q?"\n{yes_no("0.4")}\n'
    design = parse_survey(f'{HEAD}{table}[groups]\ng = {{ truth = "1/2", channel = "uniform" }}\n')
    assert any("others may know" in str(lint) for lint in SurveyPrivacy(design).lints) == known


NURSES = f"""{HEAD}[[questions]]
name = "age"
label = "How old are you?"
kind = "number"
cuts = [30, 40, 50]

[[questions]]
name = "pills"
label = "Have you taken any?"
kind = "yes_no"
prior = {{ yes = 0.2, no = 0.8 }}

[privacy]
epsilon = 9
"""


@pytest.mark.parametrize("coins", ["one", "own"])
def test_what_to_do_about_groups_that_follow_from_privacy_is_said_of_privacy(coins: str) -> None:
    privacy = SurveyPrivacy(parse_survey(f'{NURSES}coins = "{coins}"\n'), planned=True)
    warnings = [lint for lint in privacy.lints if lint.severity == "warn"]
    remedies = {lint.remedy for lint in warnings}
    lower = "lower the epsilon under [privacy]"
    apart = 'say coins = "own" under [privacy], or say sensitive = false and send it as it is'
    assert remedies == ({lower, apart} if coins == "one" else {lower})
    assert {lint.place for lint in warnings} >= {"whole response", 'question "pills"'}


def test_no_truth_is_advised_where_the_groups_follow_from_privacy() -> None:
    design = parse_survey(f"{NURSES.replace('epsilon = 9', 'epsilon = 1')}")
    told = [str(lint) for lint in precision_lints(design, 50, planned=True)]
    assert told
    assert not any("give its group the truth" in line for line in told)


def test_a_rare_value_that_a_response_nearly_reveals() -> None:
    rare = 'kind = "choice"\nvalues = ["a", "b", "c"]\nprior = { a = 0.58, b = 0.4, c = 0.02 }\ngroup = "g"'
    assert told('g = { truth = "4/5", channel = "uniform" }', one=rare) == []
    (line,) = [each for each in told('g = { truth = "24/25", channel = "uniform" }', one=rare) if '"c"' in each]
    assert line.startswith('warn: question "one": ')
    assert figures(line) == [2.0, 59.8, 0]


def test_epsilons_that_add_up_to_much() -> None:
    groups = "\n".join(f'g{number} = {{ truth = "9/10" }}' for number in range(4))
    questions = {f"q{number}": yes_no("0.4", f"g{number}") for number in range(4)}
    (line,) = told(groups, **questions)
    assert line.startswith("warn: whole response: ")
    assert figures(line) == [8.789, 8, 6_561, 1]
    three = {name: each for name, each in questions.items() if name != "q3"}
    assert told(groups.replace('g3 = { truth = "9/10" }', ""), **three) == []


def test_odds_that_no_float_holds_are_told_by_a_power_of_ten() -> None:
    groups = "\n".join(f'g{number} = {{ truth = "99/100" }}' for number in range(160))
    lines = told(groups, **{f"q{number}": yes_no("0.4", f"g{number}") for number in range(160)})
    power = next(number for number in range(400) if 10**number < 99**160 < 10 ** (number + 1))
    (line,) = [each for each in lines if "whole response" in each]
    assert f"more than 10^{power} to" in line


def test_combinations_that_fill_lines_are_told_by_a_power_of_ten() -> None:
    line, *_ = told('g = { truth = "3/4" }', **{f"q{number}": yes_no("0.4") for number in range(100)})
    assert "leaves 2 of over 10^30 combinations" in line  # 2^100 is 1.27 x 10^30


def test_a_prior_that_was_not_given() -> None:
    (line,) = told('g = { truth = "3/4" }', one='kind = "yes_no"\ngroup = "g"')
    assert line.startswith('note: question "one": its prior')
    assert figures(line) == [50.0]
    number = 'kind = "number"\ncuts = [1, 2, 3]\ngroup = "g"'  # cut at quartiles, unless said otherwise
    assert told('g = { truth = "3/4" }', one=number) == []


@pytest.mark.parametrize(("respondents", "warned"), [(2000, True), (200_000, False)])
def test_a_truth_so_near_one_half_that_respondents_tell_nothing(respondents: int, *, warned: bool) -> None:
    near = survey('g = { truth = "51/100" }\nh = { truth = "3/4" }', one=yes_no("0.4"), two=yes_no("0.4", "h"))
    lines = [str(lint) for lint in precision_lints(near, respondents)]
    assert bool(lines) == warned
    if warned:
        (line,) = lines
        assert line.startswith('warn: question "one": ')
        assert figures(line) == [51, 100, 2_000, 95, 2.19, 240_088, 0.2, 61, 100]


def test_what_thresholds_of_a_scale_cost() -> None:
    values, prior = '["1", "2", "3", "4", "5"]', "{ 1 = 0.3, 2 = 0.2, 3 = 0.2, 4 = 0.2, 5 = 0.1 }"
    scale = f'kind = "scale"\nvalues = {values}\nprior = {prior}'
    (line,) = told("g = { epsilon = 1 }", load=f'{scale}\ngroup = "g"\ncoding = "thresholds"')
    assert line.startswith('note: question "load": ')
    assert figures(line) == [1.7]
    assert told("g = { epsilon = 1 }", load=f'{scale}\ngroup = "g"') == []
    assert told('g = { epsilon = "1e-6" }', load=f'{scale}\ngroup = "g"\ncoding = "thresholds"')
