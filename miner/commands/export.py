"""The subcommand of ``miner`` that exports a tree to other tools."""

from __future__ import annotations

from pathlib import Path

import click

from collector.commands.command import OutputPath, write_output
from miner.commands.options import model_argument

FORMATS = ("text", "csv", "sql", "dot")


@click.command()
@model_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="Rules with confidence and support as text or CSV; a SQL CASE expression; Graphviz DOT.",
)
@click.option("-o", "--output", type=OutputPath(), help="The file to write; stdout unless said.")
def export(model_path: Path, form: str, output: Path | None) -> None:
    """Write the rules of a tree for other tools. The model file itself is JSON, and read back by every command.

    Of releases, those that are one tree; and dpdf as text or CSV: all its rules and sub-rules.

    Example: miner export model.json --format sql
    """
    from miner import export as exporting
    from miner.release.release import read_model_or_release

    write_output(output, [exporting.FORMATS[form](read_model_or_release(model_path))])
