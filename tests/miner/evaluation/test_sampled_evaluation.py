"""Split questionnaires: what is measured of trees and other classifiers is unbiased over every draw, code and coin."""

from __future__ import annotations

import json
from math import isnan, lcm, nan

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from drawn_trees import random_tree
from every_draw import YES_NO, Sent, designs, sent_by, split_survey, truths
from miner.counting.factors import factors_of
from miner.evaluation.accuracy import copies_accuracy, tree_accuracy
from miner.evaluation.copies import Copies
from miner.evaluation.importances import permutation_importances
from miner.evaluation.measures import evaluate
from miner.figures.estimate import NOT_KNOWN, Estimate
from miner.responses.responses import NOT_ASKED, Responses, Values
from miner.simulation.simulation import simulate
from miner.trees.paths import leaf_weights, right_weights
from miner.trees.tree import Tree
from soak import likely, part_of

DESIGNS = designs()
TARGETS = dict(zip(DESIGNS, ("q3", "q1", "q0", "q2", "q1", "q0", "q0"), strict=True))


@pytest.fixture(params=list(DESIGNS))
def design(request: pytest.FixtureRequest) -> tuple[Survey, str]:
    return DESIGNS[request.param], TARGETS[request.param]


def population(survey: Survey, values: tuple[int, ...]) -> tuple[Responses, np.ndarray]:
    """Everything that people with these values may send, and how many of each there are where chance is just so."""
    every = list(sent_by(survey, values))
    rows = [row for _, sent in every for row in sent]
    chances = np.array([float(chance) / len(every) for _, sent in every for chance in sent.values()])
    return Responses(survey, np.array(rows, np.int16)), chances * 1e6


def few_questions(tree: Tree, survey: Survey, target: str) -> bool:
    """Whether somebody is asked all questions on the way to every leaf, and the target."""
    return all(survey.asking_probability({*leaf.event, target}) > 0 for leaf in tree.leaves())


@pytest.mark.parametrize("seed", range(4))
def test_a_trees_accuracy_is_unbiased_for_every_truth(design: tuple[Survey, str], seed: int) -> None:
    survey, target = design
    trees = [random_tree(survey, target, splits, 10 * seed + splits) for splits in (0, 1, 1, 2, 3)]
    trees = [tree for tree in trees if few_questions(tree, survey, target)]
    column = [question.name for question in survey.questions].index(target)
    for values in truths(survey):
        responses, counts = population(survey, values)
        asked = np.array(values, np.int16)[None]
        for tree in trees:
            right = float(tree.predict(asked)[0] == values[column])
            terms = right_weights(responses, tree, target, counts)
            assert counts @ terms / counts.sum() == pytest.approx(right, abs=1e-9)


def test_what_arrives_at_leaves_adds_up_and_is_unbiased(design: tuple[Survey, str]) -> None:
    survey, target = design
    tree = random_tree(survey, target, 1, 3)
    place = np.arange(len(tree.question))
    column = [question.name for question in survey.questions].index(target)
    for values in list(truths(survey))[::3]:
        responses, counts = population(survey, values)
        mean = np.tensordot(counts, leaf_weights(responses, tree, target, place, counts), 1) / counts.sum()
        expected = np.zeros_like(mean)
        leaf = next(each for each in tree.leaves() if all(values[q] in wanted for q, wanted in each.event.items()))
        expected[leaf.node, values[column]] = 1
        assert mean == pytest.approx(expected, abs=1e-9)


def repeated(survey: Survey, sent: Sent) -> Responses:
    """Each response as often as it is likely, in whole numbers."""
    times = lcm(*(chance.denominator for chance in sent.values()))
    rows = np.repeat(np.array(list(sent), np.int16), [int(chance * times) for chance in sent.values()], axis=0)
    return Responses(survey, rows)


def test_signed_copies_of_those_asked_all_are_unbiased_for_any_function(design: tuple[Survey, str]) -> None:
    survey, target = design
    names = [question.name for question in survey.questions]
    column, rng = names.index(target), np.random.default_rng(1)
    other = next(name for name in names if name != target)
    table = rng.random((7, 7))
    for values in list(truths(survey))[::2]:
        draws = [(asked, sent) for asked, sent in sent_by(survey, values) if {target, other} <= set(asked)]
        for _, sent in draws:
            responses = repeated(survey, sent)
            if len(responses) > 100_000:
                continue
            copies, rows = Copies.of(responses, target, [other], rng)
            classes = len(survey.question(target).values)
            terms = copies.terms(table[rows[copies.place, names.index(other)], :classes])
            meant = table[values[names.index(other)], values[column]]
            assert copies.counts @ terms / copies.counts.sum() == pytest.approx(meant, abs=1e-9)
            assert copies.weight.sum(axis=(1, 2)) == pytest.approx(1)
            assert np.abs(copies.weight).sum(axis=(1, 2)).max() <= copies.size + 1e-9


def test_drawn_copies_weigh_what_all_do_on_average(design: tuple[Survey, str]) -> None:
    survey, target = design
    other = next(question.name for question in survey.questions if question.name != target)
    some = simulate(survey, np.zeros((200, len(survey.questions)), np.int16), np.random.default_rng(2))
    some = some.among_asked([target, other])
    for part in factors_of(survey, [other], target, some.codes):
        if part.target not in part.columns:
            continue
        every = part.listed
        assert every is not None
        drawn = part.drawn(4000, np.random.default_rng(3))
        for cls in range(len(survey.question(target).values)):
            exact = np.broadcast_to(every.weight[:, :, cls].sum(axis=1), len(every.place))[part.kind]
            found = np.broadcast_to(drawn.weight[:, :, cls].mean(axis=1), len(some))
            assert found == pytest.approx(exact, abs=6 * part.size / np.sqrt(4000))


@pytest.mark.statistical
def test_a_trees_standard_error_is_its_deviation_over_disguises() -> None:
    survey, target, times = DESIGNS["one coin for some, the class with it"], "q0", part_of(300, 60)
    rng = np.random.default_rng(11)
    values = np.stack([rng.integers(0, len(question.values), 1500) for question in survey.questions], axis=1)
    values[:, 0] = np.where(rng.random(1500) < 0.8, values[:, 3], values[:, 0])
    tree = Tree.of([3, -1, -1], [[1, 2], [], []], np.eye(2)[[0, 0, 1]], np.eye(2)[[0, 0, 1]])
    found = [
        tree_accuracy(simulate(survey, values[rng.integers(0, 1500, 1500)].astype(np.int16), rng), tree, target)
        for _ in range(times)
    ]
    errors = np.array([each.standard_error for each in found], float)
    truth = float((values[:, 3] == values[:, 0]).mean())
    estimates = np.array([each.estimate for each in found])
    # a deviation of 300 is off by 4.1 %, one of 60 by 9.1 %: each fails once in 16,000
    assert estimates.std() == pytest.approx(errors.mean(), rel=0.165 * np.sqrt(300 / times))
    assert estimates.mean() == pytest.approx(truth, abs=4 * errors.mean() / np.sqrt(times))
    covered = np.mean([each.interval[0] <= truth <= each.interval[1] for each in found if each.interval])
    least, most = likely(times)
    assert least <= covered * times <= most


def test_the_ways_to_a_trees_accuracy_agree() -> None:
    survey, target = DESIGNS["complement groups, the class always"], "q3"
    rng = np.random.default_rng(4)
    values: Values = np.stack([rng.integers(0, len(each.values), 900) for each in survey.questions], axis=1).astype(
        np.int16
    )
    sent, tree = simulate(survey, values, rng), random_tree(survey, target, 1, 5)
    found = tree_accuracy(sent, tree, target)
    again = evaluate(sent, tree, target, rng=rng).accuracy
    assert again.estimate == pytest.approx(found.estimate)
    assert again.standard_error == pytest.approx(found.standard_error)
    assert again.interval == pytest.approx(found.interval)
    importances = permutation_importances(sent, tree, target, rng=np.random.default_rng(0))
    used = {survey.questions[index].name for index in tree.question.tolist() if index >= 0}
    assert {name for name, each in importances.items() if each.standard_error} <= used


def test_where_nobody_is_asked_everything_no_measure_has_a_figure() -> None:
    survey = split_survey(2, ["q2"], {"a": 'truth = "9/10"'}, (YES_NO, ""), (YES_NO, ""), (YES_NO, "a"))
    rng = np.random.default_rng(8)
    sent = simulate(survey, rng.integers(0, 2, (300, 3)).astype(np.int16), rng)
    found = evaluate(sent, lambda rows: np.eye(2)[(rows[:, 0] + rows[:, 1] > 0).astype(int)], "q2", rng=rng)
    told = found.as_json
    assert told.pop("copies") == "none"
    shares = [told.pop("accuracy"), told.pop("auc"), told.pop("impossible"), *told.pop("confusion")]
    losses = [told.pop("log_loss"), told.pop("brier")]
    each = [*shares, *losses, *told.pop("precision").values(), *told.pop("recall").values()]
    assert not told
    assert len(each) == 3 + 4 + 2 + 2 * 2
    assert {(one["estimate"], one["standard_error"], one["interval"], one["n"]) for one in each} == {
        (None, None, None, 300)
    }
    assert {one["why"] for one in each} == {NOT_KNOWN}
    assert found.accuracy.line == f"not known: {NOT_KNOWN}"
    assert found.confusion["yes", "yes"].short() == "-"
    assert "not known" in found.accuracy._repr_html_()
    assert found.roc("yes") == found.calibration("yes") == []


def test_a_figure_that_is_not_known_is_read_back() -> None:
    told = Estimate(nan, None, None, 40, model_based=True).as_json
    read = Estimate.from_fields(Fields(json.loads(json.dumps(told)), "model, accuracy"))
    assert read.as_json == told
    assert isnan(read.estimate)


def test_a_tree_deeper_than_people_are_asked_has_no_accuracy() -> None:
    survey = split_survey(2, ["q2"], {}, (YES_NO, ""), (YES_NO, ""), (YES_NO, ""))
    codes = np.array([[0, NOT_ASKED, 0], [NOT_ASKED, 1, 1]] * 50, np.int16)
    deep = Tree.of([0, 1, -1, -1, -1], [[1, 2], [3, 4], [], [], []], np.ones((5, 2)), np.eye(2)[[0, 0, 1, 0, 1]])
    with pytest.raises(QueryError, match=r"^sampling: .* fewer than 30"):
        tree_accuracy(Responses(survey, codes), deep, "q2")
    with pytest.raises(QueryError, match="all 3 questions"):
        copies_accuracy(Responses(survey, codes), lambda rows: rows[:, 0] * 0, "q2")
