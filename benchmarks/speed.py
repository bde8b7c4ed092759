"""Speed and memory of the forest against scikit-learn's on the same bits, in pairs in the same run.

    python -m benchmarks.speed            # some four minutes
    python -m benchmarks.speed --quick    # fewer trees and pairs: under a minute

Each pair times both, one after the other; printed is the median over the pairs of the ratio of their times, by the
clock and by the processor (which other work on the machine disturbs less). Peak memory is that of a fresh process for
each, less what it held before fitting. "Distinct" says how many rows differ.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import resource
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from benchmarks.coded import Table, adult_36, bit_survey, dealt
from collector.survey import Survey
from miner.forest.classifier import ForestClassifier
from miner.responses import Codes
from miner.simulation import simulate

THREADS = 2
CANDIDATES = 6
TEST_ROWS = 16_000
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


FULL = [
    Case("unlimited depth", None, 100, UNLIMITED, 0),
    Case("depth 12", None, 100, LIMITED, 0),
    Case("disguised, 1 group", None, 100, UNLIMITED, 1),
    Case("disguised, 3 groups", None, 100, UNLIMITED, 3),
    Case("1,000,000 rows, depth 12", 1_000_000, 20, LIMITED, 0),
]
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
    before, seen, done = resident(), [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            seen[0] = max(seen[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    fitter()
    done.set()
    watcher.join()
    return seen[0] - before


def resident() -> float:
    """Megabytes this process holds."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def scaling(table: Table, sizes: list[int]) -> list[dict[str, float]]:
    """Seconds for each million rows, 10 trees of depth 12, disguise off."""
    figures = []
    for size in sizes:
        case = Case("scaling", size, 10, LIMITED, 0)
        ours, _ = fitters(case, rows_of(case, table))
        seconds = min(timed(ours)[0] for _ in range(2))
        figures.append({"rows": size, "seconds": seconds, "seconds_per_million": seconds / size * 1e6})
    return figures


def about() -> dict[str, Any]:
    """What the figures were measured with."""
    names = ("numpy", "numba", "scikit-learn")
    return {
        "command": "python -m benchmarks.speed --json",
        "processors": os.cpu_count(),
        "threads": THREADS,
        "versions": {"python": platform.python_version()} | {name: version(name) for name in names},
    }


@click.command()
@click.option("--quick", is_flag=True, help="Fewer trees and pairs: under a minute.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Measure speed and memory beside scikit-learn's forest."""
    table, pairs = adult_36(), 3 if quick else 5
    found = [compare(case, table, pairs) for case in (QUICK if quick else FULL)]
    found.append(compare_prediction(table, pairs, 20 if quick else 100))
    result: dict[str, Any] = about() | {"cases": found}
    if not quick:
        case = FULL[0]
        result["peak_megabytes"] = {"ours": peak(case, 0), "scikit_learn": peak(case, 1)}
        result["scaling"] = scaling(table, [10_000, 100_000, 1_000_000, 10_000_000])
    click.echo(json.dumps(result, indent=2) if as_json else _text(result))


def _text(result: dict[str, Any]) -> str:
    lines = [f"{'case':40} {'ours':>9} {'scikit-learn':>13} {'ratio':>6} {'processor':>10}"]
    lines += [
        f"{case['name']:40} {case['seconds']:8.3f}s {case['scikit_learn_seconds']:12.3f}s "
        f"{case['ratio']:6.1f} {case['processor_ratio']:10.1f}"
        for case in result["cases"]
    ]
    if "scaling" in result:
        memory = result["peak_megabytes"]
        lines.append(f"peak memory: {memory['ours']:.0f} MB against {memory['scikit_learn']:.0f} MB")
        lines += [
            f"{each['rows']:>10} rows: {each['seconds_per_million']:.3f} s a million" for each in result["scaling"]
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
