"""The ``miner`` command as tests call it: in this process, its exit code and streams kept apart."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from miner.cli import main


def run(*arguments: object) -> Result:
    """A subcommand, whatever comes of it."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def printed(*arguments: object) -> Any:  # noqa: ANN401 - whatever JSON says
    """The JSON that a subcommand prints with --json; it succeeds and prints nothing else."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return json.loads(result.stdout)


def refused(*arguments: object) -> str:
    """The one line with which a subcommand refuses bad input."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert "Traceback" not in line
    return line
