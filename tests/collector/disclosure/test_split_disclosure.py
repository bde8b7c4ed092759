"""What a response to a split questionnaire discloses: in the draw in which it is most."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

import pytest

from collector.disclosure import families as families_module
from collector.disclosure import family as family_module
from collector.disclosure.accounting import draws_of
from collector.disclosure.families import family_of
from collector.disclosure.lint import REFUSE
from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.design import survey_from_design
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from split_surveys import question, split_survey, survey_of_tables
from watching import is_forced, posteriors

LIMITS = "least = 1\nmost = 1\n"
HEAD = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n'
SYMPTOMS = """
[[questions]]
name = "symptom"
label = "Which is worst?"
kind = "multiple"
options = { cough = "Cough", fever = "Fever", pain = "Pain", rash = "Rash" }
least = 1
most = 1
coins = "one"
group = "g"
[groups]
g = { epsilon = 1 }
[sampling]
ask = 2
"""
GATED = """
[[questions]]
name = "gate"
label = "Gate?"
kind = "yes_no"
[[questions]]
name = "other"
label = "Other?"
kind = "choice"
values = ["a", "b", "c"]
[[questions]]
name = "often"
label = "Often?"
kind = "yes_no"
ask_if = "gate = yes"
[privacy]
epsilon = 1
coins = "one"
[sampling]
always = ["gate"]
ask = 2
"""
APART = """
[[questions]]
name = "gate"
label = "Gate?"
kind = "yes_no"
group = "g"
[[questions]]
name = "often"
label = "Often?"
kind = "yes_no"
ask_if = "gate = yes"
group = "h"
[[questions]]
name = "calm"
label = "Calm?"
kind = "yes_no"
group = "h"
[groups]
g = { truth = "3/4" }
h = { truth = "3/4" }
[sampling]
ask = 2
always = ["gate"]
"""


def survey(text: str) -> Survey:
    """The design, with limits of ticks that a file is refused for and a store may have from before."""
    design = parse_survey(HEAD + text.replace(LIMITS, ""))
    if LIMITS not in text:
        return design
    published = json.loads(design.canonical)
    published["screens"][0] |= {"least": 1, "most": 1}
    return survey_from_design(published)


@pytest.mark.parametrize("text", [SYMPTOMS, GATED, APART])
def test_the_largest_chance_is_that_of_the_draw_which_discloses_most(text: str) -> None:
    """The draw of fewest states was taken, and a family whose other members are not sent for none."""
    design = survey(text)
    after_any = posteriors(design.canonical)
    for each in SurveyPrivacy(design).questions:
        printed = [(float(risk.rise.before or 0), float(risk.rise.after)) for risk in each.risks]
        assert each.exact
        for one, other in zip(printed, after_any[each.question.name], strict=True):
            assert one == pytest.approx(other)


def test_ticks_of_one_are_weighed_as_one_though_some_are_not_asked() -> None:
    (first, *_) = SurveyPrivacy(survey(SYMPTOMS)).questions
    assert [risk.rise.before for risk in first.risks] == [Fraction(1, 4), Fraction(3, 4)]
    assert first.risks[1].rise.after == Fraction(3218281, 3718281)  # of the prior of no, by odds of e


def test_a_small_split_design_is_refused_only_if_something_becomes_certain() -> None:
    """It was refused for what was not weighed."""
    for text in (APART, APART.replace('"3/4"', '"3/4", channel = "complement"')):
        design = survey(text)
        assert bool(SurveyPrivacy(design).refusals) == is_forced(design.canonical)


def test_where_draws_are_too_many_to_be_listed_the_chance_is_still_exact_or_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(families_module, "MOST_DRAWS", 0)
    for text in (SYMPTOMS, GATED, APART):
        design = survey(text)
        after_any = posteriors(design.canonical)
        for each in SurveyPrivacy(design).questions:
            assert not each.exact
            assert "at least" in SurveyPrivacy(design).question_line(each)
            for risk, (_, after) in zip(each.risks, after_any[each.question.name], strict=True):
                assert after <= risk.rise.after
    refusals = [lint for lint in SurveyPrivacy(survey(APART)).lints if lint.severity == REFUSE]
    assert all("too many to be weighed" in lint.problem for lint in refusals)


@pytest.mark.parametrize(("ask", "always"), [(3, '"sick"'), (4, '"sad", "sore"'), (1, ""), (6, '"sick"')])
def test_a_group_whose_coin_alone_ties_its_answers_has_the_same_figures_without_listing(
    ask: int, always: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = split_survey(ask, always)
    listed = {each.name: family_of(design, each.name).rises[each.name] for each in design.questions}
    monkeypatch.setattr(family_module, "MOST_TERMS", 1)
    for each in design.questions:
        family = family_of(design, each.name)
        assert [rise[:2] for rise in family.rises[each.name]] == [rise[:2] for rise in listed[each.name]]


@pytest.mark.parametrize("most", [1_000_000, 1])
def test_of_a_question_asked_besides_the_likeliest_code_counts_and_not_the_fewest_values(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two values that are even it adds more noise than with three of which one is nearly certain."""
    tables = [
        question("first", 2, "g"),
        question("even", 2, "g"),
        question("sure", 3, "g", "prior = { sure0 = 0.98, sure1 = 0.01, sure2 = 0.01 }"),
    ]
    monkeypatch.setattr(family_module, "MOST_TERMS", most)
    design = survey_of_tables(tables, "g = { epsilon = 1 }", "[sampling]\nask = 2\n")
    after_any = posteriors(design.canonical)
    for each in SurveyPrivacy(design).questions:
        assert [float(risk.rise.after) for risk in each.risks] == pytest.approx(
            [after for _, after in after_any[each.question.name]]
        )


def test_the_draws_that_are_weighed_are_those_that_no_other_exceeds() -> None:
    design = split_survey(4, '"sick"')
    names = [each.name for each in design.questions]
    odds, sampling = set(design.groups[0].questions), design.sampling
    assert sampling is not None
    for some in (names, list(design.groups[0].questions), ["drug", "job"]):
        possible = {frozenset(set(draw) & set(some)) for draw in sampling.draws(names)}
        kept = {one for one in possible if not any(one < other and one & odds == other & odds for other in possible)}
        assert set(draws_of(design, some, 1000) or ()) == kept
    assert draws_of(design, names, 3) is None
    assert len(list(combinations(names[1:], 3))) == len(draws_of(design, names, 20) or ())
