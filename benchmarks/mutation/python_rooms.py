"""Mutation testing of rooms of Python: the share of mutants that a test of the room notices.

    python -m benchmarks.mutation.python_rooms [--room collector.coding] [--only '*[37]'] [--show] [--json FILE]

mutmut makes the mutants; its runs are kept in the folder ``mutants``, one for each room: a run that was stopped goes on
where it was; a mutant that no test noticed is tried again, and so are those of a function that has changed. ``--only``
takes a sample: ``'*[37]'`` is every mutant whose number in its function ends in 3 or 7. Each mutant that no test
notices is printed, with the reason from ``explained.toml`` where it changes nothing. Exit code 1 where fewer than 95 of
100 of the others are noticed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.record import record

ROOT = Path(__file__).resolve().parents[2]
WANTED = 0.95
NOTICED = {"killed", "timeout", "suspicious", "segfault", "caught by type check"}
UNTRIED = "not checked"
MUTMUT = Path(sys.executable).parent / "mutmut"
TESTS = {  # those that concern each room
    "collector.channel": ("collector/channel", "collector/coding", "collector/disclosure", "miner/channels"),
    "collector.coding": ("collector/allocation", "collector/channel", "collector/coding"),
    "collector.store": ("collector/store",),
    "miner.weights": ("miner/channels", "miner/weights"),
    "miner.evaluation": ("miner/evaluation",),
}
PACKAGES = ("collector", "miner", "owner", "respondent")
BESIDES = ("static", "templates", "examples", "docs", "benchmarks", "README.md", "CHANGELOG.md")
ARGUMENTS = ("-p", "benchmarks.mutation.uncached", "-p", "no:cacheprovider", "-m", "not browser and not slow")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def main() -> None:
    """Run the mutants that are left, then say what became of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", choices=TESTS, action="append", help="this room; all where none is named")
    parser.add_argument("--only", default="*", help="mutants whose name matches this pattern")
    parser.add_argument("--children", default="1", help="processes at a time")
    parser.add_argument("--show", action="store_true", help="run none, show what is known")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rooms = {}
    for room in given.room or TESTS:
        folder = ROOT / "mutants" / room
        if not given.show:
            prepare(folder, room)
            run(folder, room, given.only, given.children)
        rooms[room] = told(folder, given.only)
        print(f"{room:24}", *(f"{name} {figure}" for name, figure in rooms[room].items()), flush=True)
    if given.json:
        given.json.write_text(json.dumps(record("python -m benchmarks.mutation.python_rooms", rooms=rooms), indent=1))
    sys.exit(any(figures["share"] < WANTED for figures in rooms.values()))


def prepare(folder: Path, room: str) -> None:
    """Copy the project to a room's folder, set to mutate the room."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*PACKAGES, "tests", *BESIDES):
        shutil.rmtree(folder / name, ignore_errors=True)
        copied = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copied(ROOT / name, folder / name)
    settings = {
        "source_paths": PACKAGES,
        "only_mutate": [f"{room.replace('.', '/')}/*"],
        "also_copy": BESIDES,
        "process_isolation": "forkserver",  # a process that has run the tests has their results in its caches
        "use_git_change_detection": False,
        "pytest_add_cli_args": ARGUMENTS,
        "pytest_add_cli_args_test_selection": [f"tests/{each}" for each in TESTS[room]],
    }
    lines = (f"{name} = {json.dumps(value)}" for name, value in settings.items())
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (folder / "pyproject.toml").write_text("\n".join((project, "[tool.mutmut]", *lines, "")), encoding="utf-8")


def run(folder: Path, room: str, only: str, children: str) -> None:
    """Try the mutants that no test has noticed, then those that were not tried yet."""
    tried, whole = statuses(folder, only), only == "*"
    again = [name for name, status in tried.items() if status not in NOTICED and not (whole and status == UNTRIED)]
    runs: list[list[str]] = [again] if again else []
    if whole or not tried:
        runs.append([] if whole else [f"{room}.{only}"])
    for names in runs:
        command = [str(MUTMUT), "run", "--max-children", children, *names]
        subprocess.run(command, cwd=folder, env=os.environ | ONE_THREAD, check=False)  # noqa: S603


def told(folder: Path, only: str) -> dict[str, float]:
    """Print the mutants that no test notices; count all, and give the share noticed of those that change something."""
    found = {name: status for name, status in statuses(folder, only).items() if status != UNTRIED}
    counts = Counter("noticed" if status in NOTICED else "left" for status in found.values())
    for name in (name for name, status in found.items() if status not in NOTICED):
        was, now = changed(folder, name)
        why = reason(was, now)
        print(f"{name}\n  - {was}\n  + {now}\n  {why or 'NOT EXPLAINED'}")
        counts.update({"explained": why is not None, "left": -(why is not None)})
    noticed, left = counts["noticed"], counts["left"]
    return {"mutants": len(found), **counts, "share": round(noticed / ((noticed + left) or 1), 4)}


def statuses(folder: Path, only: str) -> dict[str, str]:
    """What became of each mutant, by its name."""
    run = subprocess.run([MUTMUT, "results", "--all", "true"], cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603
    pairs = (line.strip().rsplit(": ", 1) for line in run.stdout.splitlines() if ": " in line)
    return {name: status for name, status in pairs if fnmatch(name, only)}


def changed(folder: Path, name: str) -> tuple[str, str]:
    """The lines that a mutant takes out, and those it puts in their place."""
    run = subprocess.run([MUTMUT, "show", name], cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603
    body = run.stdout.partition("@@")[2].splitlines()
    return tuple(" ".join(line[1:].strip() for line in body if line.startswith(sign)) for sign in "-+")  # type: ignore[return-value]


def reason(was: str, now: str) -> str | None:
    """Why a mutant changes nothing, where that is known."""
    known = tomllib.loads(Path(__file__).with_name("explained.toml").read_text(encoding="utf-8"))["explained"]
    fitting = (each["why"] for each in known if re.match(each["was"], was) and re.match(each["now"], now))
    return next(fitting, None)


if __name__ == "__main__":
    main()
