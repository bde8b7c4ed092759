"""``collector draft``: write the draft of a survey file for a table of undisguised answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import (
    OutputPath,
    force_option,
    json_option,
    print_json,
    refuse_overwriting,
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
@force_option
@json_option
def draft(  # noqa: PLR0913 - one for each option
    table_path: Path, target: str | None, output: Path, *, reading: Reading, ask: bool, force: bool, as_json: bool
) -> None:
    """Draft a survey file for a table of true answers, so that releases can be made from it (miner release).

    With --ask the draft is for asking people, and the table is a pilot's. Tables are read as they are published:
    separated by commas, semicolons, tabs, bars or spaces, with any headings (they become names and labels), decimal
    commas and empty cells (which make a question optional). The commands of miner read them alike.

    Columns that survey programs add, time stamps and coordinates are left out, with the reason. What the cells alone do
    not say is printed and stands in the draft as "To be decided": ranges that Excel took for days, 98 and 99 far from
    other numbers, words for no answer, people who were not asked.

    The domains in the draft are read off the data, which are not public. Commands refuse the file until each question
    has confirmed = true. Do not show the draft before that. A file that exists is overwritten with --force only.

    For answers that were disguised when they were collected, see docs/collected-elsewhere.md.

    Example: collector draft patients.csv --target diagnosis -o patients.toml
    """
    from collector.drafting.draft import draft_survey

    if target is None and not ask:
        raise click.UsageError("Missing option '--target' (or give --ask)")
    refuse_overwriting(output, force=force)
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
