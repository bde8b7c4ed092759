"""Runs of the accuracy benchmarks on file: appended as they end, taken up where they were left, summed up."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.data.coded import Bits
from benchmarks.learning.protocol import KINDS, STREAM, Cell, Contest, Scores
from benchmarks.results import RESULTS, ROOT
from miner.learners.mode_classifier import AUTO, MODES
from miner.responses.responses import Responses

RAW = ROOT / "build" / "results"  # every repetition; not committed
KEY = ["data", "channel", "truth", "groups", "class_disguised", "learner"]
Disguised = Callable[[Cell, int], tuple[Responses, Bits]]
"""Two thirds of a table disguised in a design, and the rest, of one repetition."""


@dataclass(frozen=True)
class Run:
    """One learner, once.

    Attributes:
        data: Name of the table.
        channel: Channel of every group.
        truth: Truth probability, or what stands for it in the table.
        groups: How many; 0 for one for each question.
        class_disguised: Whether the class is disguised too.
        learner: Its name.
        repetition: From 0.
        accuracy: On rows that are not disguised.
        auc: Likewise.
        mode: That was taken.
    """

    data: str
    channel: str
    truth: str
    groups: int
    class_disguised: bool
    learner: str
    repetition: int
    accuracy: float
    auc: float
    mode: str


COLUMNS = tuple(field.name for field in fields(Run))


class Runs:
    """A file of runs."""

    def __init__(self, name: str) -> None:
        self._path = RAW / f"{name}-{STREAM}.csv"
        append(self._path, COLUMNS, [])
        read = self._read()
        self._done = set(zip(*(read[name] for name in [*KEY, "repetition"]), strict=True))

    def _read(self) -> pd.DataFrame:
        """All runs; two processes at once may have made the same."""
        read = pd.read_csv(self._path, dtype={"truth": str}, keep_default_na=False, na_values={"auc": ["nan", ""]})
        return read.drop_duplicates([*KEY, "repetition"])

    def add(self, data: str, cell: Cell, learners: Iterable[str], repetition: int, disguised: Disguised) -> list[Run]:
        """Run the learners that have not been run on this disguise yet, and write down what they scored."""
        key = data, cell.channel, cell.truth, cell.groups, cell.class_disguised
        missing = [name for name in learners if (*key, name, repetition) not in self._done]
        if not missing:
            return []
        contest = Contest(*disguised(cell, repetition), repetition)
        found = [Run(*key, name, repetition, *_rounded(contest.scores(name))) for name in missing]
        append(self._path, COLUMNS, [astuple(run) for run in found])
        self._done.update((*key, name, repetition) for name in missing)
        return found

    def summary(self) -> pd.DataFrame:
        """Means over repetitions, variances between them, and standard errors of the means; a row for each learner."""
        grouped = self._read().groupby(KEY, sort=False)
        table = grouped.agg(
            repetitions=("accuracy", "size"),
            accuracy=("accuracy", "mean"),
            accuracy_variance=("accuracy", "var"),
            auc=("auc", "mean"),
            auc_variance=("auc", "var"),
            latent_taken=("mode", lambda modes: (modes == "latent").mean()),
        ).reset_index()
        for name in ("accuracy", "auc"):
            table[f"{name}_error"] = np.sqrt(table[f"{name}_variance"] / table["repetitions"])
        return table.merge(behind_best(self._read()), on=KEY, how="left")

    def write_summary(self, name: str, table: pd.DataFrame | None = None) -> None:
        """Write the summary to the results, whole or not at all."""
        RESULTS.mkdir(parents=True, exist_ok=True)
        path = RESULTS / f"{name}.csv"
        draft = path.with_suffix(".draft")
        (self.summary() if table is None else table).to_csv(draft, index=False, float_format="%.5g")
        draft.replace(path)


def append(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Append rows to a file of runs, which begins with the names of its columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not file.tell():
            writer.writerow(columns)
        writer.writerows(rows)


def behind_best(runs: pd.DataFrame) -> pd.DataFrame:
    """How far the default mode is behind the best mode of the same kind of model, in accuracy.

    Args:
        runs: A row for each run.

    Returns:
        A row for each design and kind of model, learner and design in `KEY`: `best_mode` is that of the largest mean,
        `behind` that mean less the default mode's, `behind_error` the standard error of this difference, the
        repetitions being the same for both. Designs that were not run in every mode are left out.
    """
    rows = []
    for design, some in runs.groupby(KEY[:-1], sort=False):
        scores = some.pivot_table(index="repetition", columns="learner", values="accuracy")
        for kind in KINDS:
            default, modes = f"{kind} {AUTO}", [f"{kind} {mode}" for mode in MODES if mode != AUTO]
            if {default, *modes} <= set(scores.columns):
                both = scores[[default, *modes]].dropna()
                best = both[modes].mean().idxmax()
                lost = both[best] - both[default]
                error = lost.std() / np.sqrt(len(lost))
                rows.append((*design, default, str(best).removeprefix(f"{kind} "), lost.mean(), error))
    return pd.DataFrame(rows, columns=[*KEY, "best_mode", "behind", "behind_error"])


def _rounded(scores: Scores) -> Scores:
    return round(scores[0], 5), round(scores[1], 5), scores[2]


def line(runs: list[Run]) -> str:
    """For people: what ran just now."""
    first = runs[0]
    figures = "  ".join(f"{run.learner} {run.accuracy:.3f}/{run.auc:.3f}" for run in runs)
    return (
        f"{first.data}, {first.channel} {first.truth}, {first.groups} groups, repetition {first.repetition}: {figures}"
    )
