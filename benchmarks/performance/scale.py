"""Seconds of processor time and peak memory of every stage, from the store to the model, by the number of responses.

    python -m benchmarks.performance.scale                        # 10^6 through the store, 5 x 10^7 from Parquet
    python -m benchmarks.performance.scale --responses 1e6        # so many, from Parquet
    python -m benchmarks.performance.scale --stage crosstab --responses 5e7
    python -m benchmarks.performance.scale --stage dask --responses 5e7
    python -m benchmarks.performance.scale --stage export --responses 5e7   # from a store, which takes 3 GB

Respondents answer 20 questions, ten of two values and ten of four, each disguised by a coin of epsilon 2 for itself.
Made-up responses are written as Parquet without a store, in constant memory, and kept in --folder for the next run.
Each stage is a process of its own: its processor time, that of its children included, and its largest resident set,
libraries included (some 150 MiB). `memory` is the responses in memory one by one; `forest` 20 trees of depth 12; `dask`
the time by the clock of all tables with the target, by one worker of one thread and by two, which run already.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from time import perf_counter
from typing import NamedTuple

import numpy as np

from collector.database.batch import FIRST, Batch, rows_of
from collector.store.published import Published
from collector.store.store import BATCH, Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.table.parquet import write_folder

QUESTIONS, VALUES, KINDS = 20, (4, 2), 4
STORED, MANY = 10**6, 5 * 10**7
KIBIBYTES = 1024
IDS = 2**63
MODELS = ("id3", "random-trees")
USAGE = """
import resource, sys
try:
    {code}
finally:
    own, others = (resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    print(seconds, max(own.ru_maxrss, others.ru_maxrss), file=sys.stderr)
"""


COMMAND = "from {package}.__main__ import run; run()"
PROGRAMS = {
    "memory": "from benchmarks.performance.stages import memory; memory(sys.argv[1])",
    "forest": "from benchmarks.performance.stages import forest; forest(sys.argv[1])",
    "dask": "from benchmarks.performance.stages import dask; dask(sys.argv[1])",
}


class Figures(NamedTuple):
    """What one stage took."""

    stage: str
    responses: int
    processor_seconds: float
    clock_seconds: float
    mebibytes: float


def survey() -> Survey:
    """Twenty questions of four and two values in turn."""
    parts = ['name = "scale"', 'title = "Scale"', 'languages = ["en"]']
    for number in range(QUESTIONS):
        values = [f"v{value}" for value in range(VALUES[number % 2])]
        parts.append(f'[[questions]]\nname = "q{number}"\nlabel = "?"\ngroup = "g{number}"\nkind = "choice"')
        parts.append(f"values = {values!r}")
    parts.append("[groups]")
    parts += [f'g{number} = {{ channel = "uniform", epsilon = 2 }}' for number in range(QUESTIONS)]
    return parse_survey("\n".join([*parts, f'[mining]\ntarget = "q{QUESTIONS - 1}"']))


def batches(count: int) -> Iterator[Batch]:
    """Made-up responses as a store gives them: people of a few kinds, each of whom leans one way."""
    sizes = np.array([VALUES[number % 2] for number in range(QUESTIONS)])
    for number, start in enumerate(range(0, count, BATCH)):
        generator, rows = np.random.default_rng(number), min(BATCH, count - start)
        kinds = generator.integers(0, KINDS, (rows, 1), np.uint8)
        leaning = generator.random((rows, QUESTIONS), np.float32) < 1 / 2
        codes = np.where(leaning, kinds, generator.integers(0, KINDS, (rows, QUESTIONS), np.uint8)) % sizes
        yield array("B", (codes + FIRST).astype(np.uint8).tobytes())


def as_parquet(count: int, folder: Path) -> Path:
    """A folder of so many responses; one of an earlier run where there is one."""
    design = survey()
    path = folder / f"{count}.parquet"
    if not path.exists():
        published = Published(design.name, 1, design.fingerprint, design)
        write_folder(published, batches(count), path, None, lambda: None)
    return path


def stored(count: int, folder: Path) -> Path:
    """A store of so many responses, as it is once tidied: in the order of their ids, which is quick to make."""
    path, number, design = folder / f"{count}.db", itertools.count(), survey()
    if not path.exists():
        with Store(
            path, create=True, draw_ids=lambda many: [next(number) * IDS // count for _ in range(many)]
        ) as store:
            store.publish(design)
            for batch in batches(count):
                store.add(design, rows_of(design, batch))
    return path


def measured(stage: str, count: int, code: str, *arguments: str, limit: float | None = None) -> Figures:
    """Run a program, for so many seconds at most, and show what it prints."""
    start = perf_counter()
    command = [sys.executable, "-c", USAGE.format(code=code), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)  # noqa: S603 - our own
    clock = perf_counter() - start
    seconds, memory = (float(word) for word in done.stderr.split()[-2:])
    print(done.stdout, end="")
    return Figures(stage, count, round(seconds, 1), round(clock, 1), round(memory / KIBIBYTES))


def exported(count: int, folder: Path) -> Figures:
    """From a store to Parquet files, which are then removed."""
    path, target = stored(count, folder), folder / "exported.parquet"
    arguments = ("export", "scale", "--format", "parquet", "-o", str(target), "--store", str(path))
    figures = measured("export", count, COMMAND.format(package="collector"), *arguments)
    rmtree(target)
    return figures


def stages(place: list[str], folder: Path) -> dict[str, tuple[str, ...]]:
    """The arguments of ``miner`` for each stage; `place` says where responses are."""
    model = str(folder / "model.json")
    found: dict[str, tuple[str, ...]] = {
        "estimate": ("estimate", "scale", "q1 = v0 and q2 = v1", *place),
        "crosstab": ("crosstab", "scale", "q0", "q19", *place),
    }
    for kind in MODELS:
        mode = ("--mode", "robust") if kind != "random-trees" else ()
        found[kind] = ("train", "scale", "--model", kind, *mode, "--seed", "1", "--force", "-o", model, *place)
    return found


def main() -> None:
    """Run, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--responses", type=float)
    parser.add_argument("--stage", action="append")
    parser.add_argument("--folder", type=Path, default=Path(os.environ.get("TMPDIR", "/tmp")) / "deniable-scale")  # noqa: S108 - made-up data
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.responses is None and not options.stage:
        path = stored(STORED, options.folder)
        for stage, arguments in stages(["--store", str(path)], options.folder).items():
            print(measured(f"{stage} from the store", STORED, COMMAND.format(package="miner"), *arguments), flush=True)
        print(exported(STORED, options.folder), flush=True)
    count = int(options.responses or MANY)
    if "export" in (options.stage or ()):
        print(exported(count, options.folder), flush=True)
    path = as_parquet(count, options.folder)
    for stage, arguments in stages(["--from", str(path)], options.folder).items():
        if not options.stage or stage in options.stage:
            print(measured(stage, count, COMMAND.format(package="miner"), *arguments), flush=True)
    for stage, code in PROGRAMS.items():
        if not options.stage or stage in options.stage:
            print(measured(stage, count, code, str(path)), flush=True)


if __name__ == "__main__":
    main()
