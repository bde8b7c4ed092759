"""Define the subcommand of ``miner`` that compares the accuracy of release families."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, json_option, print_json, print_table, write_output
from collector.commands.progress import status
from collector.commands.table_options import table_options

if TYPE_CHECKING:
    from collector.table.plain_table import Reading

DEFAULT_METHODS = "ours,naive-bayes,private-rdt,dp-id3,diffpid3-max,dpdf"
SURVEY_HELP = "Survey file that describes the table: the public domain."
DELTA_HELP = "Delta of the method k-anon-rdt. Other methods have no delta."


@click.command()
@click.argument("table_path", metavar="TABLE", type=click.Path(path_type=Path))
@click.option("--survey", "survey_path", type=click.Path(path_type=Path), required=True, help=SURVEY_HELP)
@click.option("--target", help="Question to predict.", show_default="the survey's target")
@table_options
@click.option(
    "--methods", default=DEFAULT_METHODS, show_default=True, help="Release methods to compare, separated by commas."
)
@click.option(
    "--epsilon",
    "epsilons",
    default="0.1,0.5,1,2",
    show_default=True,
    help="Values of epsilon, as decimals or fractions, separated by commas.",
)
@click.option("--delta", help=DELTA_HELP)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    help="Number of folds of the cross-validation.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of times that the cross-validation is repeated with new folds.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Seed that makes the run repeatable.",
    show_default="drawn from the system",
)
@click.option("-o", "--output", type=OutputPath(), help="CSV file for the results.")
@click.option("--plot", type=OutputPath(), help="SVG file for a chart of accuracy against epsilon.")
@json_option
def compare(  # noqa: PLR0913 - one for each option
    table_path: Path,
    *,
    survey_path: Path,
    target: str | None,
    reading: Reading,
    methods: str,
    epsilons: str,
    delta: str | None,
    folds: int,
    repeats: int,
    seed: int | None,
    output: Path | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Compare families of releases on TABLE: cross-validated accuracy against epsilon.

    The comparison has no privacy protection, and is only for the holder of the data. If you choose a method by
    comparing it on the data that you release, the choice discloses more than the release is charged for. For
    orientation, the command also shows models without privacy ("not private") and the accuracy of always predicting the
    most frequent class ("majority").

    Example: miner compare table.csv --survey survey.toml --methods ours,dpdf --plot accuracy.svg
    """
    import numpy as np

    from collector.survey_file.survey_file import read_survey_file
    from miner.release import compare as comparing
    from miner.release.table import TrustedTable

    asked = [_amount(each, "--epsilon") for each in epsilons.split(",")]
    names = [each.strip() for each in methods.split(",")]
    table = TrustedTable.read(read_survey_file(survey_path), table_path, target, reading).checked()
    with status("comparing"):
        found = comparing.compare(
            table,
            names,
            asked,
            np.random.default_rng(seed),
            parts=folds,
            repeats=repeats,
            delta=None if delta is None else _amount(delta, "--delta"),
        )
    if output is not None:
        write_output(output, found.csv_lines())
    if plot is not None:
        write_output(plot, [found.chart.svg])
    if as_json:
        print_json(found.as_json)
        return
    by_method: dict[str, dict[Fraction | None, str]] = {cell.method: {} for cell in found.cells}
    for cell in found.cells:
        by_method[cell.method][cell.epsilon] = f"{cell.accuracy:.3f} ({cell.standard_error:.3f})"
    rows = [[name, *(cells.get(each, cells.get(None, "")) for each in asked)] for name, cells in by_method.items()]
    print_table(["accuracy at epsilon", *map(str, asked)], rows)
    click.echo(f"{found.rows} rows, {folds} folds; in brackets standard errors\n{comparing.WARNING}")


def _amount(text: str, option: str) -> Fraction:
    from collector.ledger.budget import read_amount

    return read_amount(text.strip(), option)
