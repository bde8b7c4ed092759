"""Mutation testing of ``static/disguise``: which share of small changes to the respondent's script a test notices.

    python -m benchmarks.mutation.script [--kept FILE] [--only coins.mjs] [--show]

Each mutant is one change of one place of one file, made in a copy of the project; the shared vectors run first, then
the tests that drive whole visits. What became of a mutant is written to the kept file at once, so that a run that was
stopped goes on where it was. Exit code 1 where fewer than 95 of 100 are noticed, the explained ones
(``explained.toml``) left out.
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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutation.python_rooms import WANTED, reason

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path("static") / "disguise"
COPIED = ("collector", "respondent", "miner", "static", "templates", "tests", "examples", "docs", "pyproject.toml")
SWAPPED = (("===", "!=="), ("<=", "<"), (">=", ">"), (" + ", " - "), (" * ", " / "), ("+=", "-="), ("&&", "||"),
           (".some(", ".every("), ("true", "false"), ("continue", "break"))  # fmt: skip
CHANGES = (
    *((re.escape(one), other) for pair in SWAPPED for one, other in (pair, pair[::-1]) if one != "<"),
    *((rf"(?<![=<]){sign} ", f"{sign}= ") for sign in "<>"),
    *((rf"\b{number}\b", str(number + 1)) for number in range(3)),
    (r" % ", " * "),
    (r"\?\?", "&&"),
    (r"!(?=[\w(])", ""),
    (r"\bfloor\b", "ceil"),
    (r"\bthrow .*?;", ";"),
    (r"^(\s*)(?!const|let|return|throw|import|export)([\w.]+\(.*\);)", r"\1;"),  # a call that is left out
)
FIRST = ("tests/browser/test_vectors.py",)
THEN = tuple(
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


def noticed(mutant: Mutant, copy: Path) -> bool:
    """Whether a test fails with this change."""
    path = copy / FOLDER / mutant.file
    whole = (ROOT / FOLDER / mutant.file).read_text(encoding="utf-8")
    lines = whole.splitlines()
    lines[mutant.line] = mutant.now
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        return any(_fails(tests, copy) for tests in (FIRST, THEN))
    finally:
        path.write_text(whole, encoding="utf-8")


def _fails(tests: tuple[str, ...], copy: Path) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "browser", "-p", "no:cacheprovider", *tests]
    try:
        return subprocess.run(command, cwd=copy, capture_output=True, check=False, timeout=900).returncode == 1  # noqa: S603
    except subprocess.TimeoutExpired:
        return True


def main() -> None:
    """Try the mutants that are left, and print those that no test notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kept", type=Path, default=ROOT / "mutants" / "script.jsonl")
    parser.add_argument("--only", default="*.mjs")
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
        for each in every if not given.show else ():
            if each.key not in tried:
                tried[each.key] = noticed(each, copy)
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
