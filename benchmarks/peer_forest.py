"""diffprivlib's random forest, in an interpreter of its own: it needs an older scikit-learn than the project's.

Run by `benchmarks.releases` with the path of an array file; needs diffprivlib 0.6.6 and scikit-learn 1.5 only.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
from diffprivlib.models import RandomForestClassifier

DEPTHS = (3, 5, 8)


def accuracy(data: Any, epsilon: float, depth: int, test: Any) -> float:  # noqa: ANN401 - an array file
    """On one test part; `shuffle` on, bounds and classes public."""
    features, labels, kinds = data["features"], data["labels"], data["kinds"]
    train = np.setdiff1d(np.arange(len(labels)), test)
    forest = RandomForestClassifier(
        n_estimators=10,
        epsilon=epsilon,
        bounds=(np.zeros(len(kinds)), kinds - 1),
        classes=list(range(int(data["classes"]))),
        max_depth=depth,
        shuffle=True,
    )
    forest.fit(features[train], labels[train])
    return float((forest.predict(features[test]) == labels[test]).mean())


def main() -> None:
    """Print the accuracy at each epsilon, of the best depth, as JSON."""
    warnings.simplefilter("ignore")
    data = np.load(sys.argv[1])
    order = np.random.default_rng(0).permutation(len(data["labels"]))
    parts = [order[number::5] for number in range(5)][:2]
    found = {
        epsilon: max(
            float(np.mean([accuracy(data, float(epsilon), depth, part) for part in parts])) for depth in DEPTHS
        )
        for epsilon in sys.argv[2:]
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
