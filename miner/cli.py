"""Define the command ``miner``, with the subcommands for simulation and rules.

Each subcommand imports what it needs when it runs, so that ``--help`` does not wait for libraries it does not use.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import (
    Command,
    OutputPath,
    json_option,
    print_table,
    survey_argument,
    write_output,
)
from collector.commands.progress import status
from collector.commands.table_options import table_options
from miner.commands.attacks import audit, audit_survey
from miner.commands.compare import compare
from miner.commands.desk import desk
from miner.commands.estimates import anchors, crosstab, difference, estimate
from miner.commands.export import deposit, export, impute, readings, show, write_responses
from miner.commands.figures import echo_impossible, print_figures, saying_origin
from miner.commands.ledger import budget, ledger
from miner.commands.models import evaluate, predict, train
from miner.commands.options import answers_argument, with_responses
from miner.commands.plan import plan, recode
from miner.commands.regress import regress
from miner.commands.release import merge, release
from miner.commands.report import report
from miner.commands.retrain import retrain
from miner.commands.tables import trend

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from collector.table.plain_table import Reading
    from miner.figures.estimate import Estimate
    from miner.responses.responses import Responses


SECTIONS = {
    "Before a survey is asked": ("plan", "audit-survey", "simulate", "recode"),
    "While it runs": ("desk", "report"),
    "Estimates": ("estimate", "crosstab", "difference", "trend", "regress", "rules", "anchors"),
    "For other programs": ("readings", "impute", "responses", "deposit"),
    "Models": ("train", "show", "evaluate", "predict", "export", "retrain"),
    "Models from data that are trusted to you": ("budget", "compare", "release", "merge", "ledger", "audit"),
}


@click.group(cls=Command, name="miner", sections=SECTIONS)
@click.version_option(package_name="deniable", message="%(prog)s %(version)s")
def main() -> None:
    """Learn from disguised responses what can be learnt without knowing anyone."""


@main.command()
@survey_argument
@answers_argument
@table_options
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Seed that makes the run repeatable.",
    show_default="drawn from the system",
)
@click.option("-o", "--output", type=OutputPath(), help="File to write.", show_default="stdout")
def simulate(survey_path: Path, answers_path: Path, *, reading: Reading, seed: int | None, output: Path | None) -> None:
    """Disguise a table of true answers as respondents' browsers would.

    ANSWERS.csv must have a column for each question, with values in words, numbers or days. An empty cell is read as
    not_applicable if other answers say that the question was not asked, and as no_answer otherwise, if the question is
    optional. The command reads the table of answers as `collector draft` reads tables. Without -o, the disguised
    responses go to stdout, as CSV for `collector import`.

    The column _simulated says in each line that the responses are simulated. With --seed, the column _simulated is
    "seeded", because the coins can be drawn again and protect no answer. Without --seed, the column _simulated is
    "unseeded".

    Example: miner simulate examples/wellbeing.toml answers.csv --seed 1 -o responses.csv
    """
    import numpy as np

    from collector.store.simulated import Coins
    from collector.survey_file.survey_file import read_survey_file
    from collector.table.table import format_of, write_table
    from miner.responses.answers import value_blocks
    from miner.responses.tally import batches_of
    from miner.simulation import simulation

    survey = read_survey_file(survey_path)
    form = format_of(output) if output else "csv"
    draws = simulation.SystemDraws() if seed is None else np.random.default_rng(seed)
    with status("disguising"):
        blocks = value_blocks(survey, answers_path, reading, partial(click.echo, err=True))
        codes = (simulation.simulate(survey, values, draws).codes for values in blocks)
        batches = chain.from_iterable(batches_of(survey, each) for each in codes)
        coins = Coins.UNSEEDED if seed is None else Coins.SEEDED
        write_output(output, write_table(survey, batches, form, coins))


@main.command()
@with_responses
@click.option(
    "--min-support",
    type=float,
    default=0.1,
    show_default=True,
    help="Smallest support of a rule, as a share of respondents.",
)
@click.option(
    "--min-confidence",
    type=float,
    default=0.6,
    show_default=True,
    help="Smallest confidence of a rule: of the people who meet its premise, the share who meet its conclusion too.",
)
@click.option(
    "--longest",
    type=int,
    default=3,
    show_default=True,
    help="Largest number of items in a rule, premise and conclusion together.",
)
@json_option
@saying_origin
def rules(responses: Responses, *, min_support: float, min_confidence: float, longest: int, as_json: bool) -> None:
    """Find association rules: people who gave some answers often also gave a certain other answer.

    Supports are estimated, with an error that grows with every disguised group of a rule. Each 95 % interval is valid
    for a single figure, not for all figures at once. A rule is counted but not shown if it rests on fewer than an
    estimated 10 people, or if the share with its premise does not differ significantly from 0.

    Example: miner rules wellbeing --min-support 0.1 --min-confidence 0.6
    """
    from miner.estimates import rules as mining
    from miner.figures.estimate import FEWEST

    survey = responses.survey
    with status("looking for rules"):
        every = mining.every_rule(responses, min_support, min_confidence, longest)
    found = [rule for rule in every if rule.is_reliable]
    untold = len(every) - len(found)
    if as_json:
        print_figures({"n": len(responses), "rules": [rule.as_json(survey) for rule in found], "untold": untold})
        return
    rows = [
        [
            f"{mining.text(survey, rule.premise)} -> {mining.text(survey, (rule.conclusion,))}",
            *(_figure(each) for each in (rule.support, rule.confidence, rule.lift)),
        ]
        for rule in found
    ]
    if rows:
        print_table(["rule", "support", "confidence", "lift"], rows)
        many = f"{len(found)} rule{'s' if len(found) > 1 else ''}"
        click.echo(f"{many} from {len(responses)} responses; in brackets 95 % intervals")
        echo_impossible(each for rule in found for each in (rule.support, rule.confidence, rule.lift))
    else:
        click.echo(f"no rule in {len(responses)} responses; ask for less --min-support or --min-confidence")
    if untold:
        why = f"fewer than an estimated {FEWEST}, or none significantly above 0 with the premise"
        click.echo(f"{untold} more are not shown, for they rest on too few people: {why}")


for command in (
    train,
    evaluate,
    predict,
    show,
    export,
    write_responses,
    audit_survey,
    report,
    desk,
    retrain,
):
    main.add_command(command)
for command in (estimate, crosstab, difference, trend, regress, anchors, plan, recode, readings, impute, deposit):
    main.add_command(command)
for command in (audit, budget, compare, ledger, merge, release):
    main.add_command(command)


def _figure(found: Estimate) -> str:
    ends = "no interval" if found.interval is None else f"{found.interval[0]:z.3f} to {found.interval[1]:z.3f}"
    return f"{found.estimate:z.3f}{'*' if found.warning else ''} ({ends})"


if __name__ == "__main__":
    sys.exit(main())
