"""The scheduled job: waits, trains, promotes, keeps; and is not hurt by being killed or started twice."""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from collector.errors import ModelError, OutputError
from collector.planning.shuffled import AGAIN
from collector.store.invitation import create_pepper
from collector.store.store import Store
from collector.survey.survey import Survey
from miner.figures.estimate import Estimate
from miner.models.model import read_model
from miner.models.training import measured
from miner.responses.responses import Responses, value_indices
from miner.retrain import job
from miner.retrain.drift import Drift
from miner.retrain.held_out import dealt_responses
from miner.retrain.job import UNTIL, retrain
from miner.retrain.result import Result
from miner.retrain.settings import Settings
from miner.simulation.simulation import simulate
from population import draw_answers
from said import figures
from split_surveys import question, survey_of_tables
from store_rows import bring_in, dealt_rows, take_back
from workshop import call

KILLS = int(os.environ.get("DENIABLE_KILLS", "2"))  # 30 in the long run
IDLE_RUNS = int(os.environ.get("DENIABLE_IDLE_RUNS", "20"))  # 1,000 in the long run


def sent(survey: Survey, people: pd.DataFrame, seed: int) -> list[tuple[int, ...]]:
    responses = simulate(survey, value_indices(survey, people), np.random.default_rng(seed))
    return [tuple(row) for row in responses.codes.tolist()]


@pytest.fixture
def store(tmp_path: Path, wellbeing: Survey) -> Iterator[Store]:
    """Holds 900 responses, dealt alike in every run of the tests: one in twenty deals makes a challenger worse."""
    path, rng = tmp_path / "deniable.db", np.random.default_rng(1)
    create_pepper(path, bytes(32))
    with Store(path, create=True, draw_ids=lambda count: rng.integers(2**62, size=count).tolist()) as each:
        each.publish(wellbeing)
        each.add(wellbeing, sent(wellbeing, draw_answers(900, np.random.default_rng(3)), 3))
        yield each


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "champion.json", mode="robust", minimum_new=100)


@pytest.fixture
def command(store: Store, tmp_path: Path) -> list[str]:
    """The same as a command."""
    path = tmp_path / "retrain.toml"
    path.write_text('champion = "champion.json"\nmode = "robust"\nminimum_new = 100\n', encoding="utf-8")
    program = [sys.executable, "-c", "from miner.cli import main; main()"]
    # accepted, as one run in twenty would be held by chance
    return [*program, "retrain", "wellbeing", "--config", str(path), "--store", str(store.path), "--accept"]


def run(command: list[str]) -> tuple[int, dict[str, Any]]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    (line,) = done.stdout.splitlines() or ["{}"]
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(line)


def results(store: Store) -> list[str]:
    return [run.result for run in store.registry.runs(store.published("wellbeing").fingerprint)]


def shuffled(responses: Responses) -> list[tuple[int, ...]]:
    """Responses in which no question has to do with another: what was learnt from them is worth nothing."""
    rng = np.random.default_rng(1)
    return [tuple(row) for row in np.stack([rng.permutation(column) for column in responses.codes.T], axis=1).tolist()]


def test_the_first_model_is_promoted_and_registered(store: Store, settings: Settings) -> None:
    result = retrain(store, "wellbeing", settings)
    assert (result.result, "no champion" in result.why) == ("promoted", True)
    model = read_model(settings.champion)
    assert model.training.n_train + model.training.n_test == 900
    assert model.training.seed is None
    (registered,) = store.registry.runs(model.survey.fingerprint)
    assert (registered.number, registered.result, registered.responses) == (result.run, "promoted", 900)
    assert registered.figures["accuracy"] == json.loads(json.dumps(model.training.as_json["accuracy"]))
    assert not settings.champion.with_name("champion.json.candidate").exists()


def test_a_forest_is_grown_as_the_settings_say_and_judged_out_of_bag(store: Store, settings: Settings) -> None:
    settings = replace(settings, model="forest", mode="robust", n_estimators=5, max_features=2, oob_score=True)
    result = retrain(store, "wellbeing", settings)
    model = read_model(settings.champion)
    assert len(model.as_json["learnt"]["forest"]["trees"]) == 5
    (registered,) = store.registry.runs(model.survey.fingerprint)
    assert registered.figures["out_of_bag"]["n"] == model.training.n_train // 3
    again = retrain(store, "wellbeing", replace(settings, n_estimators=6))
    assert again.why.endswith("changed settings: n_estimators")
    assert result.run != again.run


def test_with_too_few_new_responses_nothing_is_done_and_it_says_so(store: Store, settings: Settings) -> None:
    retrain(store, "wellbeing", settings)
    before = settings.champion.read_bytes()
    result = retrain(store, "wellbeing", settings)
    assert (result.survey, result.result, figures(result.why)) == ("wellbeing", "waiting", [0, 100])
    assert settings.champion.read_bytes() == before
    assert results(store) == ["promoted"]


def test_no_response_that_measures_was_trained_on_before(store: Store, settings: Settings, wellbeing: Survey) -> None:
    held_out = dealt_rows(store, wellbeing, settings.hold_out)[1]
    store.add(wellbeing, sent(wellbeing, draw_answers(300, np.random.default_rng(8)), 8))
    later = dealt_rows(store, wellbeing, settings.hold_out)[1]
    for row in held_out:
        later.remove(row)  # fails if it moved


def test_its_model_is_tested_again_on_all_that_was_ever_held_out(
    store: Store, settings: Settings, wellbeing: Survey, tmp_path: Path
) -> None:
    retrain(store, "wellbeing", settings)
    store.add(wellbeing, sent(wellbeing, draw_answers(300, np.random.default_rng(8)), 8))
    dealt = dealt_rows(store, wellbeing, settings.hold_out)[1]
    found = evaluated(settings.champion, store.path)
    assert (found["n_test"], found["kept_out"]) == (len(dealt), True)
    model = read_model(settings.champion)
    assert len(dealt) > model.training.n_test, "those that came since are among them"
    again = measured(model.classifier, dealt_responses(store, wellbeing, settings.hold_out)[1], "distress", 0)
    assert found["accuracy"] == json.loads(json.dumps(again.accuracy.as_json))
    elsewhere = tmp_path / "other.db"
    with Store(elsewhere, create=True) as other:  # which deals in another way, and never trained it
        other.publish(wellbeing)
        other.add(wellbeing, store.rows(wellbeing))
    found = evaluated(settings.champion, elsewhere)
    assert (found["n_test"], found["kept_out"]) == (1200, False)


def evaluated(path: Path, store: Path) -> dict[str, Any]:
    """What `miner evaluate` says."""
    result = call("miner", "evaluate", str(path), "wellbeing", "--store", str(store), "--json")
    assert result.exit_code == 0, result.stderr
    return dict(json.loads(result.stdout))


@pytest.mark.statistical
def test_a_challenger_that_is_not_worse_is_promoted(store: Store, settings: Settings, wellbeing: Survey) -> None:
    """The store's random ids deal: two equally good models differ so much once in a million runs."""
    retrain(store, "wellbeing", settings)
    store.add(wellbeing, sent(wellbeing, draw_answers(900, np.random.default_rng(9)), 9))
    result = retrain(store, "wellbeing", replace(settings, level=1e-6))
    assert result.result == "promoted"
    came, verdict = result.why.split("; ", 1)
    assert figures(came) == [900, 1]
    assert "without drift" in came
    assert verdict.startswith("not significantly worse")
    assert result.figures is not None
    assert result.figures["gain"]["n"] == result.figures["n_test"]


@pytest.mark.parametrize(
    ("gain", "outcome"),
    [((-0.05, 0.02), "kept"), ((-0.03, 0.02), "promoted"), ((0.0, 0.0), "promoted"), ((-0.001, 0.0), "kept")],
)
def test_a_challenger_is_refused_where_it_is_worse_by_more_than_1_645_standard_errors(
    store: Store,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    gain: tuple[float, float],
    outcome: str,
) -> None:
    retrain(store, "wellbeing", settings)
    survey = store.published("wellbeing").survey
    before = settings.champion.read_bytes()
    store.add(survey, sent(survey, draw_answers(200, np.random.default_rng(10)), 10))
    monkeypatch.setattr(job, "accuracy_gain", lambda *_: Estimate(*gain, (gain[0], gain[0]), 250))
    result = retrain(store, "wellbeing", settings, accept=True)
    verdict = "significantly worse" if outcome == "kept" else "not significantly worse"
    assert (result.result, result.why.split("; ")[-1].split(" than")[0]) == (outcome, verdict)
    assert (settings.champion.read_bytes() == before) == (outcome == "kept")
    assert results(store) == ["promoted", outcome]


def test_drift_is_reported_with_its_test(store: Store, settings: Settings, wellbeing: Survey) -> None:
    assert not (retrain(store, "wellbeing", settings).figures or {})["drift"]
    people = draw_answers(900, np.random.default_rng(5)).assign(cannabis="yes")
    store.add(wellbeing, sent(wellbeing, people, 5))
    figures = retrain(store, "wellbeing", settings).figures or {}
    named = {each["what"] for each in figures["drift"]}
    assert "cannabis = yes" in named
    assert "cannabis = no" not in named, "it says the same"


def held(store: Store, settings: Settings, survey: Survey) -> Result:
    """A run on responses that have drifted, after one on those before."""
    retrain(store, survey.name, settings)
    people = draw_answers(900, np.random.default_rng(5)).assign(cannabis="yes")
    store.add(survey, sent(survey, people, 5))
    return retrain(store, survey.name, settings)


def test_drift_beyond_chance_holds_the_challenger_until_it_is_accepted(
    store: Store, settings: Settings, wellbeing: Survey
) -> None:
    result = held(store, settings, wellbeing)
    before, candidate = settings.champion.read_bytes(), settings.champion.with_name("champion.json.candidate")
    assert result.result == "held"
    assert figures(result.why)[:2] == [900, 1]
    assert ": cannabis = yes " in result.why
    assert result.why.endswith(UNTIL)
    again = retrain(store, "wellbeing", settings)
    assert (again.result, again.run) == ("held", None)
    assert settings.champion.read_bytes() == before
    challenger = candidate.read_bytes()
    accepted = retrain(store, "wellbeing", settings, accept=True)
    assert (accepted.result, f"run {result.run} is accepted" in accepted.why) == ("promoted", True)
    assert settings.champion.read_bytes() == challenger
    assert not candidate.exists()
    assert results(store) == ["promoted", "kept", "promoted"]
    assert retrain(store, "wellbeing", settings).result == "waiting"


def test_a_hold_stands_whatever_comes_until_a_person_accepts_it(
    store: Store, settings: Settings, wellbeing: Survey
) -> None:
    first = held(store, settings, wellbeing)
    before = settings.champion.read_bytes()
    for count in (200, 20_000):  # so many that those who drifted do not show among them
        store.add(wellbeing, sent(wellbeing, draw_answers(count, np.random.default_rng(count)), count))
        for options in ({}, {"force": True}):
            result = retrain(store, "wellbeing", settings, **options)
            assert (result.result, result.run) == ("held", None)
            assert result.why.startswith(f"run {first.run} is held: ")
            assert figures(result.why)[1:3] == [900, 1]
            assert result.why.endswith(UNTIL)
    assert settings.champion.read_bytes() == before
    assert results(store) == ["promoted", "kept"]
    assert retrain(store, "wellbeing", settings, accept=True).result == "promoted"


def test_a_hold_for_the_accuracy_alone_stands_too(
    store: Store, settings: Settings, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    retrain(store, "wellbeing", settings)
    fallen = Drift("accuracy in predicting distress", 0.81, 0.4, 0.05, 1e-9)
    store.add(wellbeing, sent(wellbeing, draw_answers(200, np.random.default_rng(6)), 6))
    with monkeypatch.context() as patched:
        patched.setattr(job, "shifts", lambda *_: [fallen])
        assert retrain(store, "wellbeing", settings).result == "held"
    store.add(wellbeing, sent(wellbeing, draw_answers(400, np.random.default_rng(7)), 7))
    assert retrain(store, "wellbeing", settings).result == "held"


def test_an_accepted_change_is_the_new_normal(store: Store, settings: Settings, wellbeing: Survey) -> None:
    settings = replace(settings, level=0.001)
    held(store, settings, wellbeing)
    assert retrain(store, "wellbeing", settings, accept=True).result == "promoted"
    for seed in (6, 7):
        people = draw_answers(900, np.random.default_rng(seed)).assign(cannabis="yes")
        store.add(wellbeing, sent(wellbeing, people, seed))
        result = retrain(store, "wellbeing", settings)
        assert result.result != "held", result.why
    store.add(wellbeing, sent(wellbeing, draw_answers(900, np.random.default_rng(8)), 8))
    assert retrain(store, "wellbeing", settings).result == "held", "they answer as people did before the change"


def test_what_is_held_says_how_many_responses_are_identical(store: Store, settings: Settings) -> None:
    retrain(store, "wellbeing", settings)
    bring_in(store, store.published("wellbeing"), [(0, 0, 0, 0, 0, 0)] * 400)
    result = retrain(store, "wellbeing", settings)
    assert result.result == "held"
    first, last = (run.figures["identical"] for run in store.registry.runs(store.published("wellbeing").fingerprint))
    assert last >= 400 > first
    assert f"{last} are identical" in result.why
    assert f", {first} " in result.why


def test_a_held_model_that_is_gone_is_trained_again_once_accepted(
    store: Store, settings: Settings, wellbeing: Survey
) -> None:
    held(store, settings, wellbeing)
    settings.champion.with_name("champion.json.candidate").unlink()
    result = retrain(store, "wellbeing", settings, accept=True)
    assert result.result in {"promoted", "kept"}
    assert result.figures is not None
    assert result.figures["drift"]


def test_drift_to_an_impossible_figure_is_said_to_be_one() -> None:
    shift = Drift("accuracy in predicting distress", 0.81, -0.889, 0.27, 3e-10)
    assert shift.as_json["outside_unit_interval"] is True
    assert "-0.889 " in shift.line
    assert "(p 3e-10)" in shift.line


@pytest.mark.parametrize(
    ("key", "changed"),
    [("champion", "other.json"), ("model", "forest"), ("hold_out", "1/3"), ("seed", 2), ("mode", "faithful")],
)
def test_a_changed_setting_is_noticed_and_acted_on(
    store: Store, settings: Settings, tmp_path: Path, key: str, changed: object
) -> None:
    retrain(store, "wellbeing", settings)
    value = {"champion": tmp_path / str(changed), "hold_out": Fraction(1, 3)}.get(key, changed)
    other = replace(settings, **{key: value})  # type: ignore[arg-type]  # whichever it is
    result = retrain(store, "wellbeing", other)
    assert result.result in {"promoted", "kept"}
    assert result.why.endswith(f"; changed settings: {key}")
    assert other.champion.exists()
    assert retrain(store, "wellbeing", other).result == "waiting"


def test_settings_that_say_when_to_train_are_no_reason_to(store: Store, settings: Settings) -> None:
    retrain(store, "wellbeing", settings)
    assert retrain(store, "wellbeing", replace(settings, minimum_new=50, level=0.01)).result == "waiting"


def test_a_champion_that_is_gone_is_trained_again(store: Store, settings: Settings) -> None:
    retrain(store, "wellbeing", settings)
    settings.champion.unlink()
    assert retrain(store, "wellbeing", settings).result == "promoted"
    assert settings.champion.exists()


def test_a_run_may_be_forced_but_not_on_a_handful_of_newcomers(
    store: Store, settings: Settings, wellbeing: Survey
) -> None:
    retrain(store, "wellbeing", settings)
    assert retrain(store, "wellbeing", settings, force=True).result in {"promoted", "kept"}
    store.add(wellbeing, sent(wellbeing, draw_answers(19, np.random.default_rng(6)), 6))
    result = retrain(store, "wellbeing", settings, force=True)
    assert (result.result, result.figures) == ("waiting", None)
    assert "19 new responses" in result.why
    assert "who answered in between" in result.why


def test_drift_is_held_and_accepted_through_the_command(
    store: Store, settings: Settings, wellbeing: Survey, command: list[str]
) -> None:
    held(store, settings, wellbeing)
    plain = ["miner", *command[3:-1]]
    for options, code, result in (([], 4, "held"), (["--accept"], 0, "promoted"), ([], 0, "waiting")):
        found = call(*plain, *options)
        told = json.loads(found.stdout)
        assert (found.exit_code, told["result"]) == (code, result), found.stdout
        told_line = "" if result == "waiting" else f"wellbeing: {result}: {told['why']}\n"
        assert found.stderr == told_line + (f"{AGAIN}\n" if told.get("figures") is not None else "")
    assert json.loads(call(*plain, "--force", "--accept").stdout)["result"] in {"promoted", "kept"}
    assert "--accept" in call(*plain, "--every", "1d", "--force").stderr


@pytest.mark.slow
def test_of_a_split_questionnaire_a_model_of_the_answers_tells_which_is_better(tmp_path: Path) -> None:
    more = '[sampling]\nask = 2\nalways = ["c"]\n[mining]\ntarget = "c"\n'
    survey = survey_of_tables([question(name, 2, "all") for name in "abc"], 'all = { odds = "9" }', more)
    rng = np.random.default_rng(6)
    truth = np.repeat(rng.integers(0, 2, (160, 1)), 3, axis=1).astype(np.int16)
    rows = simulate(survey, truth, rng).codes.tolist()
    settings = Settings(tmp_path / "champion.json", mode="latent", minimum_new=20)
    with Store(tmp_path / "deniable.db", create=True) as store:
        store.publish(survey)
        for part in (rows[:100], rows[100:]):
            store.add(survey, [tuple(None if code < 0 else code for code in row) for row in part])
            result = retrain(store, survey.name, settings, accept=True)
    assert result.result in {"promoted", "kept"}
    assert result.why.endswith("is not known")
    assert result.figures is not None
    assert result.figures["gain"]["model_based"]
    assert result.figures["gain"]["estimate"] is None
    assert result.figures["accuracy"]["estimate"] is None


def test_without_a_response_to_test_on_it_waits_and_says_so(store: Store, settings: Settings) -> None:
    result = retrain(store, "wellbeing", replace(settings, hold_out=Fraction(1, 10**9)))
    assert (result.survey, result.result, figures(result.why)) == ("wellbeing", "waiting", [900, 10])


def test_a_failed_run_is_registered_and_leaves_the_champion(store: Store, settings: Settings) -> None:
    settings.champion.write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError):
        retrain(store, "wellbeing", settings)
    assert results(store) == ["failed"]
    assert settings.champion.read_text(encoding="utf-8") == "{}"


def test_the_model_of_another_survey_is_no_champion_and_stays(store: Store, settings: Settings) -> None:
    retrain(store, "wellbeing", settings)
    before = settings.champion.read_bytes()
    survey = replace(store.published("wellbeing").survey, name="morale")
    store.publish(survey)
    store.add(survey, sent(survey, draw_answers(300, np.random.default_rng(4)), 4))
    with pytest.raises(ModelError, match='"wellbeing"'):
        retrain(store, "morale", settings)
    assert settings.champion.read_bytes() == before
    assert [run.result for run in store.registry.runs(survey.fingerprint)] == ["failed"]


def test_idle_runs_change_nothing_but_their_own_row(store: Store, settings: Settings, wellbeing: Survey) -> None:
    retrain(store, "wellbeing", settings)
    before = dump(store.path)
    for _ in range(IDLE_RUNS):
        retrain(store, "wellbeing", settings)
    after = dump(store.path)
    assert [line for line in after if line not in before] == [
        f"INSERT INTO \"waits\" VALUES('{wellbeing.fingerprint}',{IDLE_RUNS});"
    ]
    assert [line for line in before if line not in after] == []


def imported(store: Store, survey: Survey, count: int, seed: int) -> list[tuple[int, ...]]:
    """Responses that come in a file."""
    rows = sent(survey, draw_answers(count, np.random.default_rng(seed)), seed)
    bring_in(store, store.published("wellbeing"), rows)
    return rows


def test_responses_that_were_taken_back_do_not_count_and_no_model_that_learnt_from_them_stays(
    store: Store, settings: Settings, wellbeing: Survey
) -> None:
    rows = imported(store, wellbeing, 600, seed=8)
    assert retrain(store, "wellbeing", settings).result == "promoted"
    learnt = settings.champion.read_bytes()
    take_back(store, store.published("wellbeing"), rows)
    done = retrain(store, "wellbeing", settings)
    assert (done.result, done.figures and done.figures["drift"]) == ("promoted", [])
    assert "600 responses" in done.why
    assert "taken back" in done.why
    model = read_model(settings.champion)
    assert model.training.n_train + model.training.n_test == 900
    assert settings.champion.read_bytes() != learnt
    again = retrain(store, "wellbeing", settings)
    assert (again.result, figures(again.why)) == ("waiting", [0, 100])
    store.add(wellbeing, sent(wellbeing, draw_answers(150, np.random.default_rng(9)), 9))
    assert retrain(store, "wellbeing", settings).result != "waiting", "150 are new, though there were 1500 once"


def test_a_held_model_is_not_accepted_once_what_it_learnt_from_was_taken_back(store: Store, settings: Settings) -> None:
    retrain(store, "wellbeing", settings)
    rows = [(0, 0, 0, 0, 0, 0)] * 400
    bring_in(store, store.published("wellbeing"), rows)
    assert retrain(store, "wellbeing", settings).result == "held"
    take_back(store, store.published("wellbeing"), rows)
    done = retrain(store, "wellbeing", settings, accept=True)
    assert read_model(settings.champion).training.n_train + read_model(settings.champion).training.n_test == 900
    assert "is accepted" not in done.why


def test_a_hold_stands_when_an_older_file_is_taken_back(store: Store, settings: Settings, wellbeing: Survey) -> None:
    older = imported(store, wellbeing, 300, seed=8)
    retrain(store, "wellbeing", settings)
    learnt, crafted = settings.champion.read_bytes(), [(0, 0, 0, 0, 0, 0)] * 400
    bring_in(store, store.published("wellbeing"), crafted)
    assert retrain(store, "wellbeing", settings).result == "held"
    take_back(store, store.published("wellbeing"), older)
    again = retrain(store, "wellbeing", settings)
    assert (again.result, again.run) == ("held", None)
    assert settings.champion.read_bytes() == learnt
    accepted = retrain(store, "wellbeing", settings, accept=True)
    assert accepted.result == "promoted"
    model = read_model(settings.champion)
    assert model.training.n_train + model.training.n_test == 900 + 400, "nothing of what was taken back"


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.mark.slow
def test_a_run_that_is_killed_anywhere_leaves_a_champion_and_a_register_that_agree(
    store: Store, settings: Settings, wellbeing: Survey, command: list[str]
) -> None:
    started = time.monotonic()
    assert run(command)[0] == 0
    longest = time.monotonic() - started
    chance = random.Random(1)  # noqa: S311 - moments, not secrets
    for number in range(KILLS):
        store.add(wellbeing, sent(wellbeing, draw_answers(100, np.random.default_rng(number)), number))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - our own
        time.sleep(chance.uniform(0.3, 1.0) * longest)
        process.send_signal(signal.SIGKILL)
        process.wait()
        read_model(settings.champion)
    code, line = run(command)
    assert code == 0, line
    assert "started" not in results(store)
    read_model(settings.champion)


def test_while_a_run_is_at_work_another_says_busy(store: Store, settings: Settings, command: list[str]) -> None:
    with store.path.with_name(".deniable.db.wellbeing.retrain").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        assert retrain(store, "wellbeing", settings) == Result("wellbeing", "busy", "another run is at work")
        line = {
            "survey": "wellbeing",
            "result": "busy",
            "why": "another run is at work",
            "run": None,
            "simulated": None,
        }
        assert run(command) == (3, line)
    assert retrain(store, "wellbeing", settings).result == "promoted"


def test_a_run_through_a_linked_name_of_the_store_is_the_same_run(store: Store, settings: Settings) -> None:
    linked = store.path.with_name("elsewhere") / "linked.db"
    linked.parent.mkdir()
    linked.symlink_to(store.path)
    with store.path.with_name(".deniable.db.wellbeing.retrain").open("w") as turn, Store(linked) as same:
        fcntl.flock(turn, fcntl.LOCK_EX)
        assert retrain(same, "wellbeing", settings).result == "busy"
    assert [each.name for each in linked.parent.iterdir() if "retrain" in each.name] == []


def test_a_lock_that_is_a_link_is_refused_and_what_it_points_to_is_left(store: Store, settings: Settings) -> None:
    precious = store.path.with_name("precious")
    precious.write_text("mine", encoding="utf-8")
    store.path.with_name(".deniable.db.wellbeing.retrain").symlink_to(precious)
    with pytest.raises(OutputError) as raised:
        retrain(store, "wellbeing", settings)
    assert raised.value.place.endswith(".deniable.db.wellbeing.retrain")
    assert precious.read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
def test_of_runs_that_are_started_together_one_works(store: Store, command: list[str]) -> None:
    together = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]  # noqa: S603 - our own
    outcomes = [json.loads(each.communicate()[0])["result"] for each in together]
    assert outcomes.count("promoted") == 1
    assert set(outcomes) <= {"promoted", "busy", "waiting"}  # waiting: it came when the first was done
    assert results(store) == ["promoted"]
