"""The table of docs/estimating.md: each command and its line of Python give the same figures."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import miner
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.models.model import read_model
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from miner.tables.figures import FigureTable
from miner_command import run
from soak import part_of

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"\| ([^|]+\?) \| `(miner [^`]+)` \| `([^`]+)` \|")
PAGE = (ROOT / "docs" / "estimating.md").read_text(encoding="utf-8")
ROWS = {question: (command, line) for question, command, line in ROW.findall(PAGE)}
VISITS = (
    '[[questions]]\nname = "visits"\nlabel = "Visits?"\nkind = "number"\nminimum = 0\ncuts = [1, 2, 4]\n'
    'group = "doctors"\n\n[groups]\ndoctors = { truth = "4/5", channel = "uniform" }\n'
)
SAMPLE = 'strata = "year"\n[weights.year]\nfirst = 2\nsecond = 1\nthird = 1\nfourth = 4\n'
RAKED = f"{SAMPLE}[rake.cannabis]\nyes = 300\nno = 700\n"
PEOPLE = part_of(3000, 800)


def survey_of(wave: int) -> Survey:
    """The example survey, in which "debt" can be declined, and there is a count."""
    text = (ROOT / "examples" / "wellbeing.toml").read_text(encoding="utf-8")
    for old, new in (
        ("[groups]\n", VISITS),
        ('name = "debt"\n', 'name = "debt"\ndecline = true\n'),
        ('debts = { truth = "4/5" }', 'debts = { truth = "4/5", channel = "uniform" }'),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return parse_survey(text if wave == 1 else text.replace("[study]", f"wave = {wave}\n\n[study]", 1))


def answers(rng: np.random.Generator) -> pd.DataFrame:
    """Made-up answers, in which distress depends on the year, on cannabis and on debt."""
    year = rng.integers(0, 4, PEOPLE)
    cannabis, debt = rng.random(PEOPLE) < 0.3, rng.choice(3, PEOPLE, p=[0.3, 0.6, 0.1])
    distress = rng.random(PEOPLE) < 0.15 + 0.1 * year + 0.2 * cannabis + 0.2 * (debt == 0)
    words = ["first", "second", "third", "fourth"]
    return pd.DataFrame(
        {
            "year": [words[each] for each in year],
            "cannabis": np.where(cannabis, "yes", "no"),
            "drinking": np.array(["never", "monthly", "weekly"])[rng.binomial(2, 0.2 + 0.1 * year)],
            "income": rng.normal(600 + 150 * year, 300).clip(0).round(),
            "debt": np.array(["yes", "no", "prefer_not_to_say"])[debt],
            "distress": np.where(distress, "yes", "no"),
            "visits": rng.poisson(1 + 0.5 * year),
        }
    )


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The names that the lines of Python use, in a folder with a store and the files that the commands name."""
    folder, rng, waves = tmp_path_factory.mktemp("questions"), np.random.default_rng(5), []
    with Store(folder / "deniable.db", create=True) as store:
        for wave in (1, 2):
            survey = survey_of(wave)
            people = answers(rng)
            sent = simulate(survey, value_indices(survey, people), rng)
            store.add(store.publish(survey).survey, sent.codes.tolist())
            waves.append(Responses.from_store(store, "wellbeing", wave))
    people.drop(columns="distress").head(20).to_csv(folder / "people.csv", index=False)
    (folder / "sample.toml").write_text(SAMPLE, encoding="utf-8")
    (folder / "raked.toml").write_text(RAKED, encoding="utf-8")
    public = {name: getattr(miner, name) for name in miner.__all__}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield public | {"before": waves[0], "responses": waves[1], "np": np, "pd": pd, "Path": Path}


def figures(found: object) -> list[float]:
    """All numbers in a result, however deep."""
    if isinstance(found, pd.DataFrame):  # a statistic is the quotient of two other columns, and commands leave it out
        return figures(found.drop(columns="statistic", errors="ignore").to_dict("list"))
    if hasattr(found, "as_json"):
        told = found.as_json
        return figures(told(known_survey()) if callable(told) else told)
    if hasattr(found, "_asdict"):
        return figures(found._asdict())
    if isinstance(found, Mapping):
        return figures(list(found.values()))
    if isinstance(found, (list, tuple, np.ndarray)):
        return [number for each in found for number in figures(each)]
    assert found is None or isinstance(found, (bool, str, int, float)), type(found)
    is_number = isinstance(found, (int, float)) and not isinstance(found, bool) and not np.isnan(found)
    return [float(found)] if is_number else []  # type: ignore[arg-type] # it is a number


def known_survey() -> Survey:
    """The survey of the newest wave."""
    return survey_of(2)


def printed(command: str) -> object:
    """What a command prints with --json; of a prediction, its table of probabilities."""
    if command.startswith("miner predict"):
        lines = run(*shlex.split(command)[1:]).stdout.splitlines()
        return [[float(each) for each in row[1:]] for row in list(csv.reader(lines))[1:]]
    result = run(*shlex.split(command)[1:], "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_there_are_twenty_questions_and_more() -> None:
    assert len(ROWS) >= 20
    section = PAGE.split("## Which command")[1].split("\n## ")[0]
    assert len(ROWS) == len([line for line in section.splitlines() if line.startswith("| ")]) - 1


@pytest.mark.parametrize("question", ROWS)
def test_the_command_and_the_line_of_python_give_the_same_figures(question: str, known: dict[str, Any]) -> None:
    command, line = ROWS[question]
    if " tree.json" in command and "-o tree.json" not in command and not Path("tree.json").exists():
        printed(next(each for each, _ in ROWS.values() if "-o tree.json" in each))
    told = printed(command)
    if line.startswith("tree = "):
        exec(line, known)  # noqa: S102 - the page is ours
        tree = read_model(Path("tree.json")).classifier
        rules = [each.tree_.rules(known["responses"].survey, "distress") for each in (tree, known["tree"])]
        assert rules[0] == rules[1]
        assert len(rules[0]) > 1
        return
    if "tree" in line and "tree" not in known:
        known["tree"] = known["ID3Classifier"](known["responses"].survey, random_state=1).fit(known["responses"])
    result = eval(line, known)  # noqa: S307 - the page is ours
    if isinstance(result, FigureTable):  # has the differences too, which the command prints if it is asked to
        result = result.as_json | {"differences": None}
    found = [f"{number:.9g}" for number in figures(result)]
    missing = Counter(found) - Counter(f"{number:.9g}" for number in figures(told))
    assert found
    assert not missing, f"{question}\n{missing}"
