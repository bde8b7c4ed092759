"""Where nothing is disguised: the AUC of the forest beside that of scikit-learn's with the same rules, on Adult.

    python -m benchmarks.learning.plain_forest [--quick] [--json]

Adult in 36 bits, two thirds of the rows learnt from and the others tested on, dealt afresh in every repetition; 100
trees of unlimited depth with leaves of at least one, a bootstrap for each, 6 of the bits looked at in each node, the
probabilities of the trees averaged. One rule differs: of the 6 that scikit-learn draws some may be constant in the node
as long as one is not; ours are drawn from those that are not constant. Deep down ours looks at more of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from benchmarks.data.coded import Table, adult_36, bit_survey
from miner.learners.forest import ForestClassifier

TREES, CANDIDATES, REPETITIONS = 100, 6, 10
THREADS = 2
SEED = 2053


@dataclass(frozen=True)
class Areas:
    """The area under the ROC curve of both, on the same test rows."""

    ours: float
    scikit_learn: float


def areas(table: Table, repetition: int, trees: int = TREES) -> Areas:
    """Both forests on the same two thirds."""
    order = np.random.default_rng((SEED, repetition)).permutation(len(table.labels))
    learnt, test = np.split(order, [len(order) * 2 // 3])
    survey = bit_survey(table, np.full(table.bits.shape[1] + 1, -1), "1")
    ours = ForestClassifier(
        survey,
        mode="faithful",
        n_estimators=trees,
        max_features=CANDIDATES,
        min_samples_leaf=1.0,
        random_state=repetition,
    ).fit(table.bits[learnt], table.labels[learnt])
    theirs = RandomForestClassifier(trees, max_features=CANDIDATES, n_jobs=THREADS, random_state=repetition)
    theirs.fit(table.bits[learnt], table.labels[learnt])
    shares = (ours.forest_.vote(table.values[test], hard=False), theirs.predict_proba(table.bits[test]))
    return Areas(*(float(roc_auc_score(table.labels[test], each[:, 1])) for each in shares))


def summary(found: list[Areas]) -> dict[str, Any]:
    """Means, the mean difference with its standard error, and the largest difference."""
    ours, theirs = (np.array(each) for each in zip(*((each.ours, each.scikit_learn) for each in found), strict=True))
    differences = ours - theirs
    return {
        "command": "python -m benchmarks.learning.plain_forest",
        "repetitions": len(found),
        "ours": float(ours.mean()),
        "scikit_learn": float(theirs.mean()),
        "difference": float(differences.mean()),
        "difference_error": float(differences.std(ddof=1) / np.sqrt(len(found))),
        "largest_difference": float(np.abs(differences).max()),
    }


@click.command()
@click.option("--quick", is_flag=True, help="Two repetitions in place of ten: some ten seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Compare the forest with scikit-learn's where nothing is disguised."""
    table = adult_36()
    found = summary([areas(table, repetition) for repetition in range(2 if quick else REPETITIONS)])
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for name, figure in found.items():
        click.echo(f"{name}: {figure:.5f}" if isinstance(figure, float) else f"{name}: {figure}")


if __name__ == "__main__":
    main()
