"""The models with scikit-learn's manners: disguised codes in, words out, disguised scores."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

from collector.errors import QueryError, ResponseError
from collector.survey.survey import Survey
from miner.channels.complement import complement_table
from miner.counting.factors import group_weights
from miner.learners.id3 import ID3Classifier
from miner.responses.responses import Responses, values_of_codes
from miner.simulation.simulation import simulate
from soak import soaking


@pytest.fixture(scope="module")
def responses(wellbeing: Survey) -> Responses:
    generator = np.random.default_rng(7)
    values = np.column_stack([generator.integers(0, len(q.values), 3000) for q in wellbeing.questions])
    values[:, 5] = (values[:, 1] & values[:, 4]) ^ (generator.random(3000) < 0.1)
    return simulate(wellbeing, values.astype(np.int16), generator)


@pytest.fixture
def words() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "income": [100, 900],
            "debt": ["no", "yes"],
            "year": ["first", "second"],
            "cannabis": ["no", "yes"],
            "drinking": ["never", "weekly"],
        }
    )


def test_it_fits_codes_which_it_leaves_alone_and_predicts_words(
    wellbeing: Survey, responses: Responses, words: pd.DataFrame
) -> None:
    frame = responses.frame
    before = frame.copy()
    model = ID3Classifier(wellbeing).fit(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert model.predict(words).tolist() == ["no", "yes"]
    assert model.classes_.tolist() == ["yes", "no"]
    assert model.feature_names_in_.tolist() == ["year", "cannabis", "drinking", "income", "debt"]
    assert model.predict_proba(words).sum(axis=1) == pytest.approx([1, 1])


def test_column_order_and_where_the_class_stands_do_not_matter(
    wellbeing: Survey, responses: Responses, words: pd.DataFrame
) -> None:
    frame = responses.frame
    model = ID3Classifier(wellbeing, mode="faithful").fit(frame)
    features, labels = frame.drop(columns="distress"), frame["distress"]
    for again in (
        clone(model).fit(features[features.columns[::-1]], labels),
        clone(model).fit(features.to_numpy(), labels.to_numpy()),
    ):
        assert again.tree_.to_json() == model.tree_.to_json()
        assert (again.predict_proba(words[words.columns[::-1]]) == model.predict_proba(words)).all()


def test_the_score_is_the_disguised_accuracy_by_all_flips(wellbeing: Survey, responses: Responses) -> None:
    """Du & Zhan's Eq. 15, copy by copy; the uniform group's replacements are averaged over every draw."""
    model = ID3Classifier(wellbeing, mode="faithful", max_depth=3).fit(responses.frame)
    some = responses.take(range(200))
    total = np.zeros(200)
    options = []
    for group in wellbeing.groups:
        own, replaced = group_weights(wellbeing, group)
        columns = [wellbeing.questions.index(question) for question in wellbeing.members(group)]
        if group.channel.replacement.paired:
            options.append([(own, columns, None), (replaced, columns, -1)])
        else:
            options.append([(own, columns, None), *((replaced / 4, columns, code) for code in range(4))])
    for choice in product(*options):
        codes, weight = some.codes.copy(), 1.0
        for factor, columns, code in choice:
            weight *= factor
            for column in columns if code is not None else []:
                table = complement_table(wellbeing.questions[column])
                codes[:, column] = table[codes[:, column]] if code == -1 else code
        values = values_of_codes(wellbeing.questions, codes)
        total += weight * (model.tree_.predict(values) == values[:, 5])
    assert model.score(some.frame) == pytest.approx(total.mean(), abs=1e-12)


def test_it_works_in_cross_validation(wellbeing: Survey, responses: Responses) -> None:
    frame, model = responses.frame, ID3Classifier(wellbeing, mode=None if soaking() else "robust")
    scores = cross_val_score(model, frame.drop(columns="distress"), frame["distress"], cv=3)
    assert 0.6 < scores.mean() < 1.2


def test_what_cannot_be_fitted_or_predicted_is_refused_in_words(
    wellbeing: Survey, responses: Responses, words: pd.DataFrame
) -> None:
    with pytest.raises(NotFittedError, match="not fitted"):
        ID3Classifier(wellbeing).predict(words)
    with pytest.raises(QueryError, match="the mode does not exist"):
        ID3Classifier(wellbeing, mode="best").fit(responses.frame)
    with pytest.raises(QueryError, match="no question"):
        ID3Classifier(wellbeing, "happiness").fit(responses.frame)
    with pytest.raises(ResponseError, match="there are no responses"):
        ID3Classifier(wellbeing).fit(responses.frame.head(0))
    with pytest.raises(ResponseError, match="missing"):
        ID3Classifier(wellbeing).fit(responses.frame.drop(columns="year"))
    with pytest.raises(ResponseError, match="one column for each question"):
        ID3Classifier(wellbeing).fit(responses.codes)
    others = np.delete(responses.codes, wellbeing.column("distress"), axis=1)
    with pytest.raises(ResponseError, match=rf"labels: .* {len(others)} labels"):
        ID3Classifier(wellbeing).fit(others, np.zeros(len(others) - 1, np.int64))
