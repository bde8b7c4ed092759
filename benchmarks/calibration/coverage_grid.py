"""How often each 95 % interval that the commands print holds the truth, over a grid of surveys.

    python -m benchmarks.calibration.coverage_grid        # 64 surveys, 1,000 times each, and some again: an hour or two
    python -m benchmarks.calibration.coverage_grid --quick  # 50 times each: some minutes; writes nothing

The long run writes docs/results/coverage_grid.json and .md; with --keep it goes on where it was stopped. Each
repetition draws respondents to two yes-or-no questions, disguises them afresh, and asks for every interval.

docs/estimating.md says by what the responses tell where to rely on an interval. A survey of the grid counts as one
where the page recommends an interval if its responses say so at least half of the time; coverage is over all its
responses that have the interval, and beside it over those alone that say so.

A right interval is seen to cover 95 % with a standard error of 0.7 points in 1,000 repetitions, so that among hundreds
some are seen 2 points off by chance. The rule, made before the run: a recommended interval that is seen more than 1.5
points from 95 % is measured again, 3,000 times with fresh seeds, and the second figure alone is reported.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.coverage_page import AGAIN, DOUBTFUL, NOMINAL, page
from benchmarks.calibration.coverage_surveys import LEVEL, SETTINGS, UNSEEN, Setting, people, survey_of, true_figures
from benchmarks.results import RESULTS
from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.estimates.anchors import anchored
from miner.estimates.comparison import difference
from miner.estimates.hybrid import hybrid_estimate
from miner.estimates.independence import independence
from miner.estimates.regress import regress
from miner.estimates.rules import FrequentSet, rule_of
from miner.figures.estimate import Estimate, Range
from miner.figures.means import mean_estimate
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses, codes_of_values
from miner.simulation.simulation import simulate
from miner.weights.weights import ProductWeights, touched

YES = frozenset({0})
SURE = 4.0  # standard errors from 0
ROUGH = 0.1  # a standard error of a margin
SEED = 20261121
Found = tuple[str, Range | None, bool]
"""The name of a figure, its interval if there is one, and whether the responses are such that it is recommended."""


class Shares:
    """Estimates of single shares, as `miner estimate` and `miner crosstab` print them.

    Responses that are alike count for as many as they are; what each of the few different ones weighs is worked out
    once for a survey.
    """

    def __init__(self, survey: Survey) -> None:
        self._codes = [question.codes for question in survey.questions]
        weights = ProductWeights(Responses(survey, np.array(list(product(*self._codes)), np.int16)))
        named = {"q0": [{"q0": 0}], "q1": [{"q1": 0}], "cells": [{"q0": a, "q1": b} for a, b in np.ndindex(2, 2)]}
        self._terms = {name: [_term(survey, weights, each) for each in some] for name, some in named.items()}

    def of(self, responses: Responses) -> dict[str, list[Estimate]]:
        """The share of the first value of each question, and of the four cells of both."""
        firsts = responses.codes - np.array([codes[0] for codes in self._codes])
        counts = np.bincount(firsts[:, 0] * len(self._codes[1]) + firsts[:, 1], minlength=self._size)
        return {
            name: [mean_estimate(terms, extremes, counts.astype(np.float64)) for terms, extremes in some]
            for name, some in self._terms.items()
        }

    @property
    def _size(self) -> int:
        return len(self._codes[0]) * len(self._codes[1])


def _term(survey: Survey, weights: ProductWeights, values: dict[str, int]) -> tuple[NDArray[np.float64], Range]:
    event = {name: codes_of_values(survey.question(name), {value}) for name, value in values.items()}
    return weights.of(event), weights.range(event)


def intervals(responses: Responses, shares: Shares, plain: PlainRows, wanted: Collection[str]) -> Iterator[Found]:
    """Every interval, None where a command would print none; those that nobody wants are left out if they cost."""
    found = shares.of(responses)
    (first,), (second,), cells = found["q0"], found["q1"], found["cells"]
    subgroup, fitted = certainty(second) >= SURE, min(map(certainty, cells)) >= SURE
    yield "share", first.interval, True
    yield "cell", cells[0].interval, True
    if {"share in a subgroup", "difference of shares"} & set(wanted):
        compared = difference(responses, {"q0": YES}, {"q1": YES}, {"q1": frozenset({1})})
        yield "share in a subgroup", _interval(compared.first), subgroup
        yield "difference of shares", _interval(compared.difference), subgroup
    if {"regression, intercept", "regression, slope"} & set(wanted):
        yield from ((name, found, fitted) for name, found in _coefficients(responses))
    if {"rule, confidence", "rule, lift"} & set(wanted):
        whole = FrequentSet(((0, 0), (1, 0)), cells[0])
        rule = rule_of(responses.survey, ProductWeights(responses), whole, (0, 0))
        ruled = subgroup and certainty(first) >= SURE
        yield "rule, confidence", None if rule is None else rule.confidence.interval, ruled
        yield "rule, lift", None if rule is None else rule.lift.interval, fitted
    if "with plain rows" in wanted:
        yield "with plain rows", hybrid_estimate(responses, plain, {"q0": YES, "q1": YES}).interval, True
    if "careless share" in wanted:
        even = len(set(responses.survey.question("q0").prior)) == 1
        careless = anchored(responses, "q0", even=even).share
        if careless is not None:
            yield "careless share", careless.interval, True


def certainty(found: Estimate) -> float:
    """How many standard errors an estimate is above 0."""
    return found.estimate / found.standard_error if found.standard_error else 0.0


def _interval(found: Estimate | None) -> Range | None:
    return None if found is None else found.interval


def _coefficients(responses: Responses) -> Iterator[tuple[str, Range | None]]:
    names = ("regression, intercept", "regression, slope")
    try:
        terms = regress(responses, "q0 ~ q1").terms
    except QueryError:
        yield from ((name, None) for name in names)
    else:
        yield from ((name, term.interval) for name, term in zip(names, terms, strict=True))


def _level(responses: Responses, shares: Shares) -> tuple[bool | None, bool]:
    """Of independent questions: whether the test of `miner crosstab` finds nothing, and whether it is recommended."""
    found = shares.of(responses)
    errors = [each.standard_error or 0.0 for name in ("q0", "q1") for each in found[name]]
    cells = np.array([each.estimate for each in found["cells"]]).reshape(2, 2)
    (asked,) = responses.on([touched(responses.survey, ("q0", "q1"))])
    test = independence(asked.among_asked(("q0", "q1")), ("q0", "q1"), cells)
    return None if test is None else test.p_value >= LEVEL, max(errors) < ROUGH


def measured(setting: Setting, repetitions: int, seed: tuple[int, ...], wanted: Collection[str]) -> dict[str, Any]:
    """How often each interval held the truth, how often there was one, and how often it was recommended.

    Args:
        setting: A setting of the grid.
        repetitions: How often to ask.
        seed: Seed of everything that is drawn.
        wanted: Names of figures, of `true_figures`.
    """
    rng = np.random.default_rng(seed)
    survey, truth = survey_of(setting), true_figures(setting)
    shares = Shares(survey)
    outcomes: dict[str, list[tuple[bool | None, bool]]] = {}
    for _ in range(repetitions):
        responses = simulate(survey, people(setting, rng), rng)
        plain = PlainRows.of(survey, people(setting, rng)[: setting.n // 4])
        for name, found, met in intervals(responses, shares, plain, wanted):
            held = None if found is None else found[0] <= truth[name] <= found[1]
            outcomes.setdefault(name, []).append((held, met))
        if "independence, level" in wanted:
            apart = simulate(survey, people(setting, rng, independent=True), rng)
            outcomes.setdefault("independence, level", []).append(_level(apart, shares))
    figures = {name: _figure(each) for name, each in outcomes.items() if name in wanted}
    return {**asdict(setting), "repetitions": repetitions, "seed": list(seed), "figures": figures}


def _figure(outcomes: list[tuple[bool | None, bool]]) -> dict[str, float | int | bool | None]:
    there = [held for held, _ in outcomes if held is not None]
    when_met = [held for held, met in outcomes if met and held is not None]
    met = sum(met for _, met in outcomes) / len(outcomes)
    return {
        "covered": sum(there) / len(there) if there else None,
        "with_interval": len(there) / len(outcomes),
        "met": met,
        "covered_when_met": sum(when_met) / len(when_met) if when_met else None,
        "recommended": met >= 0.5,
        "repetitions": len(outcomes),
    }


def settled(place: int, repetitions: int) -> dict[str, Any]:
    """What is reported of one survey: measured, and again where it is in doubt."""
    setting = SETTINGS[place]
    found = measured(setting, repetitions, (SEED, place), list(true_figures(setting)))
    doubtful = [name for name, figure in found["figures"].items() if _is_doubtful(figure)]
    if doubtful:
        found["first"] = {name: found["figures"][name] for name in doubtful}
        found["figures"] |= measured(setting, AGAIN, (SEED, place, 1), doubtful)["figures"]
    return found


def _is_doubtful(figure: dict[str, Any]) -> bool:
    return bool(figure["recommended"]) and abs(figure["covered"] - NOMINAL) > DOUBTFUL


def _all_settled(repetitions: int, jobs: int, keep: Path | None) -> list[dict[str, Any]]:
    """Every survey's result, in order; those in the file from an earlier run are taken as they are."""
    found: dict[int, dict[str, Any]] = {}
    if keep is not None and keep.exists():
        lines = keep.read_text(encoding="utf-8").splitlines()
        found = {each["place"]: each["result"] for each in map(json.loads, lines)}
    with ProcessPoolExecutor(jobs) as pool:
        left = sorted(set(range(len(SETTINGS))) - set(found), key=lambda place: SETTINGS[place].prevalence == UNSEEN)
        waiting = {pool.submit(settled, place, repetitions): place for place in left}
        for done in as_completed(waiting):
            found[waiting[done]] = done.result()
            if keep is not None:
                with keep.open("a", encoding="utf-8") as lines_kept:
                    lines_kept.write(json.dumps({"place": waiting[done], "result": done.result()}) + "\n")
            click.echo(f"{len(found)} of {len(SETTINGS)}", err=True)
    return [found[place] for place in sorted(found)]


@click.command()
@click.option("--quick", is_flag=True, help="50 repetitions, printed and not written.")
@click.option("--repetitions", type=int, default=1000, show_default=True, help="Of the long run.")
@click.option("--jobs", type=int, default=2, show_default=True, help="Surveys measured at once.")
@click.option("--keep", type=click.Path(path_type=Path), help="A file to keep what is measured in, and to go on from.")
def main(*, quick: bool, repetitions: int, jobs: int, keep: Path | None) -> None:
    """Measure coverage over the grid."""
    if quick:
        everything = list(true_figures(SETTINGS[0]))
        click.echo(page([measured(each, 50, (SEED, place), everything) for place, each in enumerate(SETTINGS)]))
        return
    results = _all_settled(repetitions, jobs, keep)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "coverage_grid.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "coverage_grid.md").write_text(page(results), encoding="utf-8")


if __name__ == "__main__":
    main()
