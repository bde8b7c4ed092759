"""How often the intervals of coefficients and shapes hold what they are of: the effects of true answers.

    python -m benchmarks.calibration.effects [--samples 500] [--people 2000] [--json]

Made-up people whose four questions depend on each other, and whose class depends on the answers by known effects, are
asked in four designs. Each sample is fresh people with fresh coins. Coefficients are against their reference; shapes
are of all values, less their mean over the population, and their coverage is the mean over the values.
"""

from __future__ import annotations

import json

import click
import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.arrays import Floats
from miner.estimates.estimate import NORMAL_975
from miner.learners.logit import AdditiveClassifier, LogitClassifier
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

HEAD = 'name = "effects"\ntitle = "Effects"\nlanguages = ["en"]\n'
EFFECTS = ((-0.6, 0.0, 0.6), (0.0, 0.8), (0.0, -0.5, 0.5), (0.0, -0.7))
WORDS = ("scale", "choice", "choice", "choice")
TARGET = "q4"
HALF = 0.5
DESIGNS: dict[str, tuple[tuple[str, ...], str]] = {
    "class disguised": (("", "", "", "", "c"), 'truth = "4/5"'),
    "mixed": (("", "", "a", "b", "c"), 'truth = "4/5"'),
    "three groups": (("a", "a", "b", "b", "c"), 'truth = "4/5"'),
    "uniform": (("a", "b", "d", "e", "c"), 'truth = "4/5", channel = "uniform"'),
}


def survey_of(design: str) -> Survey:
    """The questions, some disguised."""
    homes, how = DESIGNS[design]
    tables = []
    for number, home in enumerate(homes):
        values = ", ".join(f'"v{value}"' for value in range(len(EFFECTS[number]) if number < len(EFFECTS) else 2))
        kind = WORDS[number] if number < len(WORDS) else "choice"
        where = f'group = "{home}"' if home else "sensitive = false"
        tables.append(
            f'[[questions]]\nname = "q{number}"\nlabel = "Q?"\nkind = "{kind}"\nvalues = [{values}]\n{where}\n'
        )
    groups = "\n".join(f"{home} = {{ {how} }}" for home in sorted({home for home in homes if home}))
    return parse_survey(f"{HEAD}{''.join(tables)}[groups]\n{groups}\n")


def people(count: int, rng: np.random.Generator) -> Values:
    """Fresh people: two kinds, that answer differently."""
    kind = rng.random(count) < HALF
    columns = [
        np.where(rng.random(count) < HALF, kind * (len(each) - 1), rng.integers(len(each), size=count))
        for each in EFFECTS
    ]
    score = sum((np.array(each)[column] for each, column in zip(EFFECTS, columns, strict=True)), start=np.zeros(count))
    return np.stack([*columns, rng.random(count) < 1 / (1 + np.exp(-score))], axis=1).astype(np.int16)


def measured(design: str, samples: int, count: int, seed: int) -> dict[str, float]:
    """The share of intervals that hold the truth, of coefficients and of shapes."""
    survey, rng = survey_of(design), np.random.default_rng(seed)
    large = people(200_000, rng)
    contrasts = np.concatenate([np.array(each) - each[0] for each in EFFECTS])
    shapes = np.concatenate([np.array(each) - np.array(each)[large[:, n]].mean() for n, each in enumerate(EFFECTS)])
    held: dict[str, list[Floats]] = {"coefficients": [], "shapes": []}
    for _ in range(samples):
        frame = simulate(survey, people(count, rng), rng).frame
        for name, truth, model in (
            ("coefficients", contrasts, LogitClassifier(survey, TARGET, random_state=1)),
            ("shapes", shapes, AdditiveClassifier(survey, TARGET, pairs=0, random_state=1)),
        ):
            table = model.fit(frame).table_
            errors = np.zeros(len(truth)) if table.errors is None else table.errors[:, 1]
            told = errors > 0
            held[name].append(np.abs(table.estimates[:, 1] - truth)[told] <= NORMAL_975 * errors[told])
    return {name: float(np.mean(each)) for name, each in held.items()}


@click.command()
@click.option("--samples", default=500, show_default=True, help="Surveys, of each design.")
@click.option("--people", "count", default=2000, show_default=True, help="Who answer each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(*, samples: int, count: int, as_json: bool) -> None:
    """Measure the coverage of every design."""
    found = {design: measured(design, samples, count, seed=1) for design in DESIGNS}
    if as_json:
        click.echo(json.dumps({"samples": samples, "people": count, "covered": found}, indent=2))
        return
    for design, covered in found.items():
        click.echo(f"{design}: " + ", ".join(f"{name} {share:.3f}" for name, share in covered.items()))


if __name__ == "__main__":
    main()
