"""Signed copies one part at a time, and the curves and differences that are made of them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.metrics import roc_curve

from bit_surveys import bit_survey, some_values
from collector.errors import QueryError
from every_draw import EITHER, YES_NO
from miner.counting.factors import factors_of
from miner.evaluation import candidates, pair_variance
from miner.evaluation import copies as module
from miner.evaluation.auc import auc, auc_difference
from miner.evaluation.candidates import DrawingPlan
from miner.evaluation.copies import Copies, asked_questions
from miner.evaluation.evaluation import Evaluation
from miner.evaluation.pair_variance import Ranked, Scores, ranked
from miner.figures.means import mean_estimate
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate
from small_surveys import survey_of

OPEN = bit_survey([0, 0, -1, 1], ["complement 1", "uniform 1"])


def sent(people: int = 300) -> tuple[Responses, Values]:
    values = some_values(OPEN, people, 3)
    return simulate(OPEN, values, np.random.default_rng(1)), values


def scores(rows: Values, seed: int) -> np.ndarray:
    table = np.random.default_rng(seed).random((2, 2, 2, 2)).round(1)
    share = table[rows[:, 0], rows[:, 1], rows[:, 2], 0]
    return np.stack([share, 1 - share], axis=1)


def test_the_roc_curve_of_undisguised_responses_is_scikit_learns() -> None:
    responses, values = sent()
    names = ["bit_0", "bit_1", "bit_2"]
    copies, rows = Copies.of(responses, "target", names, np.random.default_rng(0))
    found = Evaluation(OPEN, "target", copies, scores(rows, 5)).roc("a")
    false, true, levels = roc_curve(values[:, -1] == 0, scores(values, 5)[:, 0], drop_intermediate=False)
    assert [point.threshold for point in found] == pytest.approx(levels[1:].tolist())
    assert [point.true_positive_rate.estimate for point in found if point.true_positive_rate] == pytest.approx(true[1:])
    rates = [point.false_positive_rate.estimate for point in found if point.false_positive_rate]
    assert rates == pytest.approx(false[1:])
    few = Evaluation(OPEN, "target", copies, scores(rows, 5)).roc("a", points=3)
    assert [few[0].threshold, few[-1].threshold, len(few)] == [found[0].threshold, found[-1].threshold, 3]


def test_a_loss_that_is_the_same_for_all_may_be_as_large_as_any_in_an_interval() -> None:
    survey = bit_survey([-1, -1], [])
    everybody = Responses(survey, np.zeros((40, 2), np.int16))
    copies, rows = Copies.of(everybody, "target", ["bit_0"], np.random.default_rng(0))
    found = Evaluation(survey, "target", copies, np.array([[0.7, 0.3]] * len(rows))).brier
    assert found.estimate == pytest.approx(0.09)
    assert found.interval == pytest.approx(mean_estimate(np.full(40, 0.09), (0.09, 0.49)).interval)


def test_a_difference_of_areas_is_that_of_the_two_areas() -> None:
    survey = bit_survey([0, 0, -1, 1], ["complement 4/5", "uniform 2/3"])
    responses = simulate(survey, some_values(survey, 400, 3), np.random.default_rng(1))
    copies, rows = Copies.of(responses, "target", ["bit_0", "bit_1", "bit_2"], np.random.default_rng(0))
    first, second = scores(rows, 5), scores(rows, 6)
    one, other = auc(copies, first, [0]), auc(copies, second, [0])
    found = auc_difference(copies, first, second, [0])
    assert one is not None
    assert other is not None
    assert found is not None
    assert found.estimate == pytest.approx(one.estimate - other.estimate)
    same = auc_difference(copies, first, first, [0, 1])
    assert same is not None
    assert (same.estimate, same.standard_error) == pytest.approx((0, 0))


def test_scores_are_merged_where_the_middle_of_their_mass_lies() -> None:
    masses = np.array([[1.0, 1.9, 1.1], [0.0, 0.0, 0.0]])
    merged = Ranked.of(Scores(0, np.arange(3, dtype=np.int32), masses), np.ones(3, np.bool_), 2)
    assert (merged.level.tolist(), merged.levels) == ([0, 0, 1], 2)


def test_a_score_that_no_copy_of_weight_has_shares_the_level_of_the_next() -> None:
    seen = np.array([False, True, False, True, False])
    merged = Ranked.of(Scores(0, np.arange(5, dtype=np.int32), np.ones((2, 5))), seen, 9)
    assert (merged.level.tolist(), merged.levels) == ([0, 0, 1, 1, 1], 2)


def test_beyond_the_most_ranks_neighbours_share_one_and_ties_stay_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_variance, "MOST_RANKS", 4)
    score = np.array([0.9, 0.1, 0.5, 0.1, 0.3, 0.7, 0.2, 0.8, 0.6])
    assert ranked(score[:6]).tolist() == [3, 0, 2, 0, 1, 3]
    found = ranked(score)
    assert found.max() == 3
    assert (np.diff(found[np.argsort(score)]) >= 0).all()
    assert found[1] == found[3]


@pytest.mark.parametrize("drawn", [False, True])
def test_measures_are_the_same_when_few_copies_are_looked_at_together(
    monkeypatch: pytest.MonkeyPatch, *, drawn: bool
) -> None:
    survey = bit_survey([0, 0, -1, 1], ["complement 4/5", "uniform 2/3"])
    responses = simulate(survey, some_values(survey, 400, 3), np.random.default_rng(1))
    names = ["bit_0", "bit_1", "bit_2"]
    if drawn:
        monkeypatch.setattr(candidates, "MOST_COPIES", 1)
        monkeypatch.setattr(module, "DRAWS", 8)
    copies, rows = Copies.of(responses, "target", names, np.random.default_rng(0))
    assert copies.exact is not drawn
    whole = Evaluation(survey, "target", copies, scores(rows, 5))
    before = whole.as_json, whole.roc("a"), whole.calibration("a")
    monkeypatch.setattr(module, "PART", 5)
    parts = Evaluation(survey, "target", copies, scores(rows, 5))
    for one, other in zip(before, (parts.as_json, parts.roc("a"), parts.calibration("a")), strict=True):
        np.testing.assert_allclose(figures_in(one), figures_in(other), atol=1e-12)


def figures_in(found: object) -> list[float]:
    return [float(each) for each in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:e-?\d+)?", repr(found))]


def test_a_classifier_does_not_use_its_target() -> None:
    with pytest.raises(QueryError) as raised:
        asked_questions(OPEN, ["bit_0", "target"], "target")
    assert raised.value.place == 'question "target"'
    assert "is the target" in raised.value.problem


def test_one_response_has_no_difference_of_areas() -> None:
    responses, _ = sent(1)
    copies, rows = Copies.of(responses, "target", ["bit_0", "bit_1", "bit_2"], np.random.default_rng(0))
    assert auc_difference(copies, scores(rows, 5), scores(rows, 6), [0]) is None


def test_a_group_that_always_sends_the_truth_has_one_copy_however_many_are_drawn() -> None:
    responses, values = sent(20)
    for part in factors_of(OPEN, ["bit_0", "bit_1", "bit_2"], "target", responses.codes):
        found = part.drawn(7, np.random.default_rng(2))
        assert (found.weight.sum(axis=2) == 1).all()
        assert found.weight.min() >= 0
        assert found.place.shape == (20, 1)
        own = [column for column in part.columns if column < 3]
        assert (found.table[found.place[:, 0]][:, own] == values[:, own]).all()


def test_what_is_drawn_for_one_question_never_counts_more_than_its_bound() -> None:
    """Drawn from values, not first from truth and replacement, whose weights may have opposite signs."""
    survey = survey_of((EITHER, "a", 'truth = "2/5", channel = "uniform"'), (YES_NO, "b", 'truth = "3/4"'))
    responses = simulate(survey, np.zeros((30, 2), np.int16), np.random.default_rng(1))
    target = survey.questions[1].name
    (part, _) = factors_of(survey, [survey.questions[0].name], target, responses.codes)
    found = part.drawn(500, np.random.default_rng(2))
    assert np.abs(found.weight).sum(axis=2).max() <= part.size + 1e-12
    every = part.listed
    assert every is not None
    for value in range(3):
        drawn = (found.weight[:, :, 0] * (found.table[found.place][:, :, 0] == value)).mean(axis=1)
        exact = (every.weight[:, :, 0] * (every.table[every.place][:, :, 0] == value)).sum(axis=1)[part.kind]
        assert drawn == pytest.approx(exact, abs=6 * part.size / 500**0.5)


def test_strong_coins_are_listed_for_each_draw_and_weak_ones_drawn() -> None:
    strong, weak = 'truth = "3/5"', 'truth = "19/20"'
    survey = survey_of(
        *[(YES_NO, f"g{number}", (strong, weak)[number % 2]) for number in range(8)], (YES_NO, "t", weak)
    )
    names = [question.name for question in survey.questions[:-1]]
    responses = simulate(survey, np.zeros((30, 9), np.int16), np.random.default_rng(1))
    factors = factors_of(survey, names, "q8", responses.codes)
    plan = DrawingPlan.of(factors, 64)
    assert plan.listed == (2, None, 2, None, 2, None, 2, None, None)
    assert (plan.draws, plan.candidates) == (4, 64)
    assert DrawingPlan.of(factors, 9).listed == (2, None, 2, None, None, None, None, None, None), "two draws at least"
    assert [DrawingPlan.of(factors, most).candidates for most in (1, 3, 9)] == [1, 3, 8]


def test_a_constant_has_no_drawing_error_and_cells_of_drawn_copies_add_up_to_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(candidates, "MOST_COPIES", 1)
    survey = bit_survey([0, 1, -1, 1], ["complement 3/5", "uniform 2/3"])
    responses = simulate(survey, some_values(survey, 400, 3), np.random.default_rng(1))
    copies, rows = Copies.of(responses, "target", ["bit_0", "bit_1", "bit_2"], np.random.default_rng(0), 1600)
    assert copies.draws is not None
    assert copies.weighed(np.full((len(rows), 2), 0.3)) == pytest.approx(0.3, abs=1e-12)
    assert copies.drawing_error(lambda each: np.full(each.shape, 0.3), scores(rows, 5)) == pytest.approx(0, abs=1e-9)
    cells = copies.confusion(scores(rows, 5).argmax(axis=1), 2)
    assert cells.sum(axis=(1, 2)) == pytest.approx(1, abs=1e-12)
    right = np.eye(2)[scores(rows, 5).argmax(axis=1)]
    assert np.einsum("rkk->r", cells) == pytest.approx(copies.weighed(right), abs=1e-12)
