"""Real input: two real tables disguised, imported and mined through the commands a researcher types.

    python -m benchmarks.learning.real [--quick] [--json]

A quarter of every table is kept back and never sent: the true accuracy is measured on it. The estimates are printed
beside the truth of those who were sent, which only a simulation knows.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from benchmarks.data.tables import Table, adult, congressional_votes
from collector.cli import main as collector
from collector.survey_file.survey_file import parse_survey
from miner.cli import main as miner
from miner.responses.condition import parse_condition
from miner.responses.responses import value_indices

STORE = "deniable.db"
SEED = 2026
KEPT_BACK = 4  # one in four
MODES = ("faithful", "robust")


@dataclass(frozen=True)
class Design:
    """How a table is disguised.

    Attributes:
        words: In words.
        groups: How many groups its questions are dealt into; None for one for each question.
        truth: Truth probability of every group.
        channel: Channel of every group.
    """

    words: str
    groups: int | None
    truth: str
    channel: str


DESIGNS = (
    Design("one group, complement", 1, "4/5", "complement"),
    Design("three groups, complement", 3, "4/5", "complement"),
    Design("a group for each question, uniform", None, "3/4", "uniform"),
)
CONDITIONS = {
    "votes": (
        "party = republican",
        "physician_fee_freeze = y",
        "physician_fee_freeze = y and party = republican",
        "crime = ?",
    ),
    "adult": (
        'income = ">50K"',
        "age >= 37",
        "sex = Female and education = Bachelors",
        'marital_status = Married-civ-spouse and hours_per_week >= 45 and income = ">50K"',
        "occupation = ?",
    ),
}


@click.command()
@click.option("--quick", is_flag=True, help="Votes only, one design; a few seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Disguise, import and mine real tables; print what comes out beside the truth."""
    results = []
    for result in runs(quick=quick):
        results.append(result)
        if not as_json:
            show(result)
    if as_json:
        click.echo(json.dumps(results, indent=2))


def runs(*, quick: bool) -> Iterator[dict[str, Any]]:
    """Every table under every design."""
    tables = [congressional_votes()] if quick else [congressional_votes(), adult()]
    for table in tables:
        for design in DESIGNS[1:2] if quick else DESIGNS:
            with tempfile.TemporaryDirectory() as folder:
                yield mine(table, design, Path(folder))


def mine(table: Table, design: Design, folder: Path) -> dict[str, Any]:
    """One table under one design, through the commands, in a folder of its own."""
    rng = np.random.default_rng(SEED)
    order = rng.permutation(len(table.answers))
    kept_back = table.answers.iloc[order[::KEPT_BACK]]
    sent = table.answers.iloc[np.delete(order, slice(None, None, KEPT_BACK))]
    sent.to_csv(folder / "answers.csv", index=False)
    kept_back.drop(columns=table.target).to_csv(folder / "kept_back.csv", index=False)
    groups = table.dealt(design.groups or len(table.answers.columns), rng)
    (folder / "survey.toml").write_text(table.survey_toml(groups, design.truth, design.channel), encoding="utf-8")
    survey, answers, responses, store = (
        folder / name for name in ("survey.toml", "answers.csv", "responses.csv", STORE)
    )
    run(collector, "publish", survey, "--store", store)
    run(miner, "simulate", survey, answers, "--seed", SEED, "-o", responses)
    run(collector, "import", table.name, responses, "--store", store)
    return {
        "table": table.name,
        "design": asdict(design),
        "sent": len(sent),
        "estimates": [estimated(folder, table, sent, condition) for condition in CONDITIONS[table.name]],
        "trees": [grown(folder, table, kept_back, mode) for mode in MODES],
    }


def run(command: click.Group, *arguments: object) -> str:
    """Run one of our commands as its entry point does; what it printed."""
    with redirect_stdout(io.StringIO()) as printed:
        try:
            command.main([str(argument) for argument in arguments])
        except SystemExit as done:
            if done.code:
                raise
    return printed.getvalue()


def estimated(folder: Path, table: Table, sent: pd.DataFrame, condition: str) -> dict[str, Any]:
    """What `miner estimate` says of a condition, beside the truth."""
    survey = parse_survey((folder / "survey.toml").read_text(encoding="utf-8"))
    admitted = parse_condition(survey, condition)
    names = [question.name for question in survey.questions]
    values = value_indices(survey, sent)
    holds = np.all([np.isin(values[:, names.index(name)], list(wanted)) for name, wanted in admitted.items()], axis=0)
    found = json.loads(run(miner, "estimate", table.name, condition, "--store", folder / STORE, "--json"))
    return {"condition": condition, "truth": float(holds.mean()), **found}


def grown(folder: Path, table: Table, kept_back: pd.DataFrame, mode: str) -> dict[str, Any]:
    """What `miner train` says of a tree, beside its true accuracy on those kept back."""
    model, store = folder / f"{mode}.json", folder / STORE
    report = json.loads(
        run(miner, "train", table.name, "--mode", mode, "--seed", SEED, "-o", model, "--store", store, "--json")
    )
    predicted = csv.DictReader(io.StringIO(run(miner, "predict", model, folder / "kept_back.csv")))
    right = [row["prediction"] == truth for row, truth in zip(predicted, kept_back[table.target], strict=True)]
    accuracy = float(np.mean(right))
    error = float(np.std(right) / np.sqrt(len(right)))
    return {"true_accuracy": accuracy, "true_accuracy_standard_error": error, **report}


def show(result: dict[str, Any]) -> None:
    """Print one run in words."""
    design = result["design"]
    click.echo(f"\n{result['table']}: {result['sent']} responses; {design['words']}, truth {design['truth']}")
    for found in result["estimates"]:
        low, high = found["interval"]
        click.echo(
            f"  {found['condition']}\n    estimated {found['estimate']:.3f}  ({low:.3f} to {high:.3f})  "
            f"in truth {found['truth']:.3f}"
        )
    for tree in result["trees"]:
        low, high = tree["accuracy"]["interval"]
        click.echo(
            f"  id3 {tree['mode']}\n    disguised-test accuracy {tree['accuracy']['estimate']:.3f}  "
            f"({low:.3f} to {high:.3f})  true accuracy {tree['true_accuracy']:.3f} "
            f"+- {tree['true_accuracy_standard_error']:.3f}  "
            f"(always {tree['baseline']['label']}: {tree['baseline']['estimate']:.3f})"
        )


if __name__ == "__main__":
    main()
