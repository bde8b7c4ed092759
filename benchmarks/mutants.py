"""Which changes of the product its tests notice: one operator, bound, sign, return or default changed at a time.

    python -m benchmarks.mutants 200                  # the first 200 changes of seed 1; the tests of each one's room
    python -m benchmarks.mutants 40 --suite           # where no test of the room fails, the suite without a browser

Each change is made in a copy of the checkout, and ends in a line of JSON in the file of ``--output``, as it is known: a
run that is cut off goes on there. Changes are drawn from all places of all modules, each module with as many as it has
places. A change is noticed where a test fails, or does not end in `LONGEST` seconds.
"""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

import click

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("collector", "miner", "owner", "respondent")
FAILED = {1, 2}  # exit codes of pytest: a test failed, or a file of tests could not be read
KNOWN = {0, 5, *FAILED}  # 0: all passed; 5: there is no test
LAST = 500  # characters of an error that are shown
LONGEST = 600  # seconds of the tests of a room; the suite has three times as many
OPERATORS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    " in ": " not in ",
    " is not ": " is ",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "//": "*",
    "and": "or",
    "or": "and",
}
SYMBOLS: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: " in ",
    ast.IsNot: " is not ",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.And: "and",
    ast.Or: "or",
}


@dataclass(frozen=True)
class Mutant:
    """One change of a module.

    Attributes:
        path: Module, from the checkout.
        line: Line of the change, from 1.
        kind: What is changed: an operator, a bound, a sign, a return or a default.
        start: Offset of the first character that is replaced.
        stop: Offset behind the last one.
        text: What stands there instead.
    """

    path: str
    line: int
    kind: str
    start: int
    stop: int
    text: str

    def written(self, source: str) -> str:
        """Return the module with the change."""
        return source[: self.start] + self.text + source[self.stop :]

    @property
    def tests(self) -> str:
        """The folder of the tests of its room, or the nearest one above it that there is."""
        folder = Path("tests") / Path(self.path).parent
        while not (ROOT / folder).is_dir():
            folder = folder.parent
        return str(folder)


class _Module:
    """A module's text, and the places of its parts."""

    def __init__(self, path: str, source: str) -> None:
        self.path, self.source = path, source
        self.lines = source.splitlines(keepends=True)
        self.starts = [0, *accumulate(map(len, self.lines))]

    def place(self, node: ast.expr) -> tuple[int, int]:
        """Return the offsets of a part's first character and of the one behind its last."""
        last = node.end_lineno or 1
        column = len(self.lines[node.lineno - 1].encode()[: node.col_offset].decode())
        end = len(self.lines[last - 1].encode()[: node.end_col_offset].decode())
        return self.starts[node.lineno - 1] + column, self.starts[last - 1] + end

    def changed(self, kind: str, node: ast.expr, text: str) -> Mutant:
        """Return the change that puts a text in a part's place."""
        return Mutant(self.path, node.lineno, kind, *self.place(node), text)

    def operators(self, node: ast.AST) -> Iterator[Mutant]:
        """Yield the changes of an operator between two parts, or of a sign."""
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                yield from self._between(operator, left, right)
            case ast.BinOp(left=left, op=operator, right=right) | ast.BoolOp(op=operator, values=[left, right]):
                yield from self._between(operator, left, right)
            case ast.UnaryOp(op=ast.USub()):
                start = self.place(node)[0]
                yield Mutant(self.path, node.lineno, "sign", start, start + 1, "")

    def others(self, node: ast.AST) -> Iterator[Mutant]:
        """Yield the changes of what is returned, of a bound and of defaults."""
        match node:
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield self.changed("return", value, "None")
            case ast.Compare() | ast.Slice() | ast.Subscript() | ast.Call():
                for bound in ast.iter_child_nodes(node):
                    if isinstance(bound, ast.Constant) and type(bound.value) is int:
                        yield self.changed("bound", bound, repr(bound.value + 1))
            case ast.arguments(defaults=defaults, kw_defaults=keywords):
                for default in [*defaults, *keywords]:
                    if isinstance(default, ast.Constant) and isinstance(default.value, int | float):
                        other = not default.value if isinstance(default.value, bool) else default.value + 1
                        yield self.changed("default", default, repr(other))

    def _between(self, operator: ast.AST, one: ast.expr, other: ast.expr) -> Iterator[Mutant]:
        symbol, start, stop = SYMBOLS.get(type(operator), ""), self.place(one)[1], self.place(other)[0]
        gap = self.source[start:stop]
        if symbol and gap.count(symbol) == 1 and "#" not in gap:
            at = start + gap.index(symbol)
            yield Mutant(self.path, other.lineno, "operator", at, at + len(symbol), OPERATORS[symbol])


def mutants(path: str, source: str) -> Iterator[Mutant]:
    """Yield every change of a module."""
    module = _Module(path, source)
    for node in ast.walk(ast.parse(source)):
        yield from module.operators(node)
        yield from module.others(node)


def drawn(number: int, seed: int = 1) -> list[Mutant]:
    """Return changes of the product, drawn without replacement; more of them begin with the same ones."""
    paths = sorted(str(each.relative_to(ROOT)) for package in PACKAGES for each in (ROOT / package).rglob("*.py"))
    every = [each for path in paths for each in mutants(path, (ROOT / path).read_text(encoding="utf-8"))]
    random.Random(seed).shuffle(every)  # noqa: S311 - places
    return every[:number]


def noticed(folder: Path, tests: str, longest: float) -> bool:
    """Return whether a test fails in a copy of the checkout, or does not end."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not browser", tests]
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(  # noqa: S603 - ours
            command, cwd=folder, env=environment, capture_output=True, timeout=longest, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    if done.returncode not in KNOWN:
        raise click.ClickException(f"pytest ended with {done.returncode}: {done.stderr.decode()[-LAST:]}")
    return done.returncode in FAILED


@cache
def sound(folder: Path, tests: str) -> bool:
    """Return whether tests pass in a copy of the checkout without a change."""
    return not noticed(folder, tests, LONGEST)


def judged(mutant: Mutant, folder: Path, *, suite: bool) -> str:
    """Return what notices a change: the tests of its room, the suite, or nothing."""
    path = folder / mutant.path
    source = path.read_text(encoding="utf-8")
    if not sound(folder, mutant.tests):
        return "tests that fail without it"
    path.write_text(mutant.written(source), encoding="utf-8")
    try:
        if noticed(folder, mutant.tests, LONGEST):
            return "room"
        return "suite" if suite and noticed(folder, "tests", 3 * LONGEST) else "nothing"
    finally:
        path.write_text(source, encoding="utf-8")


def copied(folder: Path) -> None:
    """Copy the checkout into a new folder."""
    left = shutil.ignore_patterns(".git", ".venv", "dist", ".*_cache", ".hypothesis", ".demo", ".screenshots")
    shutil.copytree(ROOT, folder, ignore=left)


@click.command()
@click.argument("number", type=click.IntRange(min=1))
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--suite", is_flag=True, help="Run the suite without a browser where no test of the room fails.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=Path("dist/mutants.jsonl"))
def main(*, number: int, seed: int, suite: bool, output: Path) -> None:
    """Change the product, run its tests, and print how many changes each kind has and how many are noticed."""
    output.parent.mkdir(parents=True, exist_ok=True)
    lines = output.read_text(encoding="utf-8").splitlines() if output.exists() else []
    known = {(each["path"], each["start"], each["text"]): each["by"] for each in map(json.loads, lines)}
    counts: Counter[tuple[str, str]] = Counter()
    with TemporaryDirectory() as place:
        copy = Path(place) / "copy"
        copied(copy)
        for mutant in drawn(number, seed):
            by = known.get((mutant.path, mutant.start, mutant.text)) or judged(mutant, copy, suite=suite)
            counts[mutant.kind, by] += 1
            if (mutant.path, mutant.start, mutant.text) not in known:
                with output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(mutant) | {"by": by}) + "\n")
    for (kind, by), many in sorted(counts.items()):
        click.echo(f"{kind}, noticed by {by}: {many}")


if __name__ == "__main__":
    main()
