"""How often a year of scheduled training is held: honest years, years with crafted responses, years with a change.

    python -m benchmarks.calibration.nights              # some minutes
    python -m benchmarks.calibration.nights 10 2 2       # so many years of each kind, in this order

Each year has twelve months of 300 responses to examples/wellbeing.toml, and a run of `miner.retrain` after each. In
month 5 of a crafted year thirty more are alike, and are taken back once they are held. From month 8 of a changed year
on, people answer otherwise, which is accepted once it is held. What is held in an honest year is accepted, too. Prints
the months that were held, and how often a model that was held was promoted unasked.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from benchmarks.results import ROOT
from collector.database.batch import batch_from
from collector.store.store import Store
from collector.survey.survey import Row, Survey
from collector.survey_file.survey_file import read_survey_file
from miner.responses.responses import value_indices
from miner.retrain.job import retrain
from miner.retrain.settings import Settings
from miner.simulation.simulation import simulate

sys.path.insert(0, str(ROOT / "examples"))
from population import draw_answers  # type: ignore[import-not-found] # an example, and no package

MONTHS, PEOPLE = 12, 300
CRAFTED_IN, CRAFTED, CHANGED_FROM = 5, 30, 8
YEARS = (100, 10, 10)
HONEST, WITH_CRAFTED, WITH_CHANGE = KINDS = ("honest", "crafted", "changed")


@dataclass
class Counted:
    """What was held in years of one kind.

    Attributes:
        months: Months in which a hold was possible.
        held: How often each month was held.
        unasked: Models that were promoted while a hold stood.
    """

    months: int = 0
    held: Counter[int] = field(default_factory=Counter)
    unasked: int = 0


def year(kind: str, survey: Survey, rng: np.random.Generator, counted: Counted) -> None:
    """One year of scheduled training."""
    with TemporaryDirectory() as folder, Store(Path(folder) / "s.db", create=True) as store:
        published = store.publish(survey)
        settings = Settings(Path(folder) / "champion.json", mode="faithful", minimum_new=100)
        for month in range(1, MONTHS + 1):
            people = draw_answers(PEOPLE, rng)
            if kind == WITH_CHANGE and month >= CHANGED_FROM:
                people["debt"] = np.where(rng.random(PEOPLE) < 0.5, "yes", people["debt"])
            store.add(survey, _sent(survey, people, rng))
            crafted: list[Row] = []
            if kind == WITH_CRAFTED and month == CRAFTED_IN:
                crafted = [(0, 0, 0, 0, 0, 0)] * CRAFTED
                store.imports.bring_in(published, batch_from(survey, crafted))
            held = retrain(store, survey.name, settings).result == "held"
            counted.months += month > 1
            counted.held[month] += held
            if held:
                counted.unasked += retrain(store, survey.name, settings, force=True).result != "held"
                if crafted:
                    store.imports.take_back(published, batch_from(survey, crafted))
                retrain(store, survey.name, settings, accept=not crafted)


def _sent(survey: Survey, people: pd.DataFrame, rng: np.random.Generator) -> list[Row]:
    codes = simulate(survey, value_indices(survey, people), rng).codes
    return [tuple(row) for row in codes.tolist()]


def main(arguments: list[str]) -> None:
    """Run and print."""
    years = tuple(map(int, arguments)) or YEARS
    survey = read_survey_file(ROOT / "examples" / "wellbeing.toml")
    for kind, count in zip(KINDS, years, strict=True):
        counted, rng = Counted(), np.random.default_rng(KINDS.index(kind) + 11)
        for number in range(count):
            year(kind, survey, rng, counted)
            if number % 10 == 9 or number == count - 1:
                share = sum(counted.held.values()) / counted.months
                error = (share * (1 - share) / counted.months) ** 0.5
                print(
                    f"{number + 1} {kind} years: {sum(counted.held.values())} of {counted.months} months held "
                    f"({share:.3f}, standard error {error:.3f}), by month {dict(sorted(counted.held.items()))}; "
                    f"promoted unasked {counted.unasked}",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1:])
