"""Class counts of a level against the exact product weights, and what they must add up to."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from numpy.typing import NDArray

from collector.survey import Survey
from miner.counts import Level
from miner.responses import codes_of_values
from miner.tree import LEAF, Event

GENERATOR = np.random.default_rng(20)


def some_codes(survey: Survey, responses: int = 60) -> NDArray[np.int16]:
    columns = [GENERATOR.choice(question.codes, responses) for question in survey.questions]
    return np.column_stack(columns).astype(np.int16)


def exact_count(survey: Survey, codes: NDArray[np.int16], event: Event) -> Fraction:
    """Sum over responses of the product over groups of w_g, in fractions."""
    wanted = {
        survey.questions[index].name: codes_of_values(survey.questions[index], values)
        for index, values in event.items()
    }
    columns = {question.name: number for number, question in enumerate(survey.questions)}
    plain = [name for name in wanted if survey.group_of(name) is None]
    total = Fraction(0)
    for row in codes.tolist():
        if any(row[columns[name]] not in wanted[name] for name in plain):
            continue
        total += prod(
            (
                group.channel.event_weight(
                    tuple(row[columns[name]] for name in group.questions),
                    [wanted.get(name) for name in group.questions],
                    [question.coding for question in survey.members(group)],
                )
                for group in survey.groups
            ),
            start=Fraction(1),
        )
    return total


def split_all(level: Level, question: int, kinds: int) -> Level:
    return level.descended(np.array([question], np.int32), np.arange(kinds, dtype=np.int32)[None, :])


@pytest.mark.parametrize("target", ["distress", "cannabis", "year", "income"])
def test_counts_at_the_root_are_the_product_weights(wellbeing: Survey, target: str) -> None:
    codes = some_codes(wellbeing)
    level = Level.at_root(wellbeing, codes, target)
    features = level.disguise.features
    counts = level.counts(1, features)
    for column, question in enumerate(features):
        for value in range(level.disguise.kinds[question]):
            for cls in range(level.disguise.classes):
                event = {question: frozenset([value]), level.disguise.target: frozenset([cls])}
                assert counts[0, column, value, cls] == pytest.approx(float(exact_count(wellbeing, codes, event)))


@pytest.mark.parametrize(("target", "first"), [("distress", "income"), ("cannabis", "drinking"), ("debt", "cannabis")])
def test_counts_below_a_split_are_the_product_weights(wellbeing: Survey, target: str, first: str) -> None:
    codes = some_codes(wellbeing)
    level = Level.at_root(wellbeing, codes, target)
    asked = wellbeing.questions.index(wellbeing.question(first))
    kinds = level.disguise.kinds
    below = split_all(level, asked, kinds[asked])
    others = [question for question in level.disguise.features if question != asked]
    counts = below.counts(kinds[asked], others)
    for node in range(kinds[asked]):
        for column, question in enumerate(others):
            event = {
                asked: frozenset([node]),
                question: frozenset([kinds[question] - 1]),
                level.disguise.target: frozenset([0]),
            }
            expected = float(exact_count(wellbeing, codes, event))
            assert counts[node, column, kinds[question] - 1, 0] == pytest.approx(expected)


def test_children_add_up_to_their_parent(wellbeing: Survey) -> None:
    level = Level.at_root(wellbeing, some_codes(wellbeing), "distress")
    for question in (3, 1, 2, 0):
        nodes = int(level.node.max()) + 1
        totals = level.totals(nodes)
        kinds = level.disguise.kinds[question]
        assert level.counts(nodes, [question]).sum(axis=2)[:, 0] == pytest.approx(totals)
        child = np.arange(nodes * kinds, dtype=np.int32).reshape(nodes, kinds)
        level = level.descended(np.full(nodes, question, np.int32), child)
        assert level.totals(nodes * kinds).reshape(nodes, kinds, -1).sum(axis=1) == pytest.approx(totals)


def test_groups_that_no_path_has_touched_are_not_expanded(wellbeing: Survey) -> None:
    codes = some_codes(wellbeing, 50)
    level = Level.at_root(wellbeing, codes, "year")
    assert len(level.node) == len(codes)
    assert len(split_all(level, 1, 2).node) == 2 * len(codes)


def test_plain_rows_count_what_they_weigh_whatever_the_survey(wellbeing: Survey) -> None:
    values = np.column_stack([GENERATOR.integers(0, len(q.values), 40) for q in wellbeing.questions]).astype(np.int16)
    weight = GENERATOR.random(40)
    level = Level.of_plain(wellbeing, values, "distress", weight)
    counts = level.counts(1, [3])
    for value in range(4):
        for cls in range(2):
            match = (values[:, 3] == value) & (values[:, 5] == cls)
            assert counts[0, 0, value, cls] == pytest.approx(weight[match].sum())
    assert len(split_all(level, 3, 4).node) == 40


def test_entries_of_nodes_that_do_not_split_stay_behind(wellbeing: Survey) -> None:
    level = Level.at_root(wellbeing, some_codes(wellbeing), "distress")
    assert len(level.descended(np.array([LEAF], np.int32), np.zeros((1, 4), np.int32)).node) == 0
