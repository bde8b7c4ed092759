"""Pruning keeps what is best on the responses kept out, and nothing that they do not speak for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey.survey import Survey
from drawn_trees import random_responses, random_tree
from miner.evaluation.accuracy import tree_accuracy
from miner.learners.id3 import ID3Classifier
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.trees.prune import pruned
from miner.trees.tree import LEAF, Tree
from small_surveys import mixed_survey, survey_of


def every_pruning(tree: Tree) -> Iterator[Tree]:
    """Every tree that some of the splits of a tree make."""
    splits = np.flatnonzero(tree.question != LEAF).tolist()
    for cut in chain.from_iterable(combinations(splits, size) for size in range(len(splits) + 1)):
        yield tree.cut(cut)


@pytest.mark.parametrize("target", ["distress", "debt", "drug", "year"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_other_pruning_is_estimated_to_be_right_more_often(target: str, seed: int) -> None:
    survey = mixed_survey()
    tree = random_tree(survey, target, 7, seed)
    judges = random_responses(survey, 60, seed)
    found = pruned(tree, judges, target)
    best = max(tree_accuracy(judges, each, target).estimate for each in every_pruning(tree))
    assert tree_accuracy(judges, found, target).estimate == pytest.approx(best, abs=1e-12)
    smallest = min(
        len(each)
        for each in every_pruning(tree)
        if tree_accuracy(judges, each, target).estimate == pytest.approx(best, abs=1e-12)
    )
    assert len(found) == smallest


def test_what_is_cut_predicts_what_the_node_did() -> None:
    survey = mixed_survey()
    tree = random_tree(survey, "distress", 9, 4)
    found = pruned(tree, random_responses(survey, 50, 4), "distress")
    assert 1 < len(found) < len(tree)
    nodes = {node: event for node, event, _ in tree.walk()}
    for leaf in found.leaves():
        (same,) = [node for node, event in nodes.items() if dict(event) == dict(leaf.event)][:1]
        assert (tree.probabilities[same] == found.probabilities[leaf.node]).all()
        assert (tree.counts[same] == found.counts[leaf.node]).all()


def test_nodes_that_no_response_kept_out_speaks_for_are_cut() -> None:
    how = 'truth = "1"'
    survey = survey_of(('kind = "yes_no"', "a", how), ('kind = "yes_no"', "a", how), ('kind = "yes_no"', "a", how))
    counts = np.array([[5, 5], [1, 4], [4, 1], [0, 4], [1, 0]], float)
    tree = Tree.of([0, 1, -1, -1, -1], [[1, 2], [3, 4], [], [], []], counts, counts / counts.sum(axis=1)[:, None])
    nobody_says_yes = Responses(survey, np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]], np.int16))
    assert len(pruned(tree, nobody_says_yes, "q2")) == 1
    everybody = Responses(survey, np.array([[0, 0, 1], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]], np.int16))
    assert pruned(tree, everybody, "q2").to_json() == tree.to_json()


def noisy(survey: Survey, count: int, seed: int) -> Responses:
    """Answers that say nothing of the target, which three in four answer with its first value."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, len(question.values), count) for question in survey.questions]
    columns[-1] = (rng.random(count) > 0.75).astype(int)
    return simulate(survey, np.column_stack(columns).astype(np.int16), rng)


@pytest.mark.parametrize("splits", ["multiway", "binary"])
def test_a_tree_grown_on_noise_is_mostly_pruned_away(splits: str) -> None:
    survey = mixed_survey()
    frame = noisy(survey, 1500, 5).frame
    model = ID3Classifier(survey, mode="faithful", splits=splits, random_state=1)
    whole = model.fit(frame).tree_
    less = model.set_params(prune_share=0.5).fit(frame).tree_
    assert len(less) < len(whole) / 2


def test_responses_to_prune_on_are_not_grown_on() -> None:
    survey = mixed_survey()
    sent = noisy(survey, 200, 6)
    model = ID3Classifier(survey, mode="faithful", prune_share=0.25, random_state=9).fit(sent.frame)
    dealt = np.random.default_rng(9).permutation(200)
    judges, learnt = sent.take(np.sort(dealt[:50])), sent.take(np.sort(dealt[50:]))
    grown = ID3Classifier(survey, mode="faithful").fit(learnt.frame).tree_
    assert model.tree_.to_json() == pruned(grown, judges, "distress").to_json()


def test_what_cannot_be_pruned_is_refused_in_words() -> None:
    survey = mixed_survey()
    sent = noisy(survey, 20, 7)
    for share in (0, 1, -0.5, 2):
        with pytest.raises(QueryError, match="prune_share: "):
            ID3Classifier(survey, prune_share=share).fit(sent.frame)
    with pytest.raises(QueryError, match="disguised responses"):
        ID3Classifier(survey, prune_share=0.5).fit(PlainRows.of(survey, np.zeros((3, 5), np.int16)))
