"""Write the reference pages from the code: commands, the errors that are raised, and the modules of each room.

python docs/make_reference.py          # writes them; a test fails when they have fallen behind the code
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import click

from collector.cli import main as collector
from miner import modules
from miner.cli import main as miner
from miner.learners.kinds import KINDS
from respondent.cli import main as respondent

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("collector", "owner", "respondent", "miner")
PARTS = 3  # place, problem, remedy


def commands_page() -> str:
    """Every command with what it does, its arguments and its options."""
    lines = [
        "# Commands",
        "",
        "Every command exits with 0 on success and with 2 on bad input, after one line on stderr that names the place",
        "and the remedy ([errors](errors.md)). `collector check` and `publish` exit with 1 when they refuse a design.",
        "An interrupted one (Ctrl-C) exits with 130 and leaves files and stores as they were, or whole.",
        "",
        "`--json` prints one document, as [commands.schema.json](commands.schema.json) has it for each command, and",
        "nothing else. A bar is drawn of what takes over two seconds, only where stderr is a terminal, and never with",
        "`--quiet`, which every command takes; where `NO_COLOR` is set, a line of text stands in its place.",
        "This page is made from the code by `python docs/make_reference.py`.",
        "",
        "## Completion",
        "",
        "Tab completes commands, options, choices, surveys and questions of the store, and files of the kind that is",
        "asked for, in bash (4.4 or newer) and zsh. For bash, once:",
        "",
        "    for name in collector respondent miner; do",
        '      variable="_${name^^}_COMPLETE"',
        '      env "$variable=bash_source" "$name" > "$HOME/.$name-completion.bash"',
        """      echo ". '$HOME/.$name-completion.bash'" >> ~/.bashrc""",
        "    done",
        "",
        "For zsh, once, where `~/.zshrc` calls `compinit` before:",
        "",
        "    for name in collector respondent miner; do",
        '      env "_${(U)name}_COMPLETE=zsh_source" "$name" > "$HOME/.$name-completion.zsh"',
        """      echo ". '$HOME/.$name-completion.zsh'" >> ~/.zshrc""",
        "    done",
    ]
    for group in (collector, respondent, miner):
        lines += ["", f"## `{group.name}`", "", (group.help or "").strip()]
        for name in sorted(group.commands):
            lines += ["", *_command(f"{group.name} {name}", group.commands[name])]
    return "\n".join(lines) + "\n"


def _command(path: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=path)
    arguments = [each.make_metavar(context) for each in command.params if isinstance(each, click.Argument)]
    yield f"### `{' '.join([path, *arguments])}`"
    yield ""
    yield inspect.cleandoc((command.help or "").replace("\b", "").replace("\f", "")).strip()
    yield ""
    for option in command.params:
        if isinstance(option, click.Option):
            record = option.get_help_record(context)
            if record:
                yield f"- `{record[0]}`: {record[1]}"


@dataclass(frozen=True)
class Raised:
    """One error as the code writes it."""

    kind: str
    module: str
    parts: tuple[str, ...]


def raised_errors() -> list[Raised]:
    """Every error that names its place, problem and remedy where it is built, in module order."""
    return [
        error for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")) for error in _errors_of(path)
    ]


def _errors_of(path: Path) -> Iterator[Raised]:
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    names = vars(import_module(module.removesuffix(".__init__")))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
            parts = tuple(_words(each, names) for each in node.args)
            if len(parts) == PARTS:
                yield Raised(node.func.id, module, parts)


def _words(node: ast.expr, names: Mapping[str, object]) -> str:
    """An argument as a reader meets it: text and constants as they are, what is filled in as an ellipsis."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_words(each, names) for each in node.values)
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name):
        return _words(node.value, names)
    if isinstance(node, ast.BinOp):
        return _words(node.left, names) + _words(node.right, names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "suggestion":
        return (_words(node.args[2], names) if len(node.args) == PARTS else "use one of") + ": …"
    found = names.get(node.id) if isinstance(node, ast.Name) and node.id.isupper() else None
    return found if isinstance(found, str) else "…"


def errors_page() -> str:
    """Every message, by kind, with the module that raises it."""
    errors = raised_errors()
    lines = [
        "# Errors",
        "",
        "One line each: *place: problem; remedy*. An ellipsis stands for what is filled in. A command prints the line",
        "on stderr and exits with 2; the web server answers it as JSON with a status from 400 up. No message repeats",
        "what a respondent answered. This page is made from the code by `python docs/make_reference.py`.",
    ]
    for kind in sorted({error.kind for error in errors}):
        lines += ["", f"## {kind}", "", "| raised by | place | problem | remedy |", "|---|---|---|---|"]
        rows = dict.fromkeys(error for error in errors if error.kind == kind)
        lines += [
            f"| `{row.module}` | {' | '.join(part.replace('|', chr(92) + '|') for part in row.parts)} |" for row in rows
        ]
    return "\n".join(lines) + "\n"


def modules_page() -> str:
    """Every room and every module with the first line of its docstring."""
    rooms = [each for package in PACKAGES for each in sorted({path.parent for path in (ROOT / package).rglob("*.py")})]
    lines = [
        "# Modules",
        "",
        "This page lists every module of the code. The page is for people who look for the place of a change.",
        "The page [Architecture](architecture.md) explains how the modules work together. Each room of the code is one",
        "folder.",
        "`python docs/make_reference.py` makes this page from the docstrings of the modules.",
        "",
        "## Rooms",
        "",
        "| room | what it holds |",
        "|---|---|",
        *(f"| `{room.relative_to(ROOT)}/` | {_title(room / '__init__.py')} |" for room in rooms),
    ]
    for room in rooms:
        modules = [path for path in sorted(room.glob("*.py")) if not path.stem.startswith("__")]
        if modules:
            lines += ["", f"## `{room.relative_to(ROOT)}/`", "", "| module | what it holds |", "|---|---|"]
            lines += [f"| `{path.relative_to(ROOT)}` | {_title(path)} |" for path in modules]
    return "\n".join(lines) + "\n"


def _title(path: Path) -> str:
    """The first line of a module's docstring."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return said.partition("\n")[0].replace("|", chr(92) + "|")


def commands_schema() -> str:
    """Return the schema of every command's JSON, written by hand but for the names of the learners."""
    schema = json.loads((ROOT / "docs" / "commands.schema.json").read_text(encoding="utf-8"))
    schema["$defs"]["learner"] = {"enum": list(KINDS)}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def public_names() -> str:
    """Public names of `miner` as type checkers read them."""
    lines = ["# Made from the code by `python docs/make_reference.py`."]
    lines += [f"from {module} import {name} as {name}" for name, module in sorted(modules().items(), key=_by_module)]
    lines += ["", "WITHOUT_LIBRARIES: str", "", "def modules() -> dict[str, str]: ..."]
    return "\n".join(lines) + "\n"


def _by_module(named: tuple[str, str]) -> tuple[str, str]:
    return named[1], named[0]


PAGES = {
    "commands.md": commands_page,
    "errors.md": errors_page,
    "modules.md": modules_page,
    "commands.schema.json": commands_schema,
    "../miner/__init__.pyi": public_names,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (ROOT / "docs" / name).write_text(page(), encoding="utf-8")
