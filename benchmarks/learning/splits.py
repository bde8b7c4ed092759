"""Multiway against binary splits: ID3 on Adult (nominal values kept, numbers in quartiles) and on votes.

    python -m benchmarks.learning.splits [--quick] [--json]

Questions and class are dealt afresh into groups in every repetition, two thirds of the rows are disguised and learnt
from, accuracy and AUC are measured on the others as they are. Where every question is its own group only robust rules
are measured: the paper's stop nowhere there, and a node of theirs holds every response. The quick run is one repetition
of votes.
"""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np

from benchmarks.data.tables import Table, adult, congressional_votes
from benchmarks.learning.protocol import Cell, score
from collector.survey_file.survey_file import parse_survey
from miner.learners.id3 import ID3Classifier
from miner.responses.responses import Values, value_indices
from miner.simulation.simulation import simulate

CELLS = [
    Cell("1", 1),
    Cell("4/5", 1),
    Cell("4/5", 3),
    Cell("3/5", 1),
    Cell("9/10", 0, channel="uniform"),
    Cell("3/4", 0, channel="uniform"),
]
LEARNERS = [(mode, splits) for mode in ("faithful", "robust") for splits in ("multiway", "binary")]
ALL_GROUPS = LEARNERS[2:]  # of those that are measured where every question is its own group
SEED = 2027


def measured(table: Table, cell: Cell, repetitions: int) -> list[dict[str, Any]]:
    """Means of every learner over the same disguises, accuracies with their standard errors."""
    learners = LEARNERS if cell.groups else ALL_GROUPS
    scores = np.zeros((len(learners), repetitions, 2))
    leaves = np.zeros((len(learners), repetitions))
    for repetition in range(repetitions):
        rng = np.random.default_rng((SEED, repetition))
        groups = table.dealt(cell.groups or len(table.answers.columns), rng)
        survey = parse_survey(table.survey_toml(groups, cell.truth, cell.channel))
        values: Values = value_indices(survey, table.answers)
        order = rng.permutation(len(values))
        learnt = len(order) * 2 // 3
        sent = simulate(survey, values[order[:learnt]], rng)
        for number, (mode, splits) in enumerate(learners):
            model = ID3Classifier(survey, table.target, mode=mode, splits=splits).fit(sent.frame)
            scores[number, repetition] = score(model, values[order[learnt:]])
            leaves[number, repetition] = len(model.tree_.leaves())
    return [
        {
            "data": table.name,
            "truth": cell.truth,
            "groups": cell.groups,
            "channel": cell.channel,
            "learner": f"{mode}, {splits}",
            "repetitions": repetitions,
            "accuracy": float(each[:, 0].mean()),
            "accuracy_error": float(each[:, 0].std(ddof=min(1, repetitions - 1)) / np.sqrt(repetitions)),
            "auc": float(each[:, 1].mean()),
            "leaves": float(size.mean()),
        }
        for (mode, splits), each, size in zip(learners, scores, leaves, strict=True)
    ]


@click.command()
@click.option("--quick", is_flag=True, help="One repetition of votes.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Measure multiway against binary splits."""
    tables = [(congressional_votes(), 1)] if quick else [(congressional_votes(), 24), (adult(), 6)]
    found = [each for table, repetitions in tables for cell in CELLS for each in measured(table, cell, repetitions)]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for each in found:
        design = f"{each['data']} at {each['truth']}, {each['groups'] or 'all'} {each['channel']} groups"
        error = f"({each['accuracy_error']:.3f})"
        click.echo(f"{design}, {each['learner']}: {each['accuracy']:.3f} {error}, AUC {each['auc']:.3f}")


if __name__ == "__main__":
    main()
