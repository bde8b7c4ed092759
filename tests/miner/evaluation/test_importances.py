"""What accuracy rests on, from disguised responses; and what splits took away from the impurity."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.survey import Survey
from drawn_trees import random_responses, random_tree
from every_draw import designs, split_survey
from miner.evaluation import candidates, copies
from miner.evaluation import copy_sums as sums
from miner.evaluation.accuracy import tree_accuracy
from miner.evaluation.importances import permutation_importances
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.responses.responses import Responses, Values, codes_of_values
from miner.simulation.simulation import coded, disguised, simulate
from miner.trees.criteria import normalised
from miner.trees.tree import LEAF, Tree
from miner.weights.weights import ProductWeights
from small_surveys import mixed_survey, survey_of
from soak import least_covered, part_of

YES_NO = 'kind = "yes_no"'
THREE = 'kind = "choice"\nvalues = ["a", "b", "c"]'


def people(survey: Survey, count: int, seed: int) -> Values:
    """True values that have something to do with each other."""
    rng = np.random.default_rng(seed)
    common = rng.random(count) < 0.5
    columns = [
        np.where(rng.random(count) < 0.6, common % len(q.values), rng.integers(len(q.values), size=count))
        for q in survey.questions
    ]
    return np.stack(columns, axis=1).astype(np.int16)


def by_pairs(values: Values, tree: Tree, target: int) -> dict[int, float]:
    """The mean over pairs of different people of the fall in accuracy when one is given the other's answer."""
    falls = {}
    right = tree.predict(values) == values[:, target]
    for question in range(values.shape[1]):
        total, pairs = 0.0, 0
        for one, other in product(range(len(values)), repeat=2):
            if one != other:
                row = values[one : one + 1].copy()
                row[0, question] = values[other, question]
                total += float(right[one]) - float((tree.predict(row) == values[one, target]).item())
                pairs += 1
        falls[question] = total / pairs
    return falls


@pytest.mark.parametrize("truth", ["1", "0"])
def test_where_nobody_lies_or_everybody_does_it_is_the_fall_over_all_shuffles(truth: str) -> None:
    how = f'truth = "{truth}"'
    survey = survey_of((THREE, "a", how), (YES_NO, "b", how), (YES_NO, "a", how), (THREE, "b", how))
    values = people(survey, 25, 1)
    tree = random_tree(survey, "q3", 6, 2)
    expected = by_pairs(values, tree, 3)
    sent = simulate(survey, values, np.random.default_rng(1))
    found = permutation_importances(sent, tree, "q3", rng=np.random.default_rng(0))
    assert list(found) == ["q0", "q1", "q2"]
    assert [each.estimate for each in found.values()] == pytest.approx([expected[q] for q in range(3)], abs=1e-12)


def test_over_all_coins_the_mean_is_the_truth_exactly() -> None:
    survey = survey_of((YES_NO, "a", 'truth = "4/5"'), (YES_NO, "b", 'truth = "7/10", channel = "uniform"'))
    tree = Tree.of([0, -1, -1], [[1, 2], [], []], np.ones((3, 2)), np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]]))
    values = np.array([[0, 0], [1, 1], [1, 0]], np.int16)
    truth = by_pairs(values, tree, 1)[0]
    mean = total = 0.0
    for sent in product(product(range(2), repeat=2), repeat=3):
        chance = 1.0
        for row, true in zip(sent, values, strict=True):
            chance *= 0.8 if row[0] == true[0] else 0.2
            chance *= 0.85 if row[1] == true[1] else 0.15
        found = permutation_importances(
            Responses(survey, np.array(sent, np.int16)), tree, "q1", rng=np.random.default_rng(0)
        )["q0"]
        mean, total = mean + chance * found.estimate, total + chance
    assert total == pytest.approx(1)
    assert mean == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("target", ["distress", "debt", "drug", "year"])
def test_a_tree_has_the_same_importances_through_its_leaves_and_through_copies(target: str) -> None:
    survey = mixed_survey()
    sent, tree = random_responses(survey, 150, 3), random_tree(survey, target, 8, 5)
    by_leaves = permutation_importances(sent, tree, target, rng=np.random.default_rng(0))
    by_copies = permutation_importances(sent, tree.predict_proba, target, rng=np.random.default_rng(0))
    assert list(by_leaves) == list(by_copies)
    for name, each in by_leaves.items():
        assert each.estimate == pytest.approx(by_copies[name].estimate, abs=1e-9)
        assert each.standard_error == pytest.approx(by_copies[name].standard_error, abs=1e-9)


def test_a_question_that_changes_no_prediction_has_importance_0_without_error() -> None:
    survey = mixed_survey()
    sent = random_responses(survey, 80, 4)
    tree = random_tree(survey, "distress", 1, 1)
    asked = survey.questions[int(tree.question[0])].name
    for found in (
        permutation_importances(sent, tree, "distress", rng=np.random.default_rng(0)),
        permutation_importances(sent, tree.predict_proba, "distress", rng=np.random.default_rng(0)),
    ):
        for name, each in found.items():
            if name != asked:
                assert (each.estimate, each.standard_error, each.interval) == (0.0, 0.0, (0.0, 0.0))


def test_a_tree_that_is_told_an_answer_goes_its_way() -> None:
    survey = mixed_survey()
    values = people(survey, 300, 8)
    for seed in range(10):
        tree = random_tree(survey, "distress", 10, seed)
        for question, value in ((0, 2), (1, 0), (3, 1)):
            told = values.copy()
            told[:, question] = value
            short = tree.answered(question, value)
            assert question not in short.question
            assert (short.predict_proba(values) == tree.predict_proba(told)).all()
            assert short.contradiction(survey) is None


@pytest.mark.statistical
def test_drawn_copies_leave_the_mean_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    # Seeded. Three standard errors of the mean of 60 draws (20 without --soak), 4 questions: other seeds fail 1 in 90.
    survey, times = mixed_survey(), part_of(60, 20)
    sent, tree = random_responses(survey, 200, 6), random_tree(survey, "distress", 8, 3)
    exact = permutation_importances(sent, tree, "distress", rng=np.random.default_rng(0))
    monkeypatch.setattr(sums, "MOST_ROWS", 0)
    monkeypatch.setattr(candidates, "MOST_COPIES", 1)
    monkeypatch.setattr(copies, "DRAWS", 8)
    drawn = [
        permutation_importances(sent, tree.predict_proba, "distress", rng=np.random.default_rng(seed))
        for seed in range(times)
    ]
    for name, each in exact.items():
        found = np.array([one[name].estimate for one in drawn])
        assert abs(found.mean() - each.estimate) <= 3 * found.std(ddof=1) / np.sqrt(times) + 1e-12


@pytest.mark.statistical
@pytest.mark.parametrize(("truth", "channel", "n"), [("4/5", "complement", 400), ("3/4", "uniform", 800)])
def test_intervals_hold_the_importance_19_times_in_20(truth: str, channel: str, n: int) -> None:
    # Seeded. A correct .95 covers fewer once in 1,000, for each of 6 figures.
    how = f'truth = "{truth}", channel = "{channel}"'
    survey = survey_of((THREE, "a", how), (YES_NO, "b", how), (THREE, "c", how), (YES_NO, "c", how))
    everybody, rng = people(survey, 100_000, 7), np.random.default_rng(8)
    tree = (
        ID3Classifier(survey, "q3", mode="faithful", max_depth=2)
        .fit(simulate(survey, everybody[:3000], rng).frame)
        .tree_
    )
    right = (tree.predict(everybody) == everybody[:, 3]).mean()
    truths = {}
    for question in range(3):
        shares = np.bincount(everybody[:, question]) / len(everybody)
        left = 0.0
        for value, share in enumerate(shares):
            told = everybody.copy()
            told[:, question] = value
            left += share * (tree.predict(told) == everybody[:, 3]).mean()
        truths[f"q{question}"] = right - left
    held, samples = dict.fromkeys(truths, 0), part_of(300)
    for _ in range(samples):
        sent = simulate(survey, everybody[rng.integers(len(everybody), size=n)], rng)
        for name, each in permutation_importances(sent, tree, "q3", rng=np.random.default_rng(0)).items():
            assert each.interval is not None
            held[name] += each.interval[0] <= truths[name] + 1e-12 and truths[name] - 1e-12 <= each.interval[1]
    assert max(truths.values()) > 0.05
    assert all(count / samples >= least_covered(samples) for count in held.values()), held


def test_one_response_has_no_importances() -> None:
    survey = mixed_survey()
    tree = random_tree(survey, "distress", 3, 1)
    with pytest.raises(QueryError, match="fewer than two responses"):
        permutation_importances(random_responses(survey, 1, 1), tree, "distress", rng=np.random.default_rng(0))


# --- impurity -------------------------------------------------------------------------------------------------------


def gini(classes: NDArray[np.int16]) -> float:
    """Impurity of plain rows times their number."""
    return float(len(classes) * (1 - (normalised(np.bincount(classes).astype(float)) ** 2).sum()))


def test_where_nobody_lies_splits_take_away_the_impurity_of_the_rows() -> None:
    how = 'truth = "1"'
    survey = survey_of((THREE, "a", how), (YES_NO, "b", how), (THREE, "a", how), (YES_NO, "b", how))
    values = people(survey, 400, 9)
    frame = simulate(survey, values, np.random.default_rng(1)).frame
    for splits in ("multiway", "binary"):
        model = ID3Classifier(survey, "q3", mode="faithful", splits=splits).fit(frame)
        expected = np.zeros(3)
        reached = {}
        for node, event, _ in model.tree_.walk():
            inside = np.all([np.isin(values[:, key], list(wanted)) for key, wanted in event.items()], axis=0)
            reached[node] = gini(values[inside, 3] if event else values[:, 3])
        for node, children in enumerate(model.tree_.children()):
            if children:
                taken = reached[node] - sum(reached[child] for child in set(children))
                expected[model.tree_.question[node]] += taken / 400
        assert model.feature_importances_ == pytest.approx(expected, abs=1e-12)
        assert expected.max() > 0.01


def test_a_forest_takes_away_what_lies_between_its_roots_and_its_leaves() -> None:
    survey = mixed_survey()
    sent = simulate(survey, people(survey, 800, 10), np.random.default_rng(2))
    model = ForestClassifier(survey, mode="robust", n_estimators=7, random_state=1).fit(sent.frame)
    forest = model.forest_
    weighted = forest.counts.sum(axis=1) * (1 - (forest.probabilities.astype(float) ** 2).sum(axis=1))
    shares = []
    for start, stop in zip(forest.begin[:-1], forest.begin[1:], strict=True):
        leaves = np.flatnonzero(forest.test[start:stop] == LEAF) + start
        shares.append((weighted[start] - weighted[leaves].sum()) / forest.counts[start].sum())
    assert model.feature_importances_.sum() == pytest.approx(np.mean(shares), abs=1e-5)
    assert model.feature_importances_.shape == model.feature_importances_std_.shape == (4,)
    assert (model.feature_importances_std_ >= 0).all()
    one = ForestClassifier(survey, mode="faithful", n_estimators=1, random_state=1).fit(sent.frame)
    assert (one.feature_importances_std_ == 0).all()


def test_what_predicts_takes_away_more_than_what_does_not() -> None:
    how = 'truth = "4/5"'
    survey = survey_of((YES_NO, "a", how), (YES_NO, "b", how), (YES_NO, "c", how))
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2, (4000, 3)).astype(np.int16)
    values[:, 2] = np.where(rng.random(4000) < 0.8, values[:, 1], values[:, 2])
    frame = simulate(survey, values, rng).frame
    for model in (
        ID3Classifier(survey, "q2", mode="robust").fit(frame),
        ForestClassifier(survey, "q2", mode="robust", n_estimators=20, random_state=1).fit(frame),
    ):
        assert model.feature_importances_[1] > 5 * abs(model.feature_importances_[0])
    tree = ID3Classifier(survey, "q2", mode="robust").fit(frame).tree_
    fresh = Responses(survey, disguised(survey, coded(survey, values, rng), rng))
    fall = permutation_importances(fresh, tree, "q2", rng=np.random.default_rng(0))["q1"]
    assert fall.estimate == pytest.approx(tree_accuracy(fresh, tree, "q2").estimate - 0.5, abs=0.05)


# --- where not everybody is asked everything ------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(designs()))
def test_terms_have_the_mean_and_the_error_of_those_who_were_asked(name: str) -> None:
    survey = designs()[name]
    sent = simulate(survey, people(survey, 300, 11), np.random.default_rng(11))
    counts = np.random.default_rng(12).integers(1, 4, 300).astype(float)
    weights = ProductWeights(sent)
    for question in survey.questions:
        event = {question.name: codes_of_values(question, {0})}
        assert survey.may_miss(question.name) != weights.asked(event).all()
        asked = np.repeat(weights.of(event), counts.astype(int))[np.repeat(weights.asked(event), counts.astype(int))]
        terms = np.repeat(weights.terms(event, counts), counts.astype(int))
        assert terms.mean() == pytest.approx(asked.mean(), abs=1e-12)
        assert terms.std() / np.sqrt(len(terms)) == pytest.approx(asked.std() / np.sqrt(len(asked)), abs=1e-12)


@pytest.mark.statistical
def test_importances_are_those_of_everybody_where_one_in_three_is_asked() -> None:
    """Seeded. Five standard errors of 20,000 responses: a fresh seed fails once in 10^6.

    Without the factor for who was asked, frequencies would add up to five ninths, and importances with them.
    """
    how = 'truth = "9/10"'
    survey = split_survey(2, ["q3"], {"a": how, "b": how}, (THREE, "a"), (YES_NO, "b"), (YES_NO, ""), (YES_NO, ""))
    values, tree = (
        people(survey, 20_000, 13),
        Tree.of([1, -1, -1], [[1, 2], [], []], np.ones((3, 2)), np.eye(2)[[0, 0, 1]]),
    )
    right = values[:, 1] == values[:, 3]
    shares = np.bincount(values[:, 1]) / len(values)
    truth = right.mean() - sum(share * (values[:, 3] == value).mean() for value, share in enumerate(shares))
    sent = simulate(survey, values, np.random.default_rng(14))
    for found in (
        permutation_importances(sent, tree, "q3", rng=np.random.default_rng(0))["q1"],
        permutation_importances(sent, tree.predict_proba, "q3", rng=np.random.default_rng(0), asked=["q1"])["q1"],
    ):
        assert found.standard_error is not None
        assert abs(found.estimate - truth) < 5 * found.standard_error < truth / 3
