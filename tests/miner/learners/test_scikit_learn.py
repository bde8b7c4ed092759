"""Our models among scikit-learn's tools: its own checks, each unmet one with its reason; searches, pipelines, folds."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from _pytest.mark import ParameterSet
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from collector.errors import QueryError
from miner.learners.classifier import DisguisedClassifier
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.random_trees import RandomTreesClassifier
from miner.responses.responses import Responses
from small_surveys import mixed_survey

OTHER_TABLE = (
    "a model is made for a survey, which says how many columns there are and which codes they hold; the check fits a "
    "table of its own. What it is after is tested below, or in test_contracts.py, with a table of the survey's"
)
OWN_ERRORS = (
    "what is no code is refused with a ResponseError that names row, column and remedy; the check wants a ValueError "
    "with words of its own"
)
UNMET = {
    OTHER_TABLE: (
        "check_classifier_data_not_an_array",
        "check_classifiers_classes",
        "check_classifiers_one_label",
        "check_classifiers_train",
        "check_complex_data",
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_dtype_object",
        "check_estimators_dtypes",
        "check_estimators_fit_returns_self",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit1d",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit2d_predict1d",
        "check_fit_check_is_fitted",
        "check_fit_idempotent",
        "check_fit_score_takes_y",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in",
        "check_n_features_in_after_fitting",
        "check_pipeline_consistency",
        "check_positive_only_tag_during_fit",
        "check_readonly_memmap_input",
        "check_requires_y_none",
        "check_supervised_y_2d",
    ),
    OWN_ERRORS: (
        "check_classifiers_regression_target",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_estimator_sparse_tag",
        "check_estimators_empty_data_messages",
        "check_estimators_nan_inf",
        "check_supervised_y_no_nan",
    ),
}


def unmet(_: BaseEstimator) -> dict[str, str]:
    """Why each check is not met; one that comes to be met fails, so that the list stays true."""
    return {check: reason for reason, checks in UNMET.items() for check in checks}


MODELS: list[DisguisedClassifier] = [
    ID3Classifier(mixed_survey(), mode="robust", random_state=1),
    ForestClassifier(mixed_survey(), mode="robust", n_estimators=3, random_state=1),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=[type(model).__name__ for model in MODELS])


def checks() -> pytest.MarkDecorator:
    """All checks of each model; those that are not met are run with ``--soak`` only, as nothing comes of them."""
    mark = parametrize_with_checks(MODELS, expected_failed_checks=unmet, xfail_strict=True)
    names, cases = mark.args
    cases = [
        pytest.param(*case.values, marks=[*case.marks, pytest.mark.soak]) if isinstance(case, ParameterSet) else case
        for case in cases
    ]
    return pytest.mark.parametrize(names, cases, **mark.kwargs)


@checks()
def test_scikit_learns_own_checks(estimator: Any, check: Callable[[Any], None]) -> None:  # noqa: ANN401 - any estimator
    if getattr(check, "func", check).__name__ == "check_array_api_input":
        pytest.skip("codes are NumPy integers: there is no other array library to take them from")
    check(estimator)


# --- with a table of the survey's -----------------------------------------------------------------------------------


def features(sent: Responses) -> tuple[pd.DataFrame, pd.Series]:
    return sent.frame.drop(columns="distress"), sent.frame["distress"]


@each_model
def test_fitting_again_gives_the_same_and_sets_only_learnt_attributes(
    model: DisguisedClassifier, sent: Responses, words: pd.DataFrame
) -> None:
    fitted = clone(model)
    given = fitted.get_params()
    before = set(vars(fitted))
    assert fitted.fit(*features(sent)) is fitted
    assert fitted.get_params() == given
    assert all(name.endswith("_") for name in set(vars(fitted)) - before)
    first = fitted.predict_proba(words)
    assert (fitted.fit(*features(sent)).predict_proba(words) == first).all()


@each_model
def test_rows_are_predicted_one_by_one_as_together_and_in_any_order(
    model: DisguisedClassifier, sent: Responses, words: pd.DataFrame
) -> None:
    fitted = clone(model).fit(*features(sent))
    together = fitted.predict_proba(words)
    assert (np.vstack([fitted.predict_proba(words.iloc[[row]]) for row in range(20)]) == together[:20]).all()
    order = np.random.default_rng(1).permutation(len(words))
    assert (fitted.predict_proba(words.iloc[order]) == together[order]).all()


@each_model
def test_read_only_column_major_and_object_arrays_are_taken(model: DisguisedClassifier, sent: Responses) -> None:
    x, y = (table.to_numpy() for table in features(sent))
    expected = clone(model).fit(x, y).score(x, y)
    frozen = x.copy()
    frozen.flags.writeable = False
    for given in (frozen, np.asfortranarray(x), x.astype(object)):
        assert clone(model).fit(given, y).score(x, y) == expected


@each_model
def test_it_can_be_pickled_between_processes(model: DisguisedClassifier, sent: Responses, words: pd.DataFrame) -> None:
    fitted = clone(model).fit(*features(sent))
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - our own; joblib's workers do it
    assert (again.predict_proba(words) == fitted.predict_proba(words)).all()


@each_model
def test_folds_searches_and_pipelines_work_on_disguised_scores(
    model: DisguisedClassifier, sent: Responses, words: pd.DataFrame
) -> None:
    x, y = features(sent)
    assert cross_val_score(model, x, y, cv=3).shape == (3,)
    search = GridSearchCV(model, {"mode": ["faithful", "robust"], "max_depth": [1, 2]}, cv=3).fit(x, y)
    assert set(search.best_params_) == {"mode", "max_depth"}
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    piped = Pipeline([("as_it_is", FunctionTransformer()), ("model", clone(model))]).fit(x, y)
    assert piped.score(x, y) == clone(model).fit(x, y).score(x, y)
    assert (piped.predict(words) == clone(model).fit(x, y).predict(words)).all()


@pytest.mark.statistical
def test_a_search_finds_the_depth_that_disguised_scores_prefer(sent: Responses) -> None:
    # Seeded. The class depends on one undisguised question: depth 0 is worse by .3, its standard error is below .05.
    x, y = features(sent)
    search = GridSearchCV(ID3Classifier(mixed_survey(), mode="robust"), {"max_depth": [0, 1]}, cv=3).fit(x, y)
    assert search.best_params_ == {"max_depth": 1}


def test_the_reasons_cover_no_check_twice_and_none_that_there_is_not() -> None:
    listed = [check for group in UNMET.values() for check in group]
    assert len(listed) == len(set(listed))
    for model in MODELS:
        found = {check.func.__name__ for _, check in estimator_checks_generator(model)}
        assert set(listed) <= found


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (ForestClassifier, "n_estimators", None),
        (ForestClassifier, "max_depth", -1),
        (ID3Classifier, "max_depth", 2.5),
        (RandomTreesClassifier, "n_estimators", True),
    ],
)
def test_a_parameter_that_is_no_whole_number_is_refused_before_anything_is_learnt(
    model: type[DisguisedClassifier], name: str, value: object, sent: Responses
) -> None:
    with pytest.raises(QueryError, match=rf"^{name}: .* [01] or more"):
        model(mixed_survey(), **{name: value}).fit(sent.frame)


def test_whole_numbers_of_numpy_are_parameters_too(sent: Responses) -> None:
    assert ID3Classifier(mixed_survey(), mode="robust", max_depth=np.int64(1)).fit(sent.frame).tree_.depth == 1
