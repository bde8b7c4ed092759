"""Every command on a survey in which two answers have one code: it works, or refuses in one line with the remedy."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from collector.cli import main as collector
from collector.store import Store
from collector.survey import Survey
from collector.survey_file import read_survey_file
from command_schema import validator
from miner.condition import event_of
from miner.estimate import estimate
from miner.responses import Responses, value_indices
from miner.simulation import simulate
from miner_command import printed, refused, run
from split_surveys import HEAD, budget_question

SIZES = (2, 3, 12)
LINE = (
    'survey "split": the two answers of a respondent are coded together; estimate shares and tables from it, or '
    'publish the next version with aim = "trees"'
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A survey file, true answers, and a store with what 1,500 respondents sent."""
    path = tmp_path_factory.mktemp("pairs")
    questions = "".join(budget_question(f"q{number}", size) for number, size in enumerate(SIZES))
    privacy = '[privacy]\nepsilon = 1\naim = "pairs"\n[sampling]\n[mining]\ntarget = "q0"\n'
    (path / "survey.toml").write_text(HEAD + questions + privacy, encoding="utf-8")
    rng = np.random.default_rng(7)
    answers = pd.DataFrame({f"q{n}": [f"q{n}{v}" for v in rng.integers(0, size, 1500)] for n, size in enumerate(SIZES)})
    answers.to_csv(path / "answers.csv", index=False)
    survey = read_survey_file(path / "survey.toml")
    assert survey.together
    with Store(path / "s.db", create=True) as store:
        store.publish(survey)
        store.add(survey, simulate(survey, value_indices(survey, answers), rng).rows)
    return path


@pytest.fixture
def survey(folder: Path) -> Survey:
    return read_survey_file(folder / "survey.toml")


def of_store(folder: Path, command: str, *more: object) -> tuple[object, ...]:
    return (command, "split", *more, "--store", folder / "s.db")


def test_shares_tables_and_what_is_made_of_them_are_estimated(folder: Path, tmp_path: Path) -> None:
    commands = {
        "estimate": of_store(folder, "estimate", "q0 = q00 and q2 in (q20, q21)"),
        "crosstab": of_store(folder, "crosstab", "q0", "q1"),
        "difference": of_store(folder, "difference", "q0 = q00", "q1 = q10", "q1 != q10"),
        "recode": of_store(folder, "recode", "-o", tmp_path / "next.toml"),
        "plan": ("plan", folder / "survey.toml", "--respondents", 900),
        "compare-channels": ("compare-channels", folder / "survey.toml", "--respondents", 90, "--surveys", 1),
    }
    found = {name: printed(*arguments) for name, arguments in commands.items()}
    for name, told in found.items():
        validator(f"miner {name}").validate(told)
    assert 0 <= found["estimate"]["maximum_likelihood"] <= 1
    assert found["crosstab"]["independence"]["degrees_of_freedom"] == 2
    assert sum(each["estimate"] for each in found["crosstab"]["cells"]) == pytest.approx(1, abs=1e-9)
    assert read_survey_file(tmp_path / "next.toml").together
    assert found["compare-channels"]["designs"][0]["published"]


def test_the_likeliest_share_stands_labelled_below_the_unbiased_one(folder: Path, survey: Survey) -> None:
    with Store(folder / "s.db") as store:
        responses = Responses.from_store(store, "split")
    first, second = run(*of_store(folder, "estimate", "q2 = q20")).stdout.splitlines()
    unbiased = estimate(responses, event_of(survey, {"q2": frozenset({0})}))
    assert first == f"{unbiased.line} from {unbiased.n} responses"
    assert re.fullmatch(r"likeliest frequency: 0\.\d{4} \(maximum likelihood within 0 to 1\)", second)


def test_the_report_has_shares_and_says_why_it_has_no_models(folder: Path, tmp_path: Path) -> None:
    result = run(*of_store(folder, "report", "-o", tmp_path / "r.html", "--seed", 1))
    assert result.exit_code == 0, result.stderr
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "None: the two answers of a respondent are coded together." in text
    assert "one code with the other answer, sent as it is with the probability that follows from odds" in text


@pytest.mark.parametrize(
    "command",
    [
        ("train", "--model", "id3", "--target", "q0", "-o", "m.json"),
        ("train", "--model", "forest", "--target", "q0", "--mode", "latent", "-o", "m.json"),
        ("train", "--model", "random-trees", "--target", "q0", "-o", "m.json"),
        ("regress", "q0 ~ q1"),
        ("anchors", "--anchor", "q0"),
    ],
    ids=" ".join,
)
def test_whoever_reads_codes_of_single_questions_refuses(
    folder: Path, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *more = command
    assert refused(*of_store(folder, name, *more)) == LINE
    assert list(tmp_path.iterdir()) == []


def test_so_does_a_plan_with_rehearsals_and_a_scheduled_job(folder: Path, root: Path, tmp_path: Path) -> None:
    assert refused("plan", folder / "survey.toml", "--respondents", 900, "--rehearsals", 2) == LINE
    settings = (root / "examples" / "retrain.toml").read_text(encoding="utf-8").replace("distress", "q0")
    (tmp_path / "retrain.toml").write_text(settings, encoding="utf-8")
    assert refused(*of_store(folder, "retrain", "--config", tmp_path / "retrain.toml")) == LINE


def test_no_audit_is_made_of_it(folder: Path) -> None:
    assert "the two answers of a respondent have one code, and what is sent is no single answer" in refused(
        *of_store(folder, "audit-survey")
    )


def test_simulated_responses_are_imported_and_come_out_again(folder: Path, tmp_path: Path) -> None:
    table, store = tmp_path / "r.csv", tmp_path / "s.db"
    result = run("simulate", folder / "survey.toml", folder / "answers.csv", "--seed", 3, "-o", table)
    assert result.exit_code == 0, result.stderr
    for arguments in (
        ("publish", folder / "survey.toml", "--store", store),
        ("import", "split", table, "--store", store),
        ("audit-store", "--store", store),
        ("export", "split", "--store", store, "--format", "jsonl"),
    ):
        told = CliRunner().invoke(collector, [str(each) for each in arguments])
        assert told.exit_code == 0, told.output
    first = json.loads(told.stdout.splitlines()[0])
    assert sorted(value is None for value in first.values()) == [False, False, True]


def test_check_prints_bounds_as_bounds(folder: Path) -> None:
    told = CliRunner().invoke(collector, ["check", str(folder / "survey.toml"), "--respondents", "1500"])
    assert told.exit_code == 0
    assert (
        "one coin and one code for both answers of a person (from which no tree can be grown), 2 of 3 questions asked"
        in told.stdout
    )
    assert "one code for both answers): local differential privacy, epsilon 1.000" in told.stdout
    assert "at least 0.8" in told.stdout
    found = CliRunner().invoke(collector, ["check", str(folder / "survey.toml"), "--json"])
    validator("collector check").validate(json.loads(found.stdout))
