"""What a response discloses: the general definitions, against closed forms and against plain enumeration."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import inf, log, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.exact_table import states, transition_of
from channels import complement, uniform
from collector.channel.channel import Channel
from collector.coding.anonymity import binary_entropy, pair_anonymity
from collector.coding.coding import balanced_coding, plain_coding, szucs_coding
from collector.disclosure.disclosure import QuestionDisclosure
from collector.disclosure.group_disclosure import GroupDisclosure
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from collector.survey.text import Text
from exact_tables import binary_anonymity, joint_distribution
from made_up_surveys import MadeUp, made_up_surveys

THREE_QUARTERS = complement(Fraction(3, 4))


def question(*prior: Fraction, name: str = "q", paired: bool = True) -> Question:
    values = tuple(f"v{index}" for index in range(len(prior)))
    return Question(
        name, Text.of(en="Q?"), "choice", values, prior, balanced_coding(prior) if paired else plain_coding(len(prior))
    )


def yes_no(yes: Fraction, name: str = "q", *, paired: bool = True) -> Question:
    return question(yes, 1 - yes, name=name, paired=paired)


def group_of(channel: Channel, *questions: Question) -> GroupDisclosure:
    return GroupDisclosure(Group("g", channel, tuple(each.name for each in questions)), questions)


def disclosure(asked: Question, channel: Channel) -> QuestionDisclosure:
    return QuestionDisclosure(asked, Group("g", channel, (asked.name,)))


@given(made_up_surveys(split=False))
def test_the_joint_distribution_has_the_prior_as_its_margin(made_up: MadeUp) -> None:
    for asked in made_up.survey.questions:
        group = made_up.survey.group_of(asked.name)
        joint = joint_distribution(asked, group.channel if group else None)
        assert tuple(sum(column) for column in zip(*joint.values(), strict=True)) == asked.prior


def test_a_question_in_a_group_is_disclosed_as_if_it_were_alone(wellbeing: Survey) -> None:
    """The joint distribution of one question, from the whole group's transition matrix instead."""
    group = wellbeing.groups[0]
    questions = wellbeing.members(group)
    codings = [each.coding for each in questions]
    every, transition = states(codings), transition_of(group.channel, codings)
    joint = joint_distribution(questions[1], group.channel)
    for code, value in product(questions[1].codes, range(3)):
        expected = Fraction(0)
        for truth, row in zip(every, transition, strict=True):
            if codings[1].value_of(truth[1]) != value:
                continue
            before = Fraction(1)
            for asked, own in zip(questions, truth, strict=True):
                meant = asked.coding.value_of(own)
                assert meant is not None
                before *= asked.prior[meant] * asked.coding.draw_probabilities(meant)[own]
            expected += before * sum(p for sent, p in zip(every, row, strict=True) if sent[1] == code)
        assert joint[code][value] == expected


@pytest.mark.parametrize(("share", "bits"), [(Fraction(1, 2), 1.0), (Fraction(4, 5), 0.722)])
def test_near_truth_one_half_binary_anonymity_is_figure_1_of_the_paper(share: Fraction, bits: float) -> None:
    nearly = complement(Fraction(1, 2) + Fraction(1, 10**6))
    assert binary_anonymity(yes_no(share), nearly) == pytest.approx(bits, abs=5e-4)


@given(st.fractions(0, 1, max_denominator=40), st.fractions(0, 1, max_denominator=40))
def test_two_values_keep_what_the_papers_formula_says(share: Fraction, truth: Fraction) -> None:
    if share not in {0, 1} and truth != Fraction(1, 2):
        kept = binary_anonymity(yes_no(share), complement(truth))
        assert kept == pytest.approx(pair_anonymity(share, truth), abs=1e-12)


def test_uniform_anonymity_is_what_its_closed_form_says() -> None:
    k, truth = 5, Fraction(1, 3)
    kept = binary_anonymity(question(*[Fraction(1, k)] * k, paired=False), uniform(truth))
    own = float(truth + (1 - truth) / k)
    other = float((1 - truth) / k)
    assert kept == pytest.approx(-own * log2(own) - (k - 1) * other * log2(other), abs=1e-12)


def test_what_is_sent_as_it_is_keeps_nothing_unknown() -> None:
    asked = yes_no(Fraction(1, 5), paired=False)
    assert binary_anonymity(asked, None) == 0
    assert [risk.rise.after for risk in QuestionDisclosure(asked, None).risks] == [1, 1]


@given(made_up_surveys())
def test_the_risks_are_the_largest_posteriors_over_all_codes(made_up: MadeUp) -> None:
    for asked in made_up.survey.questions:
        group = made_up.survey.group_of(asked.name)
        told = QuestionDisclosure(asked, group, (asked,))
        joint = joint_distribution(asked, told.channel)
        for value, risk in enumerate(told.risks):
            chances = {code: row[value] / sum(row) for code, row in joint.items() if any(row)}
            assert risk.rise.after == max(chances.values()) == chances[risk.sent]
            assert told.posteriors[risk.sent][value] == risk.rise.after


def test_posteriors_are_bayes_rule() -> None:
    posteriors = disclosure(yes_no(Fraction(1, 5)), complement(Fraction(4, 5))).posteriors
    assert sorted(posteriors.values()) == [
        (Fraction(1, 17), Fraction(16, 17)),
        (Fraction(1, 2), Fraction(1, 2)),
    ]


def test_a_risk_is_the_largest_posterior_of_its_value() -> None:
    yes, no = disclosure(yes_no(Fraction(1, 5)), complement(Fraction(4, 5))).risks
    assert (yes.rise.before, yes.rise.after) == (Fraction(1, 5), Fraction(1, 2))
    assert (no.rise.before, no.rise.after) == (Fraction(4, 5), Fraction(16, 17))


def test_under_a_lying_channel_the_other_code_is_the_risk() -> None:
    asked = yes_no(Fraction(1, 2))
    (risk, _) = disclosure(asked, complement(Fraction(1, 5))).risks
    assert asked.coding.value_of(risk.sent) == 1
    assert risk.rise.after == Fraction(4, 5)


def test_a_balanced_question_keeps_its_bound_and_a_value_left_alone_is_certain() -> None:
    asked = question(Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))
    balanced = disclosure(asked, THREE_QUARTERS)
    assert balanced.anonymity == pytest.approx(binary_entropy(Fraction(3, 4)), abs=1e-12)
    assert balanced.anonymity == pytest.approx(balanced.bound, abs=1e-12)
    szucs = disclosure(replace(asked, coding=szucs_coding(asked.prior)), THREE_QUARTERS)
    assert szucs.risks[2].rise.after == 1
    assert szucs.bound is not None
    assert szucs.anonymity < szucs.bound


def test_there_is_no_bound_without_complements() -> None:
    assert disclosure(yes_no(Fraction(1, 2), paired=False), uniform(Fraction(1, 2))).bound is None


def surest_state(group: GroupDisclosure) -> Fraction:
    """The surest a collector may be of a group's state, by enumeration; questions independent."""
    codings = [each.coding for each in group.questions]
    every, transition = states(codings), transition_of(group.group.channel, codings)
    prior = []
    for state in every:
        before = Fraction(1)
        for asked, code in zip(group.questions, state, strict=True):
            value = asked.coding.value_of(code)
            if value is None:
                before = Fraction(0)
            else:
                before *= asked.prior[value] * asked.coding.draw_probabilities(value)[code]
        prior.append(before)
    best = Fraction(0)
    for column in zip(*transition, strict=True):
        joint = [before * chance for before, chance in zip(prior, column, strict=True)]
        if any(joint):
            best = max(best, max(joint) / sum(joint))
    return best


SEVEN = (Fraction(7, 10), Fraction(1, 5), Fraction(1, 10))
FIFTH, THIRD = yes_no(Fraction(1, 5), "a"), yes_no(Fraction(1, 3), "b")
PLAIN_FIFTH, PLAIN_HALF = yes_no(Fraction(1, 5), "a", paired=False), yes_no(Fraction(1, 2), "b", paired=False)
GROUPS = [
    group_of(THREE_QUARTERS, FIFTH, THIRD),
    group_of(complement(Fraction(1, 5)), yes_no(Fraction(1, 2), "a"), THIRD),
    group_of(THREE_QUARTERS, question(Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))),
    group_of(THREE_QUARTERS, question(*SEVEN), THIRD),
    group_of(uniform(Fraction(1, 3)), PLAIN_FIFTH),
    group_of(uniform(Fraction(2, 3)), PLAIN_FIFTH, PLAIN_HALF),
    group_of(complement(Fraction(1)), FIFTH),
]


@pytest.mark.parametrize("group", GROUPS)
def test_the_belief_in_a_state_is_what_enumeration_says(group: GroupDisclosure) -> None:
    assert group.belief.after == surest_state(group)


def test_a_value_left_alone_makes_the_whole_group_certain() -> None:
    prior = (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))
    alone = replace(question(*prior, name="a"), coding=szucs_coding(prior))
    group = group_of(THREE_QUARTERS, alone, yes_no(Fraction(1, 2), "b"))
    assert group.belief.after == surest_state(group) == 1


def test_a_complement_group_leaves_two_candidates_and_one_outside_fact_leaves_one() -> None:
    group = group_of(THREE_QUARTERS, yes_no(Fraction(1, 5), "a"), yes_no(Fraction(1, 2), "b"))
    assert (group.candidates, group.epsilon, group.belief_with_outside_fact) == (2, inf, 1)


def test_one_question_has_no_outside_fact_but_itself() -> None:
    assert group_of(THREE_QUARTERS, yes_no(Fraction(1, 5))).belief_with_outside_fact is None


def test_under_uniform_an_outside_fact_is_bounded_by_epsilon() -> None:
    """Knowing one answer, the posterior odds of the other move by at most e^epsilon from the prior's."""
    first, second = PLAIN_FIFTH, PLAIN_HALF
    group = group_of(uniform(Fraction(2, 3)), first, second)
    after = group.belief_with_outside_fact
    assert after is not None
    # By enumeration: b is known to be what was sent for b; P(a is what was sent for a | response, b).
    transition = transition_of(group.group.channel, [first.coding, second.coding])
    joint = {truth: first.prior[truth] * transition[2 * truth][2] for truth in (0, 1)}
    expected_a = joint[1] / sum(joint.values())
    swapped = {truth: second.prior[truth] * transition[2 + truth][2] for truth in (0, 1)}
    assert after == max(expected_a, swapped[0] / sum(swapped.values()))
    assert log(after / (1 - after)) <= group.epsilon + log(4)
