"""How well the coins of real tables are guessed: `python -m benchmarks.learning.audit [--quick] [--json]`.

The survey audit on Adult (36 coded bits) and on Congressional votes, questions dealt at random into 1 and 3 equal
groups and with a coin each, beside the share of coins that really was guessed right, which only a simulation knows.
"""

from __future__ import annotations

import argparse
import json
import sys
from statistics import fmean
from time import perf_counter

import numpy as np

from benchmarks.data.coded import bit_survey, dealt
from benchmarks.learning.latent import TABLES, coins_right
from miner.attacks.audit_survey import audit_survey
from miner.latent.model import fit_latent
from miner.simulation.simulation import simulate

TRUTH = "3/5"
ROWS = 32_561
CELLS = [(table, groups) for table in ("adult 36", "votes") for groups in (1, 3, 0)]
QUICK = [("votes", 3)]


def run(name: str, groups: int, seed: int) -> dict[str, float | str]:
    """One table, dealt into so many groups; 0 for a coin each."""
    table, rng = TABLES[name](), np.random.default_rng(seed)
    truth = table.values[rng.permutation(len(table.labels))[:ROWS]]
    home = dealt(truth.shape[1], groups or truth.shape[1], rng)
    responses = simulate(bit_survey(table, home, TRUTH), truth, rng)
    started = perf_counter()
    audit = audit_survey(responses, rng)
    return {
        "table": name,
        "groups": groups or truth.shape[1],
        "seconds": perf_counter() - started,
        "really guessed right": coins_right(responses, truth, fit_latent(responses, rng)),
        "estimated right": fmean(guess.guessed_right for guess in audit.coins),
        "standard error": float(np.sqrt(fmean(guess.standard_error**2 for guess in audit.coins) / len(audit.coins))),
        "expected right": fmean(guess.expected_right for guess in audit.coins),
        "bits before": audit.record.prior_bits,
        "bits left": audit.record.remaining_bits,
        "records over 90 %": audit.record.over_90 / audit.responses,
        "some group over 99 %": audit.some_group[1] / audit.responses,
    }


def main(arguments: list[str]) -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="votes in three groups only")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(arguments)
    results = []
    for name, groups in QUICK if options.quick else CELLS:
        results.append(run(name, groups, seed=1))
        if not options.json:
            print("  ".join(f"{key} {value}" for key, value in results[-1].items()), flush=True)
    if options.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
