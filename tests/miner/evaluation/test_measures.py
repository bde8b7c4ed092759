"""Measures on true answers from disguised ones: scikit-learn's where nobody lies, their mean where people do."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    confusion_matrix,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

from collector.errors import ModelError, QueryError
from collector.survey.survey import Survey
from miner.estimates.estimate import estimate
from miner.evaluation import candidates, copies
from miner.evaluation import copy_sums as sums
from miner.evaluation.accuracy import tree_accuracy
from miner.evaluation.copies import Copies
from miner.evaluation.evaluation import Evaluation
from miner.evaluation.measures import evaluate
from miner.evaluation.predictor import words_of
from miner.learners.id3 import ID3Classifier
from miner.responses import distinct
from miner.responses.responses import Responses, Values, codes_of_values, values_of_codes
from miner.simulation.simulation import coded, disguised, simulate
from small_surveys import mixed_survey, survey_of
from soak import part_of

YES_NO = 'kind = "yes_no"'
CHOICE = 'kind = "choice"\nvalues = ["a", "b", "c"]\nprior = { a = 0.5, b = 0.4, c = 0.1 }'
Floats = np.ndarray[Any, np.dtype[np.float64]]


def values_for(survey: Survey, count: int, seed: int, target: str) -> Values:
    """True values; every question has something to do with the target."""
    rng = np.random.default_rng(seed)
    column = survey.questions.index(survey.question(target))
    classes = rng.integers(len(survey.questions[column].values), size=count)
    columns = []
    for number, question in enumerate(survey.questions):
        kinds = len(question.values)
        told = rng.random(count) < (1 if number == column else 0.5)
        columns.append(np.where(told, classes % kinds, rng.integers(kinds, size=count)))
    return np.stack(columns, axis=1).astype(np.int16)


def smooth_scores(survey: Survey, target: str) -> Callable[[Values], Floats]:
    """Some probabilities, far from 0, that depend on every question but the target."""
    column = survey.questions.index(survey.question(target))
    classes = len(survey.questions[column].values)
    tables = np.random.default_rng(11).normal(size=(len(survey.questions), 8, classes))

    def predict(rows: Values) -> Floats:
        sums = np.zeros((len(rows), classes))
        for number, values in enumerate(rows.T):
            if number != column:
                sums += tables[number][values]
        shares = np.exp(np.round(sums, 1))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    return predict


def two_groups(truth: str, classes: str = YES_NO) -> Survey:
    return survey_of(
        (CHOICE, "a", f'truth = "{truth}"'),
        (YES_NO, "b", f'truth = "{truth}"'),
        (YES_NO, "a", f'truth = "{truth}"'),
        ('kind = "yes_no"\nsensitive = false', "", ""),
        (classes, "b", f'truth = "{truth}"'),
    )


def plain_metrics(found: Evaluation, probabilities: Floats, classes: Values) -> dict[str, tuple[float, float]]:
    """Ours beside scikit-learn's."""
    labels = range(probabilities.shape[1])
    two = len(labels) == 2
    predicted = probabilities.argmax(axis=1)
    area = (
        roc_auc_score(classes == 0, probabilities[:, 0])
        if two
        else roc_auc_score(classes, probabilities, multi_class="ovr", labels=list(labels))
    )
    assert found.auc is not None
    pairs = {
        "accuracy": (found.accuracy.estimate, accuracy_score(classes, predicted)),
        "auc": (found.auc.estimate, area),
        "log loss": (found.log_loss.estimate, log_loss(classes, probabilities, labels=list(labels))),
        "brier": (found.brier.estimate, brier_score_loss(classes, probabilities, labels=list(labels))),
    }
    shares = confusion_matrix(classes, predicted, labels=list(labels)) / len(classes)
    for place, share in zip(product(found.classes, repeat=2), shares.ravel(), strict=True):
        pairs[f"confusion {place}"] = (found.confusion[place].estimate, share)
    for name, ours, theirs in (
        (
            "precision",
            found.precision,
            precision_score(classes, predicted, average=None, labels=list(labels), zero_division=np.nan),
        ),
        (
            "recall",
            found.recall,
            recall_score(classes, predicted, average=None, labels=list(labels), zero_division=np.nan),
        ),
    ):
        for value, expected in zip(found.classes, theirs, strict=True):
            each = ours[value]
            pairs[f"{name} {value}"] = (np.nan if each is None else each.estimate, float(expected))
    return {name: (float(ours), float(theirs)) for name, (ours, theirs) in pairs.items()}


@pytest.mark.parametrize("truth", ["1", "0"])
@pytest.mark.parametrize("classes", [YES_NO, CHOICE])
def test_where_nobody_lies_or_everybody_does_the_measures_are_scikit_learns(truth: str, classes: str) -> None:
    survey = two_groups(truth, classes)
    values = values_for(survey, 300, 1, "q4")
    sent = simulate(survey, values, np.random.default_rng(1))
    predict = smooth_scores(survey, "q4")
    found = evaluate(sent, predict, "q4", rng=np.random.default_rng(0))
    for name, (ours, theirs) in plain_metrics(found, predict(values), values[:, 4]).items():
        assert ours == pytest.approx(theirs, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("target", ["distress", "debt", "drug", "year"])
def test_a_tree_is_measured_alike_through_its_leaves_and_through_copies(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = mixed_survey()
    sent = simulate(survey, values_for(survey, 500, 7, target), np.random.default_rng(7))
    tree = ID3Classifier(survey, target, mode="faithful").fit(sent.take(range(300)).frame).tree_
    test = sent.take(range(300, 500))
    assert len(tree) > 10
    by_leaves = evaluate(test, tree, target, rng=np.random.default_rng(0))
    by_copies = evaluate(test, tree.predict_proba, target, rng=np.random.default_rng(0))
    assert by_leaves.accuracy.estimate == pytest.approx(tree_accuracy(test, tree, target).estimate, abs=1e-12)
    monkeypatch.setattr(Copies, "at_leaves", lambda *_: None)  # as if it told too many apart
    too_many = evaluate(test, tree, target, rng=np.random.default_rng(0))
    for other in (by_copies, too_many):
        assert flat(other.as_json) == pytest.approx(flat(by_leaves.as_json), abs=1e-9)


def flat(document: Any) -> list[float]:  # noqa: ANN401 - whatever JSON holds
    """All estimates and standard errors in a document; intervals know the groups that were asked."""
    if isinstance(document, dict):
        own = [document[key] for key in ("estimate", "standard_error") if document.get(key) is not None]
        return own + [number for each in document.values() for number in flat(each)]
    return [number for each in document for number in flat(each)] if isinstance(document, list) else []


def test_the_area_is_that_of_every_pair_of_copies_of_different_responses() -> None:
    survey = mixed_survey()
    sent = simulate(survey, values_for(survey, 12, 3, "distress"), np.random.default_rng(3))
    predict = smooth_scores(survey, "distress")
    gathered, rows = Copies.of(sent, "distress", ["year", "drug", "debt"], np.random.default_rng(0))
    score = predict(np.maximum(rows, 0))[:, 0]
    weight = np.broadcast_to(gathered.weight, (*gathered.place.shape, len(survey.question("distress").values)))
    right = both = 0.0
    for one, other in product(range(len(gathered.counts)), repeat=2):
        pairs = gathered.counts[one] * (gathered.counts[other] - (one == other))
        gap = score[gathered.place[one]][:, None] - score[gathered.place[other]][None, :]
        mass = np.outer(weight[one, :, 0], weight[other, :, 1:].sum(axis=1))
        right += pairs * (mass * ((gap > 0) + (gap == 0) / 2)).sum()
        both += pairs * mass.sum()
    masked = lambda values: predict(np.maximum(values, 0))  # noqa: E731 - what is not asked is as good as 0
    found = evaluate(sent, masked, "distress", rng=np.random.default_rng(0), asked=["year", "drug", "debt"]).auc
    assert (right > 0, both > 0, found is not None) == (True, True, True)
    assert found is not None
    assert found.estimate == pytest.approx(right / both, abs=1e-12)


def test_only_groups_that_are_asked_have_copies() -> None:
    survey = mixed_survey()
    sent = simulate(survey, values_for(survey, 50, 3, "distress"), np.random.default_rng(3))
    sizes = {}
    for asked in ([], ["year"], ["sold"], ["debt"], ["sold", "debt"]):
        gathered, rows = Copies.of(sent, "distress", asked, np.random.default_rng(0))
        sizes[tuple(asked)] = gathered.place.shape[1]
        amounts = np.ones((*gathered.place.shape, 2))
        columns = [number for number, question in enumerate(survey.questions) if question.name not in asked]
        assert (rows[:, columns] == -1).all()
        assert gathered.counts.sum() == 50
        assert gathered.terms(amounts) == pytest.approx(1)
    assert list(sizes.values()) == [1, 1, 2, 3, 6]


@pytest.mark.statistical
@pytest.mark.parametrize("channel", ["complement", "uniform"])
def test_drawn_copies_agree_with_all_copies_and_own_up_to_a_larger_error(
    channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Seeded. Three standard errors of the mean of 60 draws, or 20, two measures and channels: other seeds fail 1 in 90.
    times = part_of(60, 20)
    how = f'truth = "4/5", channel = "{channel}"'
    kind = 'kind = "choice"\nvalues = ["a", "b", "c", "d"]'
    survey = survey_of(*[(kind, f"g{number // 2}", how) for number in range(4)], (YES_NO, "t", how))
    sent = simulate(survey, values_for(survey, 400, 2, "q4"), np.random.default_rng(2))
    predict = smooth_scores(survey, "q4")
    everything = evaluate(sent, predict, "q4", rng=np.random.default_rng(0))
    monkeypatch.setattr(sums, "MOST_ROWS", 0)
    monkeypatch.setattr(candidates, "MOST_COPIES", 1)
    monkeypatch.setattr(copies, "DRAWS", 4)
    drawn = [evaluate(sent, predict, "q4", rng=np.random.default_rng(seed)) for seed in range(times)]
    assert everything.copies.exact
    assert not drawn[0].copies.exact
    for name in ("accuracy", "auc"):
        exact = getattr(everything, name)
        each = np.array([getattr(one, name).estimate for one in drawn])
        errors = np.array([getattr(one, name).standard_error for one in drawn])
        assert abs(each.mean() - exact.estimate) < 3 * each.std(ddof=1) / np.sqrt(times)
        assert errors.mean() ** 2 == pytest.approx(
            exact.standard_error**2 + each.var(ddof=1), rel=0.25 * np.sqrt(60 / times)
        )


def test_copies_drawn_in_many_groups_are_gathered_alike_at_once_and_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = 'kind = "choice"\nvalues = ["a", "b", "c"]'
    hows = [f'truth = "4/5", channel = "{channel}"' for channel in ("complement", "uniform")]
    survey = survey_of(*[(kind, f"g{number}", hows[number % 2]) for number in range(7)], (YES_NO, "t", hows[1]))
    sent = simulate(survey, values_for(survey, 50, 2, "q7"), np.random.default_rng(2))
    asked = [question.name for question in survey.questions[:-1]]
    monkeypatch.setattr(candidates, "MOST_COPIES", 1)
    at_once, rows = Copies.of(sent, "q7", asked, np.random.default_rng(3))
    monkeypatch.setattr(distinct, "LARGEST_KEY", 50)
    in_parts, same = Copies.of(sent, "q7", asked, np.random.default_rng(3))

    np.testing.assert_array_equal(rows[at_once.place], same[in_parts.place])
    assert len(rows) == len(np.unique(rows, axis=0)) == len(same)
    assert (rows[:, :-1] >= 0).all()
    np.testing.assert_array_equal(at_once.weight, in_parts.weight)


@pytest.mark.parametrize(("most", "each"), [(10, 1), (100, 2), (10**6, copies.DRAWS)])
def test_no_more_copies_are_drawn_than_asked_for_but_one_of_each_response(
    most: int, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = survey_of(*[(YES_NO, f"g{number}", 'truth = "4/5"') for number in range(3)])
    sent = simulate(survey, values_for(survey, 50, 1, "q2"), np.random.default_rng(2))
    monkeypatch.setattr(candidates, "MOST_COPIES", 1)
    drawn, _ = Copies.of(sent, "q2", ["q0", "q1"], np.random.default_rng(3), most)
    assert drawn.place.shape == (50, each)


def test_groups_that_never_or_always_lie_add_no_copies() -> None:
    hows = ['truth = "1"', 'truth = "0"', 'truth = "1", channel = "uniform"']
    survey = survey_of(*[(YES_NO, f"g{number}", hows[number % 3]) for number in range(40)])
    values = values_for(survey, 100, 1, "q39")
    sent = simulate(survey, values, np.random.default_rng(1))
    found = evaluate(sent, lambda rows: np.eye(2)[rows[:, 0]], "q39", rng=np.random.default_rng(1))
    assert found.copies.exact
    assert found.accuracy.estimate == pytest.approx((values[:, 0] == values[:, 39]).mean())


def test_sixty_groups_and_hundreds_of_questions_can_be_measured() -> None:
    many = part_of(1000, 300)
    survey = survey_of(*[(YES_NO, f"g{number % 60}", 'truth = "99/100"') for number in range(many)])
    values = np.random.default_rng(1).integers(2, size=(40, many)).astype(np.int16)
    sent = simulate(survey, values, np.random.default_rng(1))
    found = evaluate(sent, lambda rows: np.eye(2)[rows[:, 0]] * 0.8 + 0.1, f"q{many - 1}", rng=np.random.default_rng(1))
    assert not found.copies.exact
    assert abs(found.accuracy.estimate - 0.5) < 4 * (found.accuracy.standard_error or 0)


# --- other people's classifiers -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def people() -> tuple[Survey, Values]:
    survey = mixed_survey()
    return survey, values_for(survey, 600, 5, "distress")


@pytest.mark.statistical
def test_a_scikit_learn_classifier_has_its_true_measures_on_average(people: tuple[Survey, Values]) -> None:
    # Seeded. 200 disguises of the same truth, or a tenth; three standard errors, 4 measures: other seeds fail 1 in 90.
    (survey, values), times = people, part_of(200)
    names = ["year", "drug", "sold", "debt"]
    train, test = words_of(survey, values[:200], names), values[200:]
    words = np.array(survey.question("distress").values)
    forest = make_pipeline(OneHotEncoder(), RandomForestClassifier(20, max_depth=4, random_state=1))
    forest.fit(train, words[values[:200, 4]])
    probabilities = forest.predict_proba(words_of(survey, test, names))[:, ::-1]  # "no" before "yes" there
    predicted, classes = probabilities.argmax(axis=1), test[:, 4]
    truth = {
        "accuracy": accuracy_score(classes, predicted),
        "auc": roc_auc_score(classes == 0, probabilities[:, 0]),
        "log_loss": log_loss(classes, probabilities),
        "brier": brier_score_loss(classes == 0, probabilities[:, 0]),
    }
    rng = np.random.default_rng(8)
    codes = coded(survey, test, rng)
    found: dict[str, list[float]] = {name: [] for name in truth}
    for _ in range(times):
        one = evaluate(Responses(survey, disguised(survey, codes, rng)), forest, "distress", rng=rng)
        for name, each in found.items():
            each.append(getattr(one, name).estimate)
    for name, each in found.items():
        assert np.std(each) > 0.001
        assert abs(np.mean(each) - truth[name]) < 3 * np.std(each, ddof=1) / np.sqrt(times), name


def test_a_classifier_without_probabilities_and_one_with_foreign_classes(people: tuple[Survey, Values]) -> None:
    survey, values = people
    words = np.array(survey.question("distress").values)
    asked = ["year", "sold"]
    machine = make_pipeline(OneHotEncoder(), LinearSVC())
    machine.fit(words_of(survey, values, asked), words[values[:, 4]])
    sent = simulate(survey, values, np.random.default_rng(2))
    found = evaluate(sent, machine, "distress", rng=np.random.default_rng(0))  # it knows which questions it asks
    assert found.copies.place.shape[1] == 2
    assert found.impossible.estimate == pytest.approx(1 - found.accuracy.estimate, abs=1e-12)
    machine.fit(words_of(survey, values, asked), values[:, 4])
    with pytest.raises(ModelError, match=r'^classifier: .*"distress"'):
        evaluate(sent, machine, "distress", rng=np.random.default_rng(0))


def test_what_cannot_be_measured_is_refused_in_words() -> None:
    survey = mixed_survey()
    nobody = Responses(survey, np.zeros((0, 5), dtype=np.int16))
    predict, rng = smooth_scores(survey, "distress"), np.random.default_rng(0)
    with pytest.raises(QueryError, match="collect responses first"):
        evaluate(nobody, predict, "distress", rng=rng)
    with pytest.raises(QueryError, match='there is no question "age"'):
        evaluate(nobody, predict, "distress", rng=rng, asked=["age"])
    with pytest.raises(QueryError, match="the question is the target"):
        evaluate(nobody, predict, "distress", rng=rng, asked=["distress"])


# --- curves and edges -----------------------------------------------------------------------------------------------


def test_calibration_and_roc_are_shares_of_masses_kept_signed() -> None:
    survey = mixed_survey()
    sent = simulate(survey, values_for(survey, 400, 9, "distress"), np.random.default_rng(9))
    found = evaluate(sent, smooth_scores(survey, "distress"), "distress", rng=np.random.default_rng(0))
    bins = found.calibration("yes", bins=4)
    assert sum(each.share.estimate for each in bins) == pytest.approx(1)
    yes = codes_of_values(survey.question("distress"), {0})
    overall = sum(each.share.estimate * each.observed.estimate for each in bins if each.observed)
    assert overall == pytest.approx(estimate(sent, {"distress": yes}).estimate)
    for each in bins:
        assert each.predicted is not None
        assert each.lower - 0.5 <= each.predicted.estimate <= each.upper + 0.5
    points = found.roc("yes")
    assert points[-1].true_positive_rate is not None
    assert points[-1].true_positive_rate.estimate == pytest.approx(1)
    thresholds = [point.threshold for point in points]
    assert thresholds == sorted(thresholds, reverse=True)


def test_a_class_that_nobody_has_leaves_nothing_to_rank() -> None:
    survey = survey_of((YES_NO, "a", 'truth = "4/5"'), (YES_NO, "a", 'truth = "4/5"'))
    only = next(iter(codes_of_values(survey.questions[0], {0})))
    sent = Responses(survey, np.full((5, 2), only, dtype=np.int16))
    found = evaluate(sent, lambda rows: np.full((len(rows), 2), 0.5), "q1", rng=np.random.default_rng(0))
    assert found.auc is None
    assert found.recall["no"] is None
    assert found.confusion["no", "yes"].outside_unit_interval
    one = evaluate(sent.take([0]), lambda rows: np.full((len(rows), 2), 0.5), "q1", rng=np.random.default_rng(0))
    assert (one.auc, one.accuracy.interval) == (None, None)


def test_values_of_copies_are_values_of_codes() -> None:
    survey = mixed_survey()
    sent = simulate(survey, values_for(survey, 30, 9, "distress"), np.random.default_rng(9))
    plain = np.unique(values_of_codes(survey.questions, sent.codes)[:, :4], axis=0)
    _, rows = Copies.of(sent, "distress", ["year", "drug", "sold", "debt"], np.random.default_rng(0))
    assert {tuple(row) for row in plain.tolist()} <= {tuple(row) for row in rows[:, :4].tolist()}
