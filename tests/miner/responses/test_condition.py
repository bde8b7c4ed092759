"""The condition language: what it means, and what it says when it is misspelt."""

from __future__ import annotations

import pytest

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.responses.condition import boxes_of, event_of, parse_condition
from miner.trees.tree import event_text
from small_surveys import mixed_survey, survey_of

WORDY = 'kind = "choice"\nvalues = ["a, b", "say \\"no\\"", "two words", "and", "<5", "é", "-1"]'


def parsed(survey: Survey, text: str) -> dict[str, set[int]]:
    return {name: set(values) for name, values in parse_condition(survey, text).items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cannabis = yes", {"cannabis": {0}}),
        ("cannabis != yes", {"cannabis": {1}}),
        ("year in (first, third)", {"year": {0, 2}}),
        ("year in (first)", {"year": {0}}),
        ("year < third", {"year": {0, 1}}),
        ("year <= third", {"year": {0, 1, 2}}),
        ("year > third", {"year": {3}}),
        ("not year > third", {"year": {0, 1, 2}}),
        ("income <= 400..800", {"income": {0, 1}}),
        ("year >= third", {"year": {2, 3}}),
        ("income >= 800", {"income": {2, 3}}),
        ("income < 400", {"income": {0}}),
        ("income >= 400.0", {"income": {1, 2, 3}}),
        ("income = 400..800", {"income": {1}}),
        ('income in ("<400", ">=1500")', {"income": {0, 3}}),
        ('cannabis="yes"', {"cannabis": {0}}),
        (
            "cannabis = yes and year in (first, second) and income >= 800",
            {"cannabis": {0}, "year": {0, 1}, "income": {2, 3}},
        ),
        ("  cannabis=yes   and\tyear!=first ", {"cannabis": {0}, "year": {1, 2, 3}}),
        ("year != first and year != fourth", {"year": {1, 2}}),
        ("income >= 400 and income < 1500 and year = first", {"income": {1, 2}, "year": {0}}),
    ],
)
def test_a_condition_admits_these_values(wellbeing: Survey, text: str, expected: dict[str, set[int]]) -> None:
    assert parsed(wellbeing, text) == expected


def test_numbers_that_may_be_declined_and_days_are_compared_with_their_cut_points() -> None:
    number = 'kind = "number"\ncuts = [400, 800]\ndecline = true'
    day = 'kind = "date"\ncuts = [2010-01-01, 2020-01-01]'
    survey = survey_of((number, "a", 'truth = "3/4"'), (day, "b", 'truth = "3/4"'))
    assert parsed(survey, "q0 >= 400") == parsed(survey, "q0 >= 400..800") == {"q0": {1, 2}}
    assert parsed(survey, "q0 < 800 and q1 >= 2020-01-01") == {"q0": {0, 1}, "q1": {2}}
    assert parsed(survey, "q1 < 2010-01-01") == {"q1": {0}}
    with pytest.raises(QueryError, match=r'"q0" .*: 400, 800'):
        parse_condition(survey, "q0 >= 500")


BESIDE = 'kind = "scale"\nvalues = ["low", "middle", "high"]\ndecline = true\noptional = true'


def test_values_beside_an_order_are_neither_above_nor_below_a_threshold() -> None:
    survey = survey_of((BESIDE, "a", 'truth = "3/4"'))
    assert parsed(survey, "q0 < middle") == {"q0": {0}}
    assert parsed(survey, "q0 >= middle") == {"q0": {1, 2}}
    assert parsed(survey, "q0 != middle") == {"q0": {0, 2, 3, 4}}
    for wanted in ((1, 2), (0, 1), (0, 1, 2), (2, 3), (0, 3, 4), (3,), (0, 1, 2, 3, 4)):
        text = event_text(survey, {0: frozenset(wanted)})
        assert parsed(survey, text) == {"q0": {*wanted}}, text
    with pytest.raises(QueryError, match='"no_answer"'):
        parse_condition(survey, "q0 >= no_answer")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('q0 = "a, b"', 0),
        ('q0 = "say ""no"""', 1),
        ('q0 = "two words"', 2),
        ("q0 = 'a, b'", 0),
        ("q0 = two words", 2),
        ("q0 = <5", 4),
        ('q0 = "and"', 3),
        ('q0 = "<5"', 4),
        ("q0 = é", 5),
        ("q0 = -1", 6),
    ],
)
def test_quotes_hold_any_value(text: str, value: int) -> None:
    assert parsed(survey_of((WORDY, "a", 'truth = "3/4"')), text) == {"q0": {value}}


@pytest.mark.parametrize(
    ("text", "position", "problem", "remedy"),
    [
        ("", 1, "the name of a question is missing", "write NAME = VALUE"),
        ("year < first", None, 'no value of "year" meets the condition', "write a condition that some answers meet"),
        (
            "year = first and year = second",
            None,
            'no value of "year" meets the condition',
            "write a condition that some answers meet",
        ),
        (
            "year != first and debt = yes and debt != yes",
            None,
            "no answers meet the condition",
            "write a condition that some answers meet",
        ),
        ("yeer = first", 1, 'there is no question "yeer"', 'did you mean "year"? use one of: year'),
        ("debt = yes or yeer = first", 15, 'there is no question "yeer"', "use one of: year"),
        ("year = first year = second", 8, '"year" has no value "first year = second"', "use one of: first, second"),
        ("year = first, second", 8, '"year" has no value "first, second"', "use one of: first, second"),
        ('year = "first" year = second', 16, "the comparison before this is complete", 'put "and" or "or" here'),
        ("year first", 6, '"year" needs a comparison', "write one of: =, !=, <, <=, >, >=, in, has"),
        ("year", 5, '"year" needs a comparison', "write one of"),
        (
            "income > 400",
            1,
            '"income" is known in intervals that begin with 400, 800, 1500, and > 400 parts one',
            "or >=",
        ),
        (
            "income <= 400",
            1,
            '"income" is known in intervals that begin with 400, 800, 1500, and <= 400 parts one',
            "<",
        ),
        ("year == first", 6, '"==" is not written so here', 'write "="'),
        ("year = ", 8, "a value is missing", "write one"),
        ("year = fifth", 8, '"year" has no value "fifth"', "use one of: first, second, third, fourth"),
        ("income = 450", 10, '"income" has no value "450"', 'use one of: "<400", 400..800, 800..1500, ">=1500"'),
        ("income >= 450", 11, '"income" is not cut there', "compare with a cut point: 400, 800, 1500"),
        ("income >= nan", 11, '"income" is not cut there', "compare with a cut point"),
        ("income < lots", 10, '"income" is not cut there', "compare with a cut point: 400, 800, 1500"),
        ("cannabis < yes", 1, '"cannabis" has no order', "use =, != or in"),
        ("year in first", 9, '"(" is missing', "open the list"),
        ("year in (first second)", 10, '"year" has no value "first second"', "use one of"),
        ("year in (first, ", 17, "a value is missing", "write one"),
        ("year in (first", 9, "the bracket is not closed", 'put ")"'),
        ('year = "first', 8, "the quotes are not closed", "close them"),
        ("year ! first", 6, '"year" needs a comparison', "write one of"),
    ],
)
def test_a_misspelt_condition_is_refused_with_place_and_remedy(
    wellbeing: Survey, text: str, position: int | None, problem: str, remedy: str
) -> None:
    with pytest.raises(QueryError) as caught:
        parse_condition(wellbeing, text)
    assert caught.value.place == ("condition" if position is None else f"condition, character {position}")
    assert caught.value.problem == problem
    assert remedy in caught.value.remedy
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["q0 in (very poor, poor)", 'q0 in ("very poor", poor)', 'q0 != and and q0 != the "best"']
)
def test_a_value_of_several_words_may_stand_without_quotes(text: str) -> None:
    kind = 'kind = "choice"\nvalues = ["very poor", "poor", "and", "the \\"best\\""]'
    survey = survey_of((kind, "a", 'truth = "3/4"'))
    assert parsed(survey, text) == {"q0": {0, 1}}
    with pytest.raises(QueryError, match='use one of: "very poor", poor, "and", "the ""best"""'):
        parse_condition(survey, "q0 = worse")


@pytest.mark.parametrize(
    ("text", "boxes"),
    [
        ("cannabis = yes or debt = yes", [{"cannabis": {0}}, {"cannabis": {1}, "debt": {0}}]),
        ("not (cannabis = yes and debt = yes)", [{"cannabis": {0}, "debt": {1}}, {"cannabis": {1}}]),
        ("year < third or year > third", [{"year": {0, 1, 3}}]),
        ("cannabis = yes and debt = yes or cannabis = yes and debt = no", [{"cannabis": {0}, "debt": {0, 1}}]),
        ("year in (first, second, third, fourth) or debt = yes", [{"year": {0, 1, 2, 3}, "debt": {0, 1}}]),
        ("cannabis = yes and debt = no or cannabis = no and debt = yes",
         [{"cannabis": {0}, "debt": {1}}, {"cannabis": {1}, "debt": {0}}]),
    ],
)  # fmt: skip
def test_or_and_not_between_questions_make_disjoint_boxes(
    wellbeing: Survey, text: str, boxes: list[dict[str, set[int]]]
) -> None:
    assert [*boxes_of(wellbeing, text)] == boxes


def test_who_can_use_one_box_alone_says_why_a_condition_is_refused(wellbeing: Survey) -> None:
    for take in (parse_condition, event_of):
        with pytest.raises(QueryError) as caught:
            take(wellbeing, "cannabis = yes or debt = yes")
        assert caught.value.place == "condition"
        assert "cannabis, debt" in caught.value.problem


def test_a_value_compiles_to_all_its_codes() -> None:
    survey = mixed_survey()
    drug = survey.question("drug")
    event = event_of(survey, parse_condition(survey, "drug = none and year = first"))
    assert event == {"drug": frozenset(drug.coding.codes_of(0)), "year": frozenset({0})}
    assert len(event["drug"]) > 1


def test_a_value_and_the_others_share_out_all_codes_even_where_szucs_coding_leaves_one_alone() -> None:
    survey = survey_of(
        ('kind = "choice"\nvalues = ["a", "b", "c"]\ncoding = "szucs"\nprior = { a = 0.5, b = 0.3, c = 0.2 }',
         "g", 'truth = "4/5"')
    )  # fmt: skip
    question = survey.questions[0]
    (alone,) = [value for value in range(3) if question.coding.value_of(question.coding.complement(
        question.coding.codes_of(value)[0])) is None]  # fmt: skip
    name = question.values[alone]
    equal, other = (event_of(survey, parse_condition(survey, f"q0 {sign} {name}"))["q0"] for sign in ("=", "!="))
    assert equal | other == set(question.codes)
    assert not equal & other
    assert {question.coding.complement(code) for code in equal} == equal
