"""Marginal and pairwise frequencies beside multi-freq-ldpy and pure-ldp, at the same epsilon of a whole response.

    python3 -m venv peers
    peers/bin/pip install multi-freq-ldpy==0.2.5 pure-ldp==1.2.0 "xxhash<4" scikit-learn statsmodels
    python -m benchmarks.local_privacy.frequencies --peer peers/bin/python [--quick]
        [--data NAME] [--epsilon E] [--repetitions N]
    python -m benchmarks.local_privacy.frequencies --ours [--data NAME] [--aim AIM] [--epsilon E] [--repetitions N]
    python -m benchmarks.local_privacy.frequencies --foretold [--data NAME] [--aim AIM] [--epsilon E]
    python -m benchmarks.local_privacy.frequencies --planned

Everybody of votes, nursery, Adult and Census-Income (`benchmarks.data.trusted`) answers. Ours is what a survey file
with ``[privacy] epsilon`` and ``aim = "shares"``, or ``"pairs"``, publishes: nothing else is set, and no prior is
known. Theirs is every mechanism of `benchmarks.local_privacy.peer_protocols`; the packages estimate no pairs, so that
each pair of questions is made a question for them. Measured is the mean squared error over all cells, of unbiased
estimates and of the same clipped and scaled. Runs are appended to a file, and one that is there is not made again; the
summary is `docs/results/frequencies.csv`. It also has what formulas foretell of SMP's mechanisms and of our shares,
free of the luck of a few repetitions; `--foretold` prints that, `--planned` what planning expects of pairs, `--ours`
our errors alone, which are then not kept.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.data.trusted import TABLES
from benchmarks.learning.runs import RAW, append
from benchmarks.local_privacy.frequency_errors import STREAM, Cell, design, our_errors, peer_errors
from benchmarks.local_privacy.frequency_formulas import OURS, foretold, foretold_pairs, planned_pairs
from benchmarks.results import RESULTS

REPETITIONS = 5
DATA = ("votes", "nursery", "adult", "census")
EPSILONS = ("1", "2", "4", "8")
AIMS = ("shares", "pairs")
COLUMNS = ("data", "aim", "epsilon", "repetition", "mechanism", "unbiased", "clipped", "stream")


def own_rows(cell: Cell, repetitions: Sequence[int]) -> Iterator[tuple[object, ...]]:
    """Of each repetition: ours."""
    table = TABLES[cell.data]()
    survey = design(table.survey, cell.epsilon, cell.aim)
    for repetition in repetitions:
        yield (*cell, repetition, OURS, *our_errors(survey, table.values, cell, repetition), STREAM)


def peer_rows(cell: Cell, repetitions: Sequence[int], python: str) -> Iterator[tuple[object, ...]]:
    """Of each repetition: every mechanism of the packages."""
    table = TABLES[cell.data]()
    kinds = [len(question.values) for question in table.survey.questions]
    for repetition, found in zip(repetitions, peer_errors(kinds, table.values, cell, repetitions, python), strict=True):
        yield from ((*cell, repetition, name, *each, STREAM) for name, each in found.items())


def print_ours(cell: Cell, repetitions: int) -> None:
    """Print the mean of our errors with its standard error, and what was asked."""
    table = TABLES[cell.data]()
    survey = design(table.survey, cell.epsilon, cell.aim)
    found = np.array([our_errors(survey, table.values, cell, each) for each in range(repetitions)])
    means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(repetitions)
    asked = survey.sampling.ask if survey.sampling else len(survey.questions)
    codings = sorted({(len(each.values), each.coding.written) for each in survey.questions if each.coding.shared})
    print(*cell, f"{asked} asked: {means[0]:.4g} ({errors[0]:.3g}), clipped {means[1]:.4g} ({errors[1]:.3g})", codings)


def print_foretold(cell: Cell) -> None:
    """Print what formulas say of ours, where they do, and of the best of SMP."""
    found = (foretold if cell.aim == "shares" else foretold_pairs)(cell)
    own = found.pop(OURS, None)
    best = min(found, key=lambda name: found[name])
    told = "" if own is None else f"ours {own:.4g}, theirs / ours {found[best] / own:.3f}, "
    print(*cell, f"{told}{best} {found[best]:.4g}", flush=True)


def print_alone(options: argparse.Namespace, wanted: Iterator[Cell]) -> None:
    """Print what needs no peer."""
    for name, epsilon in product(DATA, EPSILONS) if options.planned else ():
        ours, theirs = planned_pairs(name, epsilon)
        print(f"{name} {epsilon}: ours {ours:.4g}, SMP's best {theirs:.4g}, theirs / ours {theirs / ours:.3f}")
    for cell in () if options.planned else wanted:
        if options.foretold:
            print_foretold(cell)
        else:
            print_ours(cell, options.repetitions)


def cells(data: str | None, aim: str | None, epsilon: str | None) -> Iterator[Cell]:
    """Those of one table, aim or epsilon; of all where it is not said."""
    kinds = product([data] if data else DATA, [aim] if aim else AIMS, [epsilon] if epsilon else EPSILONS)
    yield from (Cell(*each) for each in kinds)


def kept() -> Path:
    """Where runs are appended."""
    return RAW / f"frequencies-{STREAM}.csv"


def read() -> pd.DataFrame:
    """The runs that were made."""
    return pd.read_csv(kept(), dtype={"epsilon": str}) if kept().exists() else pd.DataFrame(columns=list(COLUMNS))


def add(cell: Cell, repetitions: int, python: str) -> None:
    """Make the repetitions that are not there, ours and theirs, and append them."""
    made = read()
    same = made[(made.data == cell.data) & (made.aim == cell.aim) & (made.epsilon == cell.epsilon)]
    own = same.mechanism == OURS
    for some, runs in ((same[own], own_rows), (same[~own], partial(peer_rows, python=python))):
        missing = [each for each in range(repetitions) if each not in set(some.repetition)]
        if missing:
            append(kept(), COLUMNS, list(runs(cell, missing)))
            print(*cell, f"{len(missing)} repetitions", flush=True)


def summary(made: pd.DataFrame) -> pd.DataFrame:
    """Means with their standard errors, and over those of ours."""
    grouped = made.groupby(["data", "aim", "epsilon", "mechanism"], sort=False)
    table = grouped.agg(
        repetitions=("unbiased", "size"),
        unbiased=("unbiased", "mean"),
        unbiased_error=("unbiased", "sem"),
        clipped=("clipped", "mean"),
        clipped_error=("clipped", "sem"),
    ).reset_index()
    ours = table[table.mechanism == OURS].set_index(["data", "aim", "epsilon"])
    for kind in ("unbiased", "clipped"):
        own = ours[kind].reindex(pd.MultiIndex.from_frame(table[["data", "aim", "epsilon"]])).to_numpy()
        table[f"{kind}_over_ours"] = table[kind] / own
    told = {cell: (foretold if cell[1] == "shares" else foretold_pairs)(Cell(*cell)) for cell in ours.index}
    made_of = zip(table.data, table.aim, table.epsilon, table.mechanism, strict=True)
    table["foretold"] = [told[data, aim, epsilon].get(name) for data, aim, epsilon, name in made_of]
    return table


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="an interpreter that has multi-freq-ldpy and pure-ldp")
    parser.add_argument("--planned", action="store_true", help="what is expected of pairs: no peer is needed")
    parser.add_argument("--foretold", action="store_true", help="by formula, ours and SMP's: no peer is needed")
    parser.add_argument("--ours", action="store_true", help="our errors alone: no peer is needed")
    parser.add_argument("--quick", action="store_true", help="votes at one epsilon: seconds")
    parser.add_argument("--data", choices=DATA)
    parser.add_argument("--aim", choices=AIMS)
    parser.add_argument("--epsilon", choices=EPSILONS)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    options = parser.parse_args()
    wanted = cells(options.data, options.aim, options.epsilon)
    if options.planned or options.foretold or options.ours:
        print_alone(options, wanted)
        return
    if options.peer is None:
        parser.error("--peer is missing: an interpreter that has multi-freq-ldpy and pure-ldp")
    if options.quick:
        cell = Cell("votes", "shares", "2")
        for row in (*own_rows(cell, [0]), *peer_rows(cell, [0], options.peer)):
            print(*row)
        return
    for cell in wanted:
        add(cell, options.repetitions, options.peer)
    found = summary(read())
    found.to_csv(RESULTS / "frequencies.csv", index=False, float_format="%.5g")
    print(found.to_string())


if __name__ == "__main__":
    main()
