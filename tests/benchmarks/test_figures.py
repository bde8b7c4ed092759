"""The list of all figures, and the command that makes them again."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import figures
from benchmarks.figures import FIGURES, Figures, main, make, printed_by, started, wanted
from benchmarks.results import RESULTS, ROOT


def test_every_figure_in_the_results_has_one_command_that_makes_it() -> None:
    for path in RESULTS.iterdir():
        makers = [each for each in FIGURES if any(fnmatch(path.name, file) for file in each.files)]
        assert len(makers) == 1 or (path.suffix == ".md" and not makers), path.name


@pytest.mark.parametrize("figures", FIGURES, ids=lambda figures: figures.files[0])
def test_what_is_to_be_run_is_there(figures: Figures) -> None:
    for command in figures.commands:
        assert find_spec(f"benchmarks.{command.split()[0]}")
    assert len(figures.files) == 1 or not figures.printed


def pages() -> Iterator[Path]:
    """Files that tell people to run a benchmark; not the changes and the history, whose names are of their time."""
    yield from (ROOT / "README.md", ROOT / "Makefile", ROOT / "pyproject.toml")
    for path in (ROOT / "docs").rglob("*"):
        if path.suffix in {".md", ".json", ".jsonl"}:
            yield path
    for room in ("benchmarks", "collector", "miner", "owner", "respondent", "examples", "docs"):
        yield from (ROOT / room).rglob("*.py")


def test_every_benchmark_that_a_page_names_is_there() -> None:
    for path in pages():
        text = path.read_text(encoding="utf-8")
        for module in set(re.findall(r"\bbenchmarks(?:\.[a-z_]+)+", text)):
            assert find_spec(module), f"{path.relative_to(ROOT)}: {module}"
        for file in set(re.findall(r"(?<!tests/)\bbenchmarks/[a-z_/]+\.py", text)):
            assert (ROOT / file).is_file(), f"{path.relative_to(ROOT)}: {file}"


def test_what_commands_print_becomes_the_file_when_all_have_ended_well(tmp_path: Path) -> None:
    ran = []

    def run(command: list[str], draft: Path | None) -> bool:
        assert draft is not None
        ran.append(command)
        with draft.open("a") as stream:
            stream.write(f"{command[-1]}\n")
        return command[-1] != "bad"

    (tmp_path / "some.json").write_text("old\n")
    assert not make(printed_by("some.json", "one good", "one bad", "one more"), run, None, tmp_path)
    assert (tmp_path / "some.json").read_text() == "old\n"
    assert make(printed_by("some.json", "one good", "two --peer PEER"), run, "other/python", tmp_path)
    assert (tmp_path / "some.json").read_text() == "good\nother/python\n"
    assert [path.name for path in tmp_path.iterdir()] == ["some.json"]
    assert ran[0] == [sys.executable, "-m", "benchmarks.one", "good"]


def test_a_command_runs_in_the_checkout_and_prints_to_the_draft(tmp_path: Path) -> None:
    draft = tmp_path / "draft"
    assert started([sys.executable, "-c", "import benchmarks, pathlib; print(pathlib.Path('docs').is_dir())"], draft)
    assert draft.read_text() == "True\n"
    assert not started([sys.executable, "-c", "raise SystemExit(3)"], None)


def test_files_are_chosen_by_name_or_pattern() -> None:
    assert [each.commands for each in wanted(("du_zhan_votes_mean.svg",))] == [("learning.plots",)]
    assert {each.commands[0] for each in wanted(("coverage*",))} > {
        "calibration.coverage --json",
        "calibration.coverage_grid",
    }
    assert list(wanted(())) == list(FIGURES)


def test_what_needs_a_peer_is_left_without_one_and_failures_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []
    monkeypatch.setattr(figures, "make", lambda each, *_: ran.append(each.files[0]))
    result = CliRunner().invoke(main, ["--only", "frequencies.csv", "--only", "pruning.json"])
    assert result.exit_code == 1
    assert ran == ["pruning.json"]
    assert "for want of --peer: frequencies.csv" in result.stderr
    assert "not made: pruning.json" in result.stderr


def test_an_unknown_figure_is_refused_in_one_line() -> None:
    result = CliRunner().invoke(main, ["--only", "nothing.csv"])
    assert result.exit_code == 2
    assert "no figure is called nothing.csv" in result.stderr
