"""A new wave does not overwrite a working champion unasked, and what was replaced is kept one step back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from collector.errors import QueryError
from collector.store.registry import REPLACED
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Row, Survey
from miner.figures.estimate import Estimate
from miner.models.model import read_model
from miner.responses.responses import value_indices
from miner.retrain import job
from miner.retrain.drift import shifts
from miner.retrain.job import restore_champion, retrain
from miner.retrain.settings import Settings
from miner.simulation.simulation import simulate
from population import draw_answers
from workshop import call


def sent(survey: Survey, people: pd.DataFrame, seed: int) -> list[Row]:
    codes = simulate(survey, value_indices(survey, people), np.random.default_rng(seed)).codes
    return [tuple(row) for row in codes.tolist()]


def people(count: int, seed: int) -> pd.DataFrame:
    return draw_answers(count, np.random.default_rng(seed))


@pytest.fixture
def store(tmp_path: Path, wellbeing: Survey) -> Iterator[Store]:
    with Store(tmp_path / "deniable.db", create=True) as each:
        each.publish(wellbeing)
        each.add(wellbeing, sent(wellbeing, people(900, 3), 3))
        assert each.receive(wellbeing, Sent(sent(wellbeing, people(1, 4), 4)[0], bytes(32))) is Outcome.STORED
        yield each


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "champion.json", mode="faithful", minimum_new=100, level=1e-6)


def next_wave(store: Store, survey: Survey, count: int, seed: int) -> Survey:
    wave = replace(survey, wave=2)
    store.publish(wave, new_version=True)
    store.add(wave, sent(wave, people(count, seed), seed))
    return wave


@pytest.mark.parametrize(
    ("gain", "result"),
    [((0.05, 0.02), "promoted"), ((0.03, 0.02), "kept"), ((-0.05, 0.02), "kept"), ((0.0, 0.0), "kept")],
)
def test_a_champion_of_another_version_is_only_replaced_by_a_better_model(  # noqa: PLR0913, PLR0917 - cases
    store: Store,
    settings: Settings,
    wellbeing: Survey,
    monkeypatch: pytest.MonkeyPatch,
    gain: tuple[float, float],
    result: str,
) -> None:
    retrain(store, "wellbeing", settings)
    before = settings.champion.read_bytes()
    wave = next_wave(store, wellbeing, 200, 5)
    monkeypatch.setattr(job, "accuracy_gain", lambda *_: Estimate(*gain, (gain[0], gain[0]), 50))
    done = retrain(store, "wellbeing", replace(settings, level=0.05))
    verdict = "significantly better" if result == "promoted" else "not significantly better"
    assert (done.result, done.why.split(" than")[0]) == (result, verdict)
    assert "champion of version 1" in done.why
    assert (settings.champion.read_bytes() == before) == (result == "kept")
    expected = wave if result == "promoted" else wellbeing
    assert read_model(settings.champion).survey.fingerprint == expected.fingerprint


def test_a_champion_is_tested_on_the_responses_of_the_newest_version(
    store: Store, settings: Settings, wellbeing: Survey
) -> None:
    retrain(store, "wellbeing", settings)
    before = settings.champion.read_bytes()
    next_wave(store, wellbeing, 240, 5)
    done = retrain(store, "wellbeing", replace(settings, minimum_new=20))
    assert done.result == "kept", done.why
    assert done.figures is not None
    assert done.figures["gain"]["n"] == done.figures["n_test"] < 240
    assert settings.champion.read_bytes() == before


def test_a_version_with_other_questions_is_held_until_it_is_accepted(
    store: Store, settings: Settings, wellbeing: Survey
) -> None:
    retrain(store, "wellbeing", settings)
    before = settings.champion.read_bytes()
    fewer = replace(wellbeing, questions=tuple(each for each in wellbeing.questions if each.name != "year"))
    store.publish(fewer, new_version=True)
    store.add(fewer, sent(fewer, people(200, 5), 5))
    for _ in range(2):
        done = retrain(store, "wellbeing", settings)
        assert (done.result, settings.champion.read_bytes() == before) == ("held", True)
        assert "version 1" in done.why
        assert "(--accept)" in done.why
    assert retrain(store, "wellbeing", settings, accept=True).result == "promoted"
    assert restore_champion(store, "wellbeing", settings).result == "restored"
    assert settings.champion.read_bytes() == before


def kept(store: Store, survey: Survey) -> list[str]:
    return [run.figures[REPLACED] for run in store.registry.runs(survey.fingerprint) if REPLACED in run.figures]


def test_the_replaced_model_is_kept_one_step_back_and_never_printed(
    store: Store, settings: Settings, wellbeing: Survey, tmp_path: Path
) -> None:
    files = []
    for seed in (5, 6, 7):
        result = retrain(store, "wellbeing", settings)
        assert result.result == "promoted"
        assert REPLACED not in (result.as_json["figures"] or {})
        files.append(settings.champion.read_text("utf-8"))
        assert kept(store, wellbeing) == files[-2:-1]
        store.add(wellbeing, sent(wellbeing, people(100, seed), seed))
    (tmp_path / "retrain.toml").write_text('champion = "champion.json"\n', encoding="utf-8")
    line = ("miner", "retrain", "wellbeing", "--config", str(tmp_path / "retrain.toml"), "--store", str(store.path))
    assert call(*line, "--back").exit_code == 0
    assert settings.champion.read_text("utf-8") == files[1]
    assert kept(store, wellbeing) == []
    again = call(*line, "--back")
    assert (again.exit_code, "no earlier model is kept" in again.stderr) == (2, True)
    assert call(*line, "--back", "--force").exit_code == 2
    assert retrain(store, "wellbeing", settings).result == "promoted", "it counts as a champion"


def test_no_model_is_kept_where_nobody_joined(store: Store, settings: Settings, wellbeing: Survey) -> None:
    retrain(store, "wellbeing", settings)
    assert retrain(store, "wellbeing", replace(settings, model="logit")).result in {"promoted", "kept"}
    assert kept(store, wellbeing) == []


@pytest.mark.parametrize("other_version", [False, True])
def test_a_withdrawal_erases_the_replaced_model(
    store: Store, settings: Settings, wellbeing: Survey, *, other_version: bool
) -> None:
    retrain(store, "wellbeing", settings)
    newest = wellbeing
    if other_version:
        newest = next_wave(store, wellbeing, 200, 5)
        settings.champion.write_text(settings.champion.read_text("utf-8"), encoding="utf-8")
    else:
        store.add(wellbeing, sent(wellbeing, people(100, 5), 5))
    number = store.registry.start(newest.fingerprint, {}, 200)
    store.registry.end(number, "promoted", {REPLACED: "the old file", "gain": 0.1, "n_train": 150})
    assert store.withdraw(wellbeing, bytes(32)) is Outcome.WITHDRAWN
    (*_, run) = store.registry.runs(newest.fingerprint)
    assert run.figures == ({"n_train": 150} if other_version else {"withdrawn": 1})
    with pytest.raises(QueryError, match="no earlier model is kept"):
        restore_champion(store, "wellbeing", settings)
    assert store.path.exists()
    store.tidy()
    assert b"the old file" not in Path(str(store.path)).read_bytes()


def figure(terms: np.ndarray) -> Estimate:
    error = float(terms.std(ddof=1) / np.sqrt(len(terms)))
    return Estimate(float(terms.mean()), error, (0, 1), len(terms))


def year(rng: np.random.Generator, step: float) -> list[dict[str, Estimate]]:
    """Figures at twelve monthly trainings of 300 newcomers each, of a share that changes by a step a month."""
    months = [(rng.random(300) < 0.3 + step * month).astype(float) for month in range(12)]
    return [{"share": figure(np.concatenate(months[: month + 1]))} for month in range(12)]


def alarms(step: float, *, trends: bool) -> float:
    rng, found = np.random.default_rng(3), 0
    for _ in range(200):
        trainings = year(rng, step)
        drift = shifts(trainings[-2], trainings[-1], None, trainings[:-1] if trends else ())
        found += any(each.p < 0.05 for each in drift)
    return found / 200


def test_a_slow_change_is_seen_by_its_trend_and_no_more_alarms_are_false() -> None:
    assert alarms(0.0, trends=True) < 0.09  # binomial, 200 and .05: above once in 100
    assert alarms(0.01, trends=True) > 0.75
    assert alarms(0.01, trends=False) < 0.6


def test_a_trend_starts_again_after_an_accepted_change() -> None:
    rng = np.random.default_rng(4)
    before, after = (rng.random(900) < 0.2).astype(float), (rng.random(900) < 0.6).astype(float)
    start = {"share": figure(before)}
    trainings = [{"share": figure(np.concatenate([before, after[:count]]))} for count in (300, 600, 900)]
    (trend,) = [
        each for each in shifts(trainings[1], trainings[2], start, trainings[:2]) if "trend over 3" in each.what
    ]
    assert abs(trend.before - 0.6) < 0.1
    assert trend.p > 0.001
