"""Speed and memory of the forest against scikit-learn's on the same bits, in pairs in the same run.

    python -m benchmarks.speed                        # some ten minutes; every part is kept as it ends
    python -m benchmarks.speed --only prediction      # one part, or several: each takes less than five minutes
    python -m benchmarks.speed --quick                # fewer trees and pairs, nothing kept: under a minute

Each pair times both, one after the other; printed is the median over the pairs of the ratio of their times, by the
clock and by the processor (which other work on the machine disturbs less). Peak memory is that of a fresh process for
each, less what it held before fitting. "Distinct" says how many rows differ.
"""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks.data.coded import Table, adult_36, bit_survey, dealt
from benchmarks.data.tables import congressional_votes
from collector.cli import main as collector
from collector.survey.survey import Survey
from miner.cli import main as miner
from miner.learners.forest import ForestClassifier
from miner.responses.responses import Codes
from miner.simulation.simulation import simulate

STORE = "deniable.db"
SEED = 2026
THREADS = 2
CANDIDATES = 6
TEST_ROWS = 16_000
PAIRS, RUNS = 5, 3
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
RESULTS = Path("docs/results/speed.json")
FLIPPED = 0.02  # share of bits changed where more rows are made up than there are
UNLIMITED, LIMITED = None, 12


@dataclass(frozen=True)
class Case:
    """What is timed: `groups` 0 is undisguised."""

    name: str
    rows: int | None
    trees: int
    depth: int | None
    groups: int
    truth: str = "4/5"


UNLIMITED_CASE = Case("unlimited depth", None, 100, UNLIMITED, 0)
LARGE_CASE = Case("1,000,000 rows, depth 12", 1_000_000, 20, LIMITED, 0)
CASES = {
    "unlimited": UNLIMITED_CASE,
    "depth_12": Case("depth 12", None, 100, LIMITED, 0),
    "one_group": Case("disguised, 1 group", None, 100, UNLIMITED, 1),
    "three_groups": Case("disguised, 3 groups", None, 100, UNLIMITED, 3),
    "million": LARGE_CASE,
}
QUICK = [
    Case("unlimited depth", None, 20, UNLIMITED, 0),
    Case("depth 12", None, 20, LIMITED, 0),
    Case("disguised, 3 groups", None, 20, UNLIMITED, 3),
]


def rows_of(case: Case, table: Table) -> Table:
    """The table, or as many rows as wanted: drawn with replacement, one bit in fifty changed at random."""
    if case.rows is None:
        return table
    generator = np.random.default_rng(0)
    drawn = generator.integers(0, len(table.labels), case.rows)
    bits = table.bits[drawn] ^ (generator.random((case.rows, table.bits.shape[1])) < FLIPPED)
    return Table(f"{table.name}-{case.rows}", bits, table.labels[drawn])


def fitters(case: Case, table: Table) -> tuple[Callable[[], ForestClassifier], Callable[[], Any]]:
    """Ours on the responses of this case; scikit-learn's forest on the plain bits, always."""
    survey, codes = responses(case, table)
    mode = "robust" if case.groups else "faithful"
    leaf = None if case.groups else 1.0

    def ours() -> ForestClassifier:
        model = ForestClassifier(
            survey,
            mode=mode,
            n_estimators=case.trees,
            max_features=CANDIDATES,
            max_depth=case.depth,
            min_samples_leaf=leaf,
            random_state=0,
        )
        return model.fit(codes[:, :-1], codes[:, -1])

    def theirs() -> Any:  # noqa: ANN401 - scikit-learn has no types
        forest = RandomForestClassifier(
            case.trees, max_features=CANDIDATES, max_depth=case.depth, n_jobs=THREADS, random_state=0
        )
        return forest.fit(table.bits, table.labels)

    return ours, theirs


def responses(case: Case, table: Table) -> tuple[Survey, Codes]:
    """What respondents send; as they are where nothing is disguised."""
    generator = np.random.default_rng(1)
    home = dealt(table.bits.shape[1] + 1, max(case.groups, 1), generator)
    survey = bit_survey(table, home if case.groups else np.full_like(home, -1), case.truth)
    return survey, simulate(survey, table.values, generator).codes


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock, and of all processors."""
    start, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - busy


def paired(ours: Callable[[], Any], theirs: Callable[[], Any], pairs: int) -> dict[str, float]:
    """Time both in turn; medians."""
    times = [(timed(ours), timed(theirs)) for _ in range(pairs)]
    return {
        "seconds": statistics.median(mine[0] for mine, _ in times),
        "scikit_learn_seconds": statistics.median(peer[0] for _, peer in times),
        "ratio": statistics.median(peer[0] / mine[0] for mine, peer in times),
        "processor_ratio": statistics.median(peer[1] / mine[1] for mine, peer in times),
    }


def compare(case: Case, table: Table, pairs: int) -> dict[str, Any]:
    """Fit both in pairs; medians."""
    rows = rows_of(case, table)
    ours, theirs = fitters(case, rows)
    ours()  # compiles, the first time on a machine
    return {
        **asdict(case),
        "rows": len(rows.labels),
        "distinct": len(np.unique(np.packbits(rows.values.astype(bool), axis=1), axis=0)),
    } | paired(ours, theirs, pairs)


def compare_prediction(table: Table, pairs: int, trees: int) -> dict[str, Any]:
    """Predict 16,000 rows in pairs; medians. Ours starts from value indices, theirs from the bits."""
    case = Case("prediction", None, trees, UNLIMITED, 0)
    ours, theirs = fitters(case, table)
    mine, peer = ours(), theirs()
    values, bits = table.values[:TEST_ROWS], table.bits[:TEST_ROWS]
    mine.forest_.vote(values, hard=False)
    return {"name": f"prediction, {TEST_ROWS} rows, {trees} trees"} | paired(
        lambda: mine.forest_.vote(values, hard=False), lambda: peer.predict_proba(bits), pairs
    )


def peak(case: Case, which: int) -> float:
    """Megabytes that fitting in a fresh process adds to its peak; 0 is ours, 1 scikit-learn's."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_peak, (case, which))


def _peak(case: Case, which: int) -> float:
    table = rows_of(case, adult_36())
    fitter = fitters(case, table)[which]
    fitters(Case("warm", None, 1, 1, 0), Table("warm", table.bits[:100], table.labels[:100]))[which]()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    before = held("VmRSS")
    fitter()
    return held("VmHWM") - before


def held(what: str) -> float:
    """Megabytes that this process holds or has held at most."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.findall(rf"{what}:\s+(\d+) kB", status)[0]) / 2**10


def memory() -> dict[str, Any]:
    """Peak memory of both, on the table itself and on a million rows."""
    return {case.name: {"ours": peak(case, 0), "scikit_learn": peak(case, 1)} for case in (UNLIMITED_CASE, LARGE_CASE)}


def scaling(table: Table) -> list[dict[str, float]]:
    """Seconds for each million rows, 10 trees of depth 12, disguise off: medians."""
    figures = []
    for size in SIZES:
        ours, _ = fitters(Case("scaling", size, 10, LIMITED, 0), rows_of(Case("", size, 0, None, 0), table))
        ours()
        seconds = statistics.median(timed(ours)[0] for _ in range(RUNS))
        figures.append({"rows": size, "seconds": seconds, "seconds_per_million": seconds / size * 1e6})
    return figures


def training() -> dict[str, list[float]]:
    """Seconds of `miner train` on the votes in a fresh process, by kind of model: every run, the first one first."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).parent / "miner"), "train", collected(Path(folder))]
        command += ["--store", f"{folder}/{STORE}", "--seed", str(SEED), "--force", "-o", f"{folder}/model.json"]
        command += ["--model"]
        return {model: [launched([*command, model]) for _ in range(RUNS)] for model in ("id3", "forest")}


def collected(folder: Path) -> str:
    """Put the votes into a store there, disguised in three groups. Returns the survey's name."""
    table, store = congressional_votes(), folder / STORE
    groups = table.dealt(3, np.random.default_rng(SEED))
    (folder / "survey.toml").write_text(table.survey_toml(groups, "4/5", "complement"), encoding="utf-8")
    table.answers.to_csv(folder / "answers.csv", index=False)
    run(collector, "publish", folder / "survey.toml", "--store", store)
    answers, responses = folder / "answers.csv", folder / "responses.csv"
    run(miner, "simulate", folder / "survey.toml", answers, "--seed", SEED, "--force", "-o", responses)
    run(collector, "import", table.name, responses, "--store", store)
    return table.name


def run(command: click.Group, *arguments: object) -> None:
    """Run one of our commands as its entry point does, without what it prints."""
    with redirect_stdout(io.StringIO()):
        command.main([str(argument) for argument in arguments], standalone_mode=False)


def launched(command: list[str]) -> float:
    """Seconds that a command takes."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    return time.perf_counter() - start


def about() -> dict[str, Any]:
    """What the figures were measured with."""
    names = ("numpy", "numba", "scikit-learn")
    return {
        "command": "python -m benchmarks.speed",
        "processors": os.cpu_count(),
        "threads": THREADS,
        "versions": {"python": platform.python_version()} | {name: version(name) for name in names},
    }


def parts(table: Table) -> dict[str, Callable[[], Any]]:
    """What there is to measure, by name."""
    found: dict[str, Callable[[], Any]] = {name: partial(compare, case, table, PAIRS) for name, case in CASES.items()}
    return found | {
        "prediction": lambda: compare_prediction(table, PAIRS, 100),
        "memory": memory,
        "scaling": lambda: scaling(table),
        "train": training,
    }


def kept(results: Path, name: str, found: Any) -> None:  # noqa: ANN401 - JSON
    """Write a part into the file of results, beside the other parts."""
    before = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
    document = about() | {"parts": before.get("parts", {}) | {name: found}}
    results.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


@click.command()
@click.option("--only", multiple=True, metavar="PART", help="This part; may be given more than once.")
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, help="Where the parts are kept.")
@click.option("--quick", is_flag=True, help="Fewer trees and pairs, nothing kept: under a minute.")
def main(*, only: tuple[str, ...], results: Path, quick: bool) -> None:
    """Measure speed and memory beside scikit-learn's forest."""
    table = adult_36()
    if quick:
        for case in QUICK:
            click.echo(json.dumps(compare(case, table, 3)))
        click.echo(json.dumps(compare_prediction(table, 3, 20)))
        return
    every = parts(table)
    if unknown := set(only) - set(every):
        raise click.BadParameter(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    for name in only or every:
        found = every[name]()
        kept(results, name, found)
        click.echo(json.dumps({name: found}))


if __name__ == "__main__":
    main()
