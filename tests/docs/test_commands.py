"""The three commands as a whole: what each prints as JSON, its help, how fast it says it, completion, colours."""

from __future__ import annotations

import inspect
import json
import os
import pty
import select
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator

from collector.ledger.budget import NEIGHBOURS
from collector.table.table import WRITERS
from command_schema import document, validator
from workshop import GROUPS, JSON_CALLS, call, furnish

BIN = Path(sys.executable).parent
HEAVY = {"numpy", "pandas", "scipy", "sklearn", "numba", "matplotlib", "opendp", "sqlite_utils", "rich", "pyxform"} | {
    *("flask", "gunicorn", "wtforms", "jinja2"),
}
ESCAPE = "\x1b"
COMMANDS = {f"{group} {name}": each for group in GROUPS for name, each in sorted(GROUPS[group].commands.items())}
WITH_JSON = sorted(path for path, each in COMMANDS.items() if any("--json" in param.opts for param in each.params))


def test_the_help_of_each_group_lists_every_subcommand_once() -> None:
    for name, group in GROUPS.items():
        told = group.get_help(click.Context(group, info_name=name)).splitlines()
        after = [line.split()[0] for line in told[told.index("Options:") + 1 :] if line.startswith("  ")]
        listed = [word for word in after if not word.startswith("-")]
        assert sorted(listed) == sorted(group.commands)
        assert ("Commands:" in told) == (name == "respondent"), "a new command needs a section of the help"


def test_help_says_what_a_thing_is_and_leaves_defaults_to_click() -> None:
    options = {
        f"{path} {param.opts[-1]}": param.help or ""
        for path, command in COMMANDS.items()
        for param in command.params
        if isinstance(param, click.Option)
    }
    helps = options | {path: command.help or "" for path, command in COMMANDS.items()}
    riddles = ("unless said", "Unless said", "[default:", "again and again", " told", " tells", "Tell ")
    assert not [name for name, text in helps.items() if any(words in text for words in riddles)]
    assert not [name for name, text in helps.items() if text.startswith("Of ")]


# --- JSON -----------------------------------------------------------------------------------------------------------


def test_the_schema_is_one_and_has_every_command_with_json_and_no_other() -> None:
    whole = document("commands.schema.json")
    Draft202012Validator.check_schema(whole)
    for schema in whole["commands"].values():
        Draft202012Validator.check_schema(schema)
    assert sorted(whole["commands"]) == WITH_JSON


def test_every_command_with_json_is_called() -> None:
    assert sorted({" ".join(arguments[:2]) for arguments in JSON_CALLS}) == WITH_JSON


@pytest.mark.slow
def test_what_every_command_prints_as_json_is_what_the_schema_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    furnish(tmp_path)
    for arguments in JSON_CALLS:
        result = call(*arguments, "--json")
        assert result.exit_code == 0, f"{shlex.join(arguments)}: {result.stderr}{result.exception}"
        found = list(validator(" ".join(arguments[:2])).iter_errors(json.loads(result.stdout)))
        assert not found, f"{shlex.join(arguments)}: {found[0].json_path}: {found[0].message}"


def closed(schema: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether every object in a schema that lists its keys, and is not there to be added to, takes no other."""
    if isinstance(schema, list):
        return all(map(closed, schema))
    if not isinstance(schema, dict):
        return True
    strict = schema.get("additionalProperties") is False or schema.get("unevaluatedProperties") is False
    return (strict or "properties" not in schema) and all(map(closed, schema.values()))


def test_the_schema_is_strict() -> None:
    whole = document("commands.schema.json")
    added_to = {"estimated", "outcome", "split"}  # closed where they are used, by unevaluatedProperties
    parts = {name: part for name, part in whole["$defs"].items() if name not in added_to}
    assert [name for name, part in (whole["commands"] | parts).items() if not closed(part)] == []
    estimated = {"estimate": 0.5, "standard_error": 0.1, "interval": [0.3, 0.7], "n": 9, "outside_unit_interval": False}
    check = validator("miner estimate")
    origin = {"survey": "s", "versions": [], "asked": {}, "responses": 9, "program": "deniable 1"}
    origin["versions"] = [{"version": 1, "fingerprint": "0" * 64, "responses": 9}]
    more = {"false": None, "maximum_likelihood": None, "simulated": None, "origin": origin}
    assert check.is_valid(estimated | more)
    assert not check.is_valid(estimated)
    assert not check.is_valid(estimated | more | {"more": 1})


# --- help -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", GROUPS)
def test_help_imports_none_of_the_heavy_libraries(group: str) -> None:
    code = (
        f"import sys; from {group}.cli import main\n"
        "try: main(['--help'])\n"
        f"except SystemExit: print('heavy:', *sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout.splitlines()[-1] == "heavy:"


def test_the_store_brings_neither_pandas_nor_numpy_and_hides_neither() -> None:
    code = (
        "import sys, collector.store.store; print(*sorted({'pandas', 'numpy', 'sqlite_utils'} & set(sys.modules)))\n"
        "import pandas"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout == "sqlite_utils\n"


def examples(command: click.Command) -> list[str]:
    lines = inspect.cleandoc(command.help or "").splitlines()
    return [line.removeprefix("Example: ") for line in lines if line.startswith("Example: ")]


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_has_an_example_that_parses(path: str) -> None:
    written = examples(COMMANDS[path])
    assert written
    for line in written:
        group, name, *arguments = shlex.split(line)
        assert f"{group} {name}" == path
        COMMANDS[path].make_context(path, arguments)  # raises what the command line would refuse


def test_choices_written_out_for_help_are_those_there_are() -> None:
    def choices(command: str, option: str) -> list[str]:
        (found,) = [each for each in COMMANDS[command].params if option in each.opts]
        assert isinstance(found.type, click.Choice)
        return list(found.type.choices)

    assert choices("collector export", "--format") == [*sorted(WRITERS), "parquet"]
    assert choices("miner budget", "--neighbours") == list(NEIGHBOURS)


# --- colours and moving lines ---------------------------------------------------------------------------------------

DRAWN = {
    "table": ("collector", "check", "wellbeing.toml"),
    "status": ("miner", "simulate", "wellbeing.toml", "answers.csv", "--force", "-o", "again.csv"),
    "progress": ("miner", "plan", "wellbeing.toml", "--respondents", "60", "--rehearsals", "2", "--mode", "faithful"),
}


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workshop")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        furnish(folder)
    return folder


def environment(**extra: str) -> dict[str, str]:
    unsaid = {"NO_COLOR", "FORCE_COLOR", "TERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS"}
    kept = {name: value for name, value in os.environ.items() if name not in unsaid}
    return kept | {"TERM": "xterm-256color"} | extra


def on_a_terminal(folder: Path, arguments: tuple[str, ...], **extra: str) -> str:
    """All that a command writes to a pseudo-terminal."""
    ours, theirs = pty.openpty()
    command = [BIN / arguments[0], *arguments[1:]]
    with subprocess.Popen(command, cwd=folder, env=environment(**extra), stdout=theirs, stderr=theirs) as process:  # noqa: S603 - ours
        os.close(theirs)
        pieces = []
        while select.select([ours], [], [], 120)[0]:
            try:
                pieces.append(os.read(ours, 65536))
            except OSError:  # Linux: nobody has the other end any more
                break
    os.close(ours)
    assert process.returncode == 0
    return b"".join(pieces).decode()


@pytest.mark.slow
@pytest.mark.parametrize("kind", DRAWN)
def test_escape_codes_are_for_a_terminal_that_wants_colours(furnished: Path, kind: str) -> None:
    arguments = DRAWN[kind]
    if kind == "table":  # moving lines are drawn after two seconds, tests/collector/commands/test_progress.py
        assert ESCAPE in on_a_terminal(furnished, arguments)
    assert ESCAPE not in on_a_terminal(furnished, arguments, NO_COLOR="1")
    command = [BIN / arguments[0], *arguments[1:]]
    piped = subprocess.run(command, cwd=furnished, env=environment(), capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert ESCAPE not in piped.stdout + piped.stderr
    assert piped.stderr == "", "progress is for a terminal only"
