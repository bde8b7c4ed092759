"""How often the intervals of coefficients, shapes, margins and partial dependence hold what they are of.

    python -m benchmarks.calibration.effects [--samples 500] [--people 2000] [--design NAME] [--json]

Made-up people whose five questions depend on each other, and whose class depends on the answers by known effects, are
asked in six designs. Each sample is fresh people with fresh coins. Coefficients are against their reference; shapes are
of all values, less their mean over the population; margins are the mean chance of the class if all answered one value.
All three are of true answers and the whole population. Partial dependence is of a classifier that is given: what it
says on average. Beside the coverage, its mean over figures and its least and largest, stand the mean standard error
over the scatter of the estimates, and how far estimates are off on average, in the same unit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import click
import numpy as np
from scipy.special import logit  # type: ignore[import-untyped]

from collector.disclosure.precision import NORMAL_975
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.arrays import Floats
from miner.behind.rows import rows_behind
from miner.effects.coefficients import LEAST, coefficients
from miner.effects.coefficients import shapes as read
from miner.effects.fit import fit_effects
from miner.effects.terms import Terms
from miner.evaluation.dependence import partial_dependence
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

HEAD = 'name = "effects"\ntitle = "Effects"\nlanguages = ["en"]\n'
EFFECTS = ((-0.6, 0.0, 0.6), (0.0, 0.8), (0.0, -0.5, 0.5), (0.0, -0.7), (0.6, 0.2, -0.2, -0.6))
WORDS = ("scale", "choice", "choice", "choice", "scale", "choice")
TARGET = "q5"
LARGE = 200_000  # people that stand for the population
PLAIN = "sensitive = false"
DESIGNS: dict[str, tuple[tuple[str, ...], str]] = {
    "class disguised": (("", "", "", "", "", "c"), '{ truth = "4/5" }'),
    "mixed": (("a", "b", "d", "", "", "c"), '{ truth = "4/5" }'),
    "three groups 4/5": (("a", "a", "b", "b", "c", "c"), '{ truth = "4/5" }'),
    "three groups 3/5": (("a", "a", "b", "b", "c", "c"), '{ truth = "3/5" }'),
    "uniform": (("a", "b", "d", "e", "f", "c"), '{ truth = "4/5", channel = "uniform" }'),
    "total 4": ((), ""),
}


def survey_of(design: str) -> Survey:
    """The questions, some disguised."""
    homes, how = DESIGNS[design]
    tables = []
    for number, kind in enumerate(WORDS):
        values = ", ".join(f'"v{value}"' for value in range(len(EFFECTS[number]) if number < len(EFFECTS) else 2))
        where = (f'group = "{homes[number]}"' if homes[number] else PLAIN) if homes else ""
        tables.append(
            f'[[questions]]\nname = "q{number}"\nlabel = "Q?"\nkind = "{kind}"\nvalues = [{values}]\n{where}\n'
        )
    groups = "".join(f"{home} = {how}\n" for home in sorted(set(homes) - {""}))
    rules = f"[groups]\n{groups}" if homes else "[privacy]\nepsilon = 4\n[sampling]\nask = 3\n"
    return parse_survey(f'{HEAD}{"".join(tables)}{rules}[mining]\ntarget = "{TARGET}"\n')


def people(count: int, rng: np.random.Generator) -> Values:
    """Fresh people: two kinds, that answer differently."""
    kind = rng.random(count) < 0.5
    columns = [
        np.where(rng.random(count) < 0.5, kind * (len(each) - 1), rng.integers(len(each), size=count))
        for each in EFFECTS
    ]
    return np.stack([*columns, rng.random(count) < chances(np.stack(columns, axis=1))], axis=1).astype(np.int16)


def chances(values: Values) -> Floats:
    """The chance of the class, given true answers."""
    score = sum((np.array(each)[values[:, n]] for n, each in enumerate(EFFECTS)), start=np.zeros(len(values)))
    return np.asarray(1 / (1 + np.exp(-score)))


def stepped(values: Values) -> Floats:
    """What some classifier, fitted elsewhere, might say of the class: not the truth."""
    return np.asarray(0.2 + 0.5 * (values[:, 0] > 0) * (values[:, 2] != 1) + 0.2 * (values[:, 3] == values[:, 1]))


def given(values: Values) -> Floats:
    """Both classes by `stepped`."""
    return np.column_stack([1 - stepped(values), stepped(values)])


def all_answered(values: Values, chance: Callable[[Values], Floats]) -> Floats:
    """For each value of each question: the mean chance over people if all answered this."""
    found = []
    for column, effects in enumerate(EFFECTS):
        for value in range(len(effects)):
            then = values.copy()
            then[:, column] = value
            found.append(chance(then).mean())
    return np.array(found)


@dataclass
class Held:
    """Estimates and standard errors of some figures, sample by sample; an error of 0 is of no figure."""

    truth: Floats
    estimates: list[Floats] = field(default_factory=list)
    errors: list[Floats] = field(default_factory=list)

    def add(self, estimates: Floats, errors: Floats) -> None:
        """Those of a sample."""
        self.estimates.append(estimates)
        self.errors.append(errors)

    @property
    def found(self) -> dict[str, float]:
        """The coverage of the figures, and what explains it."""
        estimates, errors = np.array(self.estimates), np.array(self.errors)
        told = errors.min(axis=0) > 0
        estimates, errors, truth = estimates[:, told], errors[:, told], self.truth[told]
        covered = (np.abs(estimates - truth) <= NORMAL_975 * errors).mean(axis=0)
        scatter = estimates.std(axis=0, ddof=1)
        return {
            "covered": float(covered.mean()),
            "least": float(covered.min()),
            "most": float(covered.max()),
            "error / scatter": float((errors.mean(axis=0) / scatter).mean()),
            "bias / scatter": float(np.sqrt((((estimates.mean(axis=0) - truth) / scatter) ** 2).mean())),
        }


def measured(design: str, samples: int, count: int, seed: int) -> dict[str, dict[str, float]]:
    """How often intervals hold the truth: of coefficients, of shapes, of margins, of one tree's partial dependence."""
    survey, rng = survey_of(design), np.random.default_rng(seed)
    large = people(LARGE, rng)
    contrasts = np.concatenate([np.array(each) - each[0] for each in EFFECTS])
    shapes = np.concatenate([np.array(each) - np.array(each)[large[:, n]].mean() for n, each in enumerate(EFFECTS)])
    margins, steps = all_answered(large, chances), all_answered(large, stepped)
    held = {"coefficients": Held(contrasts), "shapes": Held(shapes), "margins": Held(logit(margins))}
    if survey.sampling is None:
        held["partial dependence"] = Held(steps)
    terms = tuple((place,) for place in range(len(EFFECTS)))
    for _ in range(samples):
        sent = simulate(survey, people(count, rng), rng)
        answers = rows_behind(sent, TARGET, rng)
        effects = fit_effects(answers, Terms(survey, terms, answers.value_shares(survey)))
        for name, table in (("coefficients", coefficients(answers, effects, 0)), ("shapes", read(answers, effects, 0))):
            held[name].add(table.estimates[:, 1], np.asarray(table.errors)[:, 1])
        ends = logit(np.clip(np.asarray(table.margins)[:, 1, 1:], LEAST, 1 - LEAST))
        held["margins"].add(ends.mean(axis=1), (ends[:, 1] - ends[:, 0]) / 2 / NORMAL_975)
        if "partial dependence" in held:
            found = partial_dependence(sent, given, TARGET, rng=rng)
            means = [shares["v1"] for values in found.values() for shares in values.values()]
            errors = np.array([each.standard_error or 0.0 for each in means])
            held["partial dependence"].add(np.array([each.estimate for each in means]), errors)
    return {name: each.found for name, each in held.items()}


@click.command()
@click.option("--samples", type=click.IntRange(min=2), default=500, show_default=True, help="Surveys, of each design.")
@click.option("--people", "count", default=2000, show_default=True, help="Who answer each.")
@click.option("--design", "only", type=click.Choice(list(DESIGNS)), help="All unless said.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(*, samples: int, count: int, only: str | None, as_json: bool) -> None:
    """Measure the coverage of every design."""
    found = {}
    for design in DESIGNS if only is None else [only]:
        found[design] = measured(design, samples, count, seed=1)
        for name, figures in ({} if as_json else found[design]).items():
            click.echo(f"{design}, {name}: " + ", ".join(f"{key} {value:.3f}" for key, value in figures.items()))
    if as_json:
        click.echo(json.dumps({"samples": samples, "people": count, "found": found}, indent=2))


if __name__ == "__main__":
    main()
