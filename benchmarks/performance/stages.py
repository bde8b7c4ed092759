"""Stages of `benchmarks.performance.scale` and `designs` that are no command: each reads a folder of Parquet files."""

from __future__ import annotations

from contextlib import nullcontext
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from time import perf_counter

from sklearn.ensemble import RandomForestClassifier

from miner.counting.workers import workers
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.models.training import train
from miner.responses.parquet_folder import ParquetFolder

TREES, DEPTH = 20, 12


def memory(path: str) -> None:
    """All responses in memory, one by one."""
    print(f"{len(ParquetFolder(Path(path)).in_memory())} responses")


def forest(path: str) -> None:
    """Train and test a forest."""
    folder = ParquetFolder(Path(path))
    learner = ForestClassifier(folder.survey, mode="robust", n_estimators=TREES, max_depth=DEPTH, random_state=1)
    print(train(folder, learner, Fraction(1, 3), 1).training.as_json)


def sklearn(path: str) -> None:
    """Fit scikit-learn's forest of as many trees to the codes, as if they were answers."""
    codes = ParquetFolder(Path(path)).in_memory().codes
    RandomForestClassifier(TREES, max_depth=DEPTH, random_state=1, n_jobs=2).fit(codes[:, :-1], codes[:, -1])


def duckdb(path: str) -> None:
    """Count the first and the last question together."""
    names = [question.name for question in ParquetFolder(Path(path)).survey.questions]
    query = f'SELECT {names[0]}, {names[-1]}, count(*) FROM "{path}/*.parquet" GROUP BY ALL'  # noqa: S608 - our own
    print(len(import_module("duckdb").sql(query).fetchall()))


def dask_id3(path: str) -> None:
    """Train a tree in this process, with one worker and with two; say how long each took, and whether all are equal."""
    folder = ParquetFolder(Path(path))
    seconds, found = [], []
    for count in (None, 1, 2):
        with nullcontext(folder) if count is None else workers(folder, None, count) as source:
            learner = ID3Classifier(folder.survey, mode="robust", random_state=1)
            started = perf_counter()
            found.append(train(source, learner, Fraction(1, 3), 1).as_json)
            seconds.append(perf_counter() - started)
    here, one, two = seconds
    alike = "equal" if found[0] == found[1] == found[2] else "NOT equal"
    print(f"here {here:.1f} s, one worker {one:.1f} s, two {two:.1f} s, ratio {one / two:.2f}; models are {alike}")


def dask(path: str) -> None:
    """Count all tables with the target by one worker and by two, which run before the clock does."""
    folder = ParquetFolder(Path(path))
    target = len(folder.survey.questions) - 1
    tables = [[column, target] for column in range(target)]
    seconds = []
    for count in (1, 2):
        with workers(folder, None, count) as counted:
            counted.tallied(tables[:1])  # every worker has imported and opened what it needs
            started = perf_counter()
            counted.tallied(tables)
            seconds.append(perf_counter() - started)
    print(f"one worker {seconds[0]:.1f} s, two {seconds[1]:.1f} s, ratio {seconds[0] / seconds[1]:.2f}")
