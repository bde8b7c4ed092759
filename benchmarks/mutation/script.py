"""Mutation testing of ``static/disguise``: which share of small changes to the respondent's script a test notices.

    python -m benchmarks.mutation.script [--kept FILE] [--only coins.mjs] [--modules] [--show]

Each mutant is one change of one place of one file, made in a copy of the project. First the tests of single modules
run, in Playwright's Node.js in place of the browser; then, unless `--modules`, the tests that drive whole visits. What
became of a mutant is written to the kept file at once, so that a run that was stopped goes on where it was. Exit code 1
where fewer than 95 of 100 are noticed, the explained ones (``explained.toml``) left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from inspect import isfunction, signature
from pathlib import Path
from typing import Any

from playwright._impl._driver import compute_driver_executable

from benchmarks.mutation.python_rooms import WANTED, reason

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path("static") / "disguise"
COPIED = (
    *("collector", "owner", "respondent", "miner", "static", "templates"),
    *("tests", "examples", "docs", "pyproject.toml"),
)
SWAPPED = (("===", "!=="), ("<=", "<"), (">=", ">"), (" + ", " - "), (" * ", " / "), ("+=", "-="), ("&&", "||"),
           (".some(", ".every("), ("true", "false"), ("continue", "break"))  # fmt: skip
CHANGES = (
    *((re.escape(one), other) for pair in SWAPPED for one, other in (pair, pair[::-1]) if one not in "<>"),
    *((rf"(?<![=<]){sign} ", f"{sign}= ") for sign in "<>"),
    *((rf"\b{number}\b", str(number + 1)) for number in range(3)),
    (r" % ", " * "),
    (r"\?\?", "&&"),
    (r"!(?=[\w(])", ""),
    (r"\bfloor\b", "ceil"),
    (r"\bthrow .*?;", ";"),
    (r"^(\s*)(?!const|let|return|throw|import|export)([\w.]+\(.*\);)", r"\1;"),  # a call that is left out
)
STANDIN = """const any = new Proxy(() => any, { get: (_, key) => (key === Symbol.toPrimitive ? () => "{}" : any) });
globalThis.document = any;"""  # modules of the page look for its elements when they are imported
MODULE_TESTS = ("test_disguise_modules", "test_vectors")
VISIT_TESTS = tuple(
    f"tests/browser/test_browser_{name}.py" for name in ("sending", "answering", "receipts", "split", "leaving")
)


@dataclass(frozen=True)
class Mutant:
    """One change of one line."""

    file: str
    line: int  # counted from 0
    was: str
    now: str

    @property
    def key(self) -> str:
        """What it is kept under: the same as long as the line and the change are."""
        return hashlib.sha256("\n".join((self.file, str(self.line), self.was, self.now)).encode()).hexdigest()[:16]


def mutants(name: str) -> Iterator[Mutant]:
    """All mutants of one file: of its code, not of its comments."""
    comment = False
    for number, line in enumerate((ROOT / FOLDER / name).read_text(encoding="utf-8").splitlines()):
        comment = comment or line.lstrip().startswith("/*")
        code = "" if comment or line.lstrip().startswith("//") else line.partition(" //")[0]
        comment = comment and "*/" not in line
        if code.startswith("import "):
            continue
        for pattern, put in CHANGES:
            for found in re.finditer(pattern, code):
                now = code[: found.start()] + found.expand(put) + code[found.end() :] + line[len(code) :]
                yield Mutant(name, number, line, now)


class NodePage:
    """What the tests of single modules need of a browser's page: it runs JavaScript."""

    def __init__(self, copy: Path) -> None:
        self.static = f"file://{copy}/static/"

    def evaluate(self, code: str, argument: object) -> Any:  # noqa: ANN401 - JSON
        """What a function returns.

        Raises:
            subprocess.SubprocessError: If it fails, or takes more than a minute.
        """
        text = code.replace("/static/", self.static)
        script = f"{STANDIN} console.log(JSON.stringify(await ({text})({json.dumps(argument)})));"
        node, _ = compute_driver_executable()
        command = [node, "--input-type=module"]
        run = subprocess.run(command, input=script, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
        return json.loads(run.stdout)


def module_tests() -> list[Callable[[NodePage], None]]:
    """The tests that only import modules and call them."""
    sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "browser"), str(ROOT)]
    every = [test for name in MODULE_TESTS for test in vars(import_module(name)).values()]
    return [test for test in every if isfunction(test) and [*signature(test).parameters] == ["modules"]]


@contextmanager
def changed(mutant: Mutant, copy: Path) -> Iterator[None]:
    """The copy with this change."""
    path = copy / FOLDER / mutant.file
    whole = (ROOT / FOLDER / mutant.file).read_text(encoding="utf-8")
    lines = whole.splitlines()
    lines[mutant.line] = mutant.now
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(whole, encoding="utf-8")


def modules_fail(copy: Path) -> bool:
    """Whether a test of single modules fails."""
    try:
        for test in module_tests():
            test(NodePage(copy))
    except (AssertionError, subprocess.SubprocessError):
        return True
    return False


def visits_fail(copy: Path) -> bool:
    """Whether a test that drives whole visits fails."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "browser", "-p", "no:cacheprovider", *VISIT_TESTS]
    try:
        return subprocess.run(command, cwd=copy, capture_output=True, check=False, timeout=900).returncode == 1  # noqa: S603
    except subprocess.TimeoutExpired:
        return True


def main() -> None:
    """Try the mutants that are left, and print those that no test notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", type=Path, default=ROOT / "mutants" / "script.jsonl")
    parser.add_argument("--only", default="*.mjs")
    parser.add_argument("--modules", action="store_true", help="only the tests of single modules, which take seconds")
    parser.add_argument("--show", action="store_true", help="try none, show what is known")
    given = parser.parse_args()
    given.kept.parent.mkdir(exist_ok=True)
    tried = dict(map(json.loads, given.kept.read_text().splitlines())) if given.kept.exists() else {}
    every = [each for file in sorted((ROOT / FOLDER).glob(given.only)) for each in mutants(file.name)]
    with tempfile.TemporaryDirectory() as folder, given.kept.open("a") as kept:
        copy = Path(folder)
        for name in COPIED if not given.show else ():
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, copy / name)
        for each in (each for each in every if each.key not in tried and not given.show):
            with changed(each, copy):
                tried[each.key] = modules_fail(copy) or (not given.modules and visits_fail(copy))
            if tried[each.key] or not given.modules:
                kept.write(json.dumps([each.key, tried[each.key]]) + "\n")
                kept.flush()
    report(every, tried)


def report(every: list[Mutant], tried: dict[str, bool]) -> None:
    """Print what was not noticed and the share that was; end with exit code 1 where it is too small."""
    done = [each for each in every if each.key in tried]
    left = [each for each in done if not tried[each.key]]
    unexplained = 0
    for each in left:
        why = reason(each.was.strip(), each.now.strip())
        unexplained += why is None
        print(f"{each.file}:{each.line + 1}\n  - {each.was}\n  + {each.now}\n  {why or 'NOT EXPLAINED'}")
    caught = len(done) - len(left)
    share = caught / ((caught + unexplained) or 1)
    print(f"{len(every)} mutants, {len(done)} tried, {caught} noticed, {unexplained} neither that nor explained")
    print(f"share noticed: {share:.4f}")
    sys.exit(share < WANTED)


if __name__ == "__main__":
    main()
