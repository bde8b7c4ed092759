"""The epsilon of a whole response is what enumerating draws, answers and responses says, and no more is stated."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import inf, isfinite, log, prod

import pytest

from benchmarks.exact_table import event_weight
from collector.disclosure.accounting import draw_ratio, fewest_asked, group_ratio, person_ratio, states_sum
from collector.disclosure.precision import response_variance
from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from exact_tables import joint_distribution
from said import figures
from split_surveys import GROUPS, SPLIT, budget_question, question, split_survey, survey_of_tables

MOST_OUTCOMES = 10**6
UNIFORM = 'channel = "uniform"'
SURVEYS: dict[str, Survey] = {
    "split, 3 of 7": split_survey(),
    "split, 4 of 7": split_survey(4, '"sad", "sore"'),
    "split, 1 of 7": split_survey(1, ""),
    "everything": survey_of_tables(SPLIT[3:], "\n".join(GROUPS.strip().splitlines()[1:])),
    "two coins and an open question": survey_of_tables(
        [question("a", 2, "g"), question("b", 3, "h"), question("c", 3, None)],
        f'g = {{ truth = "2/3" }}\nh = {{ truth = "1/3", {UNIFORM} }}',
    ),
    "one coin, unsampled": survey_of_tables([question("a", 3, "g"), question("b", 4, "g")], "g = { epsilon = 1.5 }"),
    "one coin, half asked": survey_of_tables(
        [question(name, 3, "g") for name in "abcd"], "g = { epsilon = 3 }", "[sampling]\nask = 2\n"
    ),
    "block codings": survey_of_tables(
        [question("a", 7, "g", 'coding = "projective-2"'), question("b", 4, "h", 'coding = "subsets-2"')],
        f"g = {{ epsilon = 0.7 }}\nh = {{ truth = 0.3, {UNIFORM} }}",
    ),
    "replacements": survey_of_tables(
        [
            question("a", 3, "g", "replacement = { a0 = 0.5, a1 = 0.3, a2 = 0.2 }"),
            question("b", 2, "h", 'replacement = { b0 = "1/3", b1 = "2/3" }'),
        ],
        f"g = {{ epsilon = 1 }}\nh = {{ truth = 0.6, {UNIFORM} }}",
    ),
    "planned, all asked": survey_of_tables(
        [budget_question("a", 2), budget_question("b", 3), budget_question("c", 5)],
        "",
        '[privacy]\nepsilon = 2\n[mining]\ntarget = "a"\n',
    ),
    "planned, some asked": survey_of_tables(
        [budget_question(name, values) for name, values in zip("abcde", (2, 3, 4, 3, 2), strict=True)],
        "",
        '[privacy]\nepsilon = 4\n[sampling]\n[mining]\ntarget = "a"\n',
    ),
}


def draws(survey: Survey) -> Iterator[tuple[str, ...]]:
    names = [each.name for each in survey.questions]
    yield from survey.sampling.draws(names) if survey.sampling else [tuple(names)]


def response_chances(group: Group, asked: list[Question]) -> list[list[Fraction]]:
    """P(codes sent | values) of a group, from its coin alone: a row for each combination of values."""
    codings = [each.coding for each in asked]
    every = list(product(*(each.codes for each in asked)))
    if group.channel.coin.odds is not None:
        truth = group.channel.coin.odds / (group.channel.coin.odds + len(every))
    else:
        truth = group.channel.truth([])
    rows = []
    for values in product(*(range(len(each.values)) for each in asked)):
        drawn = [coding.draw_probabilities(value) for coding, value in zip(codings, values, strict=True)]
        row = []
        for sent in every:
            own = prod((draw.get(code, Fraction(0)) for draw, code in zip(drawn, sent, strict=True)), start=Fraction(1))
            if group.channel.name == "complement":
                before = [coding.complement(code) for coding, code in zip(codings, sent, strict=True)]
                lie = prod((d.get(code, Fraction(0)) for d, code in zip(drawn, before, strict=True)), start=Fraction(1))
            else:
                lie = Fraction(1)
                for coding, code in zip(codings, sent, strict=True):
                    weights = coding.replacement or (1,) * len(coding.codes)
                    lie *= Fraction(weights[coding.codes.index(code)], sum(weights))
            row.append(truth * own + (1 - truth) * lie)
        rows.append(row)
    return rows


def largest_ratio(survey: Survey, asked: tuple[str, ...]) -> Fraction | None:
    """Over every response to these questions, how many times as likely one truth may make it as another."""
    whole = [[Fraction(1)]]
    for group in survey.groups:
        members = [each for each in survey.members(group) if each.name in asked]
        if members:
            rows = response_chances(group, members)
            whole = [[one * other for one, other in product(first, row)] for first in whole for row in rows]
    outcomes = len(whole) * len(whole[0])
    assert outcomes <= MOST_OUTCOMES
    columns = [column for column in zip(*whole, strict=True) if any(column)]
    if any(min(column) == 0 for column in columns):
        return None
    return max(max(column) / min(column) for column in columns)


@pytest.mark.parametrize("name", SURVEYS)
def test_the_ratio_of_every_draw_and_of_a_person_is_what_enumeration_says(name: str) -> None:
    survey, ratios = SURVEYS[name], []
    for asked in draws(survey):
        ratio = largest_ratio(survey, asked)
        assert draw_ratio(survey, asked) == ratio
        ratios.append(ratio)
    finite = [each for each in ratios if each is not None]
    stated = SurveyPrivacy(survey).epsilon
    if len(finite) < len(ratios):
        assert person_ratio(survey) is None
        assert stated == inf
    else:
        assert person_ratio(survey) == max(finite)
        assert stated == pytest.approx(log(max(finite)), abs=1e-12)


@pytest.mark.parametrize("name", ["planned, all asked", "planned, some asked", "one coin, half asked"])
def test_the_epsilon_asked_for_is_never_exceeded_and_nearly_reached(name: str) -> None:
    asked_for = {"planned, all asked": 2, "planned, some asked": 4, "one coin, half asked": 3}[name]
    epsilon = SurveyPrivacy(SURVEYS[name]).epsilon
    assert asked_for - 1e-5 < epsilon <= asked_for


def test_a_complement_group_that_may_be_asked_two_questions_has_no_epsilon() -> None:
    tables = [question("a", 2, "g"), question("b", 2, "g"), question("c", 2, "h")]
    groups = 'g = { truth = "3/4" }\nh = { truth = "3/4" }'
    one = survey_of_tables(tables, groups, "[sampling]\nask = 1\n")
    two = survey_of_tables(tables, groups, "[sampling]\nask = 2\n")
    assert (group_ratio(one, one.groups[0]), person_ratio(one)) == (3, 3)
    assert (group_ratio(two, two.groups[0]), person_ratio(two)) == (None, None)
    assert draw_ratio(two, ["a", "c"]) == 9


def test_a_value_that_is_never_a_replacement_makes_epsilon_infinite_and_the_statement_says_so() -> None:
    survey = survey_of_tables(
        [question("a", 2, "g", "replacement = { a0 = 1, a1 = 0 }")], f'g = {{ truth = "1/2", {UNIFORM} }}'
    )
    privacy = SurveyPrivacy(survey)
    assert privacy.epsilon == inf
    assert "never a replacement" in privacy.group_lines[0]
    (refusal,) = privacy.refusals
    assert "every value a chance" in str(refusal)


def test_the_statement_of_a_sampled_survey_is_of_one_person() -> None:
    privacy = SurveyPrivacy(SURVEYS["planned, some asked"])
    whole, odds, person, _ = privacy.closing_lines
    assert figures(whole) == [4.0]
    assert "whatever is drawn" in whole
    assert "more than 54.6 times" in odds
    assert "1 time in 55.6" in odds
    assert "two like this make 8.000" in person
    assert [privacy.question_epsilon(each) for each in privacy.survey.questions] == [privacy.epsilon] * 5


@pytest.mark.parametrize("name", SURVEYS)
def test_what_is_said_of_one_question_holds_in_every_draw(name: str) -> None:
    """The statement takes the draw that discloses most; no other makes a value surer or more bits known."""
    survey = SURVEYS[name]
    for told in SurveyPrivacy(survey).questions:
        if told.group is None:
            continue
        surest = max(risk.rise.after for risk in told.risks)
        for asked in draws(survey):
            members = tuple(each for each in survey.members(told.group) if each.name in asked)
            if told.question in members:
                there = type(told)(told.question, told.group, members)
                assert max(risk.rise.after for risk in there.risks) <= surest
                assert there.anonymity >= told.anonymity - 1e-12


def test_the_draw_that_asks_least_of_a_group() -> None:
    survey = split_survey(6, '"sick"')
    group = survey.groups[0]
    assert [each.name for each in fewest_asked(survey, group)] == ["sick", "sad"]
    assert [each.name for each in fewest_asked(survey, group, "sore")] == ["sick", "sore"]
    assert fewest_asked(split_survey(7, '"sick"'), group) == survey.members(group)


@pytest.mark.parametrize("name", [name for name, survey in SURVEYS.items() if isfinite(SurveyPrivacy(survey).epsilon)])
def test_the_variance_of_one_response_is_what_enumeration_says(name: str) -> None:
    survey = SURVEYS[name]
    every = list(draws(survey))
    for asked in survey.questions:
        group = survey.group_of(asked.name)
        if group is None or asked.coding.shared:
            continue
        chance, square, mean = survey.asking_probability([asked.name]), Fraction(0), Fraction(0)
        for draw in every:
            if asked.name in draw:
                at = survey.channel_at(group, draw)
                for code, row in joint_distribution(asked, at).items():
                    weight = event_weight(at, (code,), [frozenset({asked.coding.codes_of(0)[0]})], [asked.coding])
                    mean += sum(row) * weight / chance / len(every)
                    square += sum(row) * (weight / chance) ** 2 / len(every)
        assert mean == asked.prior[0]
        assert response_variance(survey, asked, 0) == square - mean**2 / chance  # the mean is of those who were asked


@pytest.mark.parametrize("power", [0, 1, 2])
def test_the_mean_number_of_states_is_that_of_all_draws(power: int) -> None:
    survey = split_survey(4)
    group, every = survey.groups[0], list(draws(split_survey(4)))
    for wanted in (["sad"], ["sick", "sore"], ["year"], ["sad", "sore", "drug"], ["sad", "drug", "job", "year"]):
        total = Fraction(0)
        for draw in every:
            if set(wanted) <= set(draw):
                total += prod(len(each.codes) for each in survey.members(group) if each.name in draw) ** power
        assert states_sum(survey, group, wanted, power) == total / len(every)
