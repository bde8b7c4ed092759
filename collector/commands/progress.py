"""Display of a command's progress on a terminal, as a bar or a moving line after two seconds.

Progress is not shown in a pipe or with --quiet. If ``NO_COLOR`` is set, progress is one plain line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:  # --help draws nothing and need not wait for it
    from rich.progress import Progress

PATIENCE = 2.0  # seconds until progress is shown
QUIET = "deniable.quiet"


def quiet_option() -> click.Option:
    """Add the option ``--quiet``, which every command has."""
    return click.Option(["--quiet"], is_flag=True, expose_value=False, hidden=True, callback=_be_quiet)


def _be_quiet(context: click.Context, _: click.Parameter, said: bool) -> None:  # noqa: FBT001 - click's own
    if said:
        context.meta[QUIET] = True


def is_plain() -> bool:
    """Return whether the display of progress must be plain text."""
    return bool(os.environ.get("NO_COLOR"))


@contextmanager
def status(doing: str) -> Iterator[None]:
    """Show on stderr what a command is doing, without a progress bar."""
    with progress(doing, None):
        yield


@contextmanager
def progress(doing: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Show on stderr what a command is doing, with a progress bar.

    Yields:
        A function that the caller calls after each of `total` steps.
    """
    context = click.get_current_context(silent=True)
    if not sys.stderr.isatty() or (context is not None and context.meta.get(QUIET)):
        yield lambda: None
        return
    drawn = _Drawn(doing, total)
    timer = Timer(PATIENCE, drawn.begin)
    timer.daemon = True
    timer.start()
    try:
        yield drawn.advance
    finally:
        timer.cancel()
        timer.join()
        drawn.end()


class _Drawn:
    """A progress bar that appears only after some time."""

    def __init__(self, doing: str, total: int | None) -> None:
        self._doing, self._total, self._done = doing, total, 0
        self._bar: Progress | None = None

    def begin(self) -> None:
        if is_plain():
            click.echo(f"{self._doing} ...", err=True)
            return
        from rich.console import Console
        from rich.progress import Progress

        bar = Progress(console=Console(stderr=True), transient=True)
        bar.add_task(self._doing, total=self._total, completed=self._done)
        bar.start()
        self._bar = bar

    def advance(self) -> None:
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done)

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
