"""scikit-learn's tools around our models: scores are of true answers, or one line says why there is none."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import _scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import miner
from collector.errors import QueryError, ResponseError
from miner import ForestClassifier, ID3Classifier, LogitClassifier, Scorer, crosstab, evaluate
from miner.learners.classifier import DisguisedClassifier
from miner.learners.kinds import KINDS
from miner.learners.scoring import SCORES
from miner.models.model import Model
from miner.models.training import Training
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate
from small_surveys import mixed_survey

NAMES = ["year", "drug", "sold", "debt"]
SCREEN = 700  # characters


def tree() -> ID3Classifier:
    return ID3Classifier(mixed_survey(), mode="robust", random_state=1)


def test_a_score_is_that_of_the_evaluation_on_true_answers(sent: Responses) -> None:
    model = LogitClassifier(mixed_survey(), random_state=1).fit(sent)
    x, y = sent.frame.drop(columns="distress"), sent.frame["distress"]
    found = evaluate(sent, model, "distress", rng=np.random.default_rng(0))
    assert found.auc is not None
    expected = {"roc_auc": found.auc.estimate, "accuracy": found.accuracy.estimate}
    expected |= {"neg_log_loss": -found.log_loss.estimate, "neg_brier_score": -found.brier.estimate}
    for name, score in expected.items():
        assert Scorer(name)(model, x, y) == Scorer(name)(model, sent) == pytest.approx(score)
    assert set(expected) | {"roc_auc_ovr"} == set(SCORES)


@pytest.mark.statistical
def test_the_area_is_that_under_the_curve_of_true_answers_on_average_over_disguises(values: Values) -> None:
    # 60 disguises: the mean's standard error is about .006; the area on the codes themselves is .1 lower
    model = tree().fit(simulate(mixed_survey(), values, np.random.default_rng(9)))
    true = roc_auc_score(values[:, 4], model.probabilities(values)[:, 1])
    rng = np.random.default_rng(10)
    found = [Scorer("roc_auc")(model, simulate(mixed_survey(), values, rng)) for _ in range(60)]
    assert np.mean(found) == pytest.approx(true, abs=0.025)


def test_folds_searches_pipelines_and_responses_as_they_are_take_a_scorer(sent: Responses) -> None:
    x, y = sent.frame.drop(columns="distress"), sent.frame["distress"]
    area = Scorer("roc_auc")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = cross_val_score(tree(), x, y, cv=3, scoring=area)
        piped = cross_val_score(make_pipeline(FunctionTransformer(), tree()), x, y, cv=3, scoring=area)
        assert (plain == piped).all()
        assert np.isfinite(cross_val_score(tree(), sent, cv=2, scoring=Scorer("neg_log_loss"))).all()
        many = cross_validate(tree(), x, y, cv=3, scoring={"area": area, "brier": Scorer("neg_brier_score")})
        assert (many["test_area"] == plain).all()
        search = GridSearchCV(tree(), {"max_depth": [0, 1]}, cv=3, scoring=area).fit(x, y)
        assert search.best_params_ == {"max_depth": 1}
        assert area(search, x, y) == area(search.best_estimator_, sent)


def test_scikit_learns_own_scores_of_codes_are_refused_and_the_line_names_the_scorer(sent: Responses) -> None:
    x, y = sent.frame.drop(columns="distress"), sent.frame["distress"]
    for name in ("accuracy", "roc_auc", "neg_log_loss", "f1_macro"):
        with pytest.raises(ResponseError, match=r'^table: .*miner\.Scorer\("roc_auc"\)'):
            cross_val_score(tree(), x, y, cv=2, scoring=name, error_score="raise")


def test_scikit_learns_table_of_scores_is_left_alone() -> None:
    before = dict(_scorer._SCORERS)  # noqa: SLF001 - the table that has to stay as it was
    assert miner.LogitClassifier is LogitClassifier
    assert before == _scorer._SCORERS  # noqa: SLF001 - likewise
    assert all(type(each).__module__.startswith("sklearn.") for each in before.values())


def test_other_estimators_and_other_scores_are_refused(sent: Responses) -> None:
    x, y = make_classification(100, random_state=1)
    with pytest.raises(QueryError, match=r"^estimator: "):
        Scorer("roc_auc")(LogisticRegression().fit(x, y), x, y)
    with pytest.raises(QueryError, match=r"^score: .* accuracy, roc_auc"):
        Scorer("f1")
    assert repr(pickle.loads(pickle.dumps(Scorer("roc_auc")))) == "Scorer('roc_auc')"  # noqa: S301 - our own; workers do it
    with pytest.raises(QueryError, match=r"^roc_auc: "):
        Scorer("roc_auc")(tree().fit(sent), sent.take(np.flatnonzero(sent.codes[:, 4] == 0)[:40]))


def test_codes_are_never_taken_for_answers(sent: Responses) -> None:
    x, y = sent.frame.drop(columns="distress"), sent.frame["distress"]
    line = (
        r"^table: the table holds codes as they were sent, but predictions need true answers; .*\.Scorer\(.roc_auc.\)"
    )
    model = tree().fit(sent)
    for codes in (sent, x, x.to_numpy(), x.head(3)):
        with pytest.raises(ResponseError, match=line):
            model.predict(codes)
    for method in ("predict", "predict_proba"):
        with pytest.raises(ResponseError, match=line):
            cross_val_predict(tree(), x, y, cv=3, method=method)
    with pytest.raises(ResponseError, match=line):
        CalibratedClassifierCV(tree(), cv=3).fit(x, y)


def test_a_soft_vote_is_the_mean_of_the_probabilities(sent: Responses, words: pd.DataFrame) -> None:
    x, y = sent.frame.drop(columns="distress"), sent.frame["distress"]
    models = [tree(), LogitClassifier(mixed_survey(), random_state=1)]
    voting = VotingClassifier(list(zip("ab", models, strict=True)), voting="soft").fit(x, y)
    mean = np.mean([model.fit(x, y).predict_proba(words) for model in models], axis=0)
    assert voting.predict_proba(words) == pytest.approx(mean)


def test_responses_to_another_survey_are_refused(sent: Responses) -> None:
    other = Responses(replace(sent.survey, name="other"), sent.codes)
    with pytest.raises(ResponseError, match=r"^responses: .* another survey"):
        tree().fit(other)
    assert tree().fit(sent, sent.frame["distress"]).tree_.depth == tree().fit(sent).tree_.depth


@pytest.mark.parametrize("features", ["sqrt", "log2", 0.5, 1.0, 2, None])
def test_the_forest_takes_scikit_learns_words_for_the_tests_of_a_node(features: Any, sent: Responses) -> None:  # noqa: ANN401
    settings = {"mode": "robust", "n_estimators": 3, "random_state": 1, "max_features": features}
    grown = [ForestClassifier(mixed_survey(), n_jobs=jobs, **settings).fit(sent) for jobs in (None, 1, -1)]
    assert len({repr(each.learnt) for each in grown}) == 1


@pytest.mark.parametrize(
    ("name", "value"), [("max_features", "half"), ("max_features", 1.5), ("max_features", 0), ("n_jobs", 0)]
)
def test_other_words_are_refused_in_one_line(name: str, value: Any, sent: Responses) -> None:  # noqa: ANN401
    with pytest.raises(QueryError, match=rf"^{name}: "):
        ForestClassifier(mixed_survey(), mode="robust", **{name: value}).fit(sent)


def test_the_accuracy_out_of_bag_has_scikit_learns_name(sent: Responses) -> None:
    forest = ForestClassifier(mixed_survey(), mode="robust", n_estimators=5, oob_score=True, random_state=1).fit(sent)
    assert forest.oob_score_ == forest.oob_estimate_.estimate
    assert not hasattr(ForestClassifier(mixed_survey()), "oob_score_")


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_notebook_prints_fits_on_a_screen(kind: str, sent: Responses) -> None:
    survey = mixed_survey()
    model: DisguisedClassifier = KINDS[kind](survey)
    assert "<Survey" in repr(model)
    assert len(repr(model)) < SCREEN
    assert len(repr(Model(kind, survey, "distress", model, Training(1, 0, 0, 1, None)))) < SCREEN  # type: ignore[arg-type]
    if kind == "id3":
        fitted = tree().fit(sent)
        found = evaluate(sent, fitted, "distress", rng=np.random.default_rng(1))
        rows = PlainRows(survey, np.zeros((5000, 5), np.int16), np.ones(5000))
        for each in (survey, sent, rows, fitted.tree_, found, crosstab(sent, "year", "distress")):
            assert len(repr(each)) < 2 * SCREEN
