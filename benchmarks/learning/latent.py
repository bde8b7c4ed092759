"""The latent mode on real tables, by the protocol of MINING.md.

    python -m benchmarks.learning.latent [--quick] [--json]

Two thirds of the rows are disguised and trained on, class and all, with questions dealt at random into equal groups
afresh in each repetition; the rest are test rows, undisguised. The learners are scikit-learn's, on soft copies: a tree
(entropy, leaves of 15 respondents) and a forest (100 trees, leaves of 5). Beside them the same learners on the
responses as if they were true, and how many coins the fitted mixtures guess right.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import fmean, stdev
from time import perf_counter

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data.coded import Bits, Table, adult_14, adult_36, bit_survey, dealt, votes
from miner.arrays import Floats
from miner.behind.patterns import Patterns
from miner.latent.model import LatentModel, fit_latent, soft_copies
from miner.responses.responses import Codes, Responses
from miner.simulation.simulation import simulate

TREE_LEAF, FOREST_LEAF, TREES = 15, 5, 100
TABLES: dict[str, Callable[[], Table]] = {"adult 14": adult_14, "adult 36": adult_36, "votes": votes}
EPSILONS = {"0.5": "0.2449", "1": "0.4621", "2": "0.7616", "4": "0.9640"}  # theta = (e^eps - 1)/(e^eps + 1), two values


@dataclass(frozen=True)
class Cell:
    """One line of the benchmark; groups 0 means every question its own."""

    table: str
    truth: str
    groups: int
    channel: str = "complement"
    repetitions: int = 4


CELLS = (
    *(
        Cell("adult 14", truth, groups)
        for truth, groups in (("4/5", 3), ("7/10", 3), ("3/5", 1), ("3/5", 3), ("11/20", 3))
    ),
    *(Cell("adult 36", truth, 3, repetitions=1) for truth in ("4/5", "7/10", "3/5", "11/20")),
    *(
        Cell("votes", truth, groups, repetitions=12)
        for truth, groups in (("4/5", 3), ("7/10", 3), ("3/5", 1), ("3/5", 3))
    ),
    *(Cell("votes", truth, 0, "uniform", 6) for truth in EPSILONS.values()),
    Cell("adult 36", "3/5", 0, repetitions=1),
)
QUICK = (Cell("adult 14", "3/5", 3, repetitions=2), Cell("votes", "3/5", 3, repetitions=3))


def run(cell: Cell, seed: int) -> dict[str, float]:
    """One repetition: accuracy and AUC of each learner, coins guessed right, classes, seconds."""
    table, rng = TABLES[cell.table](), np.random.default_rng(seed)
    rows = table.values[rng.permutation(len(table.labels))]
    train, test = rows[: len(rows) * 2 // 3], rows[len(rows) * 2 // 3 :]
    home = dealt(rows.shape[1], cell.groups or rows.shape[1], rng)
    responses = simulate(bit_survey(table, home, cell.truth, cell.channel), train, rng)
    started = perf_counter()
    model = fit_latent(responses, rng)
    copies = soft_copies(responses, model, rng)
    seconds = perf_counter() - started
    figures = {"classes": float(model.classes), "seconds": seconds}
    if cell.channel == "complement":
        figures["coins right"] = coins_right(responses, train, model)
    plain = np.ones(len(train))
    figures |= scores("as if true", responses.codes, plain, test)
    figures |= scores("latent", copies.values, copies.weights, test)
    return figures


def scores(name: str, rows: Codes, weights: Floats, test: Bits) -> dict[str, float]:
    """Accuracy and AUC on the test rows of a tree and a forest trained on weighted rows, the class last."""
    whole = weights.sum()
    learners = {
        "tree": DecisionTreeClassifier(
            criterion="entropy", min_weight_fraction_leaf=min(TREE_LEAF / whole, 0.5), random_state=0
        ),
        "forest": RandomForestClassifier(TREES, min_weight_fraction_leaf=min(FOREST_LEAF / whole, 0.5), random_state=0),
    }
    figures = {}
    for kind, learner in learners.items():
        learner.fit(rows[:, :-1], rows[:, -1], weights)
        chance = learner.predict_proba(test[:, :-1]) @ learner.classes_
        figures[f"{name} {kind} accuracy"] = float(((chance > 0.5) == test[:, -1]).mean())  # half
        figures[f"{name} {kind} auc"] = float(roc_auc_score(test[:, -1], chance))
    return figures


def coins_right(responses: Responses, truth: Bits, model: LatentModel) -> float:
    """The share of coins of complement groups that the mixtures guess right."""
    patterns = Patterns.of(responses)
    chances = np.mean([mixture.posterior(patterns).truths() for mixture in model.mixtures], axis=0)
    said = np.stack([(responses.codes == truth)[:, cell.columns[0]] for cell in patterns.layout.cells], axis=1)
    return float(((chances > 0.5) == said).mean())  # more likely than not


def main(arguments: list[str]) -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two cells, under a minute")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(arguments)
    results = []
    for cell in QUICK if options.quick else CELLS:
        runs = [run(cell, seed) for seed in range(cell.repetitions)]
        figures = {name: fmean(each[name] for each in runs) for name in runs[0]}
        errors = {
            name: stdev([each[name] for each in runs]) / len(runs) ** 0.5 if len(runs) > 1 else None for name in runs[0]
        }
        results.append({**asdict(cell), "mean": figures, "standard_error": errors})
        if not options.json:
            line = "  ".join(f"{name} {figures[name]:.3f}" for name in figures)
            print(
                f"{cell.table}, theta {cell.truth}, groups {cell.groups or 'all'}, {cell.channel}: {line}", flush=True
            )
    if options.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
