"""``collector draft``: write the draft of a survey file for a table of undisguised answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import (
    OutputPath,
    json_option,
    print_json,
    write_output,
)
from collector.commands.table_options import table_options

if TYPE_CHECKING:
    from collector.table.plain_table import Reading


@click.command()
@click.argument("table_path", metavar="TABLE.csv", type=click.Path(path_type=Path))
@click.option("--target", help="Column to predict. Required without --ask.")
@click.option(
    "--ask",
    is_flag=True,
    help="Draft a survey that asks people the questions of the table. Groups and priors are proposed.",
)
@table_options
@click.option("-o", "--output", type=OutputPath(), required=True, help="Survey file to write.")
@json_option
def draft(  # noqa: PLR0913 - one for each option
    table_path: Path, target: str | None, output: Path, *, reading: Reading, ask: bool, as_json: bool
) -> None:
    """Draft a survey file for a table of true answers, so that releases can be made from it (miner release).

    With --ask, the table is a pilot, and the draft is a survey for respondents. Cells of the table may be separated by
    commas, semicolons, tabs, bars or spaces. Headings become names and labels, and a question with empty cells is
    optional.

    Columns that survey programs add, time stamps and coordinates are left out, with the reason. The command prints
    doubts that the cells alone cannot settle, and writes them into the draft as "To be decided". An example is a cell
    that Excel turned from a range into a day.

    The values in the draft come from the data, which are not public. All commands refuse the draft until each question
    has confirmed = true, and you should not show the draft to others before. An existing file is overwritten only with
    --force.

    For answers that were disguised when they were collected, see docs/collected-elsewhere.md.

    Example: collector draft patients.csv --target diagnosis -o patients.toml
    """
    from collector.drafting.draft import draft_survey

    if target is None and not ask:
        raise click.UsageError("Missing option '--target' (or give --ask)")
    drafted = draft_survey(table_path, target, ask=ask, reading=reading)
    write_output(output, [drafted.text])
    if as_json:
        print_json(
            {"questions": list(drafted.questions), "left_out": list(drafted.left_out), "notes": list(drafted.notes)}
        )
        return
    click.echo(f"{output}: {len(drafted.questions)} questions drafted; confirm each in the file before it is used")
    if drafted.left_out:
        number = len(drafted.left_out)
        click.echo(f"{number} column{'s' if number > 1 else ''} left out, for the reasons below")
    for note in drafted.notes:
        click.echo(note)
