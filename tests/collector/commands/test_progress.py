"""Progress is drawn on a terminal, of what takes long, unless --quiet; never in a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import click
import pytest

from collector.cli import main as collector
from miner.cli import main as miner
from miner.steps import steps, watch
from respondent.cli import main as respondent

SCRIPT = """
import threading, click
from collector.commands import progress
from collector.commands.command import Command

@click.group(cls=Command)
def main(): pass

@main.command()
@click.argument("length")
def work(length):
    progress.PATIENCE = 0 if length == "long" else 600
    with progress.status("working"), progress.progress("counting", 2) as advance:
        advance()
        for each in threading.enumerate():
            if length == "long" and isinstance(each, threading.Timer):
                each.join()
        advance()
    click.echo("done")

main()
"""


def drawn(*arguments: str, terminal: bool = True, **variables: str) -> str:
    """What a command draws on stderr."""
    reading, writing = os.openpty() if terminal else os.pipe()
    environment = {**os.environ, "TERM": "xterm", **variables}
    command = [sys.executable, "-c", SCRIPT, "work", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writing, env=environment, check=True)  # noqa: S603
    os.close(writing)
    assert done.stdout == b"done\n"
    found = b""
    with suppress(OSError), os.fdopen(reading, "rb", buffering=0) as stream:  # a terminal that is closed
        while more := stream.read(4096):
            found += more
    return found.decode()


def test_a_bar_is_drawn_of_what_takes_long() -> None:
    found = drawn("long")
    assert "counting" in found
    assert "50%" in found
    assert "working" in found


@pytest.mark.parametrize(
    ("arguments", "terminal"), [(("short",), True), (("long", "--quiet"), True), (("long",), False)], ids=str
)
def test_nothing_is_drawn_of_what_is_quick_or_quiet_or_goes_elsewhere(
    arguments: tuple[str, ...], *, terminal: bool
) -> None:
    assert drawn(*arguments, terminal=terminal) == ""


def test_without_colours_a_line_says_it() -> None:
    assert sorted(drawn("long", NO_COLOR="1").split("\r\n")) == ["", "counting ...", "working ..."]


@pytest.mark.parametrize("group", [collector, respondent, miner], ids=lambda group: group.name)
def test_every_command_takes_quiet(group: click.Group) -> None:
    for command in group.commands.values():
        assert "--quiet" in {option for parameter in command.params for option in parameter.opts}


def test_steps_are_told_one_by_one() -> None:
    told: list[str] = []

    class Watched:
        def __init__(self, doing: str, total: int) -> None:
            told.append(f"{doing} {total}")

        def __enter__(self) -> object:
            return lambda: told.append("step")

        def __exit__(self, *_: object) -> None:
            told.append("end")

    token = watch.set(Watched)  # type: ignore[arg-type]
    assert list(steps("reading", "abc", 3)) == ["a", "b", "c"]
    watch.reset(token)
    assert list(steps("reading", "abc", 3)) == ["a", "b", "c"]
    assert told == ["reading 3", "step", "step", "step", "end"]
