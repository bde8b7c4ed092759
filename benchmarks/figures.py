"""Every figure in docs/results/, and the one command that makes them all again: `make results`.

    python -m benchmarks.figures [--list] [--only FILE ...] [--peer PYTHON]

Many hours in all. The runs of the papers on disguised data are kept in `build/results/` as they end, and go on where
they were; take that folder away, and they begin anew. What a command prints takes the place of its file when it has
ended well, so that a figure is the old one or the new one, whole. Pages are written by hand, but for those named here.
PYTHON is an interpreter that has the peers; the modules that ask for it say which. Without, what needs it is let be.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import click

from benchmarks.results import RESULTS, ROOT

PEER = "PEER"  # stands for the interpreter in a command
Run = Callable[[list[str], Path | None], bool]
"""Runs a command, what it prints written to a file or to the screen; returns whether it ended well."""


@dataclass(frozen=True)
class Figures:
    """Files that some commands make.

    Attributes:
        files: Their names, or patterns of names.
        commands: Modules of `benchmarks` with their options, to be run in turn.
        printed: Whether the file is what the commands print, one after the other.
    """

    files: tuple[str, ...]
    commands: tuple[str, ...]
    printed: bool = False

    @property
    def needs_peer(self) -> bool:
        """Whether it is of use only beside a peer."""
        return any(PEER in command.split() for command in self.commands)


def made_by(command: str, *files: str) -> Figures:
    """Files that a command writes by itself."""
    return Figures(files, (command,))


def printed_by(file: str, *commands: str) -> Figures:
    """A file of what commands print."""
    return Figures((file,), commands, printed=True)


FIGURES = (
    made_by("speed", "speed.json"),
    made_by("performance.release_speed", "release_speed.json"),
    printed_by("plain_forest.json", "learning.plain_forest --json"),
    printed_by("load.json", "collecting.load --json"),
    printed_by("load_quick.json", "collecting.load --quick --json"),
    made_by("du_zhan", "du_zhan.csv"),
    made_by("szucs", "szucs.csv"),
    made_by("local_privacy.uniform", "uniform.csv"),
    made_by("learning.curve", "curve.csv"),
    made_by("learning.papers_page", "papers.md"),
    made_by("learning.plots", "du_zhan_*.svg", "szucs_*.svg"),
    made_by("local_privacy.ldp", "ldp.csv"),
    made_by("learning.naive", "naive.csv"),
    made_by("local_privacy.frequencies --peer PEER", "frequencies.csv"),
    printed_by("pruning.json", "learning.pruning --json"),
    printed_by("importances.json", "calibration.importances --json"),
    made_by("calibration.planning", "planning.json"),
    printed_by("imputation.json", "calibration.imputation --json"),
    printed_by("imputed_logit.json", "calibration.imputed_logit --json"),
    printed_by("coverage.json", "calibration.coverage --json"),
    printed_by("coverage_real.json", "calibration.coverage --real --json"),
    printed_by("coverage_new.json", "calibration.coverage --new --json"),
    printed_by("coverage_few.json", "calibration.coverage --few --json"),
    printed_by("coverage_clusters.json", "calibration.coverage_clusters --json"),
    printed_by("coverage_sampled.json", "calibration.coverage_sampled --json"),
    printed_by("coverage_routed.json", "calibration.routed --json"),
    printed_by("sampling_weights.json", "calibration.sampling_weights --json"),
    printed_by("tables.json", "calibration.tables --json"),
    made_by("calibration.coverage_grid", "coverage_grid.json", "coverage_grid.md"),
    printed_by("coins.json", "collecting.coins --json"),
    printed_by("faults.json", "collecting.faults --json"),
    printed_by("profiles.json", "collecting.profiles --json"),
    printed_by("first_screen.json", "collecting.first_screen --json"),
    printed_by("fuzz.json", "collecting.fuzz --json"),
    printed_by(
        "releases.jsonl",
        "releasing.releases nursery mushroom --repeats 8 --peer PEER",
        "releasing.releases votes --repeats 8",
        "releasing.releases adult --peer PEER",
        "releasing.releases car tic_tac_toe breast_cancer --repeats 5",
        "releasing.releases connect_4 loans chess census",
    ),
    made_by("releasing.release_forms", "release_forms.csv"),
    made_by("releasing.jagannathan --repeats 5", "jagannathan_*"),
    made_by("releasing.waseda --repeats 2", "waseda_table_[567]*"),
    made_by("releasing.waseda --delta", "waseda_delta.csv"),
    made_by("releasing.exposed", "waseda_table_a1.*"),
    made_by("releasing.fletcher --repeats 2", "fletcher_accuracy_*", "fletcher_data_sets.csv"),
    made_by("releasing.fletcher --shapes", "fletcher_shapes.csv"),
)


def wanted(patterns: tuple[str, ...]) -> Iterator[Figures]:
    """Those of which a file matches one of the patterns; all of them where there is none."""
    for figures in FIGURES:
        if not patterns or any(
            fnmatch(file, each) or fnmatch(each, file) for file in figures.files for each in patterns
        ):
            yield figures


def make(figures: Figures, run: Run, peer: str | None, folder: Path = RESULTS) -> bool:
    """Make some files again.

    Args:
        figures: Which.
        run: Runs a command.
        peer: The interpreter of the peers, where a command asks for it.
        folder: Where printed files are put.

    Returns:
        Whether all commands ended well. If one did not, what is printed to a file leaves the file as it was.
    """
    draft = folder / f"{figures.files[0]}.draft" if figures.printed else None
    if draft:
        draft.unlink(missing_ok=True)
    for command in figures.commands:
        module, *options = command.split()
        line = [
            sys.executable,
            "-m",
            f"benchmarks.{module}",
            *(peer or PEER if each == PEER else each for each in options),
        ]
        if not run(line, draft):
            return False
    if draft:
        draft.replace(folder / figures.files[0])
    return True


def started(command: list[str], draft: Path | None) -> bool:
    """Run a command from the checkout, and add what it prints to a draft if there is one."""
    click.echo(shlex.join(command), err=True)
    if draft is None:
        return subprocess.run(command, cwd=ROOT, check=False).returncode == 0  # noqa: S603 - from the list above
    with draft.open("ab") as stream:
        return subprocess.run(command, cwd=ROOT, check=False, stdout=stream).returncode == 0  # noqa: S603 - likewise


@click.command()
@click.option("--list", "listed", is_flag=True, help="Print what would be run, and run nothing.")
@click.option("--only", multiple=True, metavar="FILE", help="These files, or patterns of them; may be given again.")
@click.option("--peer", metavar="PYTHON", help="An interpreter that has the peers.")
def main(*, listed: bool, only: tuple[str, ...], peer: str | None) -> None:
    """Make the figures in docs/results again."""
    chosen = list(wanted(only))
    if not chosen:
        raise click.BadParameter(f"no figure is called {' or '.join(only)}; --list names them all", param_hint="--only")
    failed = []
    for figures in chosen:
        if listed:
            click.echo(f"{', '.join(figures.files)}: {'; '.join(figures.commands)}")
        elif figures.needs_peer and peer is None:
            click.echo(f"left as they are, for want of --peer: {', '.join(figures.files)}", err=True)
        elif not make(figures, started, peer):
            failed.append(figures)
    if failed:
        raise click.ClickException(f"not made: {', '.join(file for figures in failed for file in figures.files)}")


if __name__ == "__main__":
    main()
