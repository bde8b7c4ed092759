"""``miner release`` and ``merge`` as they are typed: from table to model file, ledger and all."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from collector.cli import main as collector
from collector.ledger.budget import Unprotected
from collector.ledger.ledger import Ledger
from collector.survey.survey import Survey
from collector.survey_file.survey_writer import survey_text
from miner.cli import main as miner
from miner.learners.id3 import ID3Classifier
from miner.models.model import write_model
from miner.models.training import train
from miner.release.release import read_release
from miner.release.table import TrustedTable
from miner.responses.responses import value_indices
from miner.simulation.simulation import simulate
from population import draw_answers
from said import figures
from small_surveys import plain_survey

ROWS = 400
PARTIES = ("--method", "private-rdt", "--set", "trees=2", "--set", "depth=1", "--size", "400", "--seed", "7")


def people() -> TrustedTable:
    """Four questions, of which the first two mostly decide the last."""
    generator = np.random.default_rng(2)
    values = generator.integers(0, 2, (ROWS, 4))
    values[:, 3] = np.where(generator.random(ROWS) < 0.9, values[:, 0] | values[:, 1], values[:, 3])
    return TrustedTable.of(plain_survey(4), values.astype(np.int16), "q3")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table whole and in two halves, the survey that describes it, and a budget."""
    table = people()
    monkeypatch.chdir(tmp_path)
    text = survey_text(table.survey, "People.")
    if table.survey.target is None:
        text += '\n[mining]\ntarget = "q3"\n'
    Path("people.toml").write_text(text, encoding="utf-8")
    for name, rows in (("people", slice(None)), ("north", slice(0, 200)), ("south", slice(200, None))):
        table.frame.iloc[rows].to_csv(f"{name}.csv", index=False)
    assert run("budget", "people", "--epsilon", "2").exit_code == 0
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(miner, arguments)


def released(*arguments: str) -> Any:  # noqa: ANN401 - whatever JSON says
    result = run("release", *arguments, "--force", "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def spent() -> Fraction:
    with Ledger(Path("deniable.db")) as ledger:
        return ledger.account("people").spent.epsilon


CSV = ("people.csv", "--survey", "people.toml", "--data-set", "people")


@pytest.mark.usefixtures("folder")
def test_a_release_is_charged_and_told_and_predicts() -> None:
    told = released(*CSV, "--epsilon", "0.75", "-o", "model.json")
    assert told["statement"]["guarantee"]["add_or_remove"] == {"epsilon": "3/4", "delta": "0"}
    assert told["kind"] == "release"
    assert spent() == Fraction(3, 4)
    made = read_release(Path("model.json"))
    assert made.statement.as_json == told["statement"]
    shown, predicted = run("show", "model.json"), run("predict", "model.json", "people.csv")
    assert "epsilon 0.75." in shown.stdout
    rows = list(csv.DictReader(predicted.stdout.splitlines()))
    assert len(rows) == ROWS
    assert np.mean([row["prediction"] == truth for row, truth in zip(rows, people().frame["q3"], strict=True)]) > 0.7


@pytest.mark.usefixtures("folder")
def test_the_number_of_rows_is_published_with_noise_unless_it_is_declared() -> None:
    people().frame.iloc[:83].to_csv("few.csv", index=False)  # so few that a rounded number would be the exact one
    method = ("--method", "naive-bayes", "--epsilon", "1/4")
    sizes = {released("few.csv", *CSV[1:], *method, "-o", "model.json")["parameters"]["size"] for _ in range(4)}
    assert sizes != {83}  # four times the same happens once in 600 million: noise has scale 80
    assert spent() == 1
    told = released("few.csv", *CSV[1:], *method, "--size", "83", "-o", "model.json")
    assert told["parameters"] == {"epsilon": "1/4", "size": 83, "counting": "0"}
    assert any("about 83 records" in each for each in told["statement"]["public"])
    assert spent() == Fraction(5, 4)


@pytest.mark.usefixtures("folder")
def test_the_words_say_what_is_promised() -> None:
    lines = run("release", *CSV, "--force", "-o", "model.json").stdout.splitlines()
    assert "q3" in lines[0]
    assert "model.json" in lines[0]
    assert [figures(each) for each in lines[1:3]] == [[1], [2]]


@pytest.mark.usefixtures("folder")
def test_a_parquet_table_is_the_same_table() -> None:
    pytest.importorskip("pyarrow")
    pd.read_csv("people.csv", dtype=str).to_parquet("people.parquet")
    released(*CSV, "--epsilon", "1/2", "-o", "model.json")
    told = released("people.parquet", *CSV[1:], "--epsilon", "1/2", "-o", "model.json")
    assert told["target"] == "q3"
    assert spent() == 1
    assert run("budget", "others", "--epsilon", "1").exit_code == 0
    line = refused("people.parquet", "--survey", "people.toml", "--data-set", "others", "-o", "model.json")
    assert 'this table belongs to "people"' in line
    Path("damaged.parquet").write_bytes(b"PAR1 but no more")
    assert "damaged.parquet: " in refused("damaged.parquet", *CSV[1:], "-o", "model.json")


@pytest.mark.usefixtures("folder")
def test_parties_are_merged_and_pay_once_if_they_are_disjoint() -> None:
    for name in ("north", "south"):
        released(f"{name}.csv", *CSV[1:], *PARTIES, "--cohort", name, "-o", f"{name}.json")
    assert spent() == 1
    result = run("merge", "north.json", "south.json", "-o", "both.json", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["parameters"]["batches"] == 2
    north, south, both = (read_release(Path(f"{name}.json")).model.learnt for name in ("north", "south", "both"))
    for tree, one, two in zip(both["trees"], north["trees"], south["trees"], strict=True):
        assert (np.array(tree["counts"]) == np.array(one["counts"]) + np.array(two["counts"])).all()
    assert run("merge", "south.json", "-o", "one.json").exit_code == 0  # any subset
    released("south.csv", *CSV[1:], *PARTIES[:-1], "8", "--cohort", "south", "-o", "other.json")
    wrong = run("merge", "north.json", "other.json", "--force", "-o", "both.json")
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)
    assert "trees" in wrong.stderr


@pytest.mark.usefixtures("folder")
def test_the_same_table_counted_in_again_is_stated_as_the_ledger_counts_it() -> None:
    released(*CSV, *PARTIES, "--epsilon", "1/2", "-o", "model.json")
    told = released(*CSV, "--onto", "model.json", "-o", "next.json")
    assert told["statement"]["guarantee"]["add_or_remove"]["epsilon"] == str(spent()) == "1"
    told = released("south.csv", *CSV[1:], "--onto", "next.json", "--cohort", "south", "-o", "model.json")
    assert told["statement"]["guarantee"]["add_or_remove"]["epsilon"] == str(spent()) == "3/2"
    assert "differential privacy, epsilon 1.5." in run("show", "model.json").stdout


@pytest.mark.usefixtures("folder")
def test_a_batch_is_counted_into_an_earlier_release() -> None:
    released("north.csv", *CSV[1:], *PARTIES, "--cohort", "north", "-o", "model.json")
    before = read_release(Path("model.json")).model.learnt
    assert "the command reads this file" in refused("south.csv", *CSV[1:], "--onto", "model.json", "-o", "model.json")
    told = released("south.csv", *CSV[1:], "--onto", "model.json", "--cohort", "south", "-o", "next.json")
    assert told["parameters"]["batches"] == 2
    after = read_release(Path("next.json")).model.learnt
    assert [tree["question"] for tree in after["trees"]] == [tree["question"] for tree in before["trees"]]
    assert spent() == 1
    released(*CSV, "--epsilon", "1/2", "-o", "ours.json")
    assert "private-rdt" in refused(*CSV, "--onto", "ours.json", "-o", "others.json")
    assert spent() == Fraction(3, 2)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "copy", ["people.csv", "shuffled.csv", "more.csv", "spaces.csv", "people.csv.gz", "cohort.parquet"]
)
def test_the_same_people_are_no_second_cohort_in_whatever_file(copy: str) -> None:
    frame = people().frame
    frame.sample(frac=1, axis=0, random_state=1).sample(frac=1, axis=1, random_state=1).to_csv(
        "shuffled.csv", index=False
    )
    frame.assign(number=range(ROWS)).to_csv("more.csv", index=False)
    frame.map(lambda each: f"{each} ").to_csv("spaces.csv", index=False)
    frame.to_csv("people.csv.gz", index=False)
    if copy.endswith(".parquet"):
        pytest.importorskip("pyarrow")
        frame.to_parquet(copy)
    released(*CSV, *PARTIES, "--cohort", "one", "-o", "one.json")
    told = 'cohort "two": it has the very rows of cohort "one", so the two are not disjoint'
    for how in (PARTIES, ("--onto", "one.json")):
        assert told in refused(copy, *CSV[1:], *how, "--cohort", "two", "-o", "two.json")
    assert spent() == 1


@pytest.mark.usefixtures("folder")
def test_a_model_for_study_is_noted_in_the_ledger() -> None:
    study = ("--method", "dpdf-published", "--for-study", "-o", "study.json")
    assert "the data set" in refused("people.csv", "--survey", "people.toml", *study)
    assert released(*CSV, *study)["kind"] == "study"
    assert spent() == 0
    with Ledger(Path("deniable.db")) as ledger:
        account = ledger.account("people")
    assert [each.charge for each in account.entries] == [Unprotected("dpdf-published")]
    assert run("budget", "others", "--epsilon", "1").exit_code == 0
    assert 'this table belongs to "people"' in refused(*CSV[:-1], "others", *study)


def refused(*arguments: str) -> str:
    """The one line on stderr; nothing is charged or written for it."""
    before = spent(), {each: each.read_bytes() for each in Path().glob("*.json")}
    result = run("release", *arguments, "--force")
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1, result.stderr
    assert (spent(), {each: each.read_bytes() for each in Path().glob("*.json")}) == before
    return result.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((*CSV, "--epsilon", "0"), "epsilon"),
        ((*CSV, "--epsilon", "-1"), "epsilon"),
        ((*CSV, "--epsilon", "3"), "this would bring what is spent to epsilon 3, of a budget of epsilon 2"),
        ((*CSV, "--method", "magic"), "the method does not exist"),
        ((*CSV, "--method", "dpdf-published"), "dpdf-published has no differential privacy guarantee; add --for-study"),
        ((*CSV, "--for-study"), "ours has a guarantee; leave --for-study out"),
        ((*CSV, "--target", "q9"), "q9"),
        ((*CSV, "--set", "colour=red"), "it is not a parameter with its value"),
        (("people.csv", "--survey", "people.toml"), "the data set whose budget is charged is missing"),
        ((*CSV[:-1], "strangers"), "the data set has no budget in this ledger"),
        (("none.csv", *CSV[1:]), "none.csv: it cannot be read"),
        (("undeclared.csv", *CSV[1:]), 'row 3, column "q0": it is not a value'),
        (("missing.csv", *CSV[1:]), 'row 3, column "q0": the value is missing'),
        (("one_class.csv", *CSV[1:]), "all rows are of one class"),
        (("narrow.csv", *CSV[1:]), 'column "q1": it is missing'),
        ((*CSV, "--onto", "none.json"), "none.json: it cannot be read"),
        (("none.json",), "none.json: it cannot be read"),
        ((*CSV, "--onto", "one.json", "--epsilon", "1/4"), "--epsilon: it has no effect with --onto"),
        ((*CSV, "--onto", "one.json", "--set", "trees=3"), "--set: it has no effect with --onto"),
        (("mined.json", "--epsilon", "1/4"), "--epsilon: it has no effect with a model file"),
    ],
)
def test_bad_input_is_refused_in_one_line_with_the_ledger_untouched(arguments: tuple[str, ...], told: str) -> None:
    frame = people().frame
    frame.assign(q0=[*frame["q0"][:2], "perhaps", *frame["q0"][3:]]).to_csv("undeclared.csv", index=False)
    frame.assign(q0=[*frame["q0"][:2], "", *frame["q0"][3:]]).to_csv("missing.csv", index=False)
    frame[frame["q3"] == "yes"].to_csv("one_class.csv", index=False)
    frame.drop(columns="q1").to_csv("narrow.csv", index=False)
    line = refused(*arguments, "-o", "refused.json")
    assert told in line
    assert "perhaps" not in line
    assert not Path("refused.json").exists()


@pytest.mark.usefixtures("folder")
def test_a_file_that_could_not_be_written_is_refused_before_anything_is_charged() -> None:
    assert "(No such file or directory)" in refused(*CSV, "-o", "no/such/folder/model.json")


@pytest.mark.usefixtures("folder")
def test_a_stored_survey_that_disguises_nothing_is_released_by_its_name() -> None:
    for arguments in (("publish", "people.toml"), ("import", people().survey.name, "people.csv")):
        result = CliRunner().invoke(collector, arguments)
        assert result.exit_code == 0, result.stderr
    told = released(people().survey.name, "--data-set", "people", "--epsilon", "1/2", "-o", "model.json")
    assert told["statement"]["guarantee"]["add_or_remove"]["epsilon"] == "1/2"
    assert spent() == Fraction(1, 2)
    assert run("audit", "model.json", "--data", "people.csv").exit_code == 0
    released(*CSV, "--epsilon", "1/2", "-o", "model.json")  # the same rows as a file: the ledger knows them
    assert spent() == 1


def test_a_survey_that_disguises_is_not_released_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path, wellbeing: Survey
) -> None:
    monkeypatch.chdir(tmp_path)
    draw_answers(50, np.random.default_rng(1)).to_csv("answers.csv", index=False)
    assert run("budget", "people", "--epsilon", "1").exit_code == 0
    survey = str(root / "examples" / "wellbeing.toml")
    assert run("simulate", survey, "answers.csv", "--seed", "1", "-o", "responses.csv").exit_code == 0
    for arguments in (("publish", survey), ("import", wellbeing.name, "responses.csv")):
        assert CliRunner().invoke(collector, arguments).exit_code == 0
    line = refused(wellbeing.name, "--data-set", "people", "-o", "model.json")
    assert "it is sensitive" in line


def test_a_model_mined_from_disguised_responses_is_released_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wellbeing: Survey
) -> None:
    monkeypatch.chdir(tmp_path)
    people = draw_answers(900, np.random.default_rng(4))
    responses = simulate(wellbeing, value_indices(wellbeing, people), np.random.default_rng(1))
    model = train(responses, ID3Classifier(wellbeing, mode="robust"), Fraction(0), seed=7)
    write_model(model, Path("mined.json"))
    told = released("mined.json", "-o", "model.json")
    assert told["kind"] == "inherited"
    assert told["statement"]["guarantee"] is None
    assert told["statement"]["inherited"] == list(model.privacy)
    assert not Path("deniable.db").exists()  # nothing was charged anywhere
    people.drop(columns=model.target).to_csv("answers.csv", index=False)
    predictions = [run("predict", name, "answers.csv").stdout for name in ("mined.json", "model.json")]
    assert predictions[0] == predictions[1]
    exports = [run("export", name, "--format", "sql").stdout for name in ("mined.json", "model.json")]
    assert exports[0] == exports[1]
    assert exports[0].startswith("CASE")
