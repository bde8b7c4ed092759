"""What the three commands share: errors in one line with exit code 2, ``--store``, ``--json``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from collector.errors import DeniableError

BAD_INPUT = 2
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
        except click.ClickException as error:
            complain(usage_line(error))
        except click.exceptions.Abort:
            sys.exit(130)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(141)
        else:
            sys.exit(result if isinstance(result, int) else 0)


def usage_line(error: click.ClickException) -> str:
    """Click's complaint as one line that names the command and where help is."""
    message = " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    return message if context is None else f"{context.command_path}: {message} (see {context.command_path} --help)"


def complain(line: str) -> None:
    """Print one line on stderr and exit with code 2."""
    click.echo(" ".join(line.splitlines()), err=True)
    sys.exit(BAD_INPUT)


def print_json(result: object) -> None:
    """Print a result as JSON, one document, keys in the order they were given."""
    click.echo(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))
