"""Training in parts gives what training in memory gives, wherever the responses come from."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from collector.store.store import Store
from collector.survey.survey import Survey
from collector.table import parquet
from collector.table.parquet import write_folder
from latent_cases import yes_no_survey
from miner.learners.classifier import DisguisedClassifier
from miner.learners.kinds import KINDS
from miner.models import training
from miner.models.model import Model
from miner.responses import responses as responses_module
from miner.responses import tally
from miner.responses.parquet_folder import ParquetFolder
from miner.responses.responses import Data, Responses
from miner.simulation.simulation import simulate
from miner.trees import passes, tensors
from miner_command import run
from mode_surveys import alike

SHARE = Fraction(1, 4)
CASES: list[tuple[str, dict[str, Any]]] = [
    ("id3", {"mode": "robust"}),
    ("id3", {"mode": "robust", "splits": "binary"}),
    ("id3", {"mode": "faithful", "max_depth": 3}),
    ("random-trees", {"n_estimators": 3, "max_depth": 2}),
    ("forest", {"mode": "robust", "n_estimators": 5}),
    ("forest", {"mode": "faithful", "n_estimators": 3, "max_depth": 3}),
]


ALL = {"bootstrap": False}  # which responses are drawn depends on the blocks


@pytest.fixture(params=["complement", "uniform"])
def responses(request: pytest.FixtureRequest) -> Responses:
    """Of 600 people to five questions."""
    survey = yes_no_survey(5, 3, "5/6", request.param)
    sent = simulate(survey, alike(600, 5, np.random.default_rng(1)), np.random.default_rng(2))
    return Responses.from_tally(sent.tallied([range(5)])[0], None)  # sorted, as a store gives them


@pytest.fixture(params=[1, 9], ids=["tensors", "copies"])
def _counting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees are counted by tensors, or by copies of responses."""
    monkeypatch.setattr(tensors, "FEW_COINS", request.param)
    monkeypatch.setattr(tensors, "SMALL_AXIS", 0)
    monkeypatch.setattr(passes, "PART", 100)


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few responses at once that 600 take several parts."""
    monkeypatch.setattr(training, "LARGE", 100)
    monkeypatch.setattr(tally, "PART", 64)


@pytest.fixture
def in_blocks(in_parts: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - in parts too
    """So few responses in a block that 600 take four."""
    monkeypatch.setattr(responses_module, "BLOCK", 150)


def trained(responses: Data, kind: str, parameters: dict[str, Any]) -> Model:
    classifier = KINDS[kind](responses.survey, "q4").set_params(random_state=3, **parameters)
    return training.train(responses, classifier, SHARE, 7)


def fitted_on(responses: Data, kind: str, parameters: dict[str, Any]) -> DisguisedClassifier:
    classifier = KINDS[kind](responses.survey, "q4")
    known = {name: value for name, value in parameters.items() if name in classifier.get_params()}
    return classifier.set_params(random_state=3, **known).fit(responses)


def shape(learnt: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """What was learnt, all numbers rounded."""
    if isinstance(learnt, dict):
        return {key: shape(value) for key, value in learnt.items()}
    if isinstance(learnt, list):
        return [shape(value) for value in learnt]
    return round(learnt, 6) if isinstance(learnt, float) else learnt


@pytest.mark.usefixtures("_counting")
@pytest.mark.parametrize(("kind", "parameters"), CASES)
def test_training_in_parts_gives_the_same_model_and_the_same_figures(
    kind: str, parameters: dict[str, Any], responses: Responses, request: pytest.FixtureRequest
) -> None:
    whole = trained(responses, kind, parameters)
    request.getfixturevalue("in_parts")
    parted = trained(responses, kind, parameters)
    assert shape(parted.classifier.learnt) == shape(whole.classifier.learnt)
    assert shape(parted.training.as_json) == shape(whole.training.as_json)
    assert parted.training.n_test == 150


@pytest.mark.usefixtures("_counting")
@pytest.mark.parametrize(("kind", "parameters"), CASES)
def test_several_blocks_give_the_model_of_one(
    kind: str, parameters: dict[str, Any], responses: Responses, request: pytest.FixtureRequest
) -> None:
    one = fitted_on(Data(responses.survey, responses.in_blocks(), None), kind, parameters | ALL)
    request.getfixturevalue("in_blocks")
    several = Data(responses.survey, responses.in_blocks(), None)
    assert len(several.in_blocks()) == 4
    assert shape(fitted_on(several, kind, parameters | ALL).learnt) == shape(one.learnt)


@pytest.mark.usefixtures("in_blocks", "_counting")
@pytest.mark.parametrize(("kind", "parameters"), CASES)
def test_it_is_the_same_bit_for_bit_from_memory_and_from_files_in_any_order(
    kind: str, parameters: dict[str, Any], responses: Responses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "BATCHES", 3)
    with Store(tmp_path / "s.db", create=True) as store:
        published = store.publish(responses.survey)
        store.add(responses.survey, list(responses.rows))
        write_folder(published, store.batches(responses.survey, 50), tmp_path / "out", None, lambda: None)
    first = trained(ParquetFolder(tmp_path / "out"), kind, parameters)
    for number, file in enumerate(sorted((tmp_path / "out").iterdir())):
        file.rename(tmp_path / "out" / f"{9 - number}.parquet")
    shuffled = responses.take(np.random.default_rng(1).permutation(len(responses)))
    for source in (ParquetFolder(tmp_path / "out"), shuffled):
        assert trained(source, kind, parameters).as_json == first.as_json


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize(
    ("kind", "parameters"), [("id3", {"mode": "latent"}), ("id3", {"mode": "robust", "prune_share": 0.2})]
)
def test_what_needs_all_at_once_learns_from_a_sample_and_says_so(
    kind: str, parameters: dict[str, Any], responses: Responses
) -> None:
    found = trained(responses, kind, parameters).training
    assert (found.n_train, found.n_test) == (100, 150)


def test_the_command_says_that_it_drew_a_sample(
    store: Store, wellbeing: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "LARGE", 100)
    store.add(wellbeing, [(year, cannabis, 3, 2, 0, 1) for year in range(4) for cannabis in range(2)] * 20)
    arguments = ("train", "wellbeing", "--mode", "latent", "--test-share", "1/8", "-o", tmp_path / "m.json")
    result = run(*arguments, "--store", store.path)
    assert result.stderr.startswith("note: 120 of 160 responses ")


def test_no_more_are_kept_out_than_an_interval_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    before = training.split(90, SHARE, 1)
    monkeypatch.setattr(training, "MOST_TESTED", 10)
    learnt, kept_out = training.split(90, SHARE, 1)
    assert (len(learnt), len(kept_out)) == (80, 10)
    assert set(kept_out.tolist()) <= set(before[1].tolist())
