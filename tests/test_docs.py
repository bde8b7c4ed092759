"""The documents: their commands run and print what they say; they name every command and every error."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest

import make_reference
from collector.cli import main as collector
from console import run_step, steps_of
from miner.cli import main as miner
from respondent.cli import main as respondent

ROOT = Path(__file__).resolve().parent.parent
WALKED = ["README.md", "docs/tutorial.md", "docs/planning.md"]
COMMANDS = [
    f"{group.name} {name}"
    for group in (collector, respondent, miner)
    for name in sorted(group.commands)
    if isinstance(group, click.Group)
]


@pytest.mark.slow
@pytest.mark.parametrize("document", WALKED)
def test_every_block_of_the_document_prints_what_it_says(document: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    failures = [failure for step in steps_of(ROOT / document) if (failure := run_step(step, tmp_path))]
    assert not failures, "\n\n".join(failures)


def test_a_block_that_prints_something_else_is_caught(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo one\ntwo\n```\n", encoding="utf-8")
    (step,) = steps_of(page)
    assert "printed:\none" in (run_step(step, tmp_path) or "")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_reference_names_every_command(command: str) -> None:
    assert f"`{command}" in (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted(make_reference.PAGES))
def test_the_reference_says_what_the_code_says(page: str) -> None:
    written = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert written == make_reference.PAGES[page](), "run: python docs/make_reference.py"


def test_the_reference_finds_the_errors_that_are_raised() -> None:
    kinds = {error.kind for error in make_reference.raised_errors()}
    assert {"SurveyError", "ResponseError", "StoreError", "QueryError", "ModelError"} <= kinds
