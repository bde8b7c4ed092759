"""Class counts of a level against the exact product weights, and what they must add up to."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.exact_table import event_weight
from collector.survey.survey import Survey
from drawn_trees import random_responses, random_tree
from miner.responses.responses import codes_of_values
from miner.trees.counts import Level
from miner.trees.tree import LEAF, Event
from small_surveys import mixed_survey

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
                event_weight(
                    group.channel,
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
        nodes = int(level.entries.node.max()) + 1
        totals = level.totals(nodes)
        kinds = level.disguise.kinds[question]
        assert level.counts(nodes, [question]).sum(axis=2)[:, 0] == pytest.approx(totals)
        child = np.arange(nodes * kinds, dtype=np.int32).reshape(nodes, kinds)
        level = level.descended(np.full(nodes, question, np.int32), child)
        assert level.totals(nodes * kinds).reshape(nodes, kinds, -1).sum(axis=1) == pytest.approx(totals)


def test_groups_that_no_path_has_touched_are_not_expanded(wellbeing: Survey) -> None:
    codes = some_codes(wellbeing, 50)
    level = Level.at_root(wellbeing, codes, "year")
    assert len(level.entries.node) == len(codes)
    assert len(split_all(level, 1, 2).entries.node) == 2 * len(codes)


def test_plain_rows_count_what_they_weigh_whatever_the_survey(wellbeing: Survey) -> None:
    values = np.column_stack([GENERATOR.integers(0, len(q.values), 40) for q in wellbeing.questions]).astype(np.int16)
    weight = GENERATOR.random(40)
    level = Level.of_plain(wellbeing, values, "distress", weight)
    counts = level.counts(1, [3])
    for value in range(4):
        for cls in range(2):
            match = (values[:, 3] == value) & (values[:, 5] == cls)
            assert counts[0, 0, value, cls] == pytest.approx(weight[match].sum())
    assert len(split_all(level, 3, 4).entries.node) == 40


def test_entries_of_nodes_that_do_not_split_stay_behind(wellbeing: Survey) -> None:
    level = Level.at_root(wellbeing, some_codes(wellbeing), "distress")
    assert len(level.descended(np.array([LEAF], np.int32), np.zeros((1, 4), np.int32)).entries.node) == 0


@pytest.mark.parametrize("target", ["distress", "debt", "drug", "year"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_at_the_leaves_of_any_tree_counts_are_the_product_weights(target: str, seed: int) -> None:
    """Also where a question is asked again, of a group whose replacements are uniform draws."""
    survey = mixed_survey()
    sent, tree = random_responses(survey, 40, seed), random_tree(survey, target, 12, seed)
    level = Level.at_root(survey, sent.codes, target)
    counts = level.landed(tree).totals(len(tree))
    for leaf in tree.leaves():
        for cls in range(level.disguise.classes):
            event = {**leaf.event, level.disguise.target: frozenset([cls])}
            assert counts[leaf.node, cls] == pytest.approx(float(exact_count(survey, sent.codes, event)), abs=1e-9)


def test_on_the_way_down_a_question_is_counted_by_the_values_that_are_left() -> None:
    survey = mixed_survey()
    codes = random_responses(survey, 50, 4).codes
    level = Level.at_root(survey, codes, "distress")
    debt, target = 3, level.disguise.target
    below = level.descended(np.array([debt], np.int32), np.array([[0, 1, 1]], np.int32))
    assert below.admitted[:, debt].tolist() == [[True, False, False], [False, True, True]]
    cells = below.cells(2, [debt, 0])
    for node, left in enumerate(([0], [1, 2])):
        for value in range(3):
            for cls in range(2):
                event = {debt: frozenset([value]), target: frozenset([cls])}
                expected = float(exact_count(survey, codes, event)) if value in left else 0.0
                assert cells.counts[node, 0, value, cls] == pytest.approx(expected, abs=1e-9)
    assert cells.counts[:, 0].sum(axis=1) == pytest.approx(below.totals(2))
    assert cells.counts[:, 1].sum(axis=1) == pytest.approx(below.totals(2))


def test_many_entries_are_counted_alike_on_threads(wellbeing: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    level = Level.at_root(wellbeing, some_codes(wellbeing, 300), "distress")
    alone = level.cells(1, level.disguise.features)
    monkeypatch.setattr("miner.trees.counts.FEW", 0)
    for one, other in zip(alone, level.cells(1, level.disguise.features), strict=True):
        assert (one == other).all()
