"""The figures of the prototype that the project set out from, and the designs they are of.

It was private; its figures are means of few repetitions on rows that are not disguised. They are measured first by
`benchmarks.du_zhan` and `benchmarks.szucs`, and compared with ours by `benchmarks.learning.differences`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.learning.protocol import Cell


@dataclass(frozen=True)
class Figures:
    """What the prototype scored in one design: accuracy and AUC, NaN where it is not known, for some learners.

    Attributes:
        data: Name of the table.
        truth: Truth probability.
        groups: How many.
        repetitions: That the prototype's means are of.
        scores: By learner of ours that answers it.
    """

    data: str
    truth: str
    groups: int
    repetitions: int
    scores: dict[str, tuple[float, float]]


UNKNOWN = float("nan")
ADULT_14_LEARNERS = ("id3 faithful", "id3 auto", "forest faithful", "forest auto", "id3 as if true")
ADULT_14 = {
    ("1", 1): ((0.799, 0.787), (0.812, 0.847), (0.805, 0.822), (0.818, 0.857), (0.799, 0.787)),
    ("9/10", 1): ((0.795, 0.767), (0.810, 0.841), (0.805, 0.822), (0.817, 0.857), (0.796, 0.784)),
    ("4/5", 1): ((0.791, 0.768), (0.808, 0.834), (0.805, 0.820), (0.815, 0.855), (0.796, 0.781)),
    ("4/5", 3): ((0.780, 0.749), (0.807, 0.833), (0.805, 0.811), (0.810, 0.849), (0.767, 0.735)),
    ("7/10", 1): ((0.787, 0.749), (0.807, 0.833), (0.800, 0.816), (0.811, 0.852), (0.795, 0.781)),
    ("7/10", 3): ((0.760, 0.685), (0.806, 0.828), (0.803, 0.803), (0.789, 0.835), (0.750, 0.705)),
    ("3/5", 1): ((0.770, 0.699), (0.807, 0.833), (0.793, 0.807), (0.788, 0.839), (0.791, 0.771)),
    ("3/5", 3): ((0.610, 0.511), (0.802, 0.817), (0.769, 0.704), (0.767, 0.735), (0.733, 0.682)),
    ("11/20", 3): ((0.616, 0.565), (0.798, 0.803), (0.713, 0.562), (0.750, 0.577), (0.723, 0.657)),
}
ADULT_36 = {
    "1": (UNKNOWN, 0.894),
    "4/5": (0.864, 0.892),
    "7/10": (0.856, 0.890),
    "3/5": (0.796, 0.890),
    "11/20": (0.723, 0.889),
}
VOTES = {
    ("4/5", 3): (0.888, 0.915),
    ("7/10", 3): (0.837, 0.875),
    ("3/5", 1): (0.893, 0.949),
    ("3/5", 3): (0.595, 0.861),
}
PROTOTYPE = (
    *(
        Figures("adult-14", *design, 10, dict(zip(ADULT_14_LEARNERS, scores, strict=True)))
        for design, scores in ADULT_14.items()
    ),
    *(
        Figures("adult-36", truth, 3, 3, {"forest faithful": (UNKNOWN, poor), "forest auto": (UNKNOWN, best)})
        for truth, (poor, best) in ADULT_36.items()
    ),
    *(
        Figures("votes", *design, 12, {"id3 faithful": (poor, UNKNOWN), "id3 auto": (best, UNKNOWN)})
        for design, (poor, best) in VOTES.items()
    ),
)


def first_designs(data: str) -> Iterator[tuple[Cell, int]]:
    """The designs of a table that the prototype was measured in, and in how many repetitions at least."""
    for figures in PROTOTYPE:
        if figures.data == data:
            yield Cell(figures.truth, figures.groups), figures.repetitions
