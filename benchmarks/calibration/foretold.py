"""What pilots foretell of the accuracy of models, and what comes: the second half of `benchmarks.calibration.planning`.

The rows of a real table are a population. A survey asks some of them, all others judge its models: what comes is the
mean over many surveys. Each of many pilots, drawn from the same rows, foretells it as ``miner plan`` does. A
single forecast has the luck of its pilot, which its interval is to tell; the mean gap over pilots is the bias.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.data.coded import read_rows
from benchmarks.data.tables import Table, adult
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.learners.kinds import KINDS
from miner.planning.forecast import LEARNERS, NEAR, ForecastSettings, forecast
from miner.responses.responses import Values, value_indices
from miner.simulation.simulation import simulate

PILOTS = (1000, 2000, 5000)  # rows
REHEARSALS = 10  # as the command makes unless told otherwise
JUDGES = 5000
BLOCK = 20  # surveys whose accuracies are kept together
NURSERY = ("parents", "has_nurs", "form", "children", "housing", "finance", "social", "health", "advice")


@dataclass(frozen=True)
class Trial:
    """Surveys of one table.

    Attributes:
        table: To draw from.
        truth: Truth probability of three groups.
        respondents: Who answer.
        mode: Mode of the models.
        surveys: How many are made, to learn what comes.
        pilots: How many of each size foretell it.
    """

    table: Table
    truth: str
    respondents: int
    mode: str
    surveys: int
    pilots: int


def nursery() -> Table:
    """Nursery, with the two rarest of its five classes left out."""
    rows = read_rows("nursery.data", NURSERY)
    kept = rows[~rows["advice"].isin(["recommend", "very_recom"])].reset_index(drop=True)
    return Table("nursery", "Nursery", kept, {}, "advice")


def trials() -> Iterator[Trial]:
    """Two tables at two truth probabilities, by noise-aware rules; and one in the mode that is the default."""
    for truth in ("9/10", "4/5"):
        yield Trial(adult(32_561), truth, 4000, "robust", 200, 8)
        yield Trial(nursery(), truth, 3000, "robust", 200, 8)
    yield Trial(nursery(), "4/5", 3000, "auto", 60, 4)


@dataclass(frozen=True, eq=False)
class Stage:
    """Where a trial takes place.

    Attributes:
        trial: The trial.
        survey: Its questions dealt into groups.
        rows: The population, value indices.
    """

    trial: Trial
    survey: Survey
    rows: Values

    @classmethod
    def of(cls, trial: Trial, rng: np.random.Generator) -> Stage:
        """Deal the groups."""
        survey = parse_survey(trial.table.survey_toml(trial.table.dealt(3, rng), trial.truth))
        return cls(trial, survey, value_indices(survey, trial.table.answers))

    def came(self, surveys: int, rng: np.random.Generator) -> dict[str, list[float]]:
        """For tree and forest the accuracies of so many surveys' models."""
        found: dict[str, list[float]] = {kind: [] for kind in LEARNERS}
        column = self.survey.questions.index(self.survey.question(self.trial.table.target))
        trained = self.trial.respondents - self.trial.respondents // 3
        for _ in range(surveys):
            people, judges, _ = np.split(rng.permutation(self.rows), [trained, trained + JUDGES])
            sent = simulate(self.survey, people, rng).frame
            for kind, right in found.items():
                model = KINDS[kind](self.survey)
                model = model.set_params(random_state=int(rng.integers(2**32)), mode=self.trial.mode).fit(sent)
                right.append(float((model.probabilities(judges).argmax(axis=1) == judges[:, column]).mean()))
        return found

    def foretold(self, size: int, rng: np.random.Generator) -> dict[str, dict[str, Any]]:
        """For tree and forest what one pilot foretells, the accuracy also where it is not printed."""
        pilot = self.rows[rng.choice(len(self.rows), size, replace=False)]
        rehearsal = ForecastSettings(self.survey, self.trial.respondents, self.trial.mode, REHEARSALS, pilot)
        return {
            each.kind: each.as_json | {"accuracy": each.accuracy} for each in forecast(rehearsal, rng, lambda: None)
        }


Kept = Callable[[str, Callable[[], Any]], Any]
"""What was kept under a name; else what a function makes, which is kept then."""


def accuracies(trial: Trial, seed: tuple[int, ...], kept: Kept) -> list[dict[str, Any]]:
    """For every size of pilot, tree and forest: what was foretold by each pilot, and what came.

    Args:
        trial: What is tried.
        seed: Seed of everything.
        kept: Makes the trial, part by part.
    """
    stage = Stage.of(trial, np.random.default_rng((*seed, 0)))
    came: dict[str, list[float]] = {kind: [] for kind in LEARNERS}
    for start in range(0, trial.surveys, BLOCK):
        count = min(BLOCK, trial.surveys - start)
        rng = np.random.default_rng((*seed, 1, start))
        for kind, found in kept(f"came {start}", lambda: stage.came(count, rng)).items():  # noqa: B023 - called at once
            came[kind] += found
    told: dict[int, list[dict[str, dict[str, Any]]]] = {size: [] for size in PILOTS}
    for number, size in product(range(trial.pilots), PILOTS):
        rng = np.random.default_rng((*seed, 2, size, number))
        made = kept(f"pilot {size} {number}", lambda: stage.foretold(size, rng))  # noqa: B023 - called at once
        told[size].append(made)
    return [
        _row(trial, size, kind, np.array(came[kind]), [each[kind] for each in told[size]])
        for size, kind in product(PILOTS, LEARNERS)
    ]


def _row(trial: Trial, size: int, kind: str, came: NDArray[np.float64], told: list[dict[str, Any]]) -> dict[str, Any]:
    mean = float(came.mean())
    gaps = np.array([each["accuracy"] - mean for each in told])
    return {
        "table": trial.table.name,
        "truth": trial.truth,
        "respondents": trial.respondents,
        "mode": trial.mode,
        "model": kind,
        "pilot": size,
        "came": mean,
        "came_error": float(came.std(ddof=1) / np.sqrt(len(came))),
        "between_surveys": float(came.std(ddof=1)),
        "gaps": [round(gap, 5) for gap in gaps.tolist()],
        "mean_gap": float(gaps.mean()),
        "deviation": float(gaps.std(ddof=1)) if len(gaps) > 1 else None,
        "foretold_errors": [round(each["standard_error"], 5) for each in told],
        "covered": [each["interval"][0] <= mean <= each["interval"][1] for each in told],
        "pilots_needed": [each["pilot_needed"] for each in told],
        "foretold_between_surveys": float(np.mean([each["spread"] for each in told])),
    }


def summary(models: list[dict[str, Any]]) -> dict[str, Any]:
    """Of the accuracies, for every size of pilot."""
    table = pd.DataFrame(models).explode(["gaps", "foretold_errors", "covered", "pilots_needed"])
    table["far"] = table["gaps"].abs()
    return {str(size): _of_size(each) for size, each in table.groupby("pilot")}


def _of_size(table: pd.DataFrame) -> dict[str, Any]:
    enough = table.loc[table["pilots_needed"].isna(), "far"]
    squares = {name: table[name].astype(float) ** 2 for name in ("far", "foretold_errors")}
    return {
        "forecasts": len(table),
        "largest mean gap": float(table["mean_gap"].abs().max()),
        "largest gap": float(table["far"].max()),
        "within 2 points": float((table["far"] <= NEAR).mean()),
        "accuracies printed": len(enough),
        "largest gap of these": float(enough.max()) if len(enough) else None,
        "root mean square gap": float(np.sqrt(squares["far"].mean())),
        "root mean square foretold error": float(np.sqrt(squares["foretold_errors"].mean())),
        "covered by the 95 % interval": float(table["covered"].mean()),
    }


def keeper(path: Path | None, trial: str) -> Kept:
    """Keeps parts of a trial as lines of a file, if there is one."""
    lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
    parts = {part["name"]: part["made"] for part in map(json.loads, lines) if part["trial"] == trial}

    def kept(name: str, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - plain JSON values
        if name not in parts:
            parts[name] = make()
            line = json.dumps({"trial": trial, "name": name, "made": parts[name]})
            click.echo(line, err=True)
            if path is not None:
                with path.open("a", encoding="utf-8") as file:
                    file.write(f"{line}\n")
        return parts[name]

    return kept
