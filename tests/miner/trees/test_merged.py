"""A tree as people read it: the same predictions, and no split that changes none of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from miner.learners.id3 import ID3Classifier
from miner.responses.responses import Values
from miner.simulation.simulation import simulate
from miner.trees.tree import LEAF, Tree
from mode_surveys import bits_survey

YES, NO = [0.2, 0.8], [0.9, 0.1]


def tree_of(question: list[int], children: list[list[int]], shares: list[list[float]], sizes: list[float]) -> Tree:
    probabilities = np.array(shares)
    return Tree.of(question, children, probabilities * np.array(sizes)[:, None], probabilities)


def every_row(*kinds: int) -> Values:
    return np.array(list(itertools.product(*map(range, kinds))), np.int16)


def grown_at_random(rng: np.random.Generator, kinds: list[int]) -> Tree:
    """A tree of binary splits that may ask a question again."""
    question: list[int] = []
    children: list[list[int]] = []
    waiting = [0]
    while waiting:
        node = waiting.pop(0)
        inner = len(question) + len(waiting) < 40 and rng.random() < 0.9
        asked = int(rng.integers(len(kinds))) if inner else LEAF
        side = rng.integers(2, size=kinds[asked]) if inner else np.zeros(0, np.int64)
        first = node + len(waiting) + 1
        kids = [first + int(each) for each in side]
        new = sorted(set(kids))
        kids = [first + new.index(each) for each in kids]
        question.append(asked)
        children.append(kids)
        waiting += range(first, first + len(new))
    counts = rng.gamma(1.0, 10.0, size=(len(question), 3))
    for node in range(len(question) - 1, -1, -1):
        if children[node]:
            counts[node] = counts[sorted(set(children[node]))].sum(axis=0)
    return Tree.of(question, children, counts, counts / counts.sum(axis=1, keepdims=True))


def test_answers_that_lead_to_one_class_share_a_leaf_with_their_counts_added() -> None:
    tree = tree_of([0, LEAF, LEAF, LEAF], [[1, 2, 3], [], [], []], [YES, YES, [0.4, 0.6], NO], [40, 10, 20, 10])
    merged = tree.merged()
    assert [(sorted(leaf.event[0]), leaf.label) for leaf in merged.leaves()] == [([0, 1], 1), ([2], 0)]
    assert merged.counts[1].tolist() == pytest.approx([10, 20])
    assert merged.probabilities[1].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert len(tree) == 4


def test_a_split_whose_sides_predict_the_same_is_not_read() -> None:
    """The first question changes no prediction, and the second tells all."""
    question, children = [0, 1, 1, *[LEAF] * 4], [[1, 2], [3, 4], [5, 6], [], [], [], []]
    merged = tree_of(question, children, [YES, YES, YES, YES, NO, YES, NO], [40, 20, 20, 5, 15, 12, 8]).merged()
    assert merged.question.tolist() == [1, LEAF, LEAF]
    assert merged.counts.sum(axis=1).tolist() == pytest.approx([40, 17, 23])


def test_thresholds_on_one_question_below_another_are_read_as_one_split() -> None:
    question, children = [0, LEAF, 0, LEAF, LEAF], [[1, 2, 2, 2], [], [3, 3, 3, 4], [], []]
    merged = tree_of(question, children, [YES, YES, NO, NO, YES], [40, 10, 30, 20, 10]).merged()
    assert [sorted(leaf.event[0]) for leaf in merged.leaves()] == [[0, 3], [1, 2]]


@pytest.mark.parametrize("seed", range(30))
def test_a_merged_tree_predicts_the_same_and_is_merged_already(seed: int) -> None:
    rng, kinds = np.random.default_rng(seed), [2, 3, 4, 3]
    tree, rows = grown_at_random(rng, kinds), every_row(*kinds)
    merged = tree.merged()
    np.testing.assert_array_equal(merged.predict(rows), tree.predict(rows))
    assert len(merged) <= len(tree)
    assert len(merged.merged()) == len(merged)
    np.testing.assert_allclose(merged.probabilities.sum(axis=1), 1)
    classes = merged.summed(np.eye(3)[merged.label] * (merged.question == LEAF)[:, None])
    assert ((classes > 0).sum(axis=1) > 1).tolist() == (merged.question != LEAF).tolist()


def test_a_truth_of_four_rules_is_read_as_few_rules_and_the_model_keeps_its_tree() -> None:
    """Two of seven questions tell the class, nine times in ten; the tree splits on the others, too."""
    rng, survey = np.random.default_rng(5), bits_survey(8, "9/10")
    rows = rng.integers(0, 2, (3_000, 8)).astype(np.int16)
    rows[:, 7] = (rows[:, 0] & rows[:, 1]) ^ (rng.random(3_000) < 0.1)
    responses = simulate(survey, rows, np.random.default_rng(6))
    model = ID3Classifier(survey, mode="latent", random_state=1).fit(responses)
    grown, read = len(model.tree_.leaves()), model.tree_.rules(survey, "q7")
    assert grown > len(read)
    assert len(read) <= 4
    assert len(Tree.from_json(model.learnt["tree"], survey, "q7").leaves()) == grown
    assert sum(": " in line for line in model.text.splitlines()) == len(read)
