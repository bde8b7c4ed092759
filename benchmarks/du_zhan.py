"""Du & Zhan's experiment (2003, section 5) on Adult, breast cancer and votes: accuracy against theta and groups.

    python -m benchmarks.du_zhan [--quick] [--json]

Prints a line (or a JSON object) for each table, design and learner: mean and variance over the repetitions.
"""

from __future__ import annotations

import argparse
import json

from benchmarks.coded import adult_14, breast_cancer, votes
from benchmarks.protocol import Cell, as_if_true, forest, id3, measured, random_trees

LEARNERS = {
    "id3 faithful": id3("faithful"),
    "id3 robust": id3("robust"),
    "forest faithful": forest("faithful"),
    "forest robust": forest("robust"),
    "random trees": random_trees,
    "as if true": as_if_true,
}
TRUTHS = ["0", "1/10", "1/5", "3/10", "2/5", "9/20", "51/100", "11/20", "3/5", "7/10", "4/5", "9/10", "1"]
QUICK_TRUTHS = ["3/5", "4/5", "1"]
REPETITIONS, QUICK_REPETITIONS = 50, 2


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few designs and repetitions: under a minute")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    cells = [Cell(truth, groups) for groups in (1, 2, 3) for truth in (QUICK_TRUTHS if options.quick else TRUTHS)]
    found = []
    for table in (adult_14(), breast_cancer(), votes()):
        for cell in cells:
            figures = measured(table, cell, LEARNERS, QUICK_REPETITIONS if options.quick else REPETITIONS)
            found += [each.as_json for each in figures]
            if not options.json:
                print("\n".join(each.line for each in figures), flush=True)
    if options.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
