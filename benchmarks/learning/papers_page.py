"""The figures on docs/results/papers.md, from the tables beside it: `python -m benchmarks.learning.papers_page`.

A part stands between two comments that name it. Everything else on the page is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import isnan
from typing import Any

import pandas as pd

from benchmarks.learning.protocol import AS_IF_TRUE
from benchmarks.results import RESULTS
from miner.learners.mode_classifier import MODES

PAGE = RESULTS / "papers.md"
LEAST_TRUTHS = ("11/20", "3/5", "7/10", "4/5", "9/10", "1")
ALLOWED = 0.01  # that the default mode may be behind the best one
WORST = 5  # rows shown of it
HOW = (*MODES, AS_IF_TRUE)  # to learn
HEARD = tuple(f"{kind} {how}" for kind, how in product(("id3", "forest"), HOW))


def cells(*columns: object) -> str:
    """A row of a table."""
    return "| " + " | ".join(str(column) for column in columns) + " |"


def table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    """A table in Markdown."""
    return "\n".join([cells(*head), "|" + "---|" * len(head), *(cells(*row) for row in rows)])


def short(number: float, error: float | None = None) -> str:
    """Three digits after the point, the standard error in brackets."""
    text = "" if error is None or isnan(error) else f" ({error:.3f})"
    return re.sub(r"\b0\.", ".", f"{number:.3f}{text}")


def read(name: str) -> pd.DataFrame:
    """One of the tables of results."""
    return pd.read_csv(RESULTS / f"{name}.csv", dtype={"truth": str})


def rows_of(frame: pd.DataFrame) -> list[Any]:
    """The rows, each with its columns as attributes."""
    return list(frame.itertuples())


def repetitions() -> str:
    """How often each learner was run on each table, designs taken together."""
    rows: list[tuple[object, ...]] = []
    for name in ("du_zhan", "szucs", "uniform"):
        for data, some in read(name).groupby("data", sort=False):
            modes = some["learner"].str.split(n=1).str[1]
            rows.append((f"`{name}.csv`", data, *(often(some[modes == mode]["repetitions"]) for mode in HOW)))
    return table(("table", "data", *HOW), rows)


def often(times: pd.Series[int]) -> str:
    """The least and the most."""
    ends = sorted({times.min(), times.max()}) if len(times) else []
    return " to ".join(str(end) for end in ends)


def default_mode() -> str:
    """How far the default mode is behind the best of its modes."""
    runs = pd.concat([read("du_zhan").query("copy_of.isna()"), read("szucs")])
    known = runs[runs["behind"].notna() & runs["truth"].isin(LEAST_TRUTHS)].sort_values("behind", ascending=False)
    clearly = known["behind"] - 2 * known["behind_error"] > ALLOWED
    told = (
        f"Over {len(known)} designs and learners with theta from .55 to 1, `auto` is behind the best of faithful, "
        f"robust and latent by {short(known['behind'].mean())} on average; by more than one point in "
        f"{int((known['behind'] > ALLOWED).sum())}, and by two standard errors more than that in {int(clearly.sum())}. "
        "The best is the one with the largest mean in the same repetitions, and so flattered by their luck. The worst:"
    )
    shown: list[tuple[object, ...]] = [
        (
            f"{row.data}, theta {row.truth}, groups: {row.groups}, {row.learner.split()[0]}",
            row.repetitions,
            short(row.accuracy),
            row.best_mode,
            short(row.behind, row.behind_error),
        )
        for row in rows_of(known.head(WORST))
    ]
    return "\n\n".join([told, table(("design", "repetitions", "auto", "best", "behind"), shown)])


def uniform() -> str:
    """Accuracy and AUC by epsilon, and how many repetitions."""
    runs = read("uniform")
    epsilons = sorted(dict.fromkeys(runs["truth"]), key=lambda text: Fraction(text.split()[-1]))
    rows: list[tuple[object, ...]] = []
    for data, learner in product(dict.fromkeys(runs["data"]), HEARD):
        some = runs[(runs["data"] == data) & (runs["learner"] == learner)]
        by = {row.truth: f"{short(row.accuracy)}/{short(row.auc)}" for row in rows_of(some)}
        if by:
            rows.append((data, learner, *(by.get(epsilon, "") for epsilon in epsilons), some["repetitions"].min()))
    return table(("data", "learner", *epsilons, "repetitions"), rows)


PARTS: dict[str, Callable[[], str]] = {
    "repetitions": repetitions,
    "default mode": default_mode,
    "uniform": uniform,
}


def filled(page: str, name: str, text: str) -> str:
    """The page with one part renewed.

    Raises:
        ValueError: If the page has no such part.
    """
    begin, end = f"<!-- {name}: made by benchmarks.learning.papers_page -->", f"<!-- end of {name} -->"
    found = re.search(f"{re.escape(begin)}.*?{re.escape(end)}", page, re.DOTALL)
    if found is None:
        raise ValueError(f"papers.md has no part {name}")
    return page[: found.start()] + f"{begin}\n\n{text}\n\n{end}" + page[found.end() :]


def main() -> None:
    """Renew every part."""
    page = PAGE.read_text(encoding="utf-8")
    for name, part in PARTS.items():
        page = filled(page, name, part())
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
