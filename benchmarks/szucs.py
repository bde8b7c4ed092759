"""Szucs's experiment (2013): AUC of the Random Response Forest against theta on Adult and Census-Income.

    python -m benchmarks.szucs [--quick] [--json]

Three groups; the class disguised with the rest, or sent as it is. The paper's undisguised AUC is .89 and .88.
"""

from __future__ import annotations

import argparse
import json

from benchmarks.coded import adult_36, census_income
from benchmarks.protocol import Cell, forest, measured

LEARNERS = {"forest faithful": forest("faithful"), "forest robust": forest("robust")}
QUICK_LEARNERS = {"forest robust": forest("robust", n_estimators=20)}
TRUTHS = ["1", "9/10", "4/5", "7/10", "3/5", "11/20"]
QUICK_TRUTHS = ["1", "4/5"]
GROUPS = 3
REPETITIONS = 4


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Adult only, few designs: under a minute")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    tables = [adult_36()] if options.quick else [adult_36(), census_income()]
    truths = QUICK_TRUTHS if options.quick else TRUTHS
    cells = [Cell(truth, GROUPS, disguised) for disguised in (True, False) for truth in truths]
    found = []
    for table in tables:
        for cell in cells:
            learners = QUICK_LEARNERS if options.quick else LEARNERS
            figures = measured(table, cell, learners, 1 if options.quick else REPETITIONS)
            found += [each.as_json for each in figures]
            if not options.json:
                print("\n".join(each.line for each in figures), flush=True)
    if options.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
