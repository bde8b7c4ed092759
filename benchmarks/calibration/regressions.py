"""How many intervals of regressions cover the truth: ``python -m benchmarks.calibration.regressions 100``.

Surveys of 1,000 people, whose outcome and sex are disguised with truth 4/5, and whose age is not.
"""

import sys

import numpy as np
from scipy.special import expit  # type: ignore[import-untyped] # it brings no types

from benchmarks.data.regression_people import MIDDLES, PAY, RATING, THRESHOLDS, VISITS, people, survey_with
from miner.estimates.design import Family
from miner.estimates.regress import regress
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


def margins_covered(surveys: int, seed: int = 1, channel: str = "uniform") -> np.ndarray:
    """Shape (surveys, outcome values x 2): whether intervals of a woman's margins, then contrasts, hold the truth."""
    ends = [expit(np.subtract.outer(THRESHOLDS, sex * RATING[0] + RATING[1] * MIDDLES)).mean(axis=1) for sex in (0, 1)]
    man, woman = (np.diff(each, prepend=0, append=1) for each in ends)
    survey, found = survey_with({"sex": "4/5", "rating": "4/5"}, channel), []
    for number in range(surveys):
        rng = np.random.default_rng((seed, number))
        sent = simulate(survey, people(PEOPLE, rng)[0], rng)
        rows = regress(sent, "rating ~ sex + age", family="ordinal").margins()
        rows = rows[(rows["question"] == "sex") & (rows["value"] == "yes")]
        means = (rows["lower"] <= woman) & (woman <= rows["upper"])
        contrasts = (rows["contrast_lower"] <= woman - man) & (woman - man <= rows["contrast_upper"])
        found.append([*means, *contrasts])
    return np.array(found)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for case in sys.argv[2:] or [*CASES, "margins"]:
        for channel in ("uniform", "complement"):
            margins = case == "margins"
            inside = margins_covered(count, channel=channel) if margins else covered(case, count, channel=channel)
            print(
                f"{case:10} {channel:10} {inside.mean():.3f}  by coefficient {inside.mean(axis=0).round(2)}", flush=True
            )
