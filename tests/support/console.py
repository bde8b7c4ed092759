"""Running the ``console`` blocks of a document as a reader would, and comparing what they print.

A line that begins with ``$ `` is a command; the lines up to the next one are what it prints. ``...`` stands for
anything, as in a doctest. A block after ``<!-- not run: reason -->`` is left out.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"(<!-- not run: [^\n]+ -->\n)?```(console|python)\n(.*?)```", re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Step:
    """One command of a document, or one Python block, and what it is said to print."""

    command: list[str]
    text: str
    expected: str


def steps_of(document: Path) -> list[Step]:
    """Every step of a document that is to be run, in order."""
    steps: list[Step] = []
    for skipped, language, body in BLOCK.findall(document.read_text(encoding="utf-8")):
        if skipped:
            continue
        if language == "python":
            steps.append(Step([sys.executable, "-c", body], body, "..."))
        else:
            steps.extend(_console_steps(body))
    return steps


def _console_steps(body: str) -> list[Step]:
    steps = []
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        lines = part.split("\n")
        end = next(index for index, line in enumerate(lines) if not line.endswith("\\"))
        command = "\n".join(lines[: end + 1])
        steps.append(Step(["bash", "-c", command], command, "\n".join(lines[end + 1 :]).strip()))
    return steps


def run_step(step: Step, folder: Path) -> str | None:
    """Run a step in a folder; a description of what went wrong, or None."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(  # noqa: S603 - the documents are ours
        step.command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    printed = (done.stdout + done.stderr).strip()
    if done.returncode and "..." not in step.expected and not step.expected:
        return f"{step.text}\nfailed with {done.returncode}:\n{printed}"
    if not doctest.OutputChecker().check_output(f"{step.expected}\n", f"{printed}\n", FLAGS):
        return f"{step.text}\nprinted:\n{printed}\nbut the document says:\n{step.expected}"
    return None
