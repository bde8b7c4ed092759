"""Does ``miner plan`` foretell what happens? Standard errors over 500 simulated surveys; accuracies from a pilot.

    python -m benchmarks.planning             # writes docs/results/planning.json; some twenty minutes
    python -m benchmarks.planning --quick     # 100 surveys and no models: a minute; writes nothing

Standard errors: each survey is answered 500 times by fresh respondents drawn from its priors. The foretold standard
error is set against the root mean square of the standard errors that the miner prints, and against the deviation of
the estimates themselves; one such deviation has an error of 3.2 % of its own after 500 surveys, their mean over all
values much less.

Accuracies: a pilot of a real table's rows is set aside; what it foretells in 20 rehearsals is set against models
trained on disguised answers of respondents drawn from the other rows, and judged on rows that neither had. A pilot is
a sample itself: its command prints how surely it knows, and says that a larger one is needed where the standard error
is above a point. The last trial is such a one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from benchmarks.coded import read_rows
from benchmarks.tables import Table, adult
from collector.survey import Survey
from collector.survey_file import parse_survey, read_survey_file
from miner.estimate import estimate
from miner.model import KINDS
from miner.planning.forecast import LEARNERS, Rehearsal, forecast
from miner.planning.plan import plan
from miner.responses import Values, codes_of_values, value_indices
from miner.simulation import simulate

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
SURVEYS = 500
SURE = 0.01  # a standard error with which an accuracy is known to 2 points
SEED = 20261121
RESPONDENTS = 1000
JUDGES = 3000
NURSERY = ("parents", "has_nurs", "form", "children", "housing", "finance", "social", "health", "advice")


def disguised_wellbeing(truth: str, channel: str) -> Survey:
    """The example survey with every group disguised in one way."""
    text = (ROOT / "examples" / "wellbeing.toml").read_text(encoding="utf-8")
    head, _ = text.split("[groups]")
    groups = "".join(
        f'{name} = {{ truth = "{truth}", channel = "{channel}" }}\n'
        for name in ("substances", "money", "debts", "health")
    )
    return parse_survey(f'{head}[groups]\n{groups}\n[mining]\ntarget = "distress"\n')


def surveys() -> Iterator[tuple[str, Survey]]:
    """Designs of the example survey, with the name that the results give them."""
    yield "wellbeing", read_survey_file(ROOT / "examples" / "wellbeing.toml")
    for truth, channel in (("9/10", "complement"), ("3/5", "complement"), ("1/2", "uniform"), ("1/4", "uniform")):
        yield f"wellbeing, {channel} {truth}", disguised_wellbeing(truth, channel)


def from_priors(survey: Survey, rows: int, rng: np.random.Generator) -> Values:
    """Respondents whose answers have the frequencies of the priors."""
    columns = [
        rng.choice(len(each.values), rows, p=[float(share) for share in each.prior]) for each in survey.questions
    ]
    return np.stack(columns, axis=1).astype(np.int16)


def standard_errors(survey: Survey, times: int, seed: tuple[int, ...]) -> list[dict[str, Any]]:
    """For each value the foretold standard error, the one printed on average, and the deviation of the estimates."""
    rng = np.random.default_rng(seed)
    wanted = [(question, value) for question in survey.questions for value in range(len(question.values))]
    estimates, squares = np.zeros((times, len(wanted))), np.zeros((times, len(wanted)))
    for time in range(times):
        sent = simulate(survey, from_priors(survey, RESPONDENTS, rng), rng)
        for place, (question, value) in enumerate(wanted):
            found = estimate(sent, {question.name: codes_of_values(question, {value})})
            estimates[time, place], squares[time, place] = found.estimate, (found.standard_error or 0.0) ** 2
    foretold = [value.standard_error for each in plan(survey, RESPONDENTS).questions for value in each.values]
    printed, deviation = np.sqrt(squares.mean(axis=0)), estimates.std(axis=0, ddof=1)
    return [
        {
            "question": question.name,
            "value": question.values[value],
            "foretold": foretold[place],
            "printed": float(printed[place]),
            "deviation": float(deviation[place]),
        }
        for place, (question, value) in enumerate(wanted)
    ]


@dataclass(frozen=True)
class Trial:
    """Models of one table.

    Attributes:
        table: To draw from.
        truth: Of three groups.
        pilot: Rows of the pilot.
        respondents: Who answer.
        mode: Of the models.
        models: How many are trained of each kind, to learn what comes.
        rehearsals: That foretell.
    """

    table: Table
    truth: str
    pilot: int
    respondents: int
    mode: str
    models: int
    rehearsals: int = 20


def nursery() -> Table:
    """Nursery, with the two rarest of its five classes left out."""
    rows = read_rows("nursery.data", NURSERY)
    kept = rows[~rows["advice"].isin(["recommend", "very_recom"])].reset_index(drop=True)
    return Table("nursery", "Nursery", kept, {}, "advice")


def trials() -> Iterator[Trial]:
    """Two tables at two truth probabilities, by noise-aware rules; and one in the mode that is the default."""
    for truth in ("9/10", "4/5"):
        yield Trial(adult(32_561), truth, 5000, 4000, "robust", 40)
        yield Trial(nursery(), truth, 5000, 3000, "robust", 40)
    yield Trial(nursery(), "4/5", 5000, 3000, "auto", 16)
    yield Trial(nursery(), "4/5", 1000, 3000, "auto", 16)


def accuracies(trial: Trial, seed: tuple[int, ...]) -> list[dict[str, Any]]:
    """For tree and forest the foretold accuracy and what came, with standard errors."""
    rng = np.random.default_rng(seed)
    survey = parse_survey(trial.table.survey_toml(trial.table.dealt(3, rng), trial.truth))
    rows = value_indices(survey, trial.table.answers)[rng.permutation(len(trial.table.answers))]
    pilot, judges, population = np.split(rows, [trial.pilot, trial.pilot + JUDGES])
    rehearsal = Rehearsal(survey, trial.respondents, trial.mode, trial.rehearsals, pilot)
    foretold = forecast(rehearsal, rng, lambda: None)
    came: dict[str, list[float]] = {kind: [] for kind in LEARNERS}
    column = survey.questions.index(survey.question(trial.table.target))
    for _ in range(trial.models):
        people = population[rng.choice(len(population), trial.respondents - trial.respondents // 3, replace=False)]
        sent = simulate(survey, people, rng).frame
        for kind, right in came.items():
            model = KINDS[kind](survey).set_params(random_state=int(rng.integers(2**32)), mode=trial.mode).fit(sent)
            right.append(float((model.probabilities(judges).argmax(axis=1) == judges[:, column]).mean()))
    return [
        {
            "table": trial.table.name,
            "truth": trial.truth,
            "pilot": trial.pilot,
            "respondents": trial.respondents,
            "mode": trial.mode,
            "model": each.kind,
            "foretold": each.accuracy,
            "foretold_error": each.standard_error,
            "foretold_interval": list(each.interval),
            "came": float(np.mean(came[each.kind])),
            "came_error": float(np.std(came[each.kind], ddof=1) / np.sqrt(trial.models)),
        }
        for each in foretold
    ]


def _gap(model: dict[str, Any]) -> float:
    return float(abs(model["foretold"] - model["came"]))


def summary(errors: dict[str, list[dict[str, Any]]], models: list[dict[str, Any]]) -> dict[str, Any]:
    """The largest gaps."""
    rows = pd.DataFrame([row for rows in errors.values() for row in rows])
    gaps = {
        surely: [_gap(each) for each in models if (each["foretold_error"] < SURE) is surely] for surely in (True, False)
    }
    return {
        "largest relative gap to the printed standard error": float(
            (rows["printed"] / rows["foretold"] - 1).abs().max()
        ),
        "largest relative gap to the deviation": float((rows["deviation"] / rows["foretold"] - 1).abs().max()),
        "mean ratio of deviation to foretold": float((rows["deviation"] / rows["foretold"]).mean()),
        "largest gap of an accuracy with a standard error below a point": max(gaps[True], default=None),
        "largest gap of the others": max(gaps[False], default=None),
    }


@click.command()
@click.option("--quick", is_flag=True, help="100 surveys and no models, printed and not written.")
@click.option("--keep", type=click.Path(path_type=Path), help="A file to keep trials in, and to go on from.")
def main(*, quick: bool, keep: Path | None) -> None:
    """Measure what planning foretells."""
    times = 100 if quick else SURVEYS
    named = enumerate(surveys())
    errors = {name: standard_errors(survey, times, (SEED, number)) for number, (name, survey) in named}
    models: list[dict[str, Any]] = []
    if keep is not None and keep.exists():
        models = [json.loads(line) for line in keep.read_text(encoding="utf-8").splitlines()]
    for number, trial in enumerate([] if quick else trials()):
        if number * len(LEARNERS) >= len(models):
            lines = [json.dumps(each) for each in accuracies(trial, (SEED, 100 + number))]
            models += map(json.loads, lines)
            click.echo("\n".join(lines), err=True)
            if keep is not None:
                with keep.open("a", encoding="utf-8") as kept:
                    kept.writelines(f"{line}\n" for line in lines)
    results = {"summary": summary(errors, models), "standard_errors": errors, "accuracies": models}
    if quick:
        click.echo(json.dumps(results["summary"], indent=1))
    else:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "planning.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
