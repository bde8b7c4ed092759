"""From how many responses on an interval can be relied on: coverage of shares with 2 to 40 responses.

    python -m benchmarks.calibration.few            # a minute
    python -m benchmarks.calibration.few 10 20      # with so many responses

A share of people answers yes to each of one to three questions, with a coin of its own each; the others are drawn to
no. Designs and shares are `DESIGNS`. Prints, for each number of responses, the worst coverage, the middle one, and how
many designs have less than .93. `miner.figures.estimate.FEWEST` rests on it.
"""

from __future__ import annotations

import sys
from itertools import product
from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.figures.estimate import Range
from miner.figures.means import mean_estimate

REPETITIONS = 4_000
COUNTS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40)
ENOUGH = 0.93
OTHER_YES = 0.3  # times as likely is each yes among those who do not answer yes to all
SEED = 5


class Design(NamedTuple):
    """One share, behind one disguise.

    Attributes:
        truth: The truth probability of each coin; 1 for no disguise.
        codes: Number of codes of a question, for the uniform channel; 0 for the complement channel, which has two.
        questions: That the event is about.
        share: Share of people for whom it holds.
    """

    truth: float
    codes: int
    questions: int
    share: float

    @property
    def weights(self) -> tuple[float, float]:
        """What a yes and a no that were sent count."""
        if self.codes:
            by_chance = (1 - self.truth) / self.codes
            return (1 - by_chance) / self.truth, -by_chance / self.truth
        return self.truth / (2 * self.truth - 1), (self.truth - 1) / (2 * self.truth - 1)

    @property
    def sent_yes(self) -> tuple[float, float]:
        """How probable it is that yes is sent: by who means it, by who does not."""
        if self.codes:
            by_chance = (1 - self.truth) / self.codes
            return self.truth + by_chance, by_chance
        return self.truth, 1 - self.truth

    @property
    def terms(self) -> tuple[Floats, Floats, Range]:
        """What a response may count, by how many yes it holds; the chances of that; and the extremes."""
        answers = list(product((False, True), repeat=self.questions))
        others = np.array([0.0 if all(each) else OTHER_YES ** sum(each) for each in answers])
        people = np.array([self.share * all(each) for each in answers]) + (1 - self.share) * others / others.sum()
        chances = np.zeros(self.questions + 1)
        for truth, sent in product(range(len(answers)), repeat=2):
            yes = [self.sent_yes[0 if meant else 1] for meant in answers[truth]]
            likely = [one if said else 1 - one for one, said in zip(yes, answers[sent], strict=True)]
            chances[sum(answers[sent])] += people[truth] * np.prod(likely)
        one, other = self.weights
        values = np.array([one**number * other ** (self.questions - number) for number in range(self.questions + 1)])
        return values, chances / chances.sum(), (float(values.min()), float(values.max()))


SHARES = (0.02, 0.05, 0.1, 0.3, 0.5, 0.8)
DESIGNS = [
    *(Design(1.0, 0, 1, share) for share in SHARES),
    *(Design(*each) for each in product((0.9, 0.8, 0.7, 0.6), (0, 2, 4), (1, 2, 3), SHARES)),
]


def coverage(design: Design, responses: int, rng: np.random.Generator, repetitions: int = REPETITIONS) -> float:
    """How often the interval of the share holds it, from so many responses, at least 2."""
    values, chances, extremes = design.terms
    drawn, times = np.unique(rng.multinomial(responses, chances, size=repetitions), axis=0, return_counts=True)
    held = 0
    for counts, often in zip(drawn.astype(np.float64), times.tolist(), strict=True):
        interval = mean_estimate(values, extremes, counts, fewest=2).interval
        held += often * (interval is not None and interval[0] - 1e-12 <= design.share <= interval[1] + 1e-12)
    return held / repetitions


def main(counts: list[int]) -> None:
    """Print a line for each number of responses."""
    rng = np.random.default_rng(SEED)
    print(f"{len(DESIGNS)} designs: responses, worst coverage, middle, share of designs below {ENOUGH}")
    for responses in counts:
        found = np.array([coverage(design, responses, rng) for design in DESIGNS])
        print(f"{responses:3d}  {found.min():.3f}  {np.median(found):.3f}  {(found < ENOUGH).mean():.3f}", flush=True)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or list(COUNTS))
