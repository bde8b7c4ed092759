"""After a withdrawal, neither the register nor a model of the job has a figure of the response that was deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from collector.store.registry import KEPT
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Row, Survey
from collector.survey.text import Text
from miner.figures.estimate import Estimate
from miner.models.model import read_model
from miner.responses.responses import value_indices
from miner.retrain import job
from miner.retrain.job import retrain
from miner.retrain.settings import Settings
from miner.simulation.simulation import simulate
from population import draw_answers
from store_rows import bring_in, take_back


def rows(survey: Survey, count: int, seed: int) -> list[Row]:
    rng = np.random.default_rng(seed)
    return [tuple(row) for row in simulate(survey, value_indices(survey, draw_answers(count, rng)), rng).codes.tolist()]


def receipt(number: int) -> bytes:
    return number.to_bytes(32, "big")


def answer(store: Store, survey: Survey, some: list[Row], first: int) -> None:
    """Responses with receipts that are numbered from the first."""
    for number, codes in enumerate(some, start=first):
        assert store.receive(survey, Sent(codes, receipt(number))) is Outcome.STORED


@pytest.fixture
def store(tmp_path: Path, wellbeing: Survey) -> Iterator[Store]:
    """Holds 300 responses that came in no file, and three that can be withdrawn."""
    with Store(tmp_path / "deniable.db", create=True) as each:
        each.publish(wellbeing)
        each.add(wellbeing, rows(wellbeing, 300, 3))
        answer(each, wellbeing, rows(wellbeing, 3, 4), 0)
        yield each


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "champion.json", mode="faithful", minimum_new=100, level=1e-9)


def withdraw(store: Store, survey: Survey, number: int) -> None:
    assert store.withdraw(survey, receipt(number)) is Outcome.WITHDRAWN


def figures(store: Store, survey: Survey) -> list[tuple[dict[str, object], str | None]]:
    return [(run.figures, run.model) for run in store.registry.runs(survey.fingerprint)]


def test_a_withdrawal_erases_every_figure_of_earlier_runs(store: Store, settings: Settings, wellbeing: Survey) -> None:
    retrain(store, "wellbeing", settings)
    retrain(store, "wellbeing", settings, force=True)
    (before, digest), _ = figures(store, wellbeing)
    assert before["marginals"]
    withdraw(store, wellbeing, 0)
    assert figures(store, wellbeing) == [({"imports": {}, "withdrawn": 1}, None)] * 2
    withdraw(store, wellbeing, 1)
    withdraw(store, wellbeing, 1)
    assert figures(store, wellbeing) == [({"imports": {}, "withdrawn": 2}, None)] * 2
    store.tidy()
    content = store.path.read_bytes()
    assert b"marginals" not in content
    assert str(digest).encode() not in content, "whoever trains on each possible response would know it again"


def test_of_other_versions_and_surveys_nothing_is_erased(store: Store, settings: Settings, wellbeing: Survey) -> None:
    other = replace(wellbeing, name="morale")
    store.publish(other)
    number = store.registry.start(other.fingerprint, {}, 100)
    store.registry.end(number, KEPT, {"accuracy": 0.8})
    retrain(store, "wellbeing", settings)
    withdraw(store, wellbeing, 0)
    assert figures(store, other) == [({"accuracy": 0.8}, None)]


def test_runs_on_another_wording_are_of_the_same_version(store: Store, settings: Settings, wellbeing: Survey) -> None:
    retrain(store, "wellbeing", settings)
    reworded = replace(wellbeing, title=Text.of(en="Another title"))
    store.publish(reworded)
    assert retrain(store, "wellbeing", settings).result == "waiting"
    withdraw(store, reworded, 0)
    assert figures(store, reworded) == figures(store, wellbeing) == [({"imports": {}, "withdrawn": 1}, None)]
    store.remove("wellbeing")
    assert figures(store, wellbeing) == []


def test_a_run_that_only_forgets_replaces_the_model(store: Store, settings: Settings, wellbeing: Survey) -> None:
    retrain(store, "wellbeing", settings)
    withdraw(store, wellbeing, 0)
    done = retrain(store, "wellbeing", settings)
    assert done.result == "promoted"
    assert "1 responses were withdrawn" in done.why
    training = read_model(settings.champion).training
    assert training.n_train + training.n_test == 302
    assert retrain(store, "wellbeing", settings).result == "waiting"


@pytest.mark.parametrize("force", [False, True])
def test_where_a_few_may_have_joined_the_old_model_goes_and_none_is_trained(
    store: Store, settings: Settings, wellbeing: Survey, *, force: bool
) -> None:
    retrain(store, "wellbeing", settings)
    withdraw(store, wellbeing, 0)
    answer(store, wellbeing, rows(wellbeing, 1, 5), 10)  # as many as before: nothing in the numbers tells
    done = retrain(store, "wellbeing", settings, force=force)
    assert (done.result, done.figures) == ("waiting", None)
    assert done.why.endswith("(champion.json)")
    assert "erased" in done.why
    assert not settings.champion.exists()
    answer(store, wellbeing, rows(wellbeing, 19, 6), 20)
    assert retrain(store, "wellbeing", settings).result == "waiting", "19 certainly joined, and perhaps one more"
    answer(store, wellbeing, rows(wellbeing, 1, 7), 50)
    assert retrain(store, "wellbeing", settings).result == "promoted"


def test_a_hold_stands_after_a_withdrawal_though_its_model_and_its_figures_go(
    store: Store, settings: Settings, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "accuracy_gain", lambda *_: Estimate(0.0, 0.02, (-0.04, 0.04), 50))  # not refused as worse
    retrain(store, "wellbeing", settings)
    answer(store, wellbeing, [(0, 0, 0, 0, 0, 0)] * 400, 100)
    held = retrain(store, "wellbeing", settings)
    assert held.result == "held"
    candidate = settings.champion.with_name("champion.json.candidate")
    assert candidate.exists(), held.why
    withdraw(store, wellbeing, 0)
    done = retrain(store, "wellbeing", settings)
    assert done.result == "held", "else whoever sent false responses would end the hold by withdrawing one"
    assert "0." not in done.why, "no figure"
    assert not candidate.exists()
    assert not settings.champion.exists()
    assert retrain(store, "wellbeing", settings, accept=True).result == "promoted"


@pytest.mark.parametrize("when", ["measured", "write_model"])
def test_a_withdrawal_while_a_run_is_at_work_keeps_its_figures_out(
    store: Store, settings: Settings, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    retrain(store, "wellbeing", settings)
    answer(store, wellbeing, rows(wellbeing, 100, 5), 10)
    real, gone = getattr(job, when), []

    def meanwhile(*arguments: object) -> object:
        if not gone:
            gone.append(0)
            withdraw(store, wellbeing, 0)
        return real(*arguments)

    monkeypatch.setattr(job, when, meanwhile)
    done = retrain(store, "wellbeing", settings)
    assert (done.result, done.figures) == ("waiting", None)
    assert [each for each, _ in figures(store, wellbeing)] == [{"imports": {}, "withdrawn": 1}] * 2
    assert not settings.champion.exists()
    assert not settings.champion.with_name("champion.json.candidate").exists()
    assert retrain(store, "wellbeing", settings).result == "promoted"


def test_an_import_that_is_undone_erases_the_figures_of_the_runs_that_counted_it(
    store: Store, settings: Settings, wellbeing: Survey
) -> None:
    published, file = store.published("wellbeing"), rows(wellbeing, 150, 8)
    retrain(store, "wellbeing", settings)
    first = figures(store, wellbeing)[0]
    bring_in(store, published, file)
    retrain(store, "wellbeing", settings)
    (digest,) = store.imports.counts(published)
    take_back(store, published, file)
    kept, (erased, model) = figures(store, wellbeing)
    assert (kept, model, set(erased)) == (first, None, {"imports", "withdrawn"})
    assert list(erased["imports"].values()) == [150]  # type: ignore[attr-defined]
    assert digest not in json.dumps(erased), "the digest of a file of one row would tell the row"
    assert retrain(store, "wellbeing", settings).result == "promoted"


def test_of_a_file_that_was_imported_twice_one_import_is_left(store: Store, wellbeing: Survey) -> None:
    published, file = store.published("wellbeing"), rows(wellbeing, 10, 8)
    bring_in(store, published, file)
    bring_in(store, published, file, again=True)
    counts = store.imports.counts(published)
    number = store.registry.start(wellbeing.fingerprint, {}, 323, counts)
    store.registry.end(number, KEPT, {"imports": counts, "accuracy": 0.8})
    take_back(store, published, file)
    ((erased, _),) = figures(store, wellbeing)
    (digest,) = counts
    left = dict(erased["imports"])  # type: ignore[call-overload]
    assert (left.pop(digest), list(left.values()), "accuracy" in erased) == (10, [10], False)
