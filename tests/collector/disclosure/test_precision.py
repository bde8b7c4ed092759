"""The variance to expect, exactly: equal to the variance of the product weights over every truth and every coin."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from operator import mul
from typing import Any

import numpy as np
import pytest

from channels import uniform
from collector.channel.value_channel import value_transition
from collector.coding.coding import block_coding
from collector.disclosure.precision import (
    interval_width,
    other_truths,
    reported_variance,
    respondents_for,
    strongest_disguise,
    term_variance,
    with_truth,
    worst_variance,
)
from collector.errors import QueryError
from collector.planning.expectations import value_plans, width_lines
from collector.survey.question import Question
from collector.survey.survey import Survey
from collector.survey.text import Text
from exact_tables import value_weights
from miner.behind.rows import listed_rows
from miner.drawing.chart import Chart
from miner.planning.plan import plan
from miner.responses.responses import Responses, codes_of_values
from miner.weights.weights import ProductWeights
from small_surveys import mixed_survey, survey_of

YES_NO = 'kind = "yes_no"\nprior = { yes = 0.2, no = 0.8 }'
CHOICE = 'kind = "choice"\nvalues = ["a", "b", "c"]\nprior = { a = 0.6, b = 0.3, c = 0.1 }'

FIVE = """
kind = "scale"
values = ["a", "b", "c", "d", "e"]
prior = { a = 0.4, b = 0.3, c = 0.15, d = 0.1, e = 0.05 }
"""
SHARED = "subsets-2", "thresholds", "projective-2", "cyclotomic-7-3"  # of the last two five values are but a part


def enumerated_variance(survey: Survey, name: str, value: int) -> float:
    """Of a response's weight for a value, from the chances of everything that may be sent."""
    question = survey.question(name)
    column = survey.questions.index(question)
    codes = np.tile([each.codes[0] for each in survey.questions], (len(question.codes), 1)).astype(np.int16)
    codes[:, column] = question.codes
    every = Responses(survey, codes)
    rows = listed_rows(every, [name])
    assert rows is not None
    prior = np.array([float(share) for share in question.prior])
    chances = rows.sent(prior[rows.values])
    terms = ProductWeights(every).of({name: codes_of_values(question, {value})})
    return float(chances @ terms**2 - (chances @ terms) ** 2)


@pytest.mark.parametrize(
    "survey",
    [
        mixed_survey(),
        survey_of((CHOICE, "g", 'truth = "4/5"'), (CHOICE + '\ncoding = "szucs"', "h", 'truth = "3/4"')),
        survey_of(
            (CHOICE, "g", 'truth = "2/5", channel = "uniform"'), (YES_NO, "g", 'truth = "2/5", channel = "uniform"')
        ),
        survey_of(
            *(
                (f'{FIVE}coding = "{coding}"', f"g{place}", 'truth = "2/5", channel = "uniform"')
                for place, coding in enumerate(SHARED)
            )
        ),
    ],
)
def test_the_variance_is_that_of_the_weights(survey: Survey) -> None:
    for question in survey.questions:
        group = survey.group_of(question.name)
        for value in range(len(question.values)):
            variance = term_variance(question, None if group is None else group.channel, value)
            assert isinstance(variance, Fraction)
            assert float(variance) == pytest.approx(enumerated_variance(survey, question.name, value), rel=1e-9)


@pytest.mark.parametrize("scheme", [("subsets", 2), ("projective", 2), ("cyclotomic", 7, 3), ("thresholds",)])
def test_the_variance_of_shared_codes_is_exactly_that_of_their_weights(scheme: tuple[Any, ...]) -> None:
    prior = tuple(Fraction(share, 20) for share in (8, 6, 3, 2, 1))
    coding = block_coding(scheme[0], 5, *scheme[1:])
    asked = Question("q", Text.of(en="q"), "choice", tuple("abcde"), prior, coding, sensitive=True)
    channel = uniform(Fraction(2, 5))
    sent, weights = value_transition(coding, channel), value_weights(coding, channel)
    for value, share in enumerate(prior):
        chances = {code: sum(map(mul, prior, sent[code])) for code in coding.codes}
        square = sum(chance * weights[code][value] ** 2 for code, chance in chances.items())
        assert term_variance(asked, channel, value) == square - share**2


def test_respondents_make_the_width_and_one_fewer_does_not() -> None:
    variance = Fraction(5, 7)
    for width in (0.3, 0.1, 0.01):
        needed = respondents_for(variance, width)
        assert interval_width(variance, needed) <= width < interval_width(variance, needed - 1)


@pytest.mark.parametrize("how", ['truth = "4/5"', 'truth = "1/4"', 'truth = "1/2", channel = "uniform"'])
def test_the_strongest_disguise_affords_the_width_and_the_next_stronger_does_not(how: str) -> None:
    survey = survey_of((CHOICE, "g", how), (YES_NO, "g", how))
    (group,) = survey.groups
    found = strongest_disguise(survey, group, survey.questions, 1000, 0.12)
    assert found is not None

    def widest(truth: Fraction) -> float:
        channel = with_truth(group, truth).channel
        return max(interval_width(worst_variance(each, channel), 1000) for each in survey.questions)

    truths = list(other_truths(group))
    place = truths.index(found.channel.truth([]))
    assert widest(truths[place]) <= 0.12 < widest(truths[place - 1])
    assert strongest_disguise(survey, group, survey.questions, 10, 0.12) is None


# --- the plan -------------------------------------------------------------------------------------------------------


def test_a_plan_tells_each_value_and_what_other_truths_would_do() -> None:
    survey = mixed_survey()
    found = plan(survey, 500, 0.2)
    assert [each.question.name for each in found.questions] == [question.name for question in survey.questions]
    for each in found.questions:
        assert [value.value for value in each.values] == list(each.question.values)
        assert all(value.design_effect >= 1 for value in each.values)
        assert each.worst.width == max(value.width for value in each.values)
        bits = [truth.bits for truth in each.truths]
        assert bits == sorted(bits, reverse=True)
        assert (each.group is None) == (not each.truths)
        assert each.group is None or each.group.channel.truth([]) in {truth.truth for truth in each.truths}
    assert found.frame.loc[("distress", "yes"), "standard_error"] == found.questions[-1].values[0].standard_error
    assert len(list(width_lines(found))) == sum(question.sensitive for question in survey.questions)


def test_where_no_disguise_affords_the_width_it_says_how_many_would() -> None:
    survey = survey_of((YES_NO, "g", 'truth = "4/5"'))
    (line,) = width_lines(plan(survey, 50, 0.1))
    assert line.startswith("q0: no disguise affords 0.1")
    assert "246 respondents" in line
    assert list(width_lines(plan(survey, 50))) == []


def test_the_plot_has_a_line_for_each_disguised_question() -> None:
    chart = plan(mixed_survey(), 500).chart
    assert isinstance(chart, Chart)
    assert [line.name for line in chart.lines] == ["drug", "sold", "debt", "distress"]
    assert all(line.marked is not None and len(line.marked) == 1 for line in chart.lines)
    with pytest.raises(QueryError, match="the survey disguises nothing"):
        _ = plan(survey_of(('kind = "yes_no"\nsensitive = false', "", "")), 5).chart


@pytest.mark.parametrize(("respondents", "width", "problem"), [(0, None, "is below 1"), (9, 2.0, "not between")])
def test_a_plan_for_nobody_or_of_no_width_is_refused(respondents: int, width: float | None, problem: str) -> None:
    with pytest.raises(QueryError, match=problem):
        plan(mixed_survey(), respondents, width)


def test_any_two_truths_of_a_question_trade_bits_for_width() -> None:
    for each in plan(mixed_survey(), 500).questions:
        for one, other in product(each.truths, repeat=2):
            assert (one.bits > other.bits) <= (one.width > other.width)


def test_a_question_that_nobody_reaches_is_planned_without_an_error() -> None:
    told, never = (f'kind = "yes_no"\nask_if = "{asked}"' for asked in ("q0 = yes", "q1 = yes and q0 = no"))
    four_fifths = 'truth = "4/5"'
    survey = survey_of(
        ('kind = "yes_no"\nsensitive = false', "", ""), (told, "two", four_fifths), (never, "three", four_fifths)
    )
    question = survey.question("q2")
    assert [reported_variance(survey, question, value) for value in range(3)] == [0, 0, 0]
    assert [each.width for each in value_plans(survey, question, 1000)] == [0, 0, 0]
