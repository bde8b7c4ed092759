"""Marginals under the `uniform` channel beside pure-ldp's direct encoding of the same responses.

    python3 -m venv ldp && ldp/bin/pip install pure-ldp==1.2.0 scikit-learn statsmodels
    python -m benchmarks.local_privacy.marginals --peer ldp/bin/python [--quick]

On votes, nursery and Adult, every question its own group, at each epsilon of `benchmarks.local_privacy.uniform`. Writes
the largest difference of any value's share to `docs/results/marginals.csv`; the quick run, votes at one epsilon, only
prints it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from math import log
from pathlib import Path

import numpy as np

from benchmarks.learning.protocol import Cell
from benchmarks.local_privacy.uniform import EPSILONS, TABLES, Split
from benchmarks.results import write_csv
from miner.estimates.estimate import estimate
from miner.responses.condition import event_of
from miner.responses.responses import Responses

COLUMNS = ("data", "epsilon", "responses", "shares", "largest_difference")
Shares = list[list[float]]
"""Of every value of every question."""


def our_shares(responses: Responses) -> Shares:
    """As `miner estimate` prints them."""
    return [
        [
            estimate(responses, event_of(responses.survey, {question.name: frozenset({value})})).estimate
            for value in range(len(question.values))
        ]
        for question in responses.survey.questions
    ]


def peer_shares(responses: Responses, python: str) -> Shares:
    """As pure-ldp estimates them."""
    kinds = [len(question.values) for question in responses.survey.questions]
    thetas = [float(group.channel.truth([])) for group in responses.survey.groups]
    epsilons = [log(1 + theta * count / (1 - theta)) for theta, count in zip(thetas, kinds, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "responses.npz")
        np.savez(path, codes=responses.codes, kinds=kinds, epsilons=epsilons)
        command = [python, "-W", "ignore", str(Path(__file__).with_name("peer_frequencies.py")), str(path)]
        printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout  # noqa: S603 - our script
    shares: Shares = json.loads(printed)
    return shares


def largest_difference(first: Shares, second: Shares) -> float:
    """Of any value's two shares."""
    return max(
        abs(a - b) for ours, theirs in zip(first, second, strict=True) for a, b in zip(ours, theirs, strict=True)
    )


def main() -> None:
    """Compare, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", required=True, help="an interpreter that has pure-ldp")
    parser.add_argument("--quick", action="store_true", help="votes at one epsilon: seconds")
    options = parser.parse_args()
    rows = []
    for name in ("votes",) if options.quick else tuple(TABLES):
        split = Split(TABLES[name]())
        for epsilon in EPSILONS[:1] if options.quick else EPSILONS:
            responses, _ = split(Cell(f"epsilon {epsilon}", 0, channel="uniform"), 0)
            ours = our_shares(responses)
            gap = largest_difference(ours, peer_shares(responses, options.peer))
            rows.append((name, epsilon, len(responses), sum(map(len, ours)), f"{gap:.1e}"))
            print(*rows[-1], flush=True)
    if not options.quick:
        write_csv("marginals", COLUMNS, rows)


if __name__ == "__main__":
    main()
