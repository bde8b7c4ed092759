"""Does ``miner plan`` foretell what happens? Standard errors over 500 simulated surveys; accuracies from pilots.

    python -m benchmarks.calibration.planning       # writes docs/results/planning.json; about an hour of processor time
    python -m benchmarks.calibration.planning --quick  # 100 surveys and no models: a minute; writes nothing

Standard errors: each survey is answered 500 times by fresh respondents drawn from its priors. The foretold standard
error is set against the root mean square of the standard errors that the miner prints, and against the deviation of
the estimates themselves; one such deviation has an error of 3.2 % of its own after 500 surveys, their mean over all
values much less.

Accuracies: `benchmarks.calibration.foretold`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from benchmarks.calibration import foretold
from benchmarks.results import RESULTS, ROOT
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey, read_survey_file
from miner.estimates.estimate import estimate
from miner.planning.plan import plan
from miner.responses.responses import Values, codes_of_values
from miner.simulation.simulation import simulate

SURVEYS = 500
SEED = 20261121
STREAM = 7  # of the pilots and the surveys they foretell
RESPONDENTS = 1000


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


def summary(errors: dict[str, list[dict[str, Any]]], models: list[dict[str, Any]]) -> dict[str, Any]:
    """The largest gaps, and how often intervals hold what came."""
    rows = pd.DataFrame([row for rows in errors.values() for row in rows])
    found = {
        "largest relative gap to the printed standard error": float(
            (rows["printed"] / rows["foretold"] - 1).abs().max()
        ),
        "largest relative gap to the deviation": float((rows["deviation"] / rows["foretold"] - 1).abs().max()),
        "mean ratio of deviation to foretold": float((rows["deviation"] / rows["foretold"]).mean()),
    }
    return found | ({"accuracies": foretold.summary(models)} if models else {})


@click.command()
@click.option("--quick", is_flag=True, help="100 surveys and no models, printed and not written.")
@click.option("--keep", type=click.Path(path_type=Path), help="A file to keep trials in, and to go on from.")
def main(*, quick: bool, keep: Path | None) -> None:
    """Measure what planning foretells."""
    models: list[dict[str, Any]] = []
    for number, trial in enumerate([] if quick else foretold.trials()):
        models += foretold.accuracies(trial, (SEED, STREAM, number), foretold.keeper(keep, f"trial {number}"))
    times = 100 if quick else SURVEYS
    kept = foretold.keeper(None if quick else keep, "standard errors")
    errors = {}
    for number, (name, survey) in enumerate(surveys()):
        errors[name] = kept(name, lambda: standard_errors(survey, times, (SEED, number)))  # noqa: B023 - called at once
    results = {"summary": summary(errors, models), "standard_errors": errors, "accuracies": models}
    if quick:
        click.echo(json.dumps(results["summary"], indent=1))
    else:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "planning.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
