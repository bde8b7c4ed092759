"""How long a release takes, and how much memory: Adult, and made-up tables of 20 questions.

    python -m benchmarks.performance.release_speed [--quick] [--json]        # writes docs/results/release_speed.json

Each is timed twice: the release itself, from a table in memory to a model, with the system's noise and an account that
is charged; and the whole of ``miner release`` on a CSV file with a ledger, in a process of its own, with the largest
resident set of that process. Growth of memory is told by the memory of each further row, between two sizes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np

from benchmarks.data.trusted import adult
from benchmarks.record import record
from benchmarks.results import RESULTS
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from miner.release.families.methods import family
from miner.release.noise import SystemNoise
from miner.release.release import release
from miner.release.table import TrustedTable

SIZES, QUICK = (100_000, 300_000, 1_000_000), (20_000, 60_000)
QUESTIONS, VALUES = 20, 5
KIBIBYTES = 1024  # in a mebibyte
CHILD = """
import resource, sys
from miner.cli import main
try:
    main(sys.argv[1:], standalone_mode=False)
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


class Open:
    """An account that says yes."""

    name = "people"
    cohort = None

    def charge(self, method: str, epsilon: Fraction, delta: Fraction) -> None:
        """See `miner.release.release.BudgetAccount`."""

    def note(self, method: str) -> None:
        """See `miner.release.release.BudgetAccount`."""


def made_up(rows: int) -> TrustedTable:
    """Twenty questions of five values, the last a class that three of the others decide for most."""
    generator = np.random.default_rng(rows)
    values = generator.integers(0, VALUES, (rows, QUESTIONS)).astype(np.int16)
    decided = (values[:, 0] + values[:, 1] > VALUES) ^ (values[:, 2] == 0)
    values[:, -1] = np.where(generator.random(rows) < 0.1, ~decided, decided)  # one in ten is otherwise
    return TrustedTable.of(survey(), values)


def survey() -> Survey:
    """Of the made-up tables."""
    names = [f"q{number}" for number in range(QUESTIONS)]
    listed = json.dumps([f"value {number}" for number in range(VALUES)])
    question = '[[questions]]\nname = "{0}"\nlabel = "{0}?"\n{1}\nsensitive = false\n'
    parts = [question.format(name, f'kind = "choice"\nvalues = {listed}') for name in names[:-1]]
    parts.append(question.format(names[-1], 'kind = "yes_no"'))
    return parse_survey(
        'name = "made_up"\ntitle = "Made up"\nlanguages = ["en"]\n[mining]\ntarget = "q19"\n' + "\n".join(parts)
    )


def in_memory(table: TrustedTable, method: str) -> float:
    """Seconds of one release; the least of two, the first of which also loads what it needs."""
    seconds = []
    for _ in range(2):
        start = perf_counter()
        release(table, family(method, Fraction(1), len(table)), Open(), SystemNoise(), np.random.default_rng(1))
        seconds.append(perf_counter() - start)
    return min(seconds)


def whole_command(table: TrustedTable, method: str, folder: Path) -> tuple[float, float]:
    """Seconds and mebibytes of ``miner release``, from the CSV file to the model file, ledger and all."""
    data, described, store = folder / "table.csv", folder / "survey.toml", folder / "ledger.db"
    table.frame.to_csv(data, index=False)
    described.write_text(survey_text(table.survey, "Made up."), encoding="utf-8")
    run(["budget", "people", "--epsilon", "1", "--store", str(store)])
    start = perf_counter()
    arguments = ["release", str(data), "--survey", str(described), "--method", method, "--data-set", "people"]
    told = run([*arguments, "--store", str(store), "--force", "-o", str(folder / "model.json")])
    return perf_counter() - start, int(told.splitlines()[-1]) / KIBIBYTES


def run(arguments: list[str]) -> str:
    """What ``miner`` writes to stderr, and on its last line the largest resident set in KiB."""
    command = [sys.executable, "-c", CHILD, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stderr  # noqa: S603 - ourselves


def rows_of(quick: bool) -> Iterator[dict[str, Any]]:  # noqa: FBT001 - as the command says it
    """A row for each table and method."""
    tables = [adult().take(np.arange(2000)) if quick else adult()]
    for table in [*tables, *map(made_up, QUICK if quick else SIZES)]:
        for method in ("ours", "dpdf"):
            if method == "dpdf" and table.survey.name != "adult":
                continue
            row: dict[str, Any] = {"table": table.survey.name, "rows": len(table), "method": method}
            row["seconds"] = round(in_memory(table, method), 3)
            if table.survey.name == "made_up":
                with tempfile.TemporaryDirectory() as folder:
                    seconds, memory = whole_command(table, method, Path(folder))
                row |= {"command_seconds": round(seconds, 2), "command_mebibytes": round(memory, 1)}
            yield row


def bytes_per_row(rows: list[dict[str, Any]]) -> list[float]:
    """What each further row costs of memory, between one size and the next."""
    sized = [(each["rows"], each["command_mebibytes"]) for each in rows if "command_mebibytes" in each]
    return [
        round((more - less) * KIBIBYTES**2 / (large - small), 1) for (small, less), (large, more) in pairwise(sized)
    ]


@click.command()
@click.option("--quick", is_flag=True, help="Small tables; nothing is written down.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def main(*, quick: bool, as_json: bool) -> None:
    """Time releases, and write the figures down."""
    rows = []
    for row in rows_of(quick):
        rows.append(row)
        if not as_json:
            click.echo("  ".join(f"{name} {value}" for name, value in row.items()))
    found = record(
        "python -m benchmarks.performance.release_speed", rows=rows, bytes_per_further_row=bytes_per_row(rows)
    )
    if not quick:
        (RESULTS / "release_speed.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    click.echo(json.dumps(found, indent=2) if as_json else f"bytes per further row: {found['bytes_per_further_row']}")


if __name__ == "__main__":
    main()
