"""A folder in which the ``miner`` command has trained a model, and the people behind it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from collector.store.store import Store
from collector.survey.survey import Survey
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from miner_command import run
from population import draw_answers

PEOPLE = 900


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    return draw_answers(PEOPLE, np.random.default_rng(3))


@pytest.fixture(scope="session")
def answered(tmp_path_factory: pytest.TempPathFactory, wellbeing: Survey, people: pd.DataFrame) -> Path:
    """A store with responses, a file of answers."""
    folder = tmp_path_factory.mktemp("miner")
    people.to_csv(folder / "answers.csv", index=False)
    responses = simulate(wellbeing, value_indices(wellbeing, people), np.random.default_rng(3))
    with Store(folder / "s.db", create=True) as store:
        store.publish(wellbeing)
        store.add(wellbeing, responses.codes.tolist())
    return folder


@pytest.fixture(scope="session")
def folder(answered: Path) -> Path:
    """The same, with a trained model."""
    trained = run("train", "wellbeing", "--seed", 1, "-o", answered / "model.json", "--store", answered / "s.db")
    assert trained.exit_code == 0, trained.stderr
    return answered


def stored(folder: Path) -> Responses:
    with Store(folder / "s.db") as store:
        return Responses.from_store(store, "wellbeing")
