"""Code shared by all commands: errors in one line with exit code 2, tables on the terminal, and output files."""

import errno
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from collector.commands.completion import STORE, files, survey_names
from collector.commands.interruption import INTERRUPTED, Interruption
from collector.commands.progress import is_plain, quiet_option
from collector.database.address import Address, read_place
from collector.errors import DeniableError, OutputError
from collector.output import unwritable, write_text

BAD_INPUT = 2
PRINTED_WIDTH = 120  # width of a table that is printed into a file or a pipe
GAP = 2  # spaces between columns
LONGEST_WORD = 24  # longest word that is never cut. A number must fit, a long path may be cut
F = TypeVar("F", bound=Callable[..., Any])


class StorePlace(click.Path):
    """The click type of a store's address, which is a file or a PostgreSQL database."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:  # noqa: ANN401 - click's own
        """Return the address of a store that a command line states."""
        place = read_place(value) if isinstance(value, str) else value
        return place if isinstance(place, Address) else super().convert(value, parameter, context)


store_option = click.option(
    "--store",
    "store_path",
    type=StorePlace(path_type=Path, dir_okay=False),
    default=STORE,
    show_default=True,
    help="SQLite file, or postgresql:// address, of published surveys and disguised responses.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
name_argument = click.argument("name", shell_complete=survey_names)
survey_argument = click.argument(
    "survey_path", metavar="SURVEY.toml", type=click.Path(path_type=Path), shell_complete=files(".toml")
)


class Command(click.Group):
    """A group of subcommands that reports bad input with one line on stderr and exit code 2.

    Args:
        sections: Titles of sections in ``--help``, each with the names of its subcommands.
        rest: Arguments of `click.Group`.
    """

    def __init__(self, *, sections: Mapping[str, Sequence[str]] | None = None, **rest: Any) -> None:  # noqa: ANN401
        super().__init__(**rest)
        self.sections = sections or {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List subcommands by section, with all other subcommands at the end."""
        left = self.list_commands(ctx)
        for title, names in self.sections.items():
            self._format_section(title, names, formatter)
            left = [name for name in left if name not in names]
        if left:
            self._format_section("Commands", left, formatter)

    def _format_section(self, title: str, names: Sequence[str], formatter: click.HelpFormatter) -> None:
        limit = formatter.width - 6 - max(map(len, names))
        with formatter.section(title):
            formatter.write_dl([(name, self.commands[name].get_short_help_str(limit)) for name in names])

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a subcommand, and give it ``--quiet``, and ``--force`` if it has an option for a file to write.

        A file that exists is overwritten only with ``--force``, and a file that the command reads never.
        """
        cmd.params.append(quiet_option())
        outputs = [
            each.name for each in cmd.params if isinstance(each.type, OutputPath) and isinstance(each, click.Option)
        ]
        if outputs and cmd.callback is not None:
            if not any(each.name == "force" for each in cmd.params):
                force_option(cmd)
            cmd.callback = _keeping_files(cmd.callback, [each for each in outputs if each is not None])
        super().add_command(cmd, name)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:  # noqa: ANN401 - click's own
        """Run the command, and print errors of this project and of click as one line."""
        extra["standalone_mode"] = False
        interruption = Interruption()
        if args is None:  # this is the program, not a call by another
            interruption.take_over()
        try:
            result = super().main(args, *rest, **extra)
            code = result if isinstance(result, int) else 0
        except (KeyboardInterrupt, click.exceptions.Abort):
            code = INTERRUPTED
        except Exception as error:
            line = foreseen(error)
            if line is None and not interruption.came:
                raise
            code = INTERRUPTED if interruption.came else BAD_INPUT
            click.echo("" if interruption.came else line, err=True)
        if args is None:
            interruption.ignore()
        sys.exit(code)


def foreseen(error: Exception) -> str | None:
    """Return the line for stderr if an error comes from this project, click or the system, otherwise None."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message()
    if isinstance(error, click.ClickException):
        return _one_line(usage_line(error))
    if isinstance(error, DeniableError):
        return "\n".join(map(_one_line, error.lines))
    if isinstance(error, MemoryError):
        return "memory: there is not enough of it for this; ask for less, or take a larger machine"
    if isinstance(error, OSError):
        return _one_line(f"{error.filename or 'system'}: {error.strerror or error}; check the path and the disk")
    return None


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())


def usage_line(error: click.ClickException) -> str:
    """Return click's error message as one line that names the command and says where to find help."""
    message = " ".join(error.format_message().split()).removesuffix(".")
    context = getattr(error, "ctx", None)
    return message if context is None else f"{context.command_path}: {message} (see {context.command_path} --help)"


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of text as a table that fits the terminal if no word must be cut."""
    from rich.console import Console  # here, since --help draws no table and need not wait for it
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, color_system=None if is_plain() else "auto")
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PRINTED_WIDTH
    cells, table = list(rows), Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    widths = _widths(list(zip(columns, *cells, strict=True)), console.width)
    console.width = max(console.width, sum(widths) + GAP * len(widths))
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, overflow="fold", width=width)
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    with console.capture() as printed:
        console.print(table)
    for line in printed.get().splitlines():
        click.echo(line.rstrip())


def _widths(columns: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return widths of columns at which no word is cut."""
    from rich.cells import cell_len

    widths = [
        max(min(cell_len(word), LONGEST_WORD) for cell in column for word in cell.split() or [" "])
        for column in columns
    ]
    wanted = [max(map(cell_len, column)) - width for column, width in zip(columns, widths, strict=True)]
    spare, order = max(room - sum(widths) - GAP * len(widths), 0), sorted(range(len(widths)), key=wanted.__getitem__)
    for place, column in enumerate(order):
        more = min(wanted[column], spare // (len(order) - place))
        widths[column] += more
        spare -= more
    return widths


class OutputPath(click.Path):
    """The click type of an option that names a file to write.

    Args:
        folders: Whether the option may also name a folder.
    """

    def __init__(self, *, folders: bool = False) -> None:
        super().__init__(path_type=Path)
        self._folders = folders

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:  # noqa: ANN401 - click's own
        """Check that a path can be written, and return the path.

        Raises:
            OutputError: If the folder of the path does not exist or cannot be written, or the path is a folder.
        """
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not self._folders:
            self.refuse_folder(path)
        if not path.parent.is_dir():
            raise unwritable(path, errno.ENOENT)
        if not os.access(path.parent if path.is_file() or not path.exists() else path, os.W_OK):
            raise unwritable(path, errno.EACCES)
        return path

    @staticmethod
    def refuse_folder(path: Path | None) -> None:
        """Refuse the path of a folder where a file is needed."""
        if path is not None and path.is_dir():
            raise unwritable(path, errno.EISDIR)


FORCE, INPUTS = "deniable.force", "deniable.inputs"
"""Keys of the command's context for the value of ``--force``, and for files that are read and are no parameter."""
force_option = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _option, force: context.meta.update({FORCE: force}),
    help="Overwrite the output file if it exists.",
)


def _keeping_files(command: Callable[..., Any], outputs: Sequence[str]) -> Callable[..., Any]:
    """Let a command check the files that its options name before it writes any of them."""

    @wraps(command)
    def run(*arguments: Any, **given: Any) -> Any:  # noqa: ANN401 - click's own
        context = click.get_current_context()
        written = [path for name in outputs if (path := context.params.get(name)) is not None]
        inputs = [each for name, each in context.params.items() if name not in outputs and isinstance(each, Path)]
        for path in written:
            for read in (*inputs, *context.meta.get(INPUTS, ())):
                if (
                    path.is_file()
                    and read.exists()
                    and (path.samefile(read) or read.resolve() in path.resolve().parents)
                ):
                    raise OutputError(str(path), "the command reads this file", "name another file to write")
            refuse_overwriting(path)
        return command(*arguments, **given)

    return run


def refuse_overwriting(path: Path) -> None:
    """Refuse to overwrite an existing file without the option ``--force``.

    Raises:
        OutputError: If the file exists and ``--force`` is not given.
    """
    if path.is_file() and not click.get_current_context().meta.get(FORCE):
        raise OutputError(
            str(path), "the file exists and may contain your edits", "choose another name, or add --force"
        )


def write_output(path: Path | None, pieces: Iterable[str]) -> None:
    """Write text to a file (completely or not at all), or to stdout if no path is given.

    Raises:
        OutputError: If the file cannot be written.
    """
    if path is None:
        for piece in pieces:
            click.echo(piece, nl=False)
        return
    write_text(path, pieces)


def print_written(path: Path, notes: Sequence[str], left_out: Sequence[str] | None = None, *, as_json: bool) -> None:
    """Print that a file was written, with notes on its content and, on stderr, the parts that were left out."""
    if as_json:
        said = {} if left_out is None else {"left_out": list(left_out)}
        print_json({"output": str(path), "notes": list(notes)} | said)
        return
    click.echo("\n".join([f"{path}: written", *notes]))
    for line in left_out or ():
        click.echo(f"left out: {line}", err=True)


def print_result(result: dict[str, Any], line: str, *, as_json: bool) -> None:
    """Print the result of a command as JSON or as a line of text."""
    if as_json:
        print_json(result)
    else:
        click.echo(line)


SAID = "deniable.said"
"""Key of the command's context under which further keys of its JSON document are collected."""


def print_json(result: dict[str, Any]) -> None:
    """Print a result as a JSON document, with the messages that the command collected."""
    context = click.get_current_context(silent=True)
    whole = result | (context.meta.get(SAID, {}) if context else {})
    click.echo(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False))
