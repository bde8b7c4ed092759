"""Accuracy on true answers, from disguised ones: two ways, one number, no bias."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest

from benchmarks.exact_table import transition_of
from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.estimates.estimate import estimate
from miner.evaluation import copy_sums as sums
from miner.evaluation.accuracy import always, copies_accuracy, majority, tree_accuracy
from miner.evaluation.copies import Copies
from miner.figures.means import mean_estimate
from miner.learners.id3 import ID3Classifier
from miner.responses.responses import Responses, Values, codes_of_values, values_of_codes
from miner.simulation.simulation import coded, disguised, simulate
from miner.trees.paths import right_weights
from miner.trees.tree import Tree
from small_surveys import mixed_survey, survey_of
from soak import likely, part_of

YES_NO = 'kind = "yes_no"'
CHOICE = 'kind = "choice"\nvalues = ["a", "b", "c"]\nprior = { a = 0.5, b = 0.4, c = 0.1 }'
SZUCS = 'kind = "choice"\nvalues = ["a", "b", "c"]\ncoding = "szucs"'


def plausible_values(survey: Survey, count: int, seed: int) -> Values:
    """True values in which every question depends on the last, which is the class."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, len(survey.questions[-1].values), count)
    columns = []
    for number, question in enumerate(survey.questions[:-1]):
        kinds = len(question.values)
        told = rng.random(count) < 0.5 + 0.1 * (number % 3)
        columns.append(np.where(told, classes % kinds, rng.integers(0, kinds, count)))
    return np.stack([*columns, classes], axis=1).astype(np.int16)


def grown(responses: Responses, target: str) -> Tree:
    return ID3Classifier(responses.survey, target, mode="faithful").fit(responses.frame).tree_


def one_leaf(label: int) -> Tree:
    shares = np.eye(2)[[label]]
    return Tree.of([-1], [[]], shares, shares)


def survey_with(groups: int) -> Survey:
    thetas = ["4/5", "7/10", "1/5", "9/10"]
    kinds = [CHOICE, YES_NO, SZUCS, CHOICE, YES_NO, CHOICE, YES_NO, YES_NO]
    return survey_of(*[(kind, f"g{n % groups}", f'truth = "{thetas[n % groups]}"') for n, kind in enumerate(kinds)])


def by_all_flips(responses: Responses, tree: Tree, target: str) -> float:
    """Du & Zhan's Eq. 15: test on every combination of complemented groups, weighted by the inverse matrix's row."""
    survey = responses.survey
    column = [question.name for question in survey.questions].index(target)
    right = []
    for flips in product([False, True], repeat=len(survey.groups)):
        values = np.empty_like(responses.codes)
        for number, question in enumerate(survey.questions):
            home = survey.group_of(question.name)
            flipped = home is not None and flips[survey.groups.index(home)]
            for row, code in enumerate(responses.codes[:, number].tolist()):
                meant = question.coding.complement(code) if flipped else code
                value = question.coding.value_of(meant)
                if value is None:  # the partner of a value left alone is sent for that value only
                    value = question.coding.value_of(question.coding.complement(meant))
                values[row, number] = value
        right.append((tree.predict(values) == values[:, column]).mean())
    matrix = np.ones((1, 1))
    for group in survey.groups:
        theta = float(group.channel.truth([]))
        matrix = np.kron(matrix, np.array([[theta, 1 - theta], [1 - theta, theta]]))
    return float(np.linalg.solve(matrix, np.array(right))[0])


@pytest.mark.parametrize("groups", [1, 2, 3, 4])
def test_the_leaf_sum_equals_equation_15_by_all_flips(groups: int) -> None:
    survey = survey_with(groups)
    sent = simulate(survey, plausible_values(survey, 9_200, seed=groups), np.random.default_rng(groups))
    train, test = sent.take(range(9_000)), sent.take(range(9_000, 9_200))
    tree = grown(train, "q7")
    assert len(tree) > 20
    expected = by_all_flips(test, tree, "q7")
    assert tree_accuracy(test, tree, "q7").estimate == pytest.approx(expected, abs=1e-12)
    assert copies_accuracy(test, tree.predict, "q7").estimate == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("target", ["distress", "debt", "drug", "year"])
def test_leaf_sum_and_signed_copies_agree_under_both_channels(target: str) -> None:
    survey = mixed_survey()
    sent = simulate(survey, plausible_values(survey, 500, seed=7), np.random.default_rng(7))
    tree = grown(sent.take(range(300)), target)
    test = sent.take(range(300, 500))
    by_leaves, by_copies = tree_accuracy(test, tree, target), copies_accuracy(test, tree.predict, target)
    assert by_leaves.estimate == pytest.approx(by_copies.estimate, abs=1e-12)
    assert by_leaves.standard_error == pytest.approx(by_copies.standard_error, abs=1e-12)


@pytest.mark.statistical
def test_over_many_disguises_of_one_data_set_the_mean_is_the_true_accuracy() -> None:
    # Seeded. Two standard errors of the mean: a fresh seed would fail once in 22.
    survey, times = survey_with(3), part_of(200)
    values = plausible_values(survey, 600, seed=5)
    rng = np.random.default_rng(5)
    tree = grown(simulate(survey, values[:300], rng), "q7")
    true_accuracy = (tree.predict(values[300:]) == values[300:, 7]).mean()
    codes = coded(survey, values[300:], rng)
    found = np.array(
        [tree_accuracy(Responses(survey, disguised(survey, codes, rng)), tree, "q7").estimate for _ in range(times)]
    )
    assert found.std() > 0.01
    assert abs(found.mean() - true_accuracy) <= 2 * found.std(ddof=1) / np.sqrt(times)


def test_signed_copies_of_everything_that_may_be_sent_give_back_any_function_of_the_truth() -> None:
    survey = mixed_survey()
    every = np.array(list(product(*(question.codes for question in survey.questions))), dtype=np.int16)
    some_order = np.random.default_rng(2).permutation(len(every))
    features = [question.name for question in survey.questions[:-1]]
    copies, rows = Copies.of(Responses(survey, every[some_order]), "distress", features, np.random.default_rng(0))
    kinds = [len(question.values) for question in survey.questions]
    any_function = np.random.default_rng(1).normal(size=kinds)
    amounts = any_function[tuple(rows[copies.place, number] for number in range(4))]
    assert copies.terms(np.ones_like(amounts)) == pytest.approx(1, abs=1e-12)
    meant = any_function[tuple(values_of_codes(survey.questions, every).T)]
    assert transition_matrix(survey, every) @ copies.terms(amounts) == pytest.approx(meant, abs=1e-12)


def transition_matrix(survey: Survey, every: np.ndarray) -> np.ndarray:
    """P(sent | truth) over whole responses."""
    names = [question.name for question in survey.questions]
    matrix = np.ones((len(every), len(every)))
    for number, question in enumerate(survey.questions):
        if not question.sensitive:
            matrix *= every[:, None, number] == every[None, :, number]
    for group in survey.groups:
        codings = [question.coding for question in survey.members(group)]
        columns = [names.index(name) for name in group.questions]
        table = np.array(transition_of(group.channel, codings), dtype=np.float64)
        states = list(product(*(coding.codes for coding in codings)))
        place = np.array([states.index(tuple(codes)) for codes in every[:, columns].tolist()])
        matrix *= table[place[:, None], place[None, :]]
    return matrix


def test_any_function_of_the_values_can_be_evaluated() -> None:
    survey = mixed_survey()
    test = simulate(survey, plausible_values(survey, 300, seed=2), np.random.default_rng(2))
    truthful = survey.question("sold")
    found = copies_accuracy(test, lambda values: values[:, 2], "distress")
    pairs = [
        estimate(
            test,
            {
                "sold": codes_of_values(truthful, {label}),
                "distress": codes_of_values(survey.question("distress"), {label}),
            },
        ).estimate
        for label in (0, 1)
    ]
    assert found.estimate == pytest.approx(sum(pairs), abs=1e-12)


def test_a_tree_of_one_leaf_is_as_good_as_its_label() -> None:
    survey = mixed_survey()
    test = simulate(survey, plausible_values(survey, 100, seed=2), np.random.default_rng(2))
    for label in (0, 1):
        by_leaf = tree_accuracy(test, one_leaf(label), "distress")
        assert by_leaf.estimate == pytest.approx(always(test, label, "distress").estimate, abs=1e-12)


def test_the_majority_is_the_class_estimated_most_frequent() -> None:
    survey = survey_of((YES_NO, "a", 'truth = "1/5"'))  # most answers are sent complemented
    yes, no = (survey.questions[0].coding.codes_of(value)[0] for value in (0, 1))
    assert majority(Responses(survey, np.array([[yes]] * 7 + [[no]] * 3, dtype=np.int16)), "q0") == 1
    assert majority(Responses(survey, np.array([[yes]] * 5 + [[no]] * 5, dtype=np.int16)), "q0") == 0


def test_where_signed_copies_are_too_many_they_are_drawn_the_same_ones_every_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sums, "MOST_ROWS", 0)  # as if no table could hold the answers
    survey = survey_of(*[(YES_NO, f"g{number}", 'truth = "19/20"') for number in range(13)])
    test = simulate(survey, plausible_values(survey, 300, seed=4), np.random.default_rng(4))
    one, other = (copies_accuracy(test, lambda values: values[:, 0], "q1") for _ in range(2))
    exact = tree_accuracy(test, Tree.of([0, -1, -1], [[1, 2], [], []], np.ones((3, 2)), np.eye(2)[[0, 0, 1]]), "q1")
    assert one == other
    assert one.standard_error is not None
    assert exact.standard_error is not None
    assert one.standard_error > exact.standard_error
    assert abs(one.estimate - exact.estimate) < 4 * one.standard_error


def test_a_group_that_never_lies_has_one_copy() -> None:
    survey = survey_of((YES_NO, "a", 'truth = "1"'), (YES_NO, "b", 'truth = "0"'), (YES_NO, "c", 'truth = "4/5"'))
    nobody = Responses(survey, np.zeros((1, 3), dtype=np.int16))
    copies, _ = Copies.of(nobody, "q2", ["q0", "q1"], np.random.default_rng(0))
    assert copies.weight.tolist() == [[pytest.approx([4 / 3, -1 / 3])]]


def test_without_responses_or_with_a_foreign_target_there_is_no_accuracy() -> None:
    survey = mixed_survey()
    nobody = Responses(survey, np.zeros((0, 5), dtype=np.int16))
    with pytest.raises(QueryError, match="collect responses first"):
        tree_accuracy(nobody, one_leaf(0), "distress")
    with pytest.raises(QueryError, match="collect responses first"):
        copies_accuracy(nobody, lambda values: values[:, 0], "distress")
    with pytest.raises(QueryError, match='there is no question "age"'):
        tree_accuracy(nobody, one_leaf(0), "age")


@pytest.mark.statistical
def test_an_interval_of_accuracy_covers_the_true_accuracy_19_times_in_20() -> None:
    # Seeded; as many covered of fresh test samples as a correct .95 leaves all but once in 500.
    survey, samples = survey_with(2), part_of(600)
    rng = np.random.default_rng(3)
    tree = grown(simulate(survey, plausible_values(survey, 400, seed=3), rng), "q7")
    population = plausible_values(survey, 200_000, seed=4)
    truth = (tree.predict(population) == population[:, 7]).mean()
    covered = 0
    for number in range(samples):
        sample = population[number * 150 : (number + 1) * 150]
        found = tree_accuracy(simulate(survey, sample, rng), tree, "q7")
        assert found.interval is not None
        covered += found.interval[0] <= truth <= found.interval[1]
    least, most = likely(samples)
    assert least <= covered <= most


def test_an_interval_reckons_with_the_weights_that_were_possible_in_the_groups_touched() -> None:
    survey = survey_with(4)
    test = simulate(survey, plausible_values(survey, 50, seed=1), np.random.default_rng(1))
    tree = Tree.of([0, -1, -1, -1], [[1, 2, 3], [], [], []], np.ones((4, 2)), np.full((4, 2), 0.5))
    terms = right_weights(test, tree, "q7")
    touched = [survey.group_of("q0"), survey.group_of("q7")]
    size = prod(sum(abs(float(weight)) for weight in group.channel.weights([])) for group in touched if group)
    assert tree_accuracy(test, tree, "q7") == mean_estimate(terms, ((1 - size) / 2, (1 + size) / 2))
