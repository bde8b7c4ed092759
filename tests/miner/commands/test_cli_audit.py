"""``miner audit-survey``: printed for people, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from collector.store.store import Store
from collector.survey.survey import Survey
from command_schema import validator
from miner.cli import main
from miner.simulation.simulation import simulate
from miner_command import printed
from split_surveys import split_survey


@pytest.fixture
def store(tmp_path: Path, wellbeing: Survey) -> Path:
    """A store with 300 responses to the example survey."""
    path = tmp_path / "deniable.db"
    generator = np.random.default_rng(1)
    values = np.stack([generator.integers(0, len(question.values), 300) for question in wellbeing.questions], axis=1)
    responses = simulate(wellbeing, values.astype(np.int16), generator)
    with Store(path, create=True) as opened:
        opened.publish(wellbeing)
        opened.add(wellbeing, responses.codes.tolist())
    return path


def run(store: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["audit-survey", "wellbeing", "--store", str(store), "--seed", "1", *arguments])


def test_it_tells_of_coins_bits_and_certainty(store: Path) -> None:
    result = run(store)
    assert result.exit_code == 0, result.output
    assert "coins guessed right" in result.stdout
    for part in ("substances", "question cannabis", "group money", "whole response"):
        assert part in result.stdout
    assert "of 300 respondents" in result.stdout


def test_as_json_it_says_the_same(store: Path, wellbeing: Survey) -> None:
    audit = json.loads(run(store, "--json").stdout)
    assert audit["fingerprint"] == wellbeing.fingerprint
    assert [coin["group"] for coin in audit["coins"]] == [group.name for group in wellbeing.groups]
    assert audit["record"]["remaining_bits"] <= audit["record"]["prior_bits"] + 1e-9


def test_the_same_seed_says_the_same(store: Path) -> None:
    assert run(store, "--json").stdout == run(store, "--json").stdout


def test_with_facts_it_says_so_and_knows_more(store: Path) -> None:
    told, plain = (json.loads(run(store, *more, "--json").stdout) for more in (("--known", "2"), ()))
    assert (told["known"], plain["known"]) == (2, 0)
    for name, question in told["questions"].items():
        assert question["remaining_bits"] < plain["questions"][name]["remaining_bits"] + 0.01
    assert "2 other answers of each" in run(store, "--known", "2").stdout


def test_a_split_questionnaire_is_audited_as_the_schema_says(tmp_path: Path) -> None:
    survey, path, generator = split_survey(), tmp_path / "deniable.db", np.random.default_rng(2)
    values = np.stack([generator.integers(0, len(each.values), 60) for each in survey.questions], axis=1)
    with Store(path, create=True) as opened:
        opened.publish(survey)
        opened.add(survey, simulate(survey, values.astype(np.int16), generator).rows)

    told = printed("audit-survey", "split", "--store", path, "--seed", 1)

    validator("miner audit-survey").validate(told)
    assert told["record"]["respondents"] == 60
    assert told["questions"]["sad"]["respondents"] < 60
