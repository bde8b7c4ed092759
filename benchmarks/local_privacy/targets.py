"""The learners that the targets of `ldp` were read from, on the same deals and disguises of rows.

    python -m benchmarks.local_privacy.targets [--data NAME] [--deals N]

AUC (of several classes: each against the rest, weighted by frequency) on test rows as they are, of

    naive Bayes           of the likeliest tables of each question and the class (`miner.latent.class_tables`)
    forest, as if true    scikit-learn's, 100 trees, leaves of 20 people or more, on responses as they were sent
    forest, undisguised   the same of leaves of 5 or more, on the rows themselves

The targets were set with few repetitions; this is how far they scatter. Beside them: by how much the forest of latent
mode is ahead of naive Bayes, on those of these deals that `ldp` has run. Writes `docs/results/ldp_targets.csv`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from benchmarks.local_privacy.ldp import STREAM, TABLES, accuracy_and_auc, design, read
from benchmarks.local_privacy.uniform import EPSILONS, ValueTable, dealt
from benchmarks.results import RESULTS
from miner.arrays import Floats
from miner.latent.class_tables import class_tables
from miner.responses.responses import Values

DEALS = {"votes": 40, "nursery, nominal": 40, "adult, nominal": 10}
LEAST = 1e-4  # of independence: the least a share of a table is taken for
BAYES, AHEAD = "naive Bayes", "our forest less naive Bayes"
TREES = 100
SENT_LEAF, PLAIN_LEAF = 20, 5


def naive_bayes(tables: Floats, kinds: tuple[int, ...], test: Values) -> Floats:
    """Shape (rows, classes): from tables of each question and the class, one below the other."""
    ends = np.cumsum(kinds[:-1])
    parts = np.split(tables[: ends[-1]], ends[:-1])
    shares = np.mean([part.sum(axis=0) for part in parts], axis=0)
    scores = np.tile(np.log(shares), (len(test), 1))
    for column, part in enumerate(parts):
        joint = np.maximum(part, LEAST * np.outer(part.sum(axis=1), part.sum(axis=0)))
        scores += np.log(joint / joint.sum(axis=0))[test[:, column]]
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def indicators(rows: Values, kinds: tuple[int, ...]) -> Floats:
    """A column for every value of every question but the class."""
    return np.hstack([np.eye(count)[rows[:, column]] for column, count in enumerate(kinds[:-1])])


def forest(rows: Values, leaf: int, kinds: tuple[int, ...], test: Values) -> Floats:
    """Shape (rows, classes): scikit-learn's forest of rows that are taken for true."""
    model: Any = RandomForestClassifier(TREES, min_samples_leaf=leaf, n_jobs=-1, random_state=0)
    model.fit(indicators(rows, kinds), rows[:, -1])
    return np.asarray(model.predict_proba(indicators(test, kinds)), np.float64)


def areas(table: ValueTable, epsilon: str, deal: int) -> Iterator[tuple[str, float]]:
    """Learner and AUC of one deal."""
    survey = design(table, f"question {epsilon}")
    responses, rows, test = dealt(table, survey, np.random.default_rng((STREAM, deal)))
    tables = class_tables(responses, len(table.kinds) - 1)
    yield BAYES, accuracy_and_auc(test, naive_bayes(tables, table.kinds, test))[1]
    if all(len(question.coding.codes) == kinds for question, kinds in zip(survey.questions, table.kinds, strict=True)):
        sent = responses.codes.astype(np.int16)
        yield "forest, as if true", accuracy_and_auc(test, forest(sent, SENT_LEAF, table.kinds, test))[1]
    if epsilon == EPSILONS[-1]:
        yield "forest, undisguised", accuracy_and_auc(test, forest(rows, PLAIN_LEAF, table.kinds, test))[1]


def ahead(made: pd.DataFrame) -> pd.DataFrame:
    """The same columns: how far the forests of `ldp` are ahead of naive Bayes on the same deals."""
    runs = read()
    forests = runs[(runs.stream == STREAM) & (runs.learner == "forest")]
    ours = forests.assign(epsilon=forests.budget.str.removeprefix("question "), deal=forests.repetition)
    both = made[made.learner == BAYES].merge(ours, on=["data", "epsilon", "deal"], suffixes=("", "_ours"))
    return both.assign(learner=AHEAD, auc=both.auc_ours - both.auc)[list(made.columns)]


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", choices=DEALS)
    parser.add_argument("--deals", type=int, help="40 of votes and of nursery, 10 of Adult if not said")
    options = parser.parse_args()
    rows = [
        (name, epsilon, deal, learner, auc)
        for name in ([options.data] if options.data else DEALS)
        for epsilon in EPSILONS
        for deal in range(options.deals or DEALS[name])
        for learner, auc in areas(TABLES[name](), epsilon, deal)
    ]
    made = pd.DataFrame(rows, columns=["data", "epsilon", "deal", "learner", "auc"])
    grouped = pd.concat([made, ahead(made)]).groupby(["data", "epsilon", "learner"], sort=False).auc
    found = grouped.agg(deals="size", auc="mean", error="sem", deviation="std").reset_index()
    found.to_csv(RESULTS / "ldp_targets.csv", index=False, float_format="%.5g")
    print(found.to_string())


if __name__ == "__main__":
    main()
