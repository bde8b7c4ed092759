"""How often 95 % intervals of tables, figures of numbers and trends hold the truth, in samples that are not simple.

    python -m benchmarks.calibration.tables [--surveys 1000] [--json]

Made-up people of three regions, of which small ones are sampled most. In one design schools are drawn, whose pupils
are alike; in the other people are drawn alone. A survey has three waves; in each, fewer are distressed. Each survey has
fresh schools, people and coins. The same figures are taken as if the sample were a simple one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import click
import numpy as np

from benchmarks.record import record
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.arrays import Floats
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.tables.figures import FigureTable
from miner.tables.numbers import mean, quantile
from miner.tables.shares import shares
from miner.tables.trends import trend

COMMAND = "python -m benchmarks.calibration.tables --json"
SEED = 7
REGIONS = ("small", "middle", "large")
PEOPLE = (10_000.0, 30_000.0, 60_000.0)  # in the population of each region
SCHOOLS, PUPILS = 12, 45  # drawn in each region, and in each school
OF_SCHOOL = (-0.6, 0.0, 0.6)  # on the log odds of all its pupils; schools of each kind are equally many
BULLIED, DISTRESSED, EFFECT = (-1.2, -0.8, -0.3), (-1.0, -0.6, -0.2), 1.0  # log odds by region; of the bullied
LESS = 0.25  # log odds by which fewer are distressed in the next wave
WAVES = (1, 2, 3)
ENDS = np.array([0.0, 5.0, 10.0, 20.0, 40.0])
HOURS = np.array([0.35, 0.3, 0.25, 0.1])  # shares of the intervals among those who are not bullied
SHIFT = np.array([-0.1, -0.05, 0.05, 0.1])  # of these shares among the bullied
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

[[questions]]
name = "hours"
label = "How many hours are you online a week?"
kind = "number"
cuts = [5, 10, 20]
minimum = 0
maximum = 40
group = "h"

[groups]
b = {{ truth = "9/10" }}
d = {{ truth = "4/5" }}
h = {{ truth = "4/5" }}
"""
DESIGNS = ("schools", "people")


def _share(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-log_odds)))


def table(region: int, school: float, wave: int) -> Floats:
    """Shape (2, 2, 4): shares of pupils by bullied, distressed and hours, yes first."""
    bullied, found = _share(BULLIED[region] + school), np.zeros((2, 2, len(HOURS)))
    for is_not in (0, 1):
        distressed = _share(DISTRESSED[region] + EFFECT * (1 - is_not) + school - LESS * (wave - 1))
        hours = HOURS + SHIFT * (1 - is_not)
        some = 1 - bullied if is_not else bullied
        found[is_not] = some * np.outer([distressed, 1 - distressed], hours)
    return found


def population(wave: int) -> Floats:
    """Shape (3, 2, 2, 4): shares of the people of each region, as `table` has them."""
    return np.stack(
        [
            PEOPLE[region] / sum(PEOPLE) * np.mean([table(region, school, wave) for school in OF_SCHOOL], axis=0)
            for region in range(len(REGIONS))
        ]
    )


def sampled(survey: Survey, design: str, wave: int, rng: np.random.Generator) -> Responses:
    """Responses of a fresh sample."""
    rows = []
    for region in range(len(REGIONS)):
        count = SCHOOLS if design == DESIGNS[0] else SCHOOLS * PUPILS
        each = PUPILS if design == DESIGNS[0] else 1
        chances = {school: table(region, school, wave).ravel() for school in OF_SCHOOL}
        kinds = rng.choice(OF_SCHOOL, count)
        cells = np.concatenate([rng.choice(16, each, p=chances[float(kind)]) for kind in kinds])
        school = np.repeat(np.arange(count), each) % SCHOOLS
        answers = np.stack(np.unravel_index(cells, (2, 2, len(HOURS))), axis=1)
        rows.append(np.column_stack([np.full(len(cells), region), school, answers]))
    return simulate(survey, np.concatenate(rows).astype(np.int16), rng)


def truths() -> dict[str, float]:
    """The figures of the population."""
    people = population(WAVES[-1])
    middles = (ENDS[:-1] + ENDS[1:]) / 2
    hours = people.sum(axis=(0, 1, 2))
    by_bullied, by_region = people.sum(axis=(0, 3)), people.sum(axis=(1, 3))
    distressed = [float(population(wave)[:, :, 0].sum()) for wave in WAVES]
    found = {
        f"share, {word}": float(row[0] / row.sum()) for word, row in zip(("bullied", "not"), by_bullied, strict=True)
    }
    found |= {f"share, {word}": float(row[0] / row.sum()) for word, row in zip(REGIONS, by_region, strict=True)}
    found["difference of bullied"] = found["share, bullied"] - found["share, not"]
    found["mean"] = float(hours @ middles)
    bullied = people[:, 0].sum(axis=(0, 1))
    found["mean, bullied"] = float(bullied @ middles / bullied.sum())
    found["mean between bounds"] = float(hours @ ENDS[:-1])  # the farthest that it can be
    found["median"] = float(np.interp(0.5, np.append(0, np.cumsum(hours)), ENDS))
    found["share over all waves"] = float(np.mean(distressed))
    found["change per wave"] = (distressed[-1] - distressed[0]) / (len(WAVES) - 1)
    return found


def intervals(
    waves: dict[int, Responses], design: SampleDesign | None
) -> Iterator[tuple[str, tuple[float, float] | None]]:
    """The interval of each figure; None where there is none."""
    people = {wave: each if design is None else Sample(each, design) for wave, each in waves.items()}
    last = people[WAVES[-1]]
    grouped = shares(last, "distressed = yes", by="bullied")
    yield from zip(("share, bullied", "share, not"), _ends(grouped), strict=True)
    regions = shares(last, "distressed = yes", by="region")
    yield from zip((f"share, {word}" for word in REGIONS), _ends(regions), strict=True)
    difference = grouped.differences[0].estimate
    yield "difference of bullied", None if difference is None else difference.interval
    everybody = mean(last, "hours")
    yield "mean", _ends(everybody)[0]
    yield "mean, bullied", _ends(mean(last, "hours", by="bullied"))[0]
    bounds = everybody.figures[0].bounds
    low, high = (None, None) if bounds is None else bounds.interval
    yield "mean between bounds", None if low is None or high is None else (low, high)
    yield "median", _ends(quantile(last, "hours", 0.5))[0]
    found = trend(people, "distressed = yes")
    yield "share over all waves", found.share.interval
    yield "change per wave", found.slope.interval


def _ends(figures: FigureTable) -> list[tuple[float, float] | None]:
    return [None if each.estimate is None else each.estimate.interval for each in figures.figures]


def measured(design: str, surveys: int, seed: int) -> dict[str, dict[str, float]]:
    """How often the intervals of each figure hold the truth, by the design and as a simple sample."""
    survey, rng, true = parse_survey(QUESTIONS), np.random.default_rng(seed), truths()
    numbers = dict(zip(REGIONS, PEOPLE, strict=True))
    sample = SampleDesign({"region": numbers}, "region", "school" if design == DESIGNS[0] else None)
    held: Counter[tuple[str, bool]] = Counter()
    known: Counter[tuple[str, bool]] = Counter()
    for _ in range(surveys):
        waves = {wave: sampled(survey, design, wave, rng) for wave in WAVES}
        for by_design, chosen in ((True, sample), (False, None)):
            for name, ends in intervals(waves, chosen):
                known[name, by_design] += ends is not None
                held[name, by_design] += ends is not None and ends[0] <= true[name] <= ends[1]
    return {
        name: {
            "truth": round(number, 4),
            "covered": round(held[name, True] / max(1, known[name, True]), 4),
            "covered_as_simple": round(held[name, False] / max(1, known[name, False]), 4),
            "without_interval": round(1 - known[name, True] / surveys, 4),
        }
        for name, number in true.items()
    }


@click.command()
@click.option("--surveys", default=1000, show_default=True, help="Surveys of each design.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(*, surveys: int, as_json: bool) -> None:
    """Measure the coverage of both designs."""
    results = {design: measured(design, surveys, SEED) for design in DESIGNS}
    if as_json:
        click.echo(json.dumps(record(COMMAND, surveys=surveys, results=results), indent=2))
        return
    for design, figures in results.items():
        click.echo(design)
        for name, found in figures.items():
            line = f"covered {found['covered']:.3f}, as a simple sample {found['covered_as_simple']:.3f}"
            click.echo(f"  {name}: {found['truth']:.4f} {line}")


if __name__ == "__main__":
    main()
