"""What a tree's leaves weigh, walked together, is what each leaf's event weighs alone."""

from __future__ import annotations

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey.survey import Survey
from drawn_trees import random_responses, random_tree
from miner.counting.factors import largest_sum
from miner.responses.responses import Responses, codes_of_values
from miner.trees.paths import largest_sum_at_leaves, right_weights
from miner.trees.tree import Tree
from miner.weights.weights import ProductWeights
from small_surveys import mixed_survey, survey_of


def by_events(responses: Responses, tree: Tree, target: str) -> np.ndarray:
    survey = responses.survey
    weights = ProductWeights(responses)
    sums = np.zeros(len(responses))
    for leaf in tree.leaves():
        values = {survey.questions[index].name: wanted for index, wanted in leaf.event.items()}
        values[target] = frozenset({leaf.label})
        sums += weights.of({name: codes_of_values(survey.question(name), wanted) for name, wanted in values.items()})
    return sums


@pytest.mark.parametrize("target", ["distress", "debt", "drug", "sold", "year"])
@pytest.mark.parametrize("splits", [0, 1, 5, 40])
def test_walked_together_the_leaves_weigh_what_their_events_weigh(target: str, splits: int) -> None:
    survey = mixed_survey()
    responses = random_responses(survey, 200, seed=splits)
    tree = random_tree(survey, target, splits, seed=splits)
    found = right_weights(responses, tree, target)
    assert found == pytest.approx(by_events(responses, tree, target), abs=1e-12)
    assert found.shape == (200,)


def test_all_labels_together_weigh_one() -> None:
    survey = mixed_survey()
    responses = random_responses(survey, 100, seed=9)
    tree = random_tree(survey, "debt", 10, seed=9)
    total = np.zeros(100)
    for label in range(3):
        shares = np.tile(np.eye(3)[label], (len(tree), 1))
        same_label = Tree.of(tree.question.tolist(), tree.children(), shares, shares)
        total += right_weights(responses, same_label, "debt")
    assert total == pytest.approx(np.ones(100), abs=1e-12)


SCALE = 'kind = "scale"\nvalues = ["1", "2", "3"]\ncoding = "thresholds"'
SHARED = 'kind = "choice"\nvalues = ["a", "b", "c", "d"]\ncoding = "subsets-2"'
UNIFORM = 'truth = "2/5", channel = "uniform"'
CODED = survey_of(
    (SCALE, "a", UNIFORM),
    (SHARED, "b", UNIFORM),
    ('kind = "choice"\nvalues = ["a", "b", "c"]', "c", UNIFORM),
    (SCALE, "b", UNIFORM),
    ('kind = "yes_no"', "d", UNIFORM),
)


@pytest.mark.parametrize("splits", [1, 3, 8, 30])
@pytest.mark.parametrize(
    ("survey", "target"), [(mixed_survey(), "distress"), (CODED, "q4")], ids=["both channels", "codes that are shared"]
)
def test_weights_stay_within_the_range_that_intervals_reckon_with(survey: Survey, target: str, splits: int) -> None:
    for seed in range(10):
        tree = random_tree(survey, target, splits, seed)
        size = largest_sum_at_leaves(survey, tree, target)
        terms = right_weights(random_responses(survey, 300, seed), tree, target)
        assert terms.max() <= (1 + size) / 2 + 1e-12
        assert terms.min() >= (1 - size) / 2 - 1e-12


def test_the_range_is_that_of_the_questions_on_the_way_to_one_leaf() -> None:
    # q0 first, then q1 or q2: nobody's answer to both counts at the same leaf
    asked = [0, 1, 2, *[-1] * 7]
    shares = np.full((10, 2), 0.5)
    tree = Tree.of(asked, [[1, 2, 2], [3, 4, 5, 6], [7, 8, 9], *[[]] * 7], shares, shares)
    sizes = {name: largest_sum(CODED, ["q0", name], "q4") for name in ("q1", "q2")}
    assert largest_sum_at_leaves(CODED, tree, "q4") == max(sizes.values())
    assert max(sizes.values()) < largest_sum(CODED, ["q0", "q1", "q2"], "q4") / 2


def test_a_foreign_target_is_refused() -> None:
    survey = mixed_survey()
    with pytest.raises(QueryError, match='there is no question "age"'):
        right_weights(random_responses(survey, 3, seed=1), random_tree(survey, "debt", 1, 1), "age")
