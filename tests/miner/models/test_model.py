"""Model documents: whole, readable by people, and never trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import InputError, ModelError, OutputError
from collector.survey.survey import Survey
from miner.learners.id3 import ID3Classifier
from miner.models.model import Model, read_model, write_model
from miner.models.training import train
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from population import draw_answers

Document = dict[str, Any]
OUTSIDE = True


def people(count: int, seed: int) -> pd.DataFrame:
    return draw_answers(count, np.random.default_rng(seed))


def responses(survey: Survey, count: int = 900) -> Responses:
    return simulate(survey, value_indices(survey, people(count, 1)), np.random.default_rng(1))


@pytest.fixture(scope="module")
def model(wellbeing: Survey) -> Model:
    return train(responses(wellbeing), ID3Classifier(wellbeing, mode="faithful"), Fraction(1, 3), seed=7)


def test_a_model_survives_being_written_and_read(model: Model, tmp_path: Path) -> None:
    write_model(model, tmp_path / "model.json")
    again = read_model(tmp_path / "model.json")
    assert again.as_json == model.as_json
    frame = people(50, 2).drop(columns="distress")
    assert (again.classifier.predict(frame) == model.classifier.predict(frame)).all()
    assert (again.classifier.predict_proba(frame) == model.classifier.predict_proba(frame)).all()


def test_a_model_without_a_test_or_tested_on_one_response_survives_too(wellbeing: Survey, tmp_path: Path) -> None:
    for share in (Fraction(0), Fraction(1, 900)):
        model = train(responses(wellbeing), ID3Classifier(wellbeing, mode="robust"), share, seed=7)
        write_model(model, tmp_path / "model.json")
        assert read_model(tmp_path / "model.json").as_json == model.as_json


def test_a_document_carries_the_design_and_what_it_discloses(model: Model, wellbeing: Survey, tmp_path: Path) -> None:
    write_model(model, tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert document["survey"] == wellbeing.design
    assert document["fingerprint"] == wellbeing.fingerprint
    assert document["parameters"] == {
        "mode": "faithful",
        "by": "log-loss",
        "splits": None,
        "prune_share": None,
        "max_depth": None,
        "max_leaves": None,
        "min_samples_leaf": 0.0,
        "random_state": None,
    }
    assert document["training"]["n_train"] == 600
    assert document["training"]["accuracy"]["n"] == 300
    *told, central = document["privacy"][1:]
    assert told == list(SurveyPrivacy(wellbeing).lines)
    assert "no central epsilon holds" in central
    assert "disguised responses only" in document["privacy"][0]


def test_a_document_that_lacks_a_parameter_is_refused(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write_model(model, path)
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["parameters"]["by"]
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelError, match="model, parameters: "):
        read_model(path)


def changed(part: str, value: object) -> Callable[[Document], None]:
    """Sets ``a.b`` to a value."""

    def change(document: Document) -> None:
        *path, last = part.split(".")
        for key in path:
            document = document[key]
        document[last] = value

    return change


def without(part: str) -> Callable[[Document], None]:
    """Takes ``a.b`` out."""

    def change(document: Document) -> None:
        *path, last = part.split(".")
        for key in path:
            document = document[key]
        del document[last]

    return change


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (changed("format", 2), "model, format: this version of Deniable cannot read the format of the model"),
        (changed("format", "1"), "model, format: it is not a whole number"),
        (without("format"), '"format" is missing'),
        (changed("kind", "oracle"), "model, kind: there is no such kind of model; use one of: auto, id3, forest"),
        (
            changed("fingerprint", "0" * 64),
            "model, fingerprint: the fingerprint is not that of the survey in the model",
        ),
        (
            changed("survey.title.en", "Another"),
            "model, fingerprint: the fingerprint is not that of the survey in the model",
        ),
        (without("survey.questions"), '"questions" is missing'),
        (changed("survey", []), "model, survey: it is not a table"),
        (changed("target", "age"), 'there is no question "age"'),
        (changed("target", "year"), "tree, counts: the model does not have"),
        (changed("parameters.mode", ["faithful"]), "model, parameters: the parameters are not"),
        (changed("parameters.max_bits", 3), "model, parameters: the parameters are not"),
        (changed("privacy", [1]), "model, privacy: it is not text"),
        (without("privacy"), '"privacy" is missing'),
        (changed("learnt.tree", {}), 'tree: "question" is missing'),
        (changed("learnt.tree.question", [0, 99]), "tree, counts: the model does not have 2 x"),
        (changed("training.n_train", -1), "model, training: the figures of the model contradict each other"),
        (changed("training.n_test", 0), "model, training: the figures of the model contradict each other"),
        (changed("training.n_train", 1.5), "model, training, n_train: it is not a whole number"),
        (changed("training.test_share", "a third"), "model, training, test_share: the test share is not a fraction"),
        (changed("training.test_share", "1/0"), "model, training, test_share: the test share is not a fraction"),
        (without("training.accuracy"), 'model, training: the key "baseline" is unknown'),
        (without("training.baseline"), 'model, training: "baseline" is missing'),
        (changed("training.baseline.label", "maybe"), "model, baseline, label: the label is not a value of the target"),
        (changed("training.accuracy.estimate", "high"), "model, accuracy, estimate: the value is not a number"),
        (
            changed("training.accuracy.estimate", None),
            "model, accuracy: the figures of the estimate contradict each other",
        ),
        (
            changed("training.accuracy.interval", [0.5]),
            "model, accuracy: the figures of the estimate contradict each other",
        ),
        (
            changed("training.accuracy.outside_unit_interval", OUTSIDE),
            "model, accuracy: the figures of the estimate contradict",
        ),
        (changed("comment", "hello"), 'model: the key "comment" is unknown'),
    ],
)
def test_a_document_that_is_not_a_model_is_refused_in_one_line(
    model: Model, tmp_path: Path, change: Callable[[Document], None], line: str
) -> None:
    document = json.loads(json.dumps(model.as_json))
    change(document)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        read_model(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file is not JSON"),
        (b"[", "the file is not JSON"),
        (b"[" * 100_000, "the file is not JSON"),
        (b"[]", "the entry is not a table"),
        (b'{"format": NaN}', "the file is not JSON"),
    ],
)
def test_a_file_that_is_no_document_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(ModelError, match=problem):
        read_model(tmp_path / "model.json")


def test_a_pickle_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_bytes(b"\x80\x04\x95")
    with pytest.raises(InputError, match=r"model\.json: line 1: it is not UTF-8"):
        read_model(tmp_path / "model.json")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\(No such file or directory\)"):
        read_model(tmp_path / "model.json")


def test_a_model_that_cannot_be_written_leaves_the_old_one(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.json"
    path.write_text("the old one")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError, match="No space left on device"):
        write_model(model, path)
    assert path.read_text() == "the old one"
    assert [each.name for each in tmp_path.iterdir()] == ["model.json"]
