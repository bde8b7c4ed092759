"""The subcommands that train, evaluate, predict and show, as other people's scripts see them."""

from __future__ import annotations

import csv
import io
import json
from contextvars import copy_context
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from bit_surveys import bit_survey
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from command_schema import document, validator
from miner.cli import main
from miner.forest.tried import read_max_features
from miner.learners.kinds import KINDS
from miner.learners.mode_classifier import MODES
from miner.models import training
from miner.models.model import read_model
from miner.responses import filed
from miner.simulation.simulation import simulate
from miner.trees.splits import WAYS
from miner_command import printed, refused, run
from trained_fixtures import PEOPLE, stored


def test_train_prints_the_disguised_test_beside_the_baseline(folder: Path) -> None:
    arguments = ("train", "wellbeing", "--model", "id3", "--mode", "faithful", "--seed", 2, "--store", folder / "s.db")
    found = printed(*arguments, "-o", folder / "faithful.json")
    assert {key: found[key] for key in ("model", "mode", "target", "n_train", "n_test", "seed")} == {
        "model": "id3",
        "mode": "faithful",
        "target": "distress",
        "n_train": 600,
        "n_test": 300,
        "seed": 2,
    }
    assert set(found["accuracy"]) >= {"estimate", "standard_error", "interval"}
    assert found["baseline"]["label"] == "no"
    model = read_model(folder / "faithful.json")
    assert model.training.as_json["accuracy"]["estimate"] == found["accuracy"]["estimate"]
    assert printed(*arguments, "-o", folder / "again.json") == found
    assert (folder / "again.json").read_bytes() == (folder / "faithful.json").read_bytes()


def test_auto_states_its_plan_before_it_begins_and_names_what_a_time_limit_leaves_out(folder: Path) -> None:
    arguments = ("train", "wellbeing", "--seed", 2, "--store", folder / "s.db", "--force", "-o", folder / "short.json")
    result = run(*arguments, "--time-limit", 1.5)
    assert result.stderr.startswith("plan: majority, naive-bayes")
    assert "left out for --time-limit 1.5: " in result.stderr
    assert "left out for the time limit: " in result.stdout
    plan = printed(*arguments, "--time-limit", 1.5)["plan"]
    assert plan["time_limit"] == 1.5
    assert "boosted" in plan["left_out"]
    assert {fit["name"] for fit in plan["fits"]} >= {"majority", "naive-bayes"}
    (folder / "short.json").unlink()
    assert "--time-limit: " in refused(*arguments, "--model", "logit", "--time-limit", 9)


def test_train_grows_and_prunes_as_it_is_told(folder: Path) -> None:
    arguments = ("train", "wellbeing", "--mode", "faithful", "--seed", 2, "--store", folder / "s.db")
    arguments += ("--splits", "binary", "--prune-share", "1/4", "--force", "-o", folder / "pruned.json")
    assert printed(*arguments)["model"] == "id3"
    model = read_model(folder / "pruned.json")
    assert (model.parameters["splits"], model.parameters["prune_share"]) == ("binary", 0.25)
    (folder / "pruned.json").unlink()


def test_train_grows_a_forest_of_so_many_trees_and_so_many_tests_and_judges_it_out_of_bag(folder: Path) -> None:
    arguments = ("train", "wellbeing", "--mode", "robust", "--seed", 2, "--test-share", 0, "--store", folder / "s.db")
    arguments += ("--n-estimators", 7, "--max-features", "2", "--oob-score", "--force", "-o", folder / "forest.json")
    found = printed(*arguments)
    assert (found["model"], found["n_test"], found["out_of_bag"]["n"]) == ("forest", 0, 300)
    model = read_model(folder / "forest.json")
    assert (model.parameters["n_estimators"], model.parameters["max_features"]) == (7, 2)
    assert len(model.as_json["learnt"]["forest"]["trees"]) == 7
    low, high = found["out_of_bag"]["interval"]
    assert "out-of-bag accuracy 0.7" in run(*arguments).output
    assert low < 0.8 < high
    (folder / "forest.json").unlink()


@pytest.mark.parametrize(
    ("text", "number"), [("3", 3), ("0.3", 0.3), ("sqrt", "sqrt"), ("log2", "log2"), ("1e9", 1e9), ("", "")]
)
def test_tests_tried_at_a_node_are_read_as_scikit_learn_has_them(text: str, number: float | str) -> None:
    assert read_max_features(text) == number
    assert type(read_max_features(text)) is type(number)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ("--max-features", "many"),
            "max_features: the value is not a number of tests; give 1 or more, a share such as 0.3",
        ),
        (("--model", "id3", "--n-estimators", "3"), "--n-estimators: id3 has no such option; leave the option out"),
        (("--model", "forest", "--splits", "binary"), "--splits: forest has no such option; leave the option out"),
        (
            ("--model", "random-trees", "--mode", "robust"),
            "--mode: random-trees has no such option; leave the option out",
        ),
        (("--model", "logit", "--mode", "latent"), "--mode: logit has no such option; leave the option out"),
        (("--prune-share", "some"), "--prune-share: the value is not a fraction; write a fraction such as 1/3 or 0.25"),
        (
            ("--prune-share", "1"),
            "prune_share: the share is not above 0 and below 1; give a share such as 1/4, or leave prune_share out",
        ),
    ],
)
def test_train_refuses_what_a_model_does_not_have(folder: Path, arguments: tuple[str, ...], line: str) -> None:
    where = ("--store", folder / "s.db", "-o", folder / "none.json")
    assert line in refused("train", "wellbeing", *arguments, *where)
    assert not (folder / "none.json").exists()


def test_train_learns_from_plain_rows_too_and_says_so(folder: Path, people: pd.DataFrame, tmp_path: Path) -> None:
    people.head(50).to_csv(tmp_path / "own.csv", index=False)
    arguments = ("train", "wellbeing", "--mode", "faithful", "--seed", 2, "--store", folder / "s.db")
    found = printed(*arguments, "--plain", tmp_path / "own.csv", "-o", tmp_path / "m.json")
    assert (found["n_train"], found["n_plain"], found["n_test"]) == (600, 50, 300)
    model = read_model(tmp_path / "m.json")
    assert model.classifier.tree_.counts[0].sum() == pytest.approx(650)
    assert "50 undisguised rows" in model.privacy[0]
    shown = run("show", tmp_path / "m.json").stdout
    assert "600 responses and 50 plain rows" in shown
    assert "on 300 (seed 2)" in shown
    people.head(5).assign(year="fifth").to_csv(tmp_path / "wrong.csv", index=False)
    assert 'row 1, column "year"' in refused(*arguments, "--plain", tmp_path / "wrong.csv", "-o", tmp_path / "x.json")


def test_evaluate_and_show_print_importances(folder: Path, tmp_path: Path) -> None:
    store = ("--store", folder / "s.db")
    for kind in ("id3", "forest"):
        trained = ("--model", kind, "--mode", "robust", "--seed", 3, "-o", tmp_path / f"{kind}.json")
        printed("train", "wellbeing", *trained, *store)
        found = printed("evaluate", tmp_path / f"{kind}.json", "wellbeing", "--importances", *store)["importances"]
        assert list(found) == ["year", "cannabis", "drinking", "income", "debt"]
        assert all({"estimate", "standard_error", "interval"} <= each.keys() for each in found.values())
        assert max(each["estimate"] for each in found.values()) > 0
        evaluated = run("evaluate", tmp_path / f"{kind}.json", "wellbeing", "--importances", *store).stdout
        assert "fall in accuracy when shuffled" in evaluated
        shown = run("show", tmp_path / f"{kind}.json").stdout
        assert "Gini impurity" in shown
        assert ("deviation over trees" in shown) == (kind == "forest")
    assert "importances" not in printed("evaluate", tmp_path / "id3.json", "wellbeing", *store)


@pytest.mark.parametrize("kind", ["logit", "additive"])
def test_show_prints_the_table_of_a_logit(kind: str, folder: Path, tmp_path: Path) -> None:
    store, path = ("--store", folder / "s.db"), tmp_path / "logit.json"
    assert printed("train", "wellbeing", "--model", kind, "--seed", 3, "-o", path, *store)["model"] == kind
    shown = run("show", path).stdout
    assert "standard error" in shown
    assert "distress = yes against no" in shown
    assert "disguised-test accuracy" in run("evaluate", path, "wellbeing", *store).stdout


def test_train_without_a_test_share_prints_no_figures(folder: Path) -> None:
    untested = ("--mode", "robust", "--test-share", 0, "-o", folder / "m0.json")
    found = printed("train", "wellbeing", *untested, "--store", folder / "s.db")
    assert (found["n_train"], found["n_test"]) == (PEOPLE, 0)
    assert "accuracy" not in found
    assert "baseline" not in found
    (folder / "m0.json").unlink()


def test_train_offers_what_can_be_trained() -> None:
    options = {option.name: option.type for option in main.commands["train"].params}
    assert list(options["kind"].choices) == list(KINDS)
    assert set(options["mode"].choices) == set(MODES)
    assert set(options["splits"].choices) == set(WAYS)


def test_evaluate_repeats_the_test_of_the_same_responses(folder: Path) -> None:
    found = printed("evaluate", folder / "model.json", "wellbeing", "--store", folder / "s.db")
    trained = read_model(folder / "model.json").training.as_json
    assert found["kept_out"] is True
    assert found["accuracy"] == json.loads(json.dumps(trained["accuracy"]))
    assert found["baseline"] == json.loads(json.dumps(trained["baseline"]))
    assert found["auc"] == json.loads(json.dumps(trained["auc"]))
    assert {"log_loss", "brier", "confusion", "precision", "recall", "impossible"} < found.keys()
    assert sum(cell["estimate"] for cell in found["confusion"]) == pytest.approx(1)
    right = sum(cell["estimate"] for cell in found["confusion"] if cell["true"] == cell["predicted"])
    assert right == pytest.approx(found["accuracy"]["estimate"])
    in_words = run("evaluate", folder / "model.json", "wellbeing", "--store", folder / "s.db").stdout
    for figure in ("disguised-test accuracy", "area under the ROC curve", "log loss", "Brier score"):
        assert f"\n{figure} " in in_words
    assert [line.split() for line in in_words.splitlines() if "precision" in line] == [["class", "precision", "recall"]]


def test_evaluate_on_more_responses_says_what_it_cannot_tell(folder: Path, tmp_path: Path, wellbeing: Survey) -> None:
    with Store(tmp_path / "s.db", create=True) as store:
        store.publish(wellbeing)
        store.add(wellbeing, stored(folder).codes.tolist() * 2)
    result = run("evaluate", folder / "model.json", "wellbeing", "--store", tmp_path / "s.db")
    assert result.exit_code == 0
    assert f"tested on {2 * PEOPLE} responses\n" in result.stdout
    assert "too good" in result.stdout


def test_predict_prints_csv(folder: Path, people: pd.DataFrame, tmp_path: Path) -> None:
    people.drop(columns="distress").to_csv(tmp_path / "answers.csv", index=False)
    result = run("predict", folder / "model.json", tmp_path / "answers.csv")
    assert result.exit_code == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0]) == ["prediction", "probability_yes", "probability_no"]
    assert len(rows) == PEOPLE
    classifier = read_model(folder / "model.json").classifier
    assert [row["prediction"] for row in rows] == classifier.predict(people).tolist()
    shares = [[float(row["probability_yes"]), float(row["probability_no"])] for row in rows]
    assert (np.array(shares) == classifier.predict_proba(people)).all()


def test_predict_names_what_does_not_fit_and_repeats_nothing(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("year,cannabis,drinking,income,debt\nfirst,yes,never,1,no\nfirst,yes,SECRET,1,no\n")
    said = refused("predict", folder / "model.json", path)
    assert said.startswith(f'{path}: row 2, column "drinking": ')
    assert "SECRET" not in said
    path.write_text("year\nfirst\n")
    assert 'column "cannabis": it is missing' in refused("predict", folder / "model.json", path)


def test_show_tells_the_tree_its_test_and_what_was_disclosed(folder: Path) -> None:
    model = read_model(folder / "model.json")
    result = run("show", folder / "model.json")
    assert result.exit_code == 0
    assert model.survey.fingerprint in result.stdout
    assert model.classifier.text in result.stdout
    assert model.training.outcome is not None
    assert f"disguised-test accuracy {model.training.outcome.accuracy.estimate:.4f}" in result.stdout
    assert "always no: " in result.stdout
    for line in model.privacy:
        assert line in result.stdout
    assert printed("show", folder / "model.json") == json.loads((folder / "model.json").read_text(encoding="utf-8"))


def test_a_model_of_sixty_disguised_questions_is_written_read_and_used(tmp_path: Path) -> None:
    names = [f"q{number}" for number in range(60)]
    tables = [f'[[questions]]\nname = "{name}"\nlabel = "Q?"\nkind = "yes_no"\ngroup = "{name}"' for name in names]
    groups = [f'{name} = {{ truth = "3/4" }}' for name in names]
    survey = parse_survey("\n".join(['name = "many"\ntitle = "M"\nlanguages = ["en"]', *tables, "[groups]", *groups]))
    people = np.random.default_rng(1).integers(0, 2, (400, 60)).astype(np.int16)
    store, model, true = tmp_path / "s.db", tmp_path / "m.json", tmp_path / "true.csv"
    with Store(store, create=True) as opened:
        opened.publish(survey)
        opened.add(survey, simulate(survey, people, np.random.default_rng(2)).codes.tolist())
    words = ("many", "--store", store, "--target", "q0", "--model", "naive-bayes", "--seed", 1, "-o", model)
    assert "disguised-test accuracy not known: " in run("train", *words).stdout
    assert json.loads(model.read_text(encoding="utf-8"))["training"]["accuracy"]["estimate"] is None
    assert "disguised-test accuracy not known: " in run("show", model).stdout
    true.write_text(f"{','.join(names)}\n{','.join(['yes'] * 60)}\n", encoding="utf-8")
    assert run("predict", model, true).stdout.startswith("prediction,")


def test_little_memory_changes_where_responses_are_kept_and_no_bit_of_the_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "LARGE", 100)
    made: list[int] = []

    def counted(buffering: int) -> IO[bytes]:
        made.append(buffering)
        return TemporaryFile(buffering=buffering)

    monkeypatch.setattr(filed, "TemporaryFile", counted)
    arguments = ("train", "wellbeing", "--model", "id3", "--mode", "robust", "--seed", 2, "--store", folder / "s.db")
    printed(*arguments, "-o", folder / "memory.json")
    assert not made
    copy_context().run(printed, *arguments, "--memory", "0.001", "-o", folder / "file.json")
    assert made
    assert (folder / "file.json").read_bytes() == (folder / "memory.json").read_bytes()
    assert "--memory" in refused(*arguments, "--memory", 0, "-o", folder / "none.json")


def test_the_implied_accuracy_is_in_the_schemas_of_commands_and_models(tmp_path: Path) -> None:
    survey, rng = bit_survey(list(range(13)), ["complement 7/10"] * 13), np.random.default_rng(1)
    values = np.repeat(rng.integers(0, 2, (3000, 1)), 13, axis=1).astype(np.int16)
    responses = simulate(survey, np.where(rng.random(values.shape) < 0.8, values, 1 - values).astype(np.int16), rng)
    with Store(tmp_path / "s.db", create=True) as store:
        store.publish(survey)
        store.add(survey, responses.codes.tolist())
    where = ("--store", tmp_path / "s.db")
    trained = printed("train", "bits", "--model", "naive-bayes", "--seed", 1, *where, "-o", tmp_path / "m.json")
    tested = printed("evaluate", tmp_path / "m.json", "bits", *where)
    assert {*trained["implied_accuracy"]} == {"estimate", "standard_error", "interval", "n", "p_value"}
    validator("miner train").validate(trained)
    validator("miner evaluate").validate(tested)
    model = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert model["training"]["implied_accuracy"] == trained["implied_accuracy"]
    Draft202012Validator(document("model.schema.json")).validate(model)
