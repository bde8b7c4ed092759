"""Public tables go from a draft to estimates and releases as they were published."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

import pandas as pd
import pytest
from click.testing import CliRunner

from collector.cli import main as collector
from collector.survey_file.survey_file import parse_survey
from miner.cli import main as miner
from miner.responses.responses import value_indices
from soak import part_of

ADULT = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
    "capital-loss,hours-per-week,native-country,income"
)
CANCER = "id,thickness,size,shape,adhesion,epithelial,nuclei,chromatin,nucleoli,mitoses,class"
PUBLIC = {
    "adult.data": (ADULT, "income", 600),
    "adult.test": (ADULT, "income", 600),
    "breast-cancer-wisconsin.data": (CANCER, "class", 699),
    "car.data": ("buying,maint,doors,persons,lug_boot,safety,class", "class", 1728),
    "krkopt.data": ("wk file,wk rank,wr file,wr rank,bk file,bk rank,depth", "depth", 28056),
    "loan_data.csv": (None, "not.fully.paid", 800),
    "tic-tac-toe.data": ("a1,a2,a3,b1,b2,b3,c1,c2,c3,class", "class", 958),
}
PEOPLE = 300


def _semicolons(random: Random) -> bytes:
    lines = ["Krank?;Zigaretten;Gehalt (EUR);class;"]
    for number in range(PEOPLE):
        ill, smokes = random.choice(("ja", "nein")), random.choice(("0", "1-2", "10-19"))
        lines.append(f"{ill};{smokes};{random.randint(10, 90)},{number % 10};{number % 5},0;")
    return "\n".join([*lines, ""]).encode()


def _latin(random: Random) -> bytes:
    lines = ["rownames,Straße,note,note,class"]
    for number in range(PEOPLE):
        street, note = random.choice(("Süd", "Öst", "")), random.choice(("1.0", "32.0", "NA"))
        lines.append(f"{number + 1},{street},{note},{random.choice('xyz')},{'ab'[number % 2]}")
    return "\r\n".join(lines).encode("latin-1")


def _spaces(random: Random) -> bytes:
    lines = ['"sex" "age" "class"']
    for number in range(PEOPLE):
        sex, well = random.choice("fm"), random.choice(("very well", "ill"))
        lines.append(f'"{number}"  {sex}   {random.randint(18, 80)} "{well}"')
    return "\n".join(lines).encode()


MADE = {"semicolons.csv": _semicolons, "latin.csv": _latin, "spaces.train": _spaces}


def run(*words: object) -> str:
    command = {"collector": collector, "miner": miner}[str(words[0])]
    result = CliRunner().invoke(command, [str(word) for word in words[1:]])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def confirm(path: Path) -> str:
    path.write_text(path.read_text(encoding="utf-8").replace("confirmed = false", "confirmed = true"), encoding="utf-8")
    return parse_survey(path.read_text(encoding="utf-8")).name


@pytest.mark.parametrize("table", [*PUBLIC, *MADE])
@pytest.mark.timeout(600)
def test_a_table_goes_through_every_command_as_it_was_published(
    table: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    rows = PEOPLE
    path, survey, store = tmp_path / table, tmp_path / "survey.toml", tmp_path / "store.db"
    headings, target, people = PUBLIC.get(table, (None, "class", PEOPLE))
    if table in MADE:
        path.write_bytes(MADE[table](Random(1)))  # noqa: S311 - a table, not coins
    else:
        datasets: Path = request.getfixturevalue("datasets")
        lines = gzip.decompress((datasets / f"{table}.gz").read_bytes()).splitlines(keepends=True)
        step = people // part_of(people, min(people, 2800))
        rows = people // step
        path.write_bytes(b"".join(lines[: people + 1 : step]))
    how = [*(["--columns", headings] if headings else []), *(["--encoding", "latin-1"] if table == "latin.csv" else [])]
    run("collector", "draft", path, "--ask", "--target", target, "-o", survey, *how)
    name = confirm(survey)
    run("collector", "check", survey)
    run("miner", "plan", survey, "--respondents", 500, "--pilot", path, "--rehearsals", 0, *how)
    run("collector", "publish", survey, "--store", store)
    run("miner", "simulate", survey, path, "--seed", 1, "-o", tmp_path / "sent.csv", *how)
    run("collector", "import", name, tmp_path / "sent.csv", "--store", store)
    assert json.loads(run("miner", "estimate", name, "--store", store, "--json"))

    run("collector", "draft", path, "--target", target, "-o", survey, "--force", *how)
    confirm(survey)
    run("miner", "budget", "people", "--epsilon", 1, "--store", store)
    told = ["--survey", survey, "--method", "naive-bayes", "--data-set", "people", "--store", store]
    run("miner", "release", path, *told, "-o", tmp_path / "model.json", *how)
    predicted = run("miner", "predict", tmp_path / "model.json", path, *how)
    assert rows - 1 <= len(predicted.splitlines()) - 1 <= rows + 1


def test_numbers_match_values_that_are_written_in_another_way_and_empty_cells_are_no_answer() -> None:
    text = """name = "s"
title = "S"
languages = ["en"]
[[questions]]
name = "a"
label = "A?"
kind = "scale"
values = ["1", "32"]
optional = true
sensitive = false
"""
    frame = pd.DataFrame({"a": [32.0, 1.0, float("nan")]})
    assert value_indices(parse_survey(text), frame).tolist() == [[1], [0], [2]]
    assert value_indices(parse_survey(text), pd.DataFrame({"a": ["1.00", "?", "no_answer"]})).tolist() == [
        [0],
        [2],
        [2],
    ]


def test_a_heading_that_is_there_twice_has_to_be_two_questions(root: Path, tmp_path: Path) -> None:
    header = "year,cannabis,drinking,income,debt,distress,debt"
    (tmp_path / "t.csv").write_text(f"{header}\nfirst,yes,never,1,no,no,yes\n", encoding="utf-8")
    said = CliRunner().invoke(miner, ["simulate", str(root / "examples" / "wellbeing.toml"), str(tmp_path / "t.csv")])
    assert said.exit_code == 2
    assert 'line 1, column "debt": ' in said.stderr
