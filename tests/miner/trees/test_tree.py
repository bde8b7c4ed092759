"""A tree predicts, lists its leaves, reads as text, and survives JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from collector.errors import DeniableError
from collector.survey.survey import Survey
from miner.drawing.tree import drawing
from miner.responses.condition import parse_condition
from miner.trees.tree import Leaf, Tree, count_text, event_text
from small_surveys import survey_of


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
    assert tree.rules(wellbeing, "distress")[0] == "year < third -> distress = yes"
    assert tree.rules(wellbeing, "distress")[1] == ("drinking < weekly and year = third -> distress = no")
    assert tree.show(wellbeing, "distress").splitlines()[:3] == [
        "everybody",
        "  year < third: yes (0.70 of 12.0)",
        "  year >= third",
    ]


def test_an_end_where_hardly_anybody_is_estimated_to_come_says_so(tree: Tree, wellbeing: Survey) -> None:
    assert tree.counts[6].sum() == 0
    assert "year = fourth: yes (1.00 of too few to tell)" in tree.show(wellbeing, "distress")
    assert [count_text(count) for count in (-1.7, 0.0, 0.9, 1.0, 12.34)] == ["too few to tell"] * 3 + ["1.0", "12.3"]
    drawn = drawing(tree, wellbeing, "distress")
    assert "1.00 of too few to tell" in drawn
    assert "of 0.0" not in drawn


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({0: [0]}, "year = first"),
        ({0: [0, 1]}, "year < third"),
        ({0: [1, 2]}, "year >= second and year < fourth"),
        ({0: [2, 3]}, "year >= third"),
        ({0: [0, 2]}, "year in (first, third)"),
        ({3: [0, 1]}, "income < 800"),
        ({3: [1, 2]}, "income >= 400 and income < 1500"),
        ({3: [2, 3], 1: [0]}, "income >= 800 and cannabis = yes"),
        ({}, "everybody"),
    ],
)
def test_conditions_are_written_as_miner_estimate_reads_them(
    event: dict[int, list[int]], text: str, wellbeing: Survey
) -> None:
    found = event_text(wellbeing, {question: frozenset(values) for question, values in event.items()})
    assert found == text
    if event:
        named = {wellbeing.questions[question].name: frozenset(values) for question, values in event.items()}
        assert parse_condition(wellbeing, text) == named


@pytest.mark.parametrize(
    "values", [("very poor", "poor", "and"), ("a,b", 'say "no"', "in (x)"), ("1 to 2", "é à", "=")]
)
@pytest.mark.parametrize("kind", ["choice", "scale"])
def test_values_of_several_words_are_written_as_conditions_read_them(values: tuple[str, ...], kind: str) -> None:
    listed = ", ".join(json.dumps(value, ensure_ascii=False) for value in values)
    survey = survey_of((f'kind = "{kind}"\nvalues = [{listed}]\nsensitive = false', "", ""))
    for wanted in ({0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}):
        text = event_text(survey, {0: frozenset(wanted)})
        assert parse_condition(survey, text) == {"q0": frozenset(wanted)}


def test_a_tree_that_is_cut_keeps_the_rest_as_it_was(tree: Tree, wellbeing: Survey) -> None:
    short = tree.cut([3])
    assert short.question.tolist() == [0, -1, 2, -1, -1]
    assert short.contradiction(wellbeing) is None
    assert short.predict_proba(rows((2, 0), (2, 2), (0, 0))).tolist() == [[0.1, 0.9], [0.5, 0.5], [0.7, 0.3]]
    assert len(tree.cut([0])) == 1
    assert tree.cut([]).to_json() == tree.to_json()
    leaves = (tree.question == -1).astype(float)[:, None]
    assert tree.summed(leaves)[:, 0].tolist() == [4, 1, 3, 2, 1, 1, 1]


def test_a_tree_survives_json(tree: Tree, wellbeing: Survey) -> None:
    again = Tree.from_json(json.loads(json.dumps(tree.to_json())), wellbeing, "distress")
    assert again.to_json() == tree.to_json()
    assert again.apply(rows((3, 1), (2, 2))).tolist() == tree.apply(rows((3, 1), (2, 2))).tolist()


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("question", [0, -1], "counts: the model does not have 2 x 2 finite numbers"),
        ("question", [9, -1, 2, 0, -1, -1, -1], "does not ask|what the survey does not"),
        ("children", [[1, 1, 2, 2], [], [3, 3], [5, 5, 5, 6], [], [], []], "one child for each value"),
        ("children", [[1, 1, 2, 2], [], [3, 3, 2], [5, 5, 5, 6], [], [], []], "after its parent"),
        ("children", [[1, 1, 2, 7], [], [3, 3, 4], [5, 5, 5, 6], [], [], []], "after its parent"),
        ("counts", [[1, 2]], "counts: the model does not have 7 x 2 finite numbers"),
        ("children", [[]] * 7, "a complete tree"),
        ("probabilities", [[0.5, 0.6]] * 7, "no probabilities"),
        ("probabilities", [[float("nan"), 0.0]] * 7, "probabilities: the model does not have 7 x 2 finite numbers"),
        ("probabilities", "no", "probabilities: it is not a list"),
    ],
)
def test_what_is_no_tree_is_refused_in_words(
    tree: Tree, wellbeing: Survey, key: str, value: object, problem: str
) -> None:
    with pytest.raises(DeniableError, match=problem):
        Tree.from_json({**tree.to_json(), key: value}, wellbeing, "distress")


def test_what_is_not_even_a_table_is_refused(wellbeing: Survey) -> None:
    with pytest.raises(DeniableError, match="tree: "):
        Tree.from_json([], wellbeing, "distress")
