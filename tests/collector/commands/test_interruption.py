"""Ctrl-C at any moment: the old file or the new one, whole; no draft left behind; exit code 130 and no traceback.

``DENIABLE_INTERRUPTS`` says at how many moments each command is interrupted.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from collector.commands.command import write_output
from collector.commands.interruption import INTERRUPTED, Interruption
from collector.store.store import Store
from miner.release.release import read_release
from soak import soaking, some_of
from workshop import GROUPS, PEOPLE, call, furnish

MOMENTS = int(os.environ.get("DENIABLE_INTERRUPTS", "3" if soaking() else "1"))
BEFORE = b"what was there before\n"
READY = b"ready\n"
PROGRAM = "import sys\nfrom {}.cli import main\nsys.stderr.write('ready\\n')\nsys.stderr.flush()\nmain()"
SURVEY = ("--survey", "plain.toml", "--target", "distress")
TWO = """
name = "two"
title = "Two questions"
languages = ["en"]
questions = [
  { name = "debt", label = "Debt?", kind = "yes_no", group = "one" },
  { name = "distress", label = "Distress?", kind = "yes_no", group = "other" },
]
groups = { one = { truth = "4/5" }, other = { truth = "4/5" } }
mining = { target = "distress" }
"""
WRITERS = {
    "collector export": ("wellbeing",),
    "collector convert": ("form.xlsx",),
    "collector draft": ("table.csv", "--target", "distress"),
    "miner simulate": ("wellbeing.toml", "answers.csv", "--seed", "1"),
    "miner train": ("wellbeing", "--mode", "faithful", "--seed", "1"),
    "miner recode": ("wellbeing",),
    "miner report": ("two", "--seed", "1"),  # a report on six questions takes several times as long
    "miner export": ("model.json", "--format", "sql"),
    "miner release": ("table.csv", *SURVEY, "--data-set", "students", "--epsilon", "1/100"),
    "miner compare": ("table.csv", *SURVEY, "--methods", "ours", "--epsilon", "1", "--folds", "2", "--seed", "1"),
    "miner audit": ("model.json", "--data", "table.csv", "--seed", "1"),
}

OFTEN = ("collector export", "collector draft", "miner release")
"""Those that are interrupted without ``--soak``, too: all others write by the same code."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a published survey that has responses, a model, and a table that may be released from."""
    folder = tmp_path_factory.mktemp("workshop")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        furnish(folder)
        (folder / "two.toml").write_text(TWO, encoding="utf-8")
        pd.read_csv("answers.csv")[["debt", "distress"]].to_csv("two.csv", index=False)
        for line in (
            "collector publish two.toml",
            "miner simulate two.toml two.csv --seed 1 -o two_responses.csv",
            "collector import two two_responses.csv",
            "collector publish wellbeing.toml",
            "collector import wellbeing responses.csv",
            "miner train wellbeing --mode faithful --seed 1 -o model.json",
            "miner budget students --epsilon 100",
        ):
            result = call(*line.split())
            assert result.exit_code == 0, result.stderr
    return folder


class Running:
    """A command of ours that has begun; what comes before is Python's own start."""

    def __init__(self, folder: Path, path: str, *arguments: str) -> None:
        group, name = path.split()
        command = [sys.executable, "-c", PROGRAM.format(group), name, *arguments]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - ours
        assert self.process.stderr is not None
        assert self.process.stderr.readline() == READY
        self.began = time.monotonic()

    def interrupted(self, moment: float) -> None:
        """Send SIGINT so many seconds after the beginning, unless it has ended."""
        time.sleep(moment)
        self.process.send_signal(signal.SIGINT)

    def ended(self) -> tuple[int, str]:
        """Exit code and what it said on stderr."""
        _, said = self.process.communicate(timeout=120)
        return self.process.returncode, said.decode()


def moments(took: float, seed: str) -> list[float]:
    """Half of them anywhere, half towards the end, where files are written."""
    draw = random.Random(seed)  # noqa: S311 - moments
    return [max(0.02, took * draw.uniform(0.75 * (number % 2), 1.05)) for number in range(MOMENTS)]


def interrupt(folder: Path, path: str, arguments: tuple[str, ...], check: Callable[[int], None]) -> None:
    """Run a command once to its end, then interrupt it again and again."""
    whole = Running(folder, path, *arguments)
    code, said = whole.ended()
    assert code == 0, said
    check(code)
    took, names = time.monotonic() - whole.began, {each.name for each in folder.iterdir()}
    for moment in moments(took, path):
        running = Running(folder, path, *arguments)
        running.interrupted(moment)
        code, said = running.ended()
        assert code in {0, INTERRUPTED}, f"after {moment:.3f} s of {took:.3f}: {code} {said}"
        assert "Traceback" not in said
        assert "KeyboardInterrupt" not in said
        left = {each.name for each in folder.iterdir()} - names
        assert not {name for name in left if not name.startswith("deniable.db")}, f"after {moment:.3f} s"
        check(code)


@pytest.mark.slow
@pytest.mark.parametrize("path", some_of(WRITERS, OFTEN))
def test_an_interrupted_command_leaves_the_old_file_or_the_new_one(folder: Path, path: str) -> None:
    suffix = "toml" if path == "collector convert" else "csv"  # which there says the format
    output = folder / f"{path.replace(' ', '_')}.{suffix}"
    found: list[bytes] = []

    def check(code: int) -> None:
        written = output.read_bytes()
        if code == 0 or written != BEFORE:
            assert written != BEFORE
            if path == "miner release":
                read_release(output)  # its noise never repeats
            else:
                found.append(written)
                assert written == found[0]
        output.write_bytes(BEFORE)

    output.write_bytes(BEFORE)
    interrupt(folder, path, (*WRITERS[path], "--force", "-o", output.name), check)


@pytest.mark.slow
def test_an_interrupted_import_stores_all_or_nothing(folder: Path) -> None:
    def stored() -> int:
        with Store(folder / "deniable.db") as store:
            return store.count(store.published("wellbeing").survey)

    counts = [stored()]

    def check(code: int) -> None:
        counts.append(stored())
        assert counts[-1] - counts[-2] in ({PEOPLE} if code == 0 else {0, PEOPLE})

    interrupt(folder, "collector import", ("wellbeing", "responses.csv", "--again"), check)


@pytest.mark.parametrize("group", GROUPS)
def test_an_interruption_while_the_program_itself_is_imported_is_quiet(group: str, tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text(SLOW_IMPORT, encoding="utf-8")
    kept = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", group, "--help"]
    with subprocess.Popen(command, env=kept, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - ours
        assert process.stderr is not None
        assert process.stderr.readline() == READY
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=30)
    assert (process.returncode, printed, said) == (INTERRUPTED, b"", b"")


SLOW_IMPORT = """
import sys, time
sys.stderr.write("ready\\n")
sys.stderr.flush()
time.sleep(20)
"""

SWALLOWED = """
import ctypes, sys, time
import click
from collector.commands.command import Command

@click.group(cls=Command)
def main(): pass

@main.command()
def callback():
    def loop(): sys.stderr.write("ready\\n"); sys.stderr.flush(); time.sleep(600)
    ctypes.CFUNCTYPE(None)(loop)()
    time.sleep(600)

@main.command()
def disguised():
    try: sys.stderr.write("ready\\n"); sys.stderr.flush(); time.sleep(600)
    except KeyboardInterrupt: raise ImportError("numpy._core.multiarray failed to import") from None

main()
"""


@pytest.mark.parametrize("name", ["callback", "disguised"])
def test_an_interruption_is_one_whatever_a_library_makes_of_it(tmp_path: Path, name: str) -> None:
    script = tmp_path / "swallowed.py"
    script.write_text(SWALLOWED, encoding="utf-8")
    command = [sys.executable, script, name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - ours
        assert process.stderr is not None
        assert process.stderr.readline() == READY
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=120)  # it does not go on
    assert (process.returncode, printed, said.strip()) == (INTERRUPTED, b"", b"")


@pytest.mark.parametrize("where", ["pieces", "fsync", "replace"])
def test_an_interruption_while_a_file_is_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def struck(*_given: object) -> None:
        raise KeyboardInterrupt

    def pieces() -> Iterator[str]:
        yield "half"
        if where == "pieces":
            struck()

    if where == "fsync":
        monkeypatch.setattr(os, "fsync", struck)
    if where == "replace":
        monkeypatch.setattr(Path, "replace", struck)
    path = tmp_path / "out.csv"
    path.write_bytes(BEFORE)
    with pytest.raises(KeyboardInterrupt):
        write_output(path, pieces())
    assert path.read_bytes() == BEFORE
    assert list(tmp_path.iterdir()) == [path]


def test_a_command_that_is_called_leaves_signals_alone() -> None:
    before = signal.getsignal(signal.SIGINT), sys.unraisablehook, sys.excepthook
    assert call("collector", "--help").exit_code == 0
    assert (signal.getsignal(signal.SIGINT), sys.unraisablehook, sys.excepthook) == before
    assert not Interruption().came
