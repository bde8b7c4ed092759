"""A tree predicts, lists its leaves, reads as text, and survives JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from collector.errors import ModelError
from collector.survey import Survey
from miner.tree import Leaf, Tree


@pytest.fixture
def tree() -> Tree:
    """Year in (first, second) against the rest; those who drink weekly apart; a second threshold on year."""
    counts = np.array([[10, 20], [8, 4], [2, 16], [1, 15], [1, 1], [0.5, 15.5], [0.5, -0.5]], float)
    probabilities = np.array([[0.3, 0.7], [0.7, 0.3], [0.1, 0.9], [0.1, 0.9], [0.5, 0.5], [0.0, 1.0], [1.0, 0.0]])
    children = [[1, 1, 2, 2], [], [3, 3, 4], [5, 5, 5, 6], [], [], []]
    return Tree.of([0, -1, 2, 0, -1, -1, -1], children, counts, probabilities)


def rows(*wanted: tuple[int, int]) -> np.ndarray[Any, np.dtype[np.int16]]:
    values = np.full((len(wanted), 6), -1, np.int16)
    values[:, [0, 2]] = wanted
    return values


def test_every_row_comes_to_rest_where_its_values_lead(tree: Tree) -> None:
    assert tree.apply(rows((0, 2), (1, 0), (2, 2), (2, 0), (3, 1))).tolist() == [1, 1, 4, 5, 6]
    assert tree.predict(rows((0, 2), (2, 0), (3, 1))).tolist() == [0, 1, 0]
    assert tree.predict_proba(rows((0, 0))).tolist() == [[0.7, 0.3]]


def test_a_tie_goes_to_the_first_class(tree: Tree) -> None:
    assert tree.predict(rows((2, 2))).tolist() == [0]


def test_an_unknown_value_rests_at_the_node_that_asks_for_it(tree: Tree) -> None:
    assert tree.apply(rows((-1, 0), (2, -1))).tolist() == [0, 2]


def test_leaves_carry_the_conjunction_of_their_path(tree: Tree) -> None:
    low, high = frozenset([0, 1]), frozenset([2, 3])
    assert tree.leaves() == [
        Leaf(1, {0: low}, 0),
        Leaf(5, {2: low, 0: frozenset([2])}, 1),
        Leaf(6, {2: low, 0: frozenset([3])}, 0),
        Leaf(4, {0: high, 2: frozenset([2])}, 0),
    ]
    assert tree.depth == 3


def test_leaves_share_out_every_row(tree: Tree) -> None:
    for first in range(4):
        for second in range(3):
            inside = [
                leaf.node for leaf in tree.leaves() if first in leaf.event[0] and second in leaf.event.get(2, {second})
            ]
            assert inside == tree.apply(rows((first, second))).tolist()


def test_rules_and_text_speak_the_words_of_the_survey(tree: Tree, wellbeing: Survey) -> None:
    assert tree.rules(wellbeing, "distress")[0] == "year in (first, second) -> distress = yes"
    assert tree.rules(wellbeing, "distress")[1] == ("drinking in (never, monthly) and year = third -> distress = no")
    assert tree.show(wellbeing, "distress").splitlines()[:3] == [
        "everybody",
        "  year in (first, second): yes (0.70 of 12.0)",
        "  year in (third, fourth)",
    ]


def test_a_tree_survives_json(tree: Tree, wellbeing: Survey) -> None:
    again = Tree.from_json(json.loads(json.dumps(tree.to_json())), wellbeing, "distress")
    assert again.to_json() == tree.to_json()
    assert again.apply(rows((3, 1), (2, 2))).tolist() == tree.apply(rows((3, 1), (2, 2))).tolist()


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("question", [0, -1], "parts of a tree"),
        ("question", [9, -1, 2, 0, -1, -1, -1], "does not ask|what the survey does not"),
        ("children", [[1, 1, 2, 2], [], [3, 3], [5, 5, 5, 6], [], [], []], "one child for each value"),
        ("children", [[1, 1, 2, 2], [], [3, 3, 2], [5, 5, 5, 6], [], [], []], "after its parent"),
        ("children", [[1, 1, 2, 7], [], [3, 3, 4], [5, 5, 5, 6], [], [], []], "after its parent"),
        ("counts", [[1, 2]], "do not fit"),
        ("probabilities", [[float("nan"), 0.0]] * 7, "not finite"),
        ("probabilities", "no", "parts of a tree"),
    ],
)
def test_what_is_no_tree_is_refused_in_words(
    tree: Tree, wellbeing: Survey, key: str, value: object, problem: str
) -> None:
    with pytest.raises(ModelError, match=problem):
        Tree.from_json({**tree.to_json(), key: value}, wellbeing, "distress")


def test_what_is_not_even_a_table_is_refused(wellbeing: Survey) -> None:
    with pytest.raises(ModelError, match="parts of a tree"):
        Tree.from_json([], wellbeing, "distress")
