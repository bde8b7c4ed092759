"""How often a 95 % interval holds the truth in samples with strata, clusters and unequal sampling weights.

    python -m benchmarks.calibration.sampling_weights [--samples 1000] [--json]

Made-up people of three regions, of which small ones are sampled most. Those of a region with a larger sampling weight
say yes more often, and being bullied distresses them more. In one design schools are drawn, whose pupils are alike. In
the other people are drawn alone, and the sampling weights are raked to the population's regions and to the true share
of a disguised question. Each sample has fresh schools, people and coins. The same figures are taken as if the sample
were a simple one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product
from math import log

import click
import numpy as np

from benchmarks.record import record
from collector.errors import QueryError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.arrays import Floats
from miner.estimates.comparison import difference
from miner.estimates.estimate import estimate
from miner.estimates.regress import regress as regress_simply
from miner.estimates.regression import Regression
from miner.figures.estimate import Range
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate

COMMAND = "python -m benchmarks.calibration.sampling_weights --json"
FIRST_SEED = 2  # on seed 1 clusters less strata degrees of freedom covered .928 to .940, and were given up
REGIONS = ("small", "middle", "large")
PEOPLE = (10_000.0, 30_000.0, 60_000.0)  # in the population of each region
SCHOOLS, PUPILS = 12, 45  # drawn in each region, and in each school
OF_SCHOOL = (-0.8, 0.0, 0.8)  # on the log odds of all its pupils; schools of each kind are equally many
BULLIED = (-1.6, -1.1, -0.5)  # log odds by region
DISTRESSED, EFFECT = (-1.2, -0.8, -0.3), (0.2, 0.8, 1.5)  # log odds by region, and what being bullied adds
QUESTIONS = f"""
name = "schools"
title = "Schools"
languages = ["en"]

[[questions]]
name = "region"
label = "Where is your school?"
kind = "choice"
values = {json.dumps(REGIONS)}
sensitive = false

[[questions]]
name = "school"
label = "Which school is it?"
kind = "choice"
values = {json.dumps([f"school {number}" for number in range(SCHOOLS)])}
sensitive = false

[[questions]]
name = "bullied"
label = "Were you bullied?"
kind = "yes_no"
group = "b"

[[questions]]
name = "distressed"
label = "Are you distressed?"
kind = "yes_no"
group = "d"

[groups]
b = {{ truth = "9/10" }}
d = {{ truth = "4/5" }}
"""
DESIGNS = ("schools", "people, raked")
CONDITION, FIRST, SECOND, FORMULA = "distressed = yes", "bullied = yes", "bullied = no", "distressed ~ bullied"


def population() -> Floats:
    """Shape (2, 2): shares of the bullied, or not, who are distressed, or not."""
    table = np.zeros((2, 2))
    for region, school in product(range(len(REGIONS)), OF_SCHOOL):
        share = PEOPLE[region] / sum(PEOPLE) / len(OF_SCHOOL)
        table += share * _table(region, np.array([school]))[0]
    return table


def _table(region: int, school: Floats) -> Floats:
    """Shape (schools, 2, 2): shares of the pupils of schools, yes first."""
    bullied = _share(BULLIED[region] + school)
    distressed = np.stack(
        [_share(DISTRESSED[region] + EFFECT[region] + school), _share(DISTRESSED[region] + school)], axis=1
    )
    first = np.stack([bullied, 1 - bullied], axis=1)[:, :, None]
    second = np.stack([distressed, 1 - distressed], axis=2)
    return np.asarray(first * second)


def _share(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def sampled(survey: Survey, design: str, rng: np.random.Generator) -> tuple[Responses, SampleDesign]:
    """Responses of a fresh sample, and how it was drawn."""
    rows = []
    for region in range(len(REGIONS)):
        count = SCHOOLS if design == DESIGNS[0] else SCHOOLS * PUPILS
        each = PUPILS if design == DESIGNS[0] else 1
        tables = _table(region, rng.choice(OF_SCHOOL, count)).reshape(count, 4)
        answers = np.concatenate([rng.choice(4, each, p=table) for table in tables])
        school = np.repeat(np.arange(count), each) % SCHOOLS
        rows.append(np.stack([np.full(len(answers), region), school, answers // 2, answers % 2], axis=1))
    responses = simulate(survey, np.concatenate(rows).astype(np.int16), rng)
    numbers = dict(zip(REGIONS, PEOPLE, strict=True))
    if design == DESIGNS[0]:
        return responses, SampleDesign({"region": numbers}, "region", "school")
    bullied = population().sum(axis=1) * sum(PEOPLE)
    margins = {"region": numbers, "bullied": dict(zip(("yes", "no"), bullied.tolist(), strict=True))}
    return responses, SampleDesign({"region": numbers}, "region", margins=margins)


def truths() -> dict[str, float]:
    """The figures of the population."""
    table = population()
    among = table[:, 0] / table.sum(axis=1)
    return {
        "share": float(table[:, 0].sum()),
        "share of both": float(table[0, 0]),
        "share among the bullied": float(among[0]),
        "difference": float(among[0] - among[1]),
        "logit coefficient": log(table[0, 0] * table[1, 1] / (table[0, 1] * table[1, 0])),
    }


def intervals(responses: Responses, design: SampleDesign) -> tuple[dict[str, Range | None], dict[str, Range | None]]:
    """The interval of each figure by the design, and as if the sample were a simple one."""
    drawn, both = Sample(responses, design), f"{CONDITION} and {FIRST}"
    ours, simple = difference(drawn, CONDITION, FIRST, SECOND), difference(responses, CONDITION, FIRST, SECOND)
    by_regions = Sample(responses, SampleDesign(design.weights, design.strata, design.clusters))
    return {
        "share": estimate(drawn, CONDITION).interval,
        "share of both": estimate(drawn, both).interval,
        "share among the bullied": None if ours.first is None else ours.first.interval,
        "difference": None if ours.difference is None else ours.difference.interval,
        "logit coefficient": _coefficient(lambda: regress_simply(by_regions, FORMULA)),
    }, {
        "share": estimate(responses, CONDITION).interval,
        "share of both": estimate(responses, both).interval,
        "share among the bullied": None if simple.first is None else simple.first.interval,
        "difference": None if simple.difference is None else simple.difference.interval,
        "logit coefficient": _coefficient(lambda: regress_simply(responses, FORMULA)),
    }


def _coefficient(fit: Callable[[], Regression]) -> Range | None:
    """The interval of the predictor's coefficient; None where the likelihood has no top."""
    try:
        return fit().terms[1].interval
    except QueryError:
        return None


def measured(design: str, samples: int, seed: int) -> dict[str, dict[str, float]]:
    """How often the intervals of each figure hold the truth, and how often the design has none."""
    survey, rng, true = parse_survey(QUESTIONS), np.random.default_rng(seed), truths()
    held: dict[str, Counter[str]] = {"design": Counter(), "simple": Counter()}
    there: dict[str, Counter[str]] = {"design": Counter(), "simple": Counter()}
    for _ in range(samples):
        for way, found in zip(held, intervals(*sampled(survey, design, rng)), strict=True):
            held[way].update(_holding(found, true))
            there[way].update(name for name, ends in found.items() if ends is not None)
    return {
        name: {
            "truth": round(number, 4),
            "covered": round(held["design"][name] / max(1, there["design"][name]), 4),
            "covered_as_simple": round(held["simple"][name] / max(1, there["simple"][name]), 4),
            "without_interval": round(1 - there["design"][name] / samples, 4),
        }
        for name, number in true.items()
    }


def _holding(found: Mapping[str, Range | None], true: Mapping[str, float]) -> list[str]:
    return [name for name, ends in found.items() if ends is not None and ends[0] <= true[name] <= ends[1]]


@click.command()
@click.option("--samples", default=1000, show_default=True, help="Samples of each design.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(*, samples: int, as_json: bool) -> None:
    """Measure the coverage of both designs."""
    results = {design: measured(design, samples, FIRST_SEED) for design in DESIGNS}
    if as_json:
        click.echo(json.dumps(record(COMMAND, samples=samples, results=results), indent=2))
        return
    for design, figures in results.items():
        click.echo(design)
        for name, found in figures.items():
            line = f"covered {found['covered']:.3f}, as a simple sample {found['covered_as_simple']:.3f}"
            click.echo(f"  {name}: {found['truth']:.4f} {line}")


if __name__ == "__main__":
    main()
