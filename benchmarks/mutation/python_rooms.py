"""Mutation testing of the rooms that `[tool.mutmut]` names in pyproject.toml: the share of mutants that a test notices.

    python -m benchmarks.mutation.python_rooms [--only 'collector.coding.*'] [--json FILE]

The runs of mutmut are kept in the folder ``mutants``: a run that was stopped goes on where it was, and a function that
has changed is tried again. Each mutant that no test notices is printed, with the reason from ``explained.toml`` where
it changes nothing. Exit code 1 where fewer than 95 of 100 of the others are noticed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.record import record

WANTED = 0.95
NOTICED = {"killed", "timeout", "suspicious", "segfault", "caught by type check"}
MUTMUT = Path(sys.executable).parent / "mutmut"


def main() -> None:
    """Run the mutants that are left, then say what became of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="*", help="mutants whose name matches this pattern")
    parser.add_argument("--children", default="1", help="processes at a time")
    parser.add_argument("--show", action="store_true", help="run none, show what is known")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if not given.show:
        names = [] if given.only == "*" else [given.only]
        subprocess.run([MUTMUT, "run", "--max-children", given.children, *names], check=False)  # noqa: S603
    found = statuses(given.only)
    left = {name: changed(name) for name, status in found.items() if status not in NOTICED}
    reasons = {name: reason(*lines) for name, lines in left.items()}
    for name, (was, now) in left.items():
        print(f"{name}\n  - {was}\n  + {now}\n  {reasons[name] or 'NOT EXPLAINED'}")
    rooms = {room: share(found, reasons, room) for room in sorted({room_of(name) for name in found})}
    for room, figures in rooms.items():
        print(f"{room:24}", *(f"{name} {figure}" for name, figure in figures.items()))
    if given.json:
        given.json.write_text(json.dumps(record("python -m benchmarks.mutation.python_rooms", rooms=rooms), indent=1))
    sys.exit(any(figures["share"] < WANTED for figures in rooms.values()))


def statuses(only: str) -> dict[str, str]:
    """What became of each mutant that was tried, by its name."""
    run = subprocess.run([MUTMUT, "results", "--all", "true"], capture_output=True, text=True, check=True)  # noqa: S603
    pairs = (line.strip().rsplit(": ", 1) for line in run.stdout.splitlines() if ": " in line)
    return {name: status for name, status in pairs if status != "not checked" and fnmatch(name, only)}


def changed(name: str) -> tuple[str, str]:
    """The lines that a mutant takes out, and those it puts in their place."""
    run = subprocess.run([MUTMUT, "show", name], capture_output=True, text=True, check=True)  # noqa: S603
    body = run.stdout.partition("@@")[2].splitlines()
    return tuple(" ".join(line[1:].strip() for line in body if line.startswith(sign)) for sign in "-+")  # type: ignore[return-value]


def reason(was: str, now: str) -> str | None:
    """Why a mutant changes nothing, where that is known."""
    known = tomllib.loads(Path(__file__).with_name("explained.toml").read_text(encoding="utf-8"))["explained"]
    fitting = (each["why"] for each in known if re.match(each["was"], was) and re.match(each["now"], now))
    return next(fitting, None)


def room_of(name: str) -> str:
    """The package and room of a mutant's module."""
    return ".".join(name.split(".")[:2])


def share(found: dict[str, str], reasons: dict[str, str | None], room: str) -> dict[str, float]:
    """Counts of one room, and the share of its mutants that a test notices among those that change something."""
    here = [name for name in found if room_of(name) == room]
    counts = Counter("noticed" if name not in reasons else "explained" if reasons[name] else "left" for name in here)
    noticed, left = counts["noticed"], counts["left"]
    return {"mutants": len(here), **counts, "share": round(noticed / ((noticed + left) or 1), 4)}


if __name__ == "__main__":
    main()
