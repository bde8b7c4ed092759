"""Channels: the inverse is exact, the weights are unbiased, and privacy and variance are what enumeration says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import inf, lcm, log, prod

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.exact_table import (
    Event,
    Matrix,
    event_weight,
    inverse_of,
    matches,
    share_replaced,
    states,
    states_sent,
    transition_of,
)
from channels import complement, uniform
from collector.channel.channel import REPLACEMENTS, Channel, channel
from collector.coding.coding import Coding, balanced_coding, plain_coding
from collector.errors import SurveyError
from soak import some_of

MOST_STATES = 64
THETAS = [Fraction(0), Fraction(1, 7), Fraction(3, 5), Fraction(99, 100), Fraction(1)]


def paired_coding(codes: int) -> Coding:
    """A balanced coding with this many codes: one pair for each value beyond the one that holds over half."""
    others = codes // 2
    return balanced_coding((Fraction(3, 4), *[Fraction(1, 4 * others)] * others))


def sizes(step: int) -> Iterator[tuple[int, ...]]:
    """The code counts of every group of one to three questions with at most 64 states."""
    for questions in (1, 2, 3):
        for counts in combinations_with_replacement(range(2, MOST_STATES + 1, step), questions):
            if prod(counts) <= MOST_STATES:
                yield counts


COMPLEMENT_GROUPS = [[paired_coding(count) for count in counts] for counts in sizes(2)]
UNIFORM_GROUPS = [[plain_coding(count) for count in counts] for counts in sizes(1)]
SMALL: list[tuple[Channel, list[Coding]]] = [
    (complement(Fraction(4, 5)), [paired_coding(2)]),
    (complement(Fraction(1, 3)), [paired_coding(4)]),
    (complement(Fraction(2, 3)), [paired_coding(2), paired_coding(2)]),
    (complement(Fraction(0)), [paired_coding(2), paired_coding(2)]),
    (uniform(Fraction(1, 3)), [plain_coding(4)]),
    (uniform(Fraction(3, 4)), [plain_coding(2), plain_coding(3)]),
    (uniform(Fraction(1, 9)), [plain_coding(2), plain_coding(2)]),
]


def integers(matrix: Matrix) -> tuple[NDArray[np.object_], int]:
    """An exact matrix as whole numbers over one denominator."""
    scale = lcm(*(entry.denominator for row in matrix for entry in row))
    rows = [[entry.numerator * (scale // entry.denominator) for entry in row] for row in matrix]
    return np.array(rows, dtype=object), scale


def is_inverse(disguise: Channel, codings: Sequence[Coding]) -> bool:
    transition, first = integers(transition_of(disguise, codings))
    inverse, second = integers(inverse_of(disguise, codings))
    identity = first * second * np.eye(len(transition), dtype=int).astype(object)
    return bool((transition @ inverse == identity).all())


@pytest.mark.parametrize("truth", THETAS)
def test_complement_channel_times_inverse_is_the_identity_on_every_group_up_to_64_states(truth: Fraction) -> None:
    assert all(is_inverse(complement(truth), codings) for codings in COMPLEMENT_GROUPS)


@pytest.mark.parametrize("truth", some_of((Fraction(1, 7), Fraction(3, 5), Fraction(1)), (Fraction(1, 7),)))
def test_uniform_channel_times_inverse_is_the_identity_on_every_group_up_to_64_states(truth: Fraction) -> None:
    assert all(is_inverse(uniform(truth), codings) for codings in UNIFORM_GROUPS)


def test_the_groups_enumerated_are_all_there_are() -> None:
    assert (len(COMPLEMENT_GROUPS), len(UNIFORM_GROUPS)) == (32 + 27 + 12, 63 + 80 + 38)
    assert max(len(states(codings)) for codings in COMPLEMENT_GROUPS + UNIFORM_GROUPS) == MOST_STATES


@pytest.mark.parametrize(("disguise", "codings"), SMALL)
def test_each_row_of_the_transition_is_a_distribution(disguise: Channel, codings: list[Coding]) -> None:
    for row in transition_of(disguise, codings):
        assert sum(row) == 1
        assert min(row) >= 0


def events(codings: Sequence[Coding]) -> Iterator[Event]:
    """Every event of a group: for each question none, or a set of its codes."""

    def choices(coding: Coding) -> list[frozenset[int] | None]:
        subsets = product((False, True), repeat=len(coding.codes))
        return [None, *(frozenset(c for c, kept in zip(coding.codes, each, strict=True) if kept) for each in subsets)]

    yield from product(*(choices(coding) for coding in codings))


@pytest.mark.parametrize(("disguise", "codings"), SMALL)
def test_the_weight_of_every_event_is_unbiased_for_every_truth(disguise: Channel, codings: list[Coding]) -> None:
    every, transition = states(codings), transition_of(disguise, codings)
    for event in events(codings):
        weights = [event_weight(disguise, sent, event, codings) for sent in every]
        for truth, row in zip(every, transition, strict=True):
            assert sum(p * w for p, w in zip(row, weights, strict=True)) == matches(truth, event)


@pytest.mark.parametrize(("disguise", "codings"), SMALL)
def test_the_signed_copies_are_unbiased_for_any_function(disguise: Channel, codings: list[Coding]) -> None:
    every, transition = states(codings), transition_of(disguise, codings)
    function = {codes: Fraction(index**3 - 7 * index, 5) for index, codes in enumerate(every)}
    own, replacement = disguise.weights(codings)
    assert own + replacement == 1
    copies = [
        own * function[sent]
        + replacement * sum(p * function[other] for other, p in states_sent(disguise.replacement, sent, codings))
        for sent in every
    ]
    for truth, row in zip(every, transition, strict=True):
        assert sum(p * copy for p, copy in zip(row, copies, strict=True)) == function[truth]


@pytest.mark.parametrize(("disguise", "codings"), SMALL)
def test_epsilon_is_the_largest_log_ratio_of_any_response_under_any_two_truths(
    disguise: Channel, codings: list[Coding]
) -> None:
    columns = list(zip(*transition_of(disguise, codings), strict=True))
    largest = max(log(max(column) / min(column)) if min(column) else inf for column in columns)
    assert disguise.epsilon(codings) == pytest.approx(largest)


@pytest.mark.parametrize(("disguise", "codings"), SMALL)
def test_the_variance_of_the_disguise_is_what_enumeration_says(disguise: Channel, codings: list[Coding]) -> None:
    every, transition = states(codings), transition_of(disguise, codings)
    weights = [index + 1 for index in range(len(every))]
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    event: Event = [frozenset(coding.codes[:1]) for coding in codings]
    square = sum(
        p * chance * event_weight(disguise, sent, event, codings) ** 2
        for p, row in zip(prior, transition, strict=True)
        for chance, sent in zip(row, every, strict=True)
    )
    share = sum((p for p, truth in zip(prior, every, strict=True) if matches(truth, event)), start=Fraction(0))
    replaced = [share_replaced(disguise.replacement, truth, event, codings) for truth in every]
    replacement = sum((p * r for p, r in zip(prior, replaced, strict=True)), start=Fraction(0))
    both = sum(
        (p * r for p, r, truth in zip(prior, replaced, every, strict=True) if matches(truth, event)), start=Fraction(0)
    )
    truth = disguise.truth(codings)
    assert disguise.replacement.variance(truth, share, replacement, both) == square - share


def test_known_epsilons() -> None:
    yes_no = [paired_coding(2)]
    assert complement(Fraction(3, 4)).epsilon(yes_no) == pytest.approx(log(3))
    assert complement(Fraction(1, 4)).epsilon(yes_no) == pytest.approx(log(3))
    assert uniform(Fraction(1, 2)).epsilon([plain_coding(2), plain_coding(4)]) == pytest.approx(log(9))
    assert complement(Fraction(1)).epsilon(yes_no) == inf
    assert uniform(Fraction(1)).epsilon([plain_coding(2)]) == inf


def test_a_complement_group_beyond_one_two_code_question_has_no_epsilon() -> None:
    disguise = complement(Fraction(3, 4))
    assert disguise.epsilon([paired_coding(4)]) == inf
    assert disguise.epsilon([paired_coding(2), paired_coding(2)]) == inf


def test_a_complement_response_leaves_exactly_two_candidates() -> None:
    codings = [paired_coding(4), paired_coding(2)]
    columns = zip(*transition_of(complement(Fraction(3, 4)), codings), strict=True)
    assert {sum(chance > 0 for chance in column) for column in columns} == {2}


REFUSED = [
    (
        "complement",
        Fraction(1, 2),
        (
            "truth: with a truth probability of 1/2 the responses say nothing about the answers; "
            "choose a truth probability away from 1/2, such as 3/4"
        ),
    ),
    ("complement", Fraction(-1, 9), "truth: -1/9 is not a probability; give a fraction from 0 to 1"),
    ("complement", Fraction(9, 8), "truth: 9/8 is not a probability; give a fraction from 0 to 1"),
    (
        "uniform",
        Fraction(0),
        (
            "truth: with a truth probability of 0 the responses say nothing about the answers; "
            "give a fraction above 0, such as 1/2"
        ),
    ),
    ("uniform", Fraction(2), "truth: 2 is not a probability; give a fraction from 0 to 1"),
    (
        "uniform",
        Fraction(1, 2**32 + 1),
        "truth: the fraction has a denominator above 2^32; give a simpler fraction, such as 3/4",
    ),
    ("laplace", Fraction(3, 4), "channel: there is no such channel; use one of: complement, uniform"),
]


@pytest.mark.parametrize(("name", "truth", "line"), REFUSED)
def test_a_channel_that_no_estimate_could_undo_is_refused(name: str, truth: Fraction, line: str) -> None:
    with pytest.raises(SurveyError) as raised:
        channel(name, truth)
    assert str(raised.value) == line


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_a_channel_is_found_by_its_name(name: str) -> None:
    assert channel(name, Fraction(3, 4)).name == name
