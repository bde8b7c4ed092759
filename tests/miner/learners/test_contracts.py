"""Promises of every model, whatever its kind: one suite over `miner.learners.kinds.KINDS` and their variants."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from collector.errors import QueryError, ResponseError
from collector.survey.survey import Survey
from miner.evaluation.predictor import words_of
from miner.learners.classifier import DisguisedClassifier
from miner.learners.kinds import KINDS
from miner.models.model import read_model, write_model
from miner.models.training import train
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate
from small_surveys import mixed_survey, survey_of
from soak import part_of, some_of

SMALL = {"n_estimators": 5, "random_state": 1, "mode": "robust"}
"""What keeps a model small and the same, of the parameters it has."""
SLOW = {"auto", "distilled"}
"""They fit most of the others: `test_chooser.py` has their promises."""
VARIANTS: dict[str, tuple[str, dict[str, object]]] = {kind: (kind, {}) for kind in KINDS if kind not in SLOW} | {
    "binary id3": ("id3", {"splits": "binary"}),
    "pruned id3": ("id3", {"prune_share": 0.25}),
    "pruned binary id3": ("id3", {"prune_share": 0.25, "splits": "binary", "mode": "faithful"}),
}
"""Every kind of model as it comes, and with what changes how it learns."""
NAMES = ["year", "drug", "sold", "debt"]
YES_NO = 'kind = "yes_no"'
each_kind = pytest.mark.parametrize("kind", sorted(VARIANTS))


def made(kind: str, survey: Survey, target: str | None = None, **more: object) -> DisguisedClassifier:
    """A small model of a kind, or a variant of it."""
    kind, own = VARIANTS[kind]
    model = KINDS[kind](survey, target)
    known = {name: value for name, value in (SMALL | own | more).items() if name in model.get_params()}
    return model.set_params(**known)


def values_for(survey: Survey, count: int, seed: int) -> Values:
    """True values that have something to do with each other."""
    rng = np.random.default_rng(seed)
    common = rng.random(count) < 0.5
    columns = [
        np.where(rng.random(count) < 0.6, common % len(q.values), rng.integers(len(q.values), size=count))
        for q in survey.questions
    ]
    return np.stack(columns, axis=1).astype(np.int16)


def sound(model: DisguisedClassifier, frame: pd.DataFrame) -> None:
    """It predicts probabilities, and a known class."""
    probabilities = model.predict_proba(frame)
    assert probabilities.shape == (len(frame), len(model.classes_))
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert (probabilities >= 0).all()
    assert set(model.predict(frame)) <= set(model.classes_)


@pytest.fixture(scope="module")
def values() -> Values:
    return values_for(mixed_survey(), 500, 1)


@pytest.fixture(scope="module")
def sent(values: Values) -> Responses:
    return simulate(mixed_survey(), values, np.random.default_rng(1))


@pytest.fixture(scope="module")
def words(values: Values) -> pd.DataFrame:
    return words_of(mixed_survey(), values, NAMES)


@each_kind
def test_input_is_left_untouched(kind: str, sent: Responses, words: pd.DataFrame) -> None:
    frame, asked = sent.frame, words.copy()
    features, labels = frame.drop(columns="distress"), frame["distress"].to_numpy()
    before = frame.copy(), features.copy(), labels.copy()
    model = made(kind, mixed_survey()).fit(features, labels)
    model.predict_proba(asked)
    model.score(frame)
    pd.testing.assert_frame_equal(frame, before[0])
    pd.testing.assert_frame_equal(features, before[1])
    pd.testing.assert_frame_equal(asked, words)
    assert (labels == before[2]).all()


@each_kind
def test_a_model_survives_json(kind: str, sent: Responses, words: pd.DataFrame, tmp_path: Path) -> None:
    model = train(sent, made(kind, mixed_survey()), Fraction(1, 3), seed=3)
    write_model(model, tmp_path / "model.json")
    again = read_model(tmp_path / "model.json")
    assert json.dumps(again.as_json) == json.dumps(model.as_json)
    assert (again.classifier.predict_proba(words) == model.classifier.predict_proba(words)).all()
    assert again.classifier.feature_names_in_.tolist() == NAMES
    write_model(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@each_kind
@pytest.mark.parametrize("share", some_of([Fraction(1, 3), Fraction(0), Fraction(1, 500)], [Fraction(1, 3)]))
def test_a_document_has_the_published_schema(kind: str, share: Fraction, sent: Responses, root: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((root / "docs" / "model.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    document = json.loads(json.dumps(train(sent, made(kind, mixed_survey()), share, seed=3).as_json))
    assert list(validator.iter_errors(document)) == []
    for change in ({"format": 2}, {"fingerprint": "0"}, {"extra": 1}, {"training": {}}, {"privacy": []}):
        assert list(validator.iter_errors(document | change)), change


@each_kind
def test_a_seed_repeats_a_model(kind: str, sent: Responses) -> None:
    documents = [train(sent, made(kind, mixed_survey()), Fraction(1, 3), seed=3).as_json for _ in range(2)]
    assert documents[0] == documents[1]


@each_kind
def test_the_order_of_columns_does_not_matter(kind: str, sent: Responses, words: pd.DataFrame) -> None:
    model = made(kind, mixed_survey()).fit(sent.frame)
    turned = made(kind, mixed_survey()).fit(sent.frame[sent.frame.columns[::-1]])
    assert (turned.predict_proba(words[words.columns[::-1]]) == model.predict_proba(words)).all()
    assert turned.score(sent.frame) == model.score(sent.frame[sent.frame.columns[::-1]])


@each_kind
def test_no_data_is_refused_in_words(kind: str, sent: Responses, words: pd.DataFrame) -> None:
    with pytest.raises(ResponseError, match="no responses"):
        made(kind, mixed_survey()).fit(sent.frame.head(0))
    model = made(kind, mixed_survey()).fit(sent.frame)
    assert model.predict_proba(words.head(0)).shape == (0, 2)
    with pytest.raises(QueryError, match="collect responses first"):
        model.score(sent.frame.head(0))


@each_kind
@pytest.mark.parametrize("truth", ["1", "3/5"])
def test_one_class_or_one_response_is_enough(kind: str, truth: str) -> None:
    how = f'truth = "{truth}"'
    survey = survey_of((YES_NO, "a", how), (YES_NO, "b", how), (YES_NO, "b", how))
    values = values_for(survey, 60, 2)
    values[:, 2] = 1
    sent = simulate(survey, values, np.random.default_rng(2))
    for some in (sent, sent.take([0])):
        model = made(kind, survey, "q2").fit(some.frame)
        sound(model, words_of(survey, values, ["q0", "q1"]))
        if truth == "1":
            assert set(model.predict(words_of(survey, values, ["q0", "q1"]))) == {"no"}


@each_kind
def test_a_question_that_nobody_varies_on_and_words_never_seen(kind: str, sent: Responses, words: pd.DataFrame) -> None:
    frame = sent.frame.assign(debt=0, year=2)
    model = made(kind, mixed_survey()).fit(frame)
    sound(model, words)


@each_kind
def test_sixty_groups(kind: str) -> None:
    survey = survey_of(*[(YES_NO, f"g{number}", 'truth = "9/10"') for number in range(60)])
    values = values_for(survey, 200, 3)
    model = train(simulate(survey, values, np.random.default_rng(3)), made(kind, survey, "q59"), Fraction(1, 2), seed=1)
    sound(model.classifier, words_of(survey, values, [f"q{number}" for number in range(59)]))
    assert model.training.outcome is not None
    assert np.isfinite(model.training.outcome.accuracy.estimate)


@pytest.fixture(scope="module")
def thousand() -> tuple[Survey, pd.DataFrame, pd.DataFrame]:
    """A survey of a thousand questions, or 200, in seven groups; sixty responses; and the answers but the last."""
    many = part_of(1000, 200)
    survey = survey_of(*[(YES_NO, f"g{number % 7}", 'truth = "4/5"') for number in range(many)])
    values = values_for(survey, 60, 4)
    frame = simulate(survey, values, np.random.default_rng(4)).frame
    return survey, frame, words_of(survey, values, [f"q{number}" for number in range(many - 1)])


@each_kind
def test_hundreds_of_questions(kind: str, thousand: tuple[Survey, pd.DataFrame, pd.DataFrame]) -> None:
    survey, frame, answers = thousand
    model: Any = made(kind, survey, survey.questions[-1].name, max_depth=2)
    sound(model.fit(frame), answers)


@each_kind
def test_plain_rows_are_learnt_from_and_left_untouched(kind: str, sent: Responses) -> None:
    survey = survey_of((YES_NO, "a", 'truth = "4/5"'), (YES_NO, "b", 'truth = "4/5"'), (YES_NO, "b", 'truth = "4/5"'))
    rows = values_for(survey, 200, 5)
    plain = PlainRows.of(survey, values_for(survey, 100, 6), np.full(100, 1.5))
    before = plain.values.copy(), plain.weights.copy()
    frame = simulate(survey, rows, np.random.default_rng(5)).frame
    model = made(kind, survey, "q2").fit(frame, plain=plain)
    sound(model, words_of(survey, rows, ["q0", "q1"]))
    assert (plain.values == before[0]).all()
    assert (plain.weights == before[1]).all()
    assert model.learnt != made(kind, survey, "q2").fit(frame).learnt
    with pytest.raises(QueryError, match="another survey"):
        made(kind, mixed_survey()).fit(sent.frame, plain=plain)
    with pytest.raises(QueryError, match="use the responses only"):
        made(kind, survey, "q2").fit(frame, plain=PlainRows.of(survey, plain.values[:0]))


@each_kind
def test_the_former_ways_to_fit_warn_and_learn_what_fit_learns(kind: str) -> None:
    survey = survey_of((YES_NO, "a", 'truth = "4/5"'), (YES_NO, "b", 'truth = "4/5"'), (YES_NO, "b", 'truth = "4/5"'))
    values, weights = values_for(survey, 100, 6), np.tile([0.0, 1.5, 0.5, 2.0], 25)
    sent = simulate(survey, values, np.random.default_rng(5))

    def fresh() -> Any:  # noqa: ANN401 - of every class
        model = made(kind, survey, "q2")
        return model.set_params(**{name: None for name in ("prune_share",) if name in model.get_params()})

    with pytest.warns(DeprecationWarning, match="fit_rows"):
        rows = fresh().fit_rows(values, weights, 100)
    with pytest.warns(DeprecationWarning, match="fit_many"):
        many = fresh().fit_many(sent)
    kept = PlainRows.of(survey, values[weights > 0], weights[weights > 0])
    assert rows.learnt == fresh().fit(kept).learnt
    assert many.learnt == fresh().fit(sent).learnt
