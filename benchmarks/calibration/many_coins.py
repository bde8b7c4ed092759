"""How often intervals of a logit's coefficients hold the truth behind many coins, and how far the coefficients lean.

    python -m benchmarks.calibration.many_coins [--samples 40] [--people 1000] [--coins 10] [--truth 3/5] [--most 512]

Made-up people of two kinds answer two yes-or-no questions for each complement coin but the last, which disguises the
class alone. The class depends on the answers by known effects. Each sample is fresh people with fresh coins. `--most`
sets how many candidate answers of a response are written out at most; of more, some are drawn. Printed are the coverage
of 95 % intervals over all coefficients; the lean, by which share coefficients are too far from 0 on average (negative:
too near); their root mean square error; the mean standard error over the scatter of the estimates; and the processor
seconds of a fit with its table.
"""

from __future__ import annotations

import json
from time import process_time
from typing import NamedTuple

import click
import numpy as np

from benchmarks.calibration.effects import Held
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.behind import rows
from miner.learners.logit import LogitClassifier
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

HEAD = 'name = "coins"\ntitle = "Coins"\nlanguages = ["en"]\n'
EFFECTS = (0.8, -0.8, 0.4, -0.4, 0.0)
"""Log odds of the class for a yes, of one question after the other, from the first again after the last."""
YES = (0.25, 0.65)  # chance of a yes among the first kind of people; the second has this less 1
SEED = 77_000
FOLLOWED = 0.5  # chance that the second question of a coin is answered as the first


class Cell(NamedTuple):
    """Number of coins with the class's, truth probability, and people of a sample."""

    coins: int
    truth: str
    people: int

    @property
    def effects(self) -> np.ndarray:
        """Of each question but the class."""
        return np.resize(EFFECTS, 2 * (self.coins - 1))

    @property
    def survey(self) -> Survey:
        """The published design."""
        count = len(self.effects)
        homes = [*(f"g{place // 2}" for place in range(count)), "g_class"]
        names = [*(f"q{place}" for place in range(count)), "label"]
        asked = "".join(
            f'[[questions]]\nname = "{name}"\nlabel = "Q?"\nkind = "yes_no"\ngroup = "{home}"\n'
            for name, home in zip(names, homes, strict=True)
        )
        groups = "".join(f'{home} = {{ truth = "{self.truth}" }}\n' for home in dict.fromkeys(homes))
        return parse_survey(f'{HEAD}{asked}[groups]\n{groups}[mining]\ntarget = "label"\n')

    def drawn(self, rng: np.random.Generator) -> Values:
        """Fresh people, value indices: 0 is yes."""
        count = len(self.effects)
        kind = rng.random((self.people, 1)) < 0.5
        chance = np.resize(YES, count)
        yes = rng.random((self.people, count)) < np.where(kind, chance, 1 - chance)
        follows = rng.random((self.people, count // 2)) < FOLLOWED
        yes[:, 1::2] = np.where(follows, yes[:, ::2], yes[:, 1::2])
        score = (yes - 0.5) @ self.effects
        return np.column_stack([~yes, rng.random(self.people) >= 1 / (1 + np.exp(-score))]).astype(np.int16)


def measured(cell: Cell, samples: int) -> dict[str, float]:
    """Coverage, lean and seconds of a cell."""
    survey, truth = cell.survey, np.zeros(2 * len(cell.effects))
    truth[::2] = cell.effects  # no is the reference
    held, seconds = Held(truth), []
    for sample in range(samples):
        rng = np.random.default_rng([SEED, cell.coins, cell.people, sample])
        sent = simulate(survey, cell.drawn(rng), rng)
        begun = process_time()
        table = LogitClassifier(survey, random_state=sample).fit(sent.frame).table_
        seconds.append(process_time() - begun)
        held.add(table.estimates[:, 0], np.asarray(table.errors)[:, 0])
    leans = np.array(held.estimates) @ truth / (truth @ truth) - 1
    found = {"covered": held.found["covered"], "lean": float(leans.mean())}
    found |= {"lean_error": float(leans.std(ddof=1) / np.sqrt(samples))}
    found |= {"rms_error": float(np.sqrt(((np.array(held.estimates) - truth)[:, ::2] ** 2).mean()))}
    return found | {"error / scatter": held.found["error / scatter"], "seconds": float(np.median(seconds))}


@click.command()
@click.option("--samples", type=click.IntRange(min=2), default=40, show_default=True, help="Surveys of each cell.")
@click.option("--people", default=1000, show_default=True, help="Number of people who answer each.")
@click.option("--coins", multiple=True, type=click.IntRange(min=2), default=(8, 10, 14), show_default=True)
@click.option("--truth", multiple=True, default=("4/5", "3/5"), show_default=True)
@click.option("--most", type=click.IntRange(min=1), help="Candidates of a response written out at most.")
def main(*, samples: int, people: int, coins: tuple[int, ...], truth: tuple[str, ...], most: int | None) -> None:
    """Measure every cell; print a line of JSON for each."""
    if most is not None:
        rows.MOST_ANSWERS = most
    for each in truth:
        for count in coins:
            found = measured(Cell(count, each, people), samples)
            line = {"coins": count, "truth": each, "people": people, "samples": samples, "most": rows.MOST_ANSWERS}
            click.echo(json.dumps(line | {key: round(value, 3) for key, value in found.items()}))


if __name__ == "__main__":
    main()
