"""The options for reading a table of undisguised answers: column headings and encoding."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

T = TypeVar("T")


def table_options(command: Callable[..., T]) -> Callable[..., T]:
    """Add the options ``--columns`` and ``--encoding`` to a command.

    The command receives both options as one argument ``reading`` of type `Reading`.
    """

    @click.option("--columns", help="Headings of the table, separated by commas, if it has no header.")
    @click.option(
        "--encoding", default="utf-8", show_default=True, help="Encoding of the table, such as latin-1 or cp1252."
    )
    @wraps(command)
    def with_reading(*args: Any, columns: str | None, encoding: str, **options: Any) -> T:  # noqa: ANN401 - as click calls it
        from collector.table.plain_table import Reading

        headings = tuple(each.strip() for each in columns.split(",")) if columns else ()
        return command(*args, reading=Reading(headings, encoding), **options)

    return with_reading
