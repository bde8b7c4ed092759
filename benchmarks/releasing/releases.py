"""Releases from trusted data: accuracy by cross-validation against naive Bayes at the same budget, and a peer's forest.

Run ``python -m benchmarks.releasing.releases [TABLE ...] [--peer PYTHON]``: PYTHON is an interpreter with diffprivlib
0.6.6 and scikit-learn 1.5 (`benchmarks.releasing.peer_forest`). Noise is seeded, so that a run repeats. Prints JSON, a
line for each table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.data.trusted import TABLES, folds
from miner.release.families.methods import family
from miner.release.family import features_of
from miner.release.seeded_noise import SeededNoise
from miner.release.table import TrustedTable

EPSILONS = ("1/10", "1/2", "1", "2")
METHODS = ("ours", "naive-bayes")


def accuracy(table: TrustedTable, method: str, epsilon: Fraction, parts: int, seed: int) -> float:
    """The mean accuracy over so many test parts; the size declared is that of the training part."""
    found = []
    for number, test in enumerate(folds(len(table), parts, seed)):
        train = table.take(np.setdiff1d(np.arange(len(table)), test))
        learnt = family(method, epsilon, len(train)).fit(
            train, SeededNoise(1000 * seed + number), np.random.default_rng(number)
        )
        hidden = table.values[test].copy()
        hidden[:, table.class_index] = -1
        found.append((learnt.probabilities(hidden).argmax(axis=1) == table.labels[test]).mean())
    return float(np.mean(found))


def peer_accuracy(table: TrustedTable, python: str, parts: int) -> dict[str, float]:
    """The accuracy of diffprivlib's forest at each epsilon, of its best depth, on the test parts of the first deal."""
    features, part = features_of(table.survey, table.target), np.zeros(len(table), np.int16)
    for number, test in enumerate(folds(len(table), parts, 0)):
        part[test] = number
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.npz")
        np.savez(
            path,
            features=table.values[:, features].astype(np.float64),
            labels=table.labels,
            parts=part,
            kinds=np.array([len(table.survey.questions[each].values) for each in features], np.float64),
            classes=len(table.survey.question(table.target).values),
        )
        script = Path(__file__).with_name("peer_forest.py")
        command = [python, str(script), str(path), *(str(float(Fraction(each))) for each in EPSILONS)]
        printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout  # noqa: S603 - our script
    return dict(zip(EPSILONS, (round(each, 4) for each in json.loads(printed).values()), strict=True))


def main() -> None:
    """Compare on the tables named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[])
    parser.add_argument("--peer")
    parser.add_argument("--parts", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=1)
    given = parser.parse_args()
    for name in given.tables or TABLES:
        table = TABLES[name]()
        row: dict[str, object] = {"table": name, "records": len(table), "parts": given.parts, "repeats": given.repeats}
        for method in METHODS:
            row[method] = {
                epsilon: round(
                    float(
                        np.mean(
                            [
                                accuracy(table, method, Fraction(epsilon), given.parts, seed)
                                for seed in range(given.repeats)
                            ]
                        )
                    ),
                    4,
                )
                for epsilon in EPSILONS
            }
        if given.peer:
            row["diffprivlib forest"] = peer_accuracy(table, given.peer, given.parts)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
