"""Define the subcommand of ``miner`` that writes a report."""

from __future__ import annotations

import secrets
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, write_output
from collector.commands.progress import status
from collector.output import write_bytes
from miner.commands.options import with_responses

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from miner.drawing.chart import Chart
    from miner.responses.responses import Responses

SEEDS = 2**32
LIMIT_HELP = "Time for models and guesses. A part that would probably end later is left out."


@click.command()
@with_responses
@click.option("--target", help="Question to predict.", show_default="the survey's target")
@click.option(
    "--seed",
    type=click.IntRange(0, SEEDS - 1),
    help="Seed that makes the report repeatable.",
    show_default="drawn from the system",
)
@click.option("-o", "--output", type=OutputPath(), required=True, help="HTML file to write.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help=LIMIT_HELP,
    show_default="no limit",
)
@click.option(
    "--figures",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the charts as SVG and PNG. It is made if it does not exist.",
)
def report(  # noqa: PLR0913 - one for each option
    responses: Responses,
    *,
    target: str | None,
    seed: int | None,
    output: Path,
    time_limit: float | None,
    folder: Path | None,
) -> None:
    """Write one HTML file with the results of a survey: estimates, models, and what was revealed.

    The HTML file needs no other file and no server. The report can be printed on A4 and read on a phone.

    Example: miner report wellbeing --seed 1 -o report.html
    """
    from miner.reporting.charts import charts
    from miner.reporting.findings import findings
    from miner.reporting.page import page

    dealt = secrets.randbelow(SEEDS) if seed is None else seed
    found = findings(responses, target, dealt, time_limit)
    with status("writing the report"):
        text = page(found, _command(found.survey.name, dealt))
    write_output(output, [text])
    click.echo(f"report on {len(responses)} responses written to {output} (seed {dealt})")
    if found.left_out:
        click.echo(f"no time for {', '.join(found.left_out)}: give a longer --time-limit, or none")
    if folder is not None:
        for name, chart in charts(found).items():
            _write_chart(folder, name, chart)


def _command(name: str, seed: int) -> str:
    """Return the command line that makes the same report again."""
    given = click.get_current_context().params
    place = {"--store": given["store_path"]} if given["parquet"] is None else {"--from": given["parquet"]}
    options = {"--target": given["target"], "--version": given["version"], **place}
    said = [str(word) for pair in options.items() if pair[1] is not None for word in pair]
    return shlex.join(["miner", "report", name, *said, "--seed", str(seed), "-o", str(given["output"])])


def _write_chart(folder: Path, name: str, chart: Chart) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_output(folder / f"{name}.svg", [chart.svg])
    write_bytes(folder / f"{name}.png", [chart.png])
    click.echo(f"{folder / name}.svg and .png")
