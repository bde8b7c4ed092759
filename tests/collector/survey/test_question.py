"""Questions: what they hold is checked, numbers fall in intervals, and codes read as words and back."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.coding.coding import plain_coding, szucs_coding
from collector.errors import QueryError, ResponseError, SurveyError
from collector.survey.design import survey_from_json
from collector.survey.question import Question, check_name, interval_labels
from collector.survey.survey import Survey
from collector.survey.text import Text, check_text
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from filling import ANSWERS
from made_up_surveys import made_up_surveys
from miner.responses.responses import value_indices
from one_respondent import code_answers, interval_of
from small_surveys import survey_of

THIRDS = (Fraction(1, 3),) * 3


def scale(**changes: object) -> Question:
    question = Question("mood", Text.of(en="How are you?"), "scale", ("low", "fair", "high"), THIRDS, plain_coding(3))
    return replace(question, **changes)  # type: ignore[arg-type]


def test_intervals_hold_their_lower_end_and_not_their_upper(wellbeing: Survey) -> None:
    income = wellbeing.question("income")
    assert income.values == ("<400", "400..800", "800..1500", ">=1500")
    assert [interval_of(income, number) for number in (0, 399.99, 400, 799, 800, 1500, 1e9)] == [0, 0, 1, 1, 2, 3, 3]


@given(st.lists(st.integers(-(2**53), 2**53), min_size=1, max_size=9, unique=True).map(sorted), st.integers())
def test_a_number_falls_in_the_one_interval_whose_label_says_so(cuts: list[int], number: int) -> None:
    values = interval_labels(tuple(cuts))
    prior = tuple(Fraction(1, len(values)) for _ in values)
    question = Question("n", Text.of(en="N?"), "number", values, prior, plain_coding(len(values)), cuts=tuple(cuts))
    lows, highs = [float("-inf"), *cuts], [*cuts, float("inf")]
    index = interval_of(question, number)
    assert lows[index] <= number < highs[index]


def test_no_cut_no_interval() -> None:
    assert interval_labels(()) == ()


def test_scales_and_numbers_are_ordered_and_choices_are_not(wellbeing: Survey) -> None:
    assert [wellbeing.question(name).ordered for name in ("year", "income", "cannabis")] == [True, True, False]


def test_a_code_that_alone_stands_for_a_value_reads_as_that_value(wellbeing: Survey) -> None:
    assert wellbeing.question("cannabis").words == ("yes", "no")


def test_codes_that_share_a_value_read_as_codes(wellbeing: Survey) -> None:
    drinking = wellbeing.question("drinking")
    assert drinking.words == ("#0", "#1", "monthly", "weekly")
    assert "never" not in drinking.code_of_word


def test_a_code_that_stands_for_no_value_reads_as_a_code() -> None:
    question = scale(coding=szucs_coding(THIRDS))
    assert question.words == ("low", "high", "#2", "fair")


def test_any_code_may_be_written_as_a_code(wellbeing: Survey) -> None:
    assert wellbeing.question("cannabis").code_of_word == {"#0": 0, "#1": 1, "yes": 0, "no": 1}


@given(made_up_surveys())
def test_every_code_reads_as_one_word_that_means_it(made_up: object) -> None:
    for question in made_up.survey.questions:  # type: ignore[attr-defined]
        assert [question.code_of_word[word] for word in question.words] == list(question.codes)
        assert len(set(question.words)) == len(question.codes)


def test_a_value_is_found_by_its_word_and_a_wrong_one_is_not_repeated(wellbeing: Survey) -> None:
    assert wellbeing.question("year").value_index("third") == 2
    with pytest.raises(QueryError) as raised:
        wellbeing.question("cannabis").value_index("secret")
    assert raised.value.place == 'question "cannabis"'
    assert raised.value.remedy.endswith(": yes, no")


@pytest.mark.parametrize("name", ["", "Year", "1st", "a-b", "a b", "ä", "x" * 64, "id", "and", "in", "a\n"])
def test_a_name_that_could_not_be_a_column_is_refused(name: str) -> None:
    with pytest.raises(SurveyError):
        check_name(name, "question")


@pytest.mark.parametrize("name", ["a", "order", "select", "year_1", "x" * 63, "index"])
def test_a_name_may_be_a_word_of_sql(name: str) -> None:
    check_name(name, "question")


@pytest.mark.parametrize(
    "text", ["", " a", "a ", "a\nb", "a\tb", "a\x00", "\u202eabc", "a" * 1001, "\ud800", "a\u2028b"]
)
def test_text_that_would_not_show_on_one_line_is_refused(text: str) -> None:
    with pytest.raises(SurveyError):
        check_text(text, "label")


@pytest.mark.parametrize("text", ["Ça va\u202f?", "می\u200cروم", "क्\u200dष", "学生", "👍", "a" * 1000])
def test_text_of_every_script_is_welcome(text: str) -> None:
    check_text(text, "label")


WRONG: dict[str, tuple[dict[str, object], str]] = {
    "another kind": (
        {"kind": "rank"},
        "kind: there is no question of this kind; use one of: yes_no, choice, scale, number",
    ),
    "no label": (
        {"label": Text.of(en="")},
        "label: the text is empty; write plain words",
    ),
    "one value": ({"values": ("low",)}, "values: there are not 2 to 256 values; list every value a person may give"),
    "257 values": (
        {"values": tuple(map(str, range(257)))},
        "values: there are not 2 to 256 values; list every value a person may give",
    ),
    "a value twice": ({"values": ("low", "low", "high")}, 'values: "low" is listed twice; list each value once'),
    "a value that is added": (
        {"values": ("low", "high", "no_answer", "no_answer")},
        (
            'values: "no_answer" is listed, but is added automatically; remove the value: '
            "the keys decline, optional and ask_if add it"
        ),
    ),
    "a value that looks like a code": (
        {"values": ("#1", "fair", "high")},
        'values: a value begins with "#", which marks a code; write the value without #',
    ),
    "a short prior": (
        {"prior": THIRDS[:2]},
        "prior: the prior does not name each value exactly once; give one frequency for each value",
    ),
    "a frequency of nought": (
        {"prior": (Fraction(0), Fraction(1, 2), Fraction(1, 2))},
        "prior: a frequency is not positive; give rare values a small one, such as 0.001",
    ),
    "a frequency too fine for JavaScript": (
        {"prior": (Fraction(1, 2**53 + 1), Fraction(2**53, 2 * (2**53 + 1)), Fraction(2**53, 2 * (2**53 + 1)))},
        "prior: a frequency has too many digits; write the frequency with fewer digits",
    ),
    "a prior just short of 1": (
        {"prior": (Fraction("0.333333"), Fraction("0.333333"), Fraction("0.333333"))},
        (
            "prior: the frequencies add up to 0.999999, not to 1; adjust the frequencies, or write exact "
            'fractions such as "1/3"'
        ),
    ),
    "a coding of four values": (
        {"coding": plain_coding(4)},
        "coding: the coding does not have a code for each value; publish the survey file again",
    ),
    "cuts on a scale": (
        {"cuts": (1, 2)},
        'cuts, unit, minimum, maximum and whole are for numbers; remove these keys, or write kind = "number"',
    ),
    "a unit on a scale": (
        {"unit": "EUR"},
        'cuts, unit, minimum, maximum and whole are for numbers; remove these keys, or write kind = "number"',
    ),
    "a number without its labels": (
        {"kind": "number", "cuts": (1, 2)},
        "cuts: the cuts do not fit the values; publish the survey file again",
    ),
    "cuts that descend": (
        {"kind": "number", "cuts": (2, 1), "values": ("<2", "2..1", ">=1")},
        "cuts: the cuts are not in ascending order; sort the cuts, and list each once",
    ),
    "a minimum above the first cut": (
        {"kind": "number", "cuts": (1, 2), "values": ("<1", "1..2", ">=2"), "minimum": 1},
        "minimum: the minimum is not below the first cut; lower the minimum, or remove the cut",
    ),
    "a maximum below the last cut": (
        {"kind": "number", "cuts": (1, 2), "values": ("<1", "1..2", ">=2"), "maximum": 1.5},
        "maximum: the maximum is below the last cut; raise the maximum, or remove the cut",
    ),
    "a maximum on a scale": (
        {"maximum": 3},
        'cuts, unit, minimum, maximum and whole are for numbers; remove these keys, or write kind = "number"',
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_question_that_does_not_hold_together_is_refused(kind: str) -> None:
    changes, line = WRONG[kind]
    with pytest.raises(SurveyError) as raised:
        scale(**changes)
    assert str(raised.value) in {f'question "mood", {line}', f'question "mood": {line}'}


def test_a_maximum_stands_in_a_design_only_where_there_is_one_and_bounds_every_answer(wellbeing: Survey) -> None:
    """Designs that were published before there was one keep their fingerprints."""
    assert '"maximum"' not in wellbeing.canonical
    bounded = [replace(each, maximum=5000) if each.name == "income" else each for each in wellbeing.questions]
    survey = replace(wellbeing, questions=tuple(bounded))
    assert survey_from_json(survey.canonical) == survey
    assert parse_survey(survey_text(survey, "bounded")).fingerprint == survey.fingerprint
    with pytest.raises(ResponseError, match="at most 5000"):
        value_indices(survey, pd.DataFrame([{**ANSWERS, "income": 5001}]))
    with pytest.raises(ResponseError, match="at most 5000"):
        code_answers(survey, ANSWERS | {"income": 5001}, lambda: 0)
    assert code_answers(survey, ANSWERS | {"income": 5000}, lambda: 0)[3] == 3


@pytest.mark.parametrize("more", ["", "\ndecline = true"])
def test_whole_stands_in_a_design_only_where_it_is_true_and_changes_no_code(more: str) -> None:
    number = f'kind = "number"\ncuts = [1, 2, 4]\nmaximum = 9{more}'
    usual, whole = (survey_of((f"{number}{each}", "g", 'truth = "4/5"')) for each in ("", "\nwhole = true"))
    assert '"whole"' not in usual.canonical
    assert survey_from_json(whole.canonical) == whole
    assert parse_survey(survey_text(whole, "whole")).fingerprint == whole.fingerprint != usual.fingerprint
    assert [each.coding for each in whole.questions] == [each.coding for each in usual.questions]
    assert [each.values for each in whole.questions] == [each.values for each in usual.questions]
    for wrong, by in (("cuts = [1, 2.5, 4]", "cuts = [1, 2, 4]"), ("maximum = 9.5", "maximum = 9")):
        with pytest.raises(SurveyError, match="5 is not a whole number"):
            survey_of((f"{number}\nwhole = true".replace(by, wrong), "g", 'truth = "4/5"'))


def test_a_number_that_is_not_whole_is_refused_where_all_are(wellbeing: Survey) -> None:
    counted = [replace(each, whole=True) if each.name == "income" else each for each in wellbeing.questions]
    survey = replace(wellbeing, questions=tuple(counted))
    with pytest.raises(ResponseError, match="not whole"):
        value_indices(survey, pd.DataFrame([{**ANSWERS, "income": 850.5}]))
    with pytest.raises(SurveyError, match="whole are for numbers"):
        scale(whole=True)
