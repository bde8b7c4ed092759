"""Random decision trees: drawn without data, counted once, updated by adding."""

from __future__ import annotations

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.learners.random_trees import RandomTreesClassifier, random_structure
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.trees.tree import Tree
from miner.weights.layout import Disguise


def wellbeing_responses(survey: Survey, count: int, seed: int = 0) -> Responses:
    generator = np.random.default_rng(seed)
    values = np.column_stack([generator.integers(0, len(q.values), count) for q in survey.questions])
    values[:, 5] = values[:, 1] ^ (generator.random(count) < 0.1)
    return simulate(survey, values.astype(np.int16), generator)


def structure(tree: Tree) -> tuple[list[int], list[list[int]]]:
    return tree.question.tolist(), tree.children()


def test_structure_asks_each_question_once_on_a_path_to_the_depth_wanted(wellbeing: Survey) -> None:
    disguise = Disguise.of(wellbeing, "distress")
    tree = random_structure(disguise, 3, np.random.default_rng(1))
    assert {len(leaf.event) for leaf in tree.leaves()} == {3}
    assert 5 not in tree.question
    assert random_structure(disguise, 9, np.random.default_rng(1)).depth == 5


def test_structure_does_not_depend_on_what_people_answered(wellbeing: Survey) -> None:
    models = [
        RandomTreesClassifier(wellbeing, n_estimators=3, random_state=5).fit(
            wellbeing_responses(wellbeing, 200, seed).frame
        )
        for seed in (1, 2)
    ]
    assert [structure(tree) for tree in models[0].trees_] == [structure(tree) for tree in models[1].trees_]
    assert models[0].trees_[0].counts.tolist() != models[1].trees_[0].counts.tolist()


def test_counting_in_two_parts_is_counting_at_once(wellbeing: Survey) -> None:
    responses = wellbeing_responses(wellbeing, 600)
    once = RandomTreesClassifier(wellbeing, n_estimators=4, random_state=3).fit(responses.frame)
    twice = RandomTreesClassifier(wellbeing, n_estimators=4, random_state=3).partial_fit(responses.frame.head(250))
    twice.partial_fit(responses.frame.tail(350))
    for whole, parts in zip(once.trees_, twice.trees_, strict=True):
        assert parts.counts == pytest.approx(whole.counts)
        assert parts.probabilities == pytest.approx(whole.probabilities)


def test_counts_of_children_add_up_to_their_parent(wellbeing: Survey) -> None:
    model = RandomTreesClassifier(wellbeing, n_estimators=2, random_state=3).fit(
        wellbeing_responses(wellbeing, 500).frame
    )
    for tree in model.trees_:
        assert tree.counts[0].sum() == pytest.approx(500)
        for node, children in enumerate(tree.children()):
            if children:
                assert tree.counts[children].sum(axis=0) == pytest.approx(tree.counts[node])


def test_it_learns_what_there_is_to_learn(wellbeing: Survey) -> None:
    """Cannabis tells the class but for one in ten; chance of failing below 1e-6."""
    model = RandomTreesClassifier(wellbeing, random_state=1).fit(wellbeing_responses(wellbeing, 4000).frame)
    values = np.column_stack([np.random.default_rng(9).integers(0, len(q.values), 500) for q in wellbeing.questions])
    predicted = np.mean([tree.predict_proba(values.astype(np.int16)) for tree in model.trees_], axis=0).argmax(axis=1)
    assert (predicted == values[:, 1]).mean() > 0.9


def test_no_trees_are_refused(wellbeing: Survey) -> None:
    with pytest.raises(QueryError, match="n_estimators: "):
        RandomTreesClassifier(wellbeing, n_estimators=0).fit(wellbeing_responses(wellbeing, 20).frame)
