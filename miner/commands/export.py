"""The subcommands of ``miner`` that write for other tools: the rules of a tree, and responses for SPSS and Stata."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, write_bytes, write_output
from miner.commands.options import model_argument, with_responses

if TYPE_CHECKING:  # it brings numpy with it
    from miner.responses.responses import Responses

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


@click.command(name="responses")
@with_responses
@click.option("-o", "--output", type=OutputPath(), required=True, help="FILE.sav for SPSS, FILE.dta for Stata.")
def write_responses(responses: Responses, *, output: Path) -> None:
    """Write the disguised responses as an SPSS or Stata file, with labels of questions and codes.

    The file says that its codes are disguised, and how often each code is sent for each value: in the notes of an SPSS
    file, in the labels of codes of a Stata file. Questions that somebody was not asked by design are user-missing.
    Needs the extra: pip install "deniable[spss]".

    Example: miner responses wellbeing -o wellbeing.sav
    """
    from miner.responses.labelled import labelled_file, variable_names

    write_bytes(output, [labelled_file(responses, output.suffix.lower())])
    for name, variable in variable_names(responses.survey).items():
        if variable != name:
            click.echo(f'note: question "{name}" is the variable {variable}', err=True)
    click.echo(f"{len(responses)} responses in {output}; their codes are disguised, and not to be counted as answers")
