"""A question that some are asked who were not asked another: what is disclosed and planned, against enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from asked_of_unasked import DESIGNS, HEAD, OPENED, all_responses, joint, people, surest
from collector.disclosure.families import family_of, secret_rises
from collector.disclosure.lint import NOTE, REFUSE
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import SurveyError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from watching import is_forced

FREE = [name for name in DESIGNS if "sends that it was not asked" not in name]


@pytest.mark.parametrize("name", DESIGNS)
def test_boxes_are_disjoint_and_hold_the_answers_with_which_a_question_is_asked(name: str) -> None:
    survey = DESIGNS[name]
    sizes = [range(len(each.coding.owners)) for each in survey.questions]
    for drawn in product(*sizes):  # answers given, or drawn where a question is not asked
        truth: list[str] = []
        for place, question in enumerate(survey.questions):
            screen = survey.screen_of(question.name)
            conditions = () if screen is None else screen.ask_if
            asked = all(truth[survey.column(parent)] in values for parent, values in conditions)
            boxes = survey.routes.asked_if(question.name)
            given = [
                truth[at] if not each.coding.routed else each.values[drawn[at]]
                for at, each in enumerate(survey.questions[:place])
            ]
            held = [
                all(
                    survey.question(each).value_index(given[survey.column(each)]) in values
                    for each, values in box.items()
                )
                for box in boxes
            ]
            assert sum(held) == asked
            own = question.values[drawn[place]]
            if not asked:
                own = "not_applicable"
            elif own == "not_applicable":  # it would be sent of those only who are not asked
                own = question.values[0]
            truth.append(own)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_chance_of_each_answer_after_a_response_is_exact(name: str) -> None:
    survey = DESIGNS[name]
    for column, question in enumerate(survey.questions):
        family = family_of(survey, question.name)
        expected = [surest(survey, column, {value}) for value in question.values]
        assert family.exact
        assert [rise[:2] for rise in family.rises[question.name]] == expected
        some = {0, len(question.values) - 1}
        assert family.rise(question, some)[:2] == surest(survey, column, {question.values[each] for each in some})
        if family.free:
            assert [rise[:2] for rise in family.free_rises(question)] == expected
        bounds = family.bounded_rises(question)
        assert all(bound[1] >= after for bound, (_, after) in zip(bounds, expected, strict=True))


@pytest.mark.parametrize("name", FREE)
def test_the_code_that_is_named_is_that_of_a_response_after_which_the_answer_is_likeliest(name: str) -> None:
    survey = DESIGNS[name]
    responses = joint(survey)
    for column, question in enumerate(survey.questions):
        rises = family_of(survey, question.name).free_rises(question)
        for value, (_, after, code) in zip(question.values, rises, strict=True):
            chances = [
                sum((each for row, each in rows.items() if row[column] == value), start=Fraction(0))
                / sum(rows.values())
                for codes, rows in responses.items()
                if code in {None, codes[column]}
            ]
            assert max(chances) == after


def chain(levels: int) -> Survey:
    """Questions of which each is asked where the one before is not no, or was not asked."""
    parts = []
    for level in range(levels):
        asked = f'ask_if = "not q{level - 1} = no"' if level > 1 else 'ask_if = "q0 = yes"' if level else ""
        parts.append(f'[[questions]]\nname = "q{level}"\nlabel = "Q"\nkind = "yes_no"\ngroup = "g{level}"\n{asked}\n')
    coins = "\n".join(f'g{level} = {{ truth = "3/4", channel = "uniform" }}' for level in range(levels))
    return parse_survey(f"{HEAD}{''.join(parts)}[groups]\n{coins}\n")


def test_a_long_chain_is_weighed_exactly_without_listing_its_answers() -> None:
    survey = chain(5)
    for question in survey.questions:
        family = family_of(survey, question.name)
        assert [rise[:2] for rise in family.free_rises(question)] == [
            surest(survey, survey.column(question.name), {value}) for value in question.values
        ]
    assert len(chain(20).routes.asked_if("q19")) <= 20
    assert not [lint for lint in SurveyPrivacy(chain(20)).lints if "certain" in lint.problem]


def test_conditions_of_too_many_combinations_are_refused_with_the_question() -> None:
    gates = [(f"g{each}", f"p{each}") for each in range(7)]
    parts = [f'[[questions]]\nname = "{gate}"\nlabel = "G"\nkind = "yes_no"\ngroup = "g"\n' for gate, _ in gates]
    parts += [
        f'[[questions]]\nname = "{parent}"\nlabel = "P"\nkind = "yes_no"\ngroup = "g"\nask_if = "{gate} = yes"\n'
        for gate, parent in gates
    ]
    asked = " and ".join(f"not {parent} = yes" for _, parent in gates)
    last = f'[[questions]]\nname = "q"\nlabel = "Q"\nkind = "yes_no"\ngroup = "g"\nask_if = "{asked}"\n'
    text = f'{HEAD}{"".join(parts)}{last}[groups]\ng = {{ truth = "3/4", channel = "uniform" }}\n'
    with pytest.raises(SurveyError, match='question "q", ask_if: more than 64 '):
        parse_survey(text)
    fewer = text.replace(" and not p6 = yes", "")
    assert len(parse_survey(fewer).routes.asked_if("q")) == 64


def test_the_enumeration_is_of_distributions() -> None:
    for survey in DESIGNS.values():
        assert sum(people(survey).values()) == 1
        assert np.isclose(all_responses(survey)[1].sum(), 1)


OPEN = """
[[questions]]
name = "employed"
label = "Employed?"
kind = "yes_no"
sensitive = false
[[questions]]
name = "bullied"
label = "Bullied?"
kind = "yes_no"
ask_if = "employed = yes"
group = "b"
{unasked}
[groups]
b = {{ truth = "3/4"{channel} }}
"""


def test_an_open_gate_is_noted_and_not_refused_for_what_it_says_itself() -> None:
    """It was refused, with a remedy for a group that does not exist."""
    lints = list(SurveyPrivacy(parse_survey(HEAD + OPEN.format(unasked="", channel=""))).lints)
    assert {lint.severity for lint in lints} == {NOTE}
    assert any('"employed"' in lint.problem for lint in lints)


def test_what_an_open_gate_makes_certain_together_with_a_disguised_code_is_refused() -> None:
    """That employed people were asked leaves two of the three answers, of which a complement leaves one."""
    survey = parse_survey(HEAD + OPEN.format(unasked='unasked = "sent"', channel=', channel = "complement"'))
    refused = [lint.problem for lint in SurveyPrivacy(survey).lints if lint.severity == REFUSE]
    assert any('"yes" goes from' in each or '"no" goes from' in each for each in refused)
    assert not any('"not_applicable" goes from' in each for each in refused)


@pytest.mark.parametrize("name", ["an open gate", "two open gates"])
def test_the_chance_that_it_was_not_asked_is_exact_where_open_gates_leave_it_open(name: str) -> None:
    survey = {**DESIGNS, **OPENED}[name]
    opened = [at for at, each in enumerate(survey.questions) if not each.sensitive]
    responses = joint(survey)
    for column, question in enumerate(survey.questions):
        if not question.sensitive:
            continue
        largest = Fraction(0)
        for codes, rows in responses.items():
            alike = [each for other, each in responses.items() if all(other[at] == codes[at] for at in opened)]
            if any(row[column] != "not_applicable" for each in alike for row in each):
                part = sum((each for row, each in rows.items() if row[column] == "not_applicable"), start=Fraction(0))
                largest = max(largest, part / sum(rows.values()))
        family = family_of(survey, question.name)
        assert secret_rises(family, question)[-1][1] == largest
        assert secret_rises(family, question)[:-1] == family.rises[question.name][:-1]
        family.__dict__["listed"] = None  # as if its answers were too many to be listed
        if family.free:
            assert secret_rises(family, question)[-1][1] == largest


SPLIT = """
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
ask_if = "gate = yes"
group = "calm"
[[questions]]
name = "happy"
label = "Happy?"
kind = "yes_no"
group = "happy"
[groups]
g = { truth = "3/4" }
h = { truth = "3/4" }
calm = { truth = "3/4" }
happy = { truth = "3/4" }
[sampling]
ask = 2
always = ["gate"]
"""


def test_a_small_split_design_is_weighed_and_accepted_if_nothing_becomes_certain() -> None:
    """It was refused for what was not weighed, though no response makes an answer certain."""
    for channel in ("complement", "uniform"):
        survey = parse_survey(HEAD + SPLIT.replace('"3/4"', f'"3/4", channel = "{channel}"'))
        assert bool(SurveyPrivacy(survey).refusals) == is_forced(survey.canonical)
    assert not SurveyPrivacy(parse_survey(HEAD + SPLIT)).refusals
