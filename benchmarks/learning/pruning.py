"""What pruning on a disguised part is worth: ID3 on all training responses, and pruned on a quarter of them.

    python -m benchmarks.learning.pruning [--quick] [--json]

The protocol is that of `benchmarks.learning.protocol`: test rows undisguised, accuracy and AUC, paired over the same
disguises. Some ten minutes; the quick run takes one repetition of votes.
"""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np

from benchmarks.data.coded import Table, adult_14, breast_cancer, votes
from benchmarks.learning.protocol import Cell, disguised_split, score
from miner.learners.id3 import ID3Classifier

SHARE = 0.25
CELLS = [Cell("9/10", 1), Cell("4/5", 1), Cell("4/5", 3), Cell("3/5", 1), Cell("3/5", 3)]
LEARNERS = {
    f"{mode}{'' if share is None else ', pruned'}": {"mode": mode, "prune_share": share}
    for mode in ("faithful", "robust")
    for share in (None, SHARE)
}


def measured(table: Table, cell: Cell, repetitions: int) -> list[dict[str, Any]]:
    """Means over the same disguises, accuracies with their standard errors."""
    found = {name: np.zeros((repetitions, 2)) for name in LEARNERS}
    for repetition in range(repetitions):
        responses, test = disguised_split(table, cell, repetition)
        for name, parameters in LEARNERS.items():
            model = ID3Classifier(responses.survey, random_state=repetition).set_params(**parameters)
            found[name][repetition] = score(model.fit(responses.frame), test)
    return [
        {
            "data": table.name,
            "truth": cell.truth,
            "groups": cell.groups,
            "learner": name,
            "repetitions": repetitions,
            "accuracy": float(each[:, 0].mean()),
            "accuracy_error": float(each[:, 0].std(ddof=min(1, repetitions - 1)) / np.sqrt(repetitions)),
            "auc": float(each[:, 1].mean()),
        }
        for name, each in found.items()
    ]


@click.command()
@click.option("--quick", is_flag=True, help="One repetition of votes.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Measure what pruning on a disguised part is worth."""
    tables = [(votes(), 1)] if quick else [(votes(), 24), (breast_cancer(), 12), (adult_14(), 6)]
    found = []
    for table, repetitions in tables:
        for cell in CELLS:
            found += measured(table, cell, repetitions)
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for each in found:
        design = f"{each['data']} at {each['truth']}, {each['groups']} groups, {each['learner']}"
        click.echo(f"{design}: {each['accuracy']:.3f} ({each['accuracy_error']:.3f}), AUC {each['auc']:.3f}")


if __name__ == "__main__":
    main()
