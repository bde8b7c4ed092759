"""How often the report's intervals of first choices and mean places hold the true ones.

    python -m benchmarks.calibration.rankings            # some three minutes
    python -m benchmarks.calibration.rankings 50         # so many surveys of each design

Each survey has fresh people, who rank three or four things one after another in proportion to 4, 2, 1 and 1, and fresh
coins. Prints for each design the share of the intervals that hold the truth, of first choices and of mean places; and
the mean and the standard deviation of the distances to the truth in standard errors, which would be 0 and 1.
"""

from __future__ import annotations

import sys
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.reporting.composed import composed
from miner.responses.responses import Values, value_indices
from miner.simulation.simulation import simulate

SURVEYS, SEED = 200, 11
ATTRACTIONS = (4.0, 2.0, 1.0, 1.0)
DECLINED, ASKED = 0.1, 0.3  # shares of people, where a ranking may be declined or is asked after a gate


class Design(NamedTuple):
    """A ranking of so many things by so many people, and how it is disguised."""

    things: int
    people: int
    truth: str
    may_decline: bool = False
    is_routed: bool = False


DESIGNS = (
    Design(3, 500, "1/2"),
    Design(4, 500, "1/2"),
    Design(3, 1500, "3/4"),
    Design(4, 1500, "3/4"),
    Design(4, 1000, "1/2", may_decline=True),
    Design(3, 1500, "3/4", is_routed=True),
    Design(4, 1500, "3/4", is_routed=True),
)


class Held(NamedTuple):
    """The share of intervals that hold first choices and mean places, and distances to the truth in standard errors."""

    first: float
    place: float
    lean: float
    spread: float


def survey_of(design: Design) -> Survey:
    """The survey of a design."""
    items = ", ".join(f't{number} = "T{number}"' for number in range(design.things))
    gate = '[[questions]]\nname = "gate"\nlabel = "Gate?"\nkind = "yes_no"\ngroup = "gate"\n' * design.is_routed
    more = 'ask_if = "gate = yes"\n' * design.is_routed + "decline = true\n" * design.may_decline
    ranking = (
        f'[[questions]]\nname = "order"\nlabel = "Order?"\nkind = "ranking"\ngroup = "order"\nitems = {{ {items} }}\n'
    )
    groups = f'[groups]\norder = {{ truth = "{design.truth}", channel = "uniform" }}\n'
    groups += 'gate = { truth = "4/5" }\n' * design.is_routed
    return parse_survey(f'name = "ranked"\ntitle = "R"\nlanguages = ["en"]\n{gate}{ranking}{more}{groups}')


def truth_of(design: Design) -> tuple[list[float], list[float]]:
    """The chance of each thing to be first, and its mean place, among those who rank."""
    first, place = np.zeros(design.things), np.zeros(design.things)
    for order in permutations(range(design.things)):
        left, chance = sum(ATTRACTIONS[: design.things]), 1.0
        for each in order:
            chance, left = chance * ATTRACTIONS[each] / left, left - ATTRACTIONS[each]
        first[order[0]] += chance
        place[list(order)] += chance * np.arange(1, design.things + 1)
    return first.tolist(), place.tolist()


def people(design: Design, survey: Survey, rng: np.random.Generator) -> Values:
    """Fresh answers, in value indices."""
    names = np.array([f"t{number}" for number in range(design.things)])
    keys = np.log(ATTRACTIONS[: design.things]) + rng.gumbel(size=(design.people, design.things))
    orders = np.array([">".join(names[each]) for each in np.argsort(-keys, axis=1)], object)
    frame = {}
    if design.may_decline:
        orders[rng.random(design.people) < DECLINED] = "prefer_not_to_say"
    if design.is_routed:
        asked = rng.random(design.people) < ASKED
        frame["gate"] = np.where(asked, "yes", "no")
        orders[~asked] = "not_applicable"
    return value_indices(survey, pd.DataFrame(frame | {"order": orders}))


def held(design: Design, surveys: int, rng: np.random.Generator) -> Held:
    """Make so many surveys of one design. A figure without an interval, or without an estimate, does not hold."""
    survey, (first, place) = survey_of(design), truth_of(design)
    share = 1 - DECLINED if design.may_decline else 1.0  # first choices are shares of all who were asked
    truths, count = [*(share * each for each in first), *place], design.things
    holds, distances = np.zeros((surveys, 2 * count), bool), []
    for number in range(surveys):
        found = composed(simulate(survey, people(design, survey, rng), rng))["order"]
        figures = [each for _, each in (*found.shares[:count], *found.places)]
        for which, (each, truth) in enumerate(zip(figures, truths, strict=True)):
            if each is not None and each.interval is not None and each.standard_error is not None:
                holds[number, which] = each.interval[0] <= truth <= each.interval[1]
                distances.append((each.estimate - truth) / each.standard_error)
    lean, spread = float(np.mean(distances)), float(np.std(distances))
    return Held(float(holds[:, :count].mean()), float(holds[:, count:].mean()), lean, spread)


def main(surveys: int = SURVEYS) -> None:
    """Print a line for each design."""
    for design in DESIGNS:
        found = held(design, surveys, np.random.default_rng(SEED))
        print(
            f"{design}: first choices {found.first:.3f}, mean places {found.place:.3f}; "
            f"distances {found.lean:+.3f} ({found.spread:.3f})",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
