"""The documents: their commands run and print what they say; they name every command and every error."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import click
import pytest

import make_reference
from collector.cli import main as collector
from collector.errors import SurveyError
from collector.survey_file.survey_file import parse_survey
from console import run_step, steps_of
from miner.cli import main as miner
from respondent.cli import main as respondent

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
WALKED = ["README.md", "docs/tutorial.md", "docs/planning.md", "docs/desk.md"]
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
    quoted = re.search(
        r"estimated (\S+ %) of students use cannabis \(interval (\S+ to \S+) %\)", (ROOT / document).read_text()
    )
    if quoted:
        share, interval = quoted.groups()
        shown = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", (tmp_path / "report.html").read_text(encoding="utf-8")))
        assert f"cannabis in the last 30 days? Yes {share} ({interval})" in shown


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


UNKNOWN = "zzz = 1\n"
NUMBER = '[[questions]]\nname = "a"\nlabel = "A?"\nkind = "number"\ncuts = [1]\ngroup = "g"\n'
CHOICE = '[[questions]]\nname = "b"\nlabel = "B?"\nkind = "choice"\nvalues = ["x", "y"]\ngroup = "g"\n'
TABLES = {
    "At the top": (f"{UNKNOWN}", "g = { truth = 0.75 }\n", ""),
    "`[groups]`": ("", "g = { truth = 0.75, zzz = 1 }\n", ""),
    "`[privacy]`": ("", "", f"[privacy]\nepsilon = 1\n{UNKNOWN}"),
    "`[sampling]`": ("", "g = { truth = 0.75 }\n", f"[sampling]\nask = 1\n{UNKNOWN}"),
    "`[mining]`": ("", "g = { truth = 0.75 }\n", f'[mining]\ntarget = "a"\n{UNKNOWN}'),
    "`[study]`": ("", "g = { truth = 0.75 }\n", f"[study]\n{UNKNOWN}"),
}


def documented(section: str) -> set[str]:
    """The keys that the tables of a section of docs/survey-file.md list."""
    page = (ROOT / "docs" / "survey-file.md").read_text(encoding="utf-8")
    part = page.split(f"\n## {section}\n")[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return {key for cell in cells for key in re.findall(r"`(\w+)`", cell)}


def taken(text: str) -> set[str]:
    """The keys that could stand in place of an unknown one."""
    with pytest.raises(SurveyError) as raised:
        parse_survey(text)
    assert '"zzz" is unknown' in raised.value.problem
    return set(raised.value.remedy.split(": ")[1].split(", "))


@pytest.mark.parametrize("section", TABLES)
def test_the_page_of_the_survey_file_lists_the_keys_of_each_table_and_no_other(section: str) -> None:
    top, groups, more = TABLES[section]
    head = f'name = "s"\ntitle = "S"\nlanguages = ["en"]\n{top}'
    declared = f"[groups]\n{groups}" if groups else ""
    assert documented(section) == taken(f"{head}{NUMBER}{CHOICE}{declared}{more}")


def test_the_page_of_the_survey_file_lists_the_keys_of_questions_and_no_other() -> None:
    head, groups = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n', "[groups]\ng = { truth = 0.75 }\n"
    keys = taken(f"{head}{NUMBER}{UNKNOWN}{CHOICE}{groups}") | taken(f"{head}{NUMBER}{CHOICE}{UNKNOWN}{groups}")
    assert documented("`[[questions]]`") == keys


@pytest.mark.parametrize("page", sorted(each.name for each in DOCS.glob("*.md")))
def test_each_row_of_a_table_stands_on_a_line_of_its_own_and_has_the_cells_of_its_head(page: str) -> None:
    lines = (DOCS / page).read_text("utf-8").splitlines()
    heads = [at for at, line in enumerate(lines) if re.fullmatch(r"\|(?: *:?-+:? *\|)+", line)]
    for at in heads:
        cells = [len(re.findall(r"(?<!\\)\|", re.sub(r"`[^`]*`", "", line))) for line in lines[at - 1 :]]
        rows = next((row for row, line in enumerate(lines[at - 1 :]) if not line.startswith("|")), len(cells))
        assert rows > 2, f"{page}, line {at + 1}: a table without rows"
        assert set(cells[:rows]) == {cells[1]}, f"{page}, line {at + 1}"
        after = lines[at - 1 + rows] if at - 1 + rows < len(lines) else ""
        assert not after.strip(), f"{page}, line {at + rows}: the table goes on in a line that is no row"
