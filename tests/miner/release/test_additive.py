"""Scores that add up: what one record can change, how far they may be believed, and what they are like."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from collector.errors import DeniableError
from miner.release.families.naive_bayes import NaiveBayes
from miner.release.parts.additive import NAT, QUARTERS, ScoreTables, count_right, fitted_scores, misses, shares_of
from miner.release.parts.mixture import GeometricMixture, mixed, tree_scores
from miner.release.seeded_noise import SeededNoise
from miner.release.table import TrustedTable
from small_surveys import plain_survey

PLENTY = Fraction(1000)  # so much epsilon that noise does not matter


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_one_record_moves_the_misses_by_what_is_paid_for_and_no_more(classes: int) -> None:
    generator = np.random.default_rng(classes)
    most = NAT * min(classes - 1, 2)
    moved = []
    for _ in range(300):
        scores = np.rint(generator.normal(0, generator.choice([0.1, 3, 40]) * NAT, (12, classes))).astype(np.int64)
        labels, column = (generator.integers(0, most_of, 12).astype(np.int16) for most_of in (classes, 4))
        whole, less = (misses(scores[part], labels[part], column[part], 4) for part in (slice(None), slice(1, None)))
        moved.append(int(np.abs(whole - less).sum()))
    assert max(moved) <= most
    assert max(moved) > 0.99 * most


def test_shares_are_those_of_the_scores() -> None:
    scores = np.rint(np.random.default_rng(1).normal(0, 2 * NAT, (500, 4))).astype(np.int64)
    powers = np.exp(scores / NAT)
    assert shares_of(scores) / NAT == pytest.approx(powers / powers.sum(axis=1, keepdims=True), abs=2 / NAT)
    far = np.array([[0, -(10**9)], [10**9, 0]])
    assert shares_of(far).tolist() == [[NAT, 0], [NAT, 0]]


def test_misses_of_two_classes_are_the_second_column_of_what_holds_for_more() -> None:
    generator = np.random.default_rng(3)
    scores = np.rint(generator.normal(0, 6 * NAT, (4_000, 2))).astype(np.int64)
    labels, column = (generator.integers(0, most_of, 4_000).astype(np.int16) for most_of in (2, 3))
    third = np.concatenate([scores, np.full((4_000, 1), -(10**9))], axis=1)  # a class that never comes
    assert misses(scores, labels, column, 3).tolist() == misses(third, labels, column, 3)[:, 1:2].tolist()


def repeating(rows: int) -> TrustedTable:
    """One telling question asked seven times over, one other that tells as much alone, and the class."""
    generator = np.random.default_rng(5)
    survey, labels = plain_survey(9), generator.integers(0, 2, rows)
    often, once = ((generator.random(rows) < 0.75) ^ (labels == 0) for _ in range(2))
    values = np.stack([*[often] * 7, once, labels], axis=1).astype(np.int16)
    return TrustedTable.of(survey, values, "q8")


def test_where_questions_do_not_repeat_each_other_the_scores_are_those_of_naive_bayes() -> None:
    """Independent given an uneven class, 80 to 20: only at their whole weight do three answers of four outvote it."""
    generator = np.random.default_rng(7)
    labels = generator.random(40_000) < 0.8
    values = np.stack([*(labels ^ (generator.random(len(labels)) > 0.7) for _ in range(4)), labels], axis=1)
    table = TrustedTable.of(plain_survey(5), values.astype(np.int16), "q4")
    scores = fitted_scores(table, PLENTY, SeededNoise(1), corrected=False).probabilities(table.values)
    naive = NaiveBayes(PLENTY, len(table)).fit(table, SeededNoise(1), generator).probabilities(table.values)
    assert scores == pytest.approx(naive, abs=0.005)


def test_questions_that_repeat_each_other_are_not_counted_over_and_over() -> None:
    """Naive Bayes gives the question asked once no say, though where the two differ either is right as often."""
    table = repeating(20_000)
    differ = table.values[table.values[:, 0] != table.values[:, 7]]
    scores = fitted_scores(table, PLENTY, SeededNoise(1), corrected=True).probabilities(differ)
    naive = NaiveBayes(PLENTY, len(table)).fit(table, SeededNoise(1), np.random.default_rng(1)).probabilities(differ)
    assert np.abs(naive[:, 0] - 0.5).mean() > 0.45
    assert np.abs(scores[:, 0] - 0.5).mean() < 0.3


def test_tables_that_mislead_are_given_no_weight() -> None:
    table = repeating(2_000)
    wrong = ScoreTables(tuple(range(8)), np.array([0, 10]), (np.array([[0, 9 * NAT], [9 * NAT, 0]]),) * 8)
    rights = [count_right(wrong.weighed(quarters).scores(table.values), table) for quarters in range(QUARTERS + 1)]
    assert rights[0] == (table.labels == 1).sum() > max(rights[1:])


def test_an_unknown_value_adds_nothing() -> None:
    table = repeating(500)
    scores = fitted_scores(table, PLENTY, SeededNoise(1), corrected=False)
    unknown = np.full((1, 9), -1, np.int16)
    assert scores.scores(unknown).tolist() == [scores.base.tolist()]
    assert scores.probabilities(table.values).sum(axis=1) == pytest.approx(1)


def test_a_mixture_of_all_tree_is_the_tree_and_of_none_the_scores() -> None:
    tree, tables = np.array([[3, 1], [0, 2]]), np.array([[1, 2], [5, 4]])
    assert (mixed(tree, tables, QUARTERS).argmax(axis=1) == tree.argmax(axis=1)).all()
    assert (mixed(tree, tables, 0).argmax(axis=1) == tables.argmax(axis=1)).all()


@pytest.mark.parametrize(
    "change",
    [
        {"base": [1]},
        {"base": ["x", 1]},
        {"scores": []},
        {"scores": None},
        {"base": [10**15, 0]},
        {"weight": 5},
        {"weight": True},
        {"tree": None},
    ],
)
def test_damaged_scores_are_refused(change: dict[str, object]) -> None:
    table = repeating(300)
    scores = fitted_scores(table, Fraction(1), SeededNoise(1), corrected=True)
    leaf = {"question": [-1], "children": [[]], "counts": [[1, 2]], "probabilities": [[0.25, 0.75]]}
    sound = {"weight": 1, "tree": leaf, **scores.learnt}
    again = GeometricMixture.restored(sound, table.survey, "q8")
    assert again.learnt["scores"] == scores.learnt["scores"]
    assert tree_scores(again.tree, table.values[:1]).tolist() == [
        [round(NAT * np.log(0.25)), round(NAT * np.log(0.75))]
    ]
    with pytest.raises(DeniableError):
        GeometricMixture.restored(sound | change, table.survey, "q8")
