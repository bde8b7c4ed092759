"""diffprivlib's random forest, in an interpreter of its own: it needs an older scikit-learn than the project's.

Run by `benchmarks.releasing.releases` with the path of an array file that holds the test part of every row; needs
diffprivlib 0.6.6 and scikit-learn 1.5 only. Its best depth is that of the best mean over all parts: a choice that no
budget paid.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
from diffprivlib.models import RandomForestClassifier

DEPTHS = (3, 5, 8)


def accuracy(data: Any, epsilon: float, depth: int, part: int) -> float:  # noqa: ANN401 - an array file
    """On one test part; `shuffle` on, bounds and classes public."""
    features, labels, kinds = data["features"], data["labels"], data["kinds"]
    test = data["parts"] == part
    forest = RandomForestClassifier(
        n_estimators=10,
        epsilon=epsilon,
        bounds=(np.zeros(len(kinds)), kinds - 1),
        classes=list(range(int(data["classes"]))),
        max_depth=depth,
        shuffle=True,
    )
    forest.fit(features[~test], labels[~test])
    return float((forest.predict(features[test]) == labels[test]).mean())


def main() -> None:
    """Print the accuracy at each epsilon, of the best depth, as JSON."""
    warnings.simplefilter("ignore")
    data = np.load(sys.argv[1])
    parts = range(int(data["parts"].max()) + 1)
    found = {
        epsilon: max(
            float(np.mean([accuracy(data, float(epsilon), depth, part) for part in parts])) for depth in DEPTHS
        )
        for epsilon in sys.argv[2:]
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
