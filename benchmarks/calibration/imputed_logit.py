"""How often Rubin's 95 % intervals of a logit with an interaction hold the truth, from tables imputed from that logit.

    python -m benchmarks.calibration.imputed_logit          # three designs, 200 surveys of each: some minutes
    python -m benchmarks.calibration.imputed_logit --quick  # 10 surveys of each
    python -m benchmarks.calibration.imputed_logit --json

Each survey asks 1,500 people drawn from a population in which the log odds of an affair depend on children, on how a
marriage is rated, and on both together. Ten tables are imputed from ``affair ~ kids * rating``, the logit is fitted to
each by statsmodels, and its coefficients are combined. A right interval is seen to cover 95 % with a standard error of
1.5 % in 200 surveys.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd
import statsmodels.api as sm  # type: ignore[import-untyped] # statsmodels brings no types

from benchmarks.calibration.imputation import print_coverage
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.estimates.imputation import Combined, combine, impute
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

SURVEYS, QUICK = 200, 10
PEOPLE, TABLES = 1500, 10
FIRST_SEED = 51_000
MODEL = "affair ~ kids * rating"
QUESTIONS = {"affair": ("yes", "no"), "kids": ("yes", "no"), "rating": ("poor", "fair", "good")}
TRUTH = {"intercept": 0.8, "kids": -0.7, "fair": -0.6, "good": -1.38, "kids:fair": 0.5, "kids:good": 0.9}
"""Log odds of an affair. The reference has no children and a poor marriage."""
RATINGS = {True: (0.35, 0.4, 0.25), False: (0.2, 0.35, 0.45)}
"""Shares of ratings among those with children, and without."""


class Design(NamedTuple):
    """How a survey is disguised: in words, the group of each question, and how groups are disguised."""

    words: str
    groups: tuple[str, ...]
    how: str


DESIGNS = (
    Design("a coin of 4/5 for the affair alone", ("a", "", ""), 'truth = "4/5"'),
    Design("affair and kids share a coin of 9/10, rating has another", ("a", "a", "b"), 'truth = "9/10"'),
    Design("uniform, epsilon 3 for each question", ("a", "b", "c"), 'channel = "uniform", epsilon = 3'),
)


def survey_of(design: Design) -> Survey:
    """The survey of a design."""
    lines = ['name = "marriages"', 'title = "Marriages"', 'languages = ["en"]']
    for (name, values), group in zip(QUESTIONS.items(), design.groups, strict=True):
        lines += ["[[questions]]", f'name = "{name}"', f'label = "{name}"', 'kind = "choice"', f"values = {[*values]}"]
        lines.append(f'group = "{group}"' if group else "sensitive = false")
    lines += ["[groups]", *(f"{group} = {{ {design.how} }}" for group in dict.fromkeys(design.groups) if group)]
    return parse_survey("\n".join(lines))


def people(count: int, rng: np.random.Generator) -> Values:
    """Made-up people of the population: value indices."""
    kids = rng.random(count) < 0.6  # their share
    drawn = rng.random((count, 1))
    rating = np.where(kids, *((drawn >= np.cumsum(RATINGS[each])[:2]).sum(axis=1) for each in (True, False)))
    odds = columns(kids, rating) @ np.array([*TRUTH.values()])
    affair = rng.random(count) < 1 / (1 + np.exp(-odds))
    return np.stack([~affair, ~kids, rating], axis=1).astype(np.int16)


def columns(kids: np.ndarray, rating: np.ndarray) -> np.ndarray:
    """The terms of the logit, as columns in the order of `TRUTH`."""
    grades = [rating == grade for grade in (1, 2)]
    parts = [np.ones(len(kids)), kids, *grades, *(kids & grade for grade in grades)]
    return np.stack(parts, axis=1).astype(np.float64)


def coefficients(table: pd.DataFrame) -> list[tuple[float, float]]:
    """Each coefficient of a table with its variance, as if the table held true answers."""
    rating = table["rating"].map(QUESTIONS["rating"].index).to_numpy()
    design = columns((table["kids"] == "yes").to_numpy(), rating)
    fitted = sm.Logit((table["affair"] == "yes").to_numpy().astype(float), design).fit(disp=0)
    return list(zip(fitted.params.tolist(), (fitted.bse**2).tolist(), strict=True))


def combined(survey: Survey, rng: np.random.Generator) -> list[Combined]:
    """Every coefficient of one survey, from imputed tables."""
    sent = simulate(survey, people(PEOPLE, rng), rng)
    found = np.array([coefficients(table) for table in impute(sent, TABLES, rng, model=MODEL)])
    return [combine(each[:, 0].tolist(), each[:, 1].tolist()) for each in found.transpose(1, 0, 2)]


def measured(design: Design, surveys: int, seed: int) -> dict[str, Any]:
    """How often the interval of each coefficient held the truth, and its bias."""
    survey = survey_of(design)
    found = [combined(survey, np.random.default_rng([seed, number])) for number in range(surveys)]
    figures = {}
    for (name, true), each in zip(TRUTH.items(), zip(*found, strict=True), strict=True):
        estimates = np.array([one.estimate for one in each])
        figures[name] = {
            "truth": true,
            "mean": float(estimates.mean()),
            "deviation": float(estimates.std(ddof=1)),
            "standard_error": float(np.median([one.standard_error for one in each])),
            "covered": float(np.mean([one.interval[0] <= true <= one.interval[1] for one in each])),
        }
    covered = float(np.mean([each["covered"] for each in figures.values()]))
    return {"design": design.words, "surveys": surveys, "covered": covered, "figures": figures}


@click.command()
@click.option("--quick", is_flag=True, help=f"{QUICK} surveys of each design.")
@click.option("--surveys", type=click.IntRange(2), default=SURVEYS, help="Surveys of each design.")
@click.option("--seed", default=FIRST_SEED, help="Of the first design; the others have the next ones.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def main(*, quick: bool, surveys: int, seed: int, as_json: bool) -> None:
    """Measure how often intervals of a logit's coefficients from imputed tables hold the truth."""
    results = (measured(each, QUICK if quick else surveys, seed + number) for number, each in enumerate(DESIGNS))
    print_coverage("imputed_logit", results, _line, as_json=as_json)


def _line(each: dict[str, float]) -> str:
    means = f"truth {each['truth']:+.3f}, mean {each['mean']:+.3f}"
    return f"{means}, deviation {each['deviation']:.3f}, median standard error {each['standard_error']:.3f}"


if __name__ == "__main__":
    main()
