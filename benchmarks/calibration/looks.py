"""How often intervals hold a share at every look: those for one look, and the desk's, which are meant for it.

    python -m benchmarks.calibration.looks          # some seconds
    python -m benchmarks.calibration.looks 200      # so many surveys

Each survey asks one yes-or-no question and is looked at after every hundred responses. Prints, for each design, the
share of surveys in which every interval held the share of yes, for both, and how many times as long the desk's interval
is at the last look.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from miner.desk.sequence import at_every_look
from miner.figures.estimate import Range
from miner.figures.means import mean_estimate

SURVEYS, EVERY, SEED = 1_000, 100, 7


class Watched(NamedTuple):
    """A survey that is looked at again and again.

    Attributes:
        truth: The truth probability of the coin; 1 for no disguise.
        share: Share of people who would say yes.
        planned: How many respond, as planned.
    """

    truth: float
    share: float
    planned: int


class Held(NamedTuple):
    """Shares of surveys whose every interval held, and a ratio of lengths."""

    one_look: float
    every_look: float
    longer: float


DESIGNS = (
    Watched(0.8, 0.2, 2000),
    Watched(0.8, 0.02, 2000),
    Watched(0.6, 0.2, 2000),
    Watched(0.9, 0.5, 2000),
    Watched(0.8, 0.2, 500),
    Watched(1.0, 0.1, 2000),
)


def held(design: Watched, surveys: int, rng: np.random.Generator) -> Held:
    """Watch so many surveys of one design."""
    yes, no = design.truth / (2 * design.truth - 1), (design.truth - 1) / (2 * design.truth - 1)
    kept, longer = np.ones((surveys, 2), bool), 0.0
    for survey in range(surveys):
        answers = rng.random(design.planned) < design.share
        told = rng.random(design.planned) < design.truth
        terms = np.where(answers == told, yes, no)
        for count in range(EVERY, design.planned + 1, EVERY):
            found = mean_estimate(terms[:count], (no, yes))
            both = found.interval, at_every_look(found, design.planned).interval
            kept[survey] &= [_within(design.share, each) for each in both]
        longer += _length(both[1]) / _length(both[0])
    one_look, every_look = kept.mean(axis=0).tolist()
    return Held(one_look, every_look, longer / surveys)


def _within(share: float, interval: Range | None) -> bool:
    return interval is not None and interval[0] <= share <= interval[1]


def _length(interval: Range | None) -> float:
    return float("nan") if interval is None else interval[1] - interval[0]


def main(surveys: int = SURVEYS) -> None:
    """Print a line for each design."""
    for design in DESIGNS:
        found = held(design, surveys, np.random.default_rng(SEED))
        print(
            f"truth {design.truth}, share {design.share}, {design.planned} responses: "
            f"every look held {found.every_look:.3f}, intervals for one look {found.one_look:.3f}, "
            f"{found.longer:.2f} times as long"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
