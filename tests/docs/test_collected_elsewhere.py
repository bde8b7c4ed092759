"""The page on data collected elsewhere: each survey file is published, and each command prints what the page says."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from collector.cli import main as collector
from console import FLAGS, Step, steps_of
from miner.cli import main as miner

PAGE = Path(__file__).resolve().parents[2] / "docs" / "collected-elsewhere.md"
GROUPS = {"collector": collector, "miner": miner}
ROWS = {  # the words of each table and how often they stand there, as the page says in its sentences
    "warner": {"1": 412, "0": 588},
    "forced": {"1": 300, "0": 700},
    "unrelated": {"1": 328, "NA": 2, "0": 382},
    "crosswise": {"B": 545, "A": 1455},
    "triangular": {"B": 380, "A": 620},
    "arms": {"1": 412, "0": 588},
    "arms_2": {"1": 593, "0": 407},
    "direct": {"1": 158, "0": 207},
    "direct_2": {"1": 412, "0": 588},
    "answers": {"yes": 158, "no": 207},
}


def printed(step: Step) -> str:
    """What a command of the page prints; a redirected echo writes its file."""
    words = shlex.split(step.text)
    if words[0] == "echo":
        Path(words[-1]).write_text(f"{words[1]}\n", encoding="utf-8")
        return ""
    result = CliRunner().invoke(GROUPS[words[0]], words[1:])
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def test_every_design_of_the_page_is_published_imported_and_estimated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files: dict[str, str] = {}
    for text in re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        (name,) = re.findall(r'^name = "(\w+)"', text, re.MULTILINE)
        files[f"{name}_2" if name in files else name] = text
    assert {*files, "answers"} == {*ROWS}
    for name, text in files.items():
        Path(f"{name}.toml").write_text(text, encoding="utf-8")
    for name, words in ROWS.items():
        lines = [word for word, times in words.items() for _ in range(times)]
        Path(f"{name}.csv").write_text("\n".join(["stole", *lines, ""]), encoding="utf-8")
    steps = steps_of(PAGE)
    assert len([step for step in steps if step.text.startswith("collector publish")]) == len(files)
    checker = doctest.OutputChecker()
    for step in steps:
        found = printed(step)
        assert checker.check_output(f"{step.expected}\n", f"{found}\n", FLAGS), f"{step.text}\nprinted:\n{found}"
