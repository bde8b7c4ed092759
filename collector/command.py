"""What the three commands share: errors in one line with exit code 2, ``--store``, ``--json``, tables, output files."""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from collector.errors import DeniableError, OutputError

BAD_INPUT = 2
INTERRUPTED = 130  # as shells report it
PRINTED_WIDTH = 120  # of a table that goes to a file or another program
F = TypeVar("F", bound=Callable[..., Any])

store_option = click.option(
    "--store",
    "store_path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("deniable.db"),
    show_default=True,
    help="The SQLite file that holds published surveys and disguised responses.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
name_argument = click.argument("name")
survey_argument = click.argument("survey_path", metavar="SURVEY.toml", type=click.Path(path_type=Path))


class Command(click.Group):
    """A group of subcommands that answers bad input with one line on stderr and exit code 2."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:  # noqa: ANN401 - click's own
        """Run, translating every error we raise on purpose, and click's own, once."""
        extra["standalone_mode"] = False
        try:
            result = super().main(args, *rest, **extra)
        except DeniableError as error:
            complain(str(error))
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(BAD_INPUT)
        except click.ClickException as error:
            complain(usage_line(error))
        except click.exceptions.Abort:
            sys.exit(INTERRUPTED)
        except OSError as error:
            complain(f"{error.filename or 'system'}: {error.strerror or error}; check the path and the disk")
        else:
            sys.exit(result if isinstance(result, int) else 0)


def usage_line(error: click.ClickException) -> str:
    """Click's complaint as one line that names the command and where help is."""
    message = " ".join(error.format_message().split()).removesuffix(".")
    context = getattr(error, "ctx", None)
    return message if context is None else f"{context.command_path}: {message} (see {context.command_path} --help)"


def complain(line: str) -> None:
    """Print one line on stderr and exit with code 2."""
    click.echo(" ".join(line.splitlines()), err=True)
    sys.exit(BAD_INPUT)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of text as a table, on the whole width of the terminal."""
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PRINTED_WIDTH
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    with console.capture() as printed:
        console.print(table)
    for line in printed.get().splitlines():
        click.echo(line.rstrip())


def write_output(path: Path | None, pieces: Iterable[str]) -> None:
    """Write text to a file, whole or not at all, or to stdout where there is no path.

    Raises:
        OutputError: If the file cannot be written; one that was there before is left as it was.
    """
    if path is None:
        for piece in pieces:
            click.echo(piece, nl=False)
        return
    try:
        if path.exists() and not path.is_file():  # a terminal or a pipe is not replaced
            _fill(path, pieces)
        else:
            _replace(path.resolve(), pieces)
    except OSError as error:
        raise OutputError(
            str(path), f"it cannot be written ({error.strerror})", "check the path and the disk"
        ) from None


def _replace(path: Path, pieces: Iterable[str]) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        _fill(draft, pieces)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _fill(path: Path, pieces: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(pieces)
        stream.flush()
        if path.is_file():
            os.fsync(stream.fileno())


def print_json(result: object) -> None:
    """Print a result as JSON, one document, keys in the order they were given."""
    click.echo(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))
