"""Our figures beside those of the prototype the project set out from: `python -m benchmarks.learning.differences`.

Writes `docs/results/differences.csv` from the tables of `benchmarks.du_zhan` and `benchmarks.szucs`, and renews the
figures on docs/results/papers.md. The prototype's figures are means of few repetitions and have an error too, which is
taken to be as large as ours would be with as many (none where ours was run once). A faithful figure is *near* if it is
within 1.5 points or two standard errors of the difference; a figure of our best mode *holds* if it is not below by more
than two.
"""

from __future__ import annotations

from math import sqrt

import pandas as pd

from benchmarks.learning import papers_page
from benchmarks.learning.prototype import PROTOTYPE, Figures
from benchmarks.results import RESULTS, write_csv

NEAR = 0.015
ERRORS = 2.0
SOURCES = ("du_zhan", "szucs")
COLUMNS = (
    *("data", "truth", "groups", "learner", "measure", "prototype", "ours", "ours_error", "difference"),
    *("difference_error", "verdict"),
)


def compared(figures: Figures, summary: pd.DataFrame) -> list[tuple[object, ...]]:
    """A row for each figure of one design that both have."""
    rows: list[tuple[object, ...]] = []
    for learner, scores in figures.scores.items():
        found = summary.loc[
            (summary["data"] == figures.data)
            & (summary["truth"] == figures.truth)
            & (summary["groups"] == figures.groups)
            & (summary["learner"] == learner)
            & summary["class_disguised"]
        ]
        for measure, theirs in zip(("accuracy", "auc"), scores, strict=True):
            if not found.empty and theirs == theirs:  # noqa: PLR0124 - NaN is unknown
                ours, variance = found[measure].item(), found[f"{measure}_variance"].fillna(0.0).item()
                error = sqrt(variance / found["repetitions"].item())
                both = sqrt(error**2 + variance / figures.repetitions)
                judged = verdict(learner, ours - theirs, both)
                design = figures.data, figures.truth, figures.groups
                judged = verdict(learner, ours - theirs, both)
                rows.append((*design, learner, measure, theirs, ours, error, ours - theirs, both, judged))
    return rows


def verdict(learner: str, difference: float, error: float) -> str:
    """In a word: whether the figure is reproduced, or our best mode's holds."""
    if learner.endswith("auto"):
        return "holds" if difference >= -ERRORS * error else "below"
    return "near" if abs(difference) <= max(NEAR, ERRORS * error) else "off"


def main() -> None:
    """Compare, write and print."""
    files = [RESULTS / f"{name}.csv" for name in SOURCES]
    summary = pd.concat([pd.read_csv(file, dtype={"truth": str}) for file in files if file.exists()])
    rows = [row for figures in PROTOTYPE for row in compared(figures, summary)]
    write_csv("differences", COLUMNS, rows)
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    print(table.round(3).to_string(index=False))
    papers_page.main()


if __name__ == "__main__":
    main()
