"""How many intervals of regressions cover the truth: ``python -m benchmarks.calibration.regressions 100``.

Surveys of 1,000 people, whose outcome and sex are disguised with truth 4/5, and whose age is not.
"""

import sys

import numpy as np

from benchmarks.data.regression_people import PAY, RATING, THRESHOLDS, VISITS, people, survey_with
from miner.estimates.design import Family
from miner.estimates.regression import regress
from miner.simulation.simulation import simulate

PEOPLE, HALF_WIDTH = 1000, 1.959964
CASES: dict[str, tuple[str, Family, list[float]]] = {
    "ordinal": ("rating ~ sex + age", "ordinal", [*THRESHOLDS, *RATING]),
    "normal": ("pay ~ sex + age", "normal", [*PAY]),
    "poisson": ("visits ~ sex + age", "poisson", [*VISITS]),
    "condition": ("(rating in (good, fine)) ~ sex + age", "logit", [-THRESHOLDS[1], *RATING]),
}


def covered(name: str, surveys: int, seed: int = 1, channel: str = "uniform") -> np.ndarray:
    """Shape (surveys, coefficients): whether each interval holds the truth."""
    formula, family, truth = CASES[name]
    outcome = "rating" if "rating" in formula else formula.split()[0]
    survey = survey_with({"sex": "4/5", outcome: "4/5"}, channel)
    found = []
    for number in range(surveys):
        rng = np.random.default_rng((seed, number))
        terms = regress(simulate(survey, people(PEOPLE, rng)[0], rng), formula, family=family).terms
        found.append([each.interval[0] <= own <= each.interval[1] for each, own in zip(terms, truth, strict=True)])
    return np.array(found)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for case in sys.argv[2:] or CASES:
        for channel in ("uniform", "complement"):
            inside = covered(case, count, channel=channel)
            print(
                f"{case:10} {channel:10} {inside.mean():.3f}  by coefficient {inside.mean(axis=0).round(2)}", flush=True
            )
